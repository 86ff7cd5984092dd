// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which way of running a call takes least time on the machine that it is compiled for.

#ifndef CAMEO_KERNELS_VARIANTS_H
#define CAMEO_KERNELS_VARIANTS_H

#include "Kernels/Problem.h"

#include <optional>

namespace cameo {

/// The numbers that were chosen for a variant, in the order of its choices.
struct ChosenNumbers {
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>, 2> numbers;

  std::optional<int64_t> find(llvm::StringRef name) const;
  Amount get(llvm::StringRef name) const { return *find(name); }
};

struct VariantGuard {
  llvm::StringLiteral text;
  bool (*holds)(const Problem &, const ChosenNumbers &);
};
struct VariantChoice {
  llvm::StringLiteral name;
  llvm::ArrayRef<int64_t> values;
};
struct VariantMember {
  llvm::StringLiteral name;
  Amount (*get)(const Problem &, const ChosenNumbers &);
};
struct VariantAmount {
  llvm::StringLiteral resource;
  Amount (*count)(const Problem &, const ChosenNumbers &);
};

/// An operand of the contract that the function reads as an image of it.
struct VariantPack {
  llvm::StringLiteral operand, image;
  /// The axes of the image that lie in blocks, and how long these are.
  llvm::ArrayRef<int64_t> axes, blocks;
  /// The template that makes the image in each call, and its members that are other than the
  /// function's; empty where the compiler makes it.
  llvm::StringLiteral call;
  llvm::ArrayRef<VariantMember> members;
  /// The steps that make another dense tensor of the operand, which then lies in blocks.
  llvm::SmallVector<mlir::Attribute> (*getSteps)(const Problem &, const ChosenNumbers &);
};

/// How images come about that calls read: by a step in front of the call; or the operator is
/// written as convolutions of images before there are calls, one for each residue of its outputs
/// modulo the strides, one whose channels are planes of a volume, or one of a line as its only row.
enum class Expansion { None, Patches, Phases, Residues, Planes, Row };

/// The numbers that members are in a problem.
ChosenNumbers evaluateMembers(llvm::ArrayRef<VariantMember> members, const Problem &problem,
                              const ChosenNumbers &choices);

/// A record of codegen_templates/records/variant.td.
struct Variant {
  llvm::StringLiteral name, contract, function;
  /// The kernel sets that have the function.
  llvm::ArrayRef<llvm::StringLiteral> sets;
  llvm::ArrayRef<VariantGuard> guards;
  llvm::ArrayRef<VariantChoice> choices;
  /// The members of the function that the contract has not, or that are other ones.
  llvm::ArrayRef<VariantMember> members;
  llvm::ArrayRef<VariantAmount> amounts;
  llvm::ArrayRef<VariantPack> packs;
  Expansion expansion;
  int64_t worth, choiceWorth;

  /// The pack that is an operand of the function, and that which the compiler makes of an operand
  /// of the contract; null where there is none.
  const VariantPack *findPack(llvm::StringRef image) const;
  const VariantPack *findCompiledPack(llvm::StringRef operand) const;
};

/// A record of class Ranged.
struct RangedContract {
  llvm::StringLiteral contract;
  llvm::ArrayRef<llvm::StringLiteral> members;
};

/// A variant that may be taken, with what is chosen, and what it costs.
struct Candidate {
  const Variant *variant = nullptr;
  ChosenNumbers choices, members;
  Amount price;

  explicit operator bool() const { return variant != nullptr; }
};

/// All variants of all contracts, in the order of the records.
llvm::ArrayRef<Variant> getVariants();
/// Calls `visit` with each combination of what a variant leaves to choose.
void forEachChoice(const Variant &variant, llvm::function_ref<void(const ChosenNumbers &)> visit);

/// Whether one is in front of the other, in the order of the records and of choices.
bool isInFront(const Candidate &a, const Candidate &b);

/// The cheapest variant of `contract`; none where all have a guard that does not hold, and on no
/// machine.
Candidate chooseVariant(llvm::StringRef contract, const Problem &problem);
/// The candidate of a record's name with these choices; none where there is no such, or a guard
/// does not hold, of which `refusal` tells.
Candidate findVariant(llvm::StringRef contract, llvm::StringRef name, const ChosenNumbers &choices,
                      const Problem &problem, std::string &refusal);
/// The price of a candidate in another problem of its contract; nullopt where a guard does not
/// hold.
std::optional<Amount> getPriceIn(const Problem &problem, const Candidate &candidate);
/// All variants of `contract`, as kWeighed (Explained.h) has them; null where choices are not
/// explained.
mlir::ArrayAttr weighVariants(llvm::StringRef contract, const Problem &problem,
                              const Candidate &taken);
/// The members whose product ranges of a contract's calls are of; none where it has no ranges.
llvm::ArrayRef<llvm::StringLiteral> getRangedMembers(llvm::StringRef contract);

} // namespace cameo

#endif // CAMEO_KERNELS_VARIANTS_H
