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

/// The step in front of the call that makes the image which it reads.
enum class Expansion { None, Patches, Phases };

/// A record of codegen_templates/records/variant.td.
struct Variant {
  llvm::StringLiteral name, contract, function;
  /// The kernel sets that have the function.
  llvm::ArrayRef<llvm::StringLiteral> sets;
  llvm::ArrayRef<VariantGuard> guards;
  llvm::ArrayRef<VariantChoice> choices;
  /// The members that the function has and the contract has not.
  llvm::ArrayRef<VariantMember> members;
  llvm::ArrayRef<VariantAmount> amounts;
  llvm::ArrayRef<llvm::StringLiteral> packs;
  Expansion expansion;
  int64_t worth, choiceWorth;
};

/// A variant that may be taken, with what is chosen, and what it costs.
struct Candidate {
  const Variant *variant = nullptr;
  ChosenNumbers choices, members;
  Amount price;
  /// All variants of the contract, as kWeighed (Explained.h) has them; null where choices are not
  /// explained.
  mlir::ArrayAttr weighed;

  explicit operator bool() const { return variant != nullptr; }
  /// Whether the compiler transforms an operand for it.
  bool packs(llvm::StringRef operand) const { return llvm::is_contained(variant->packs, operand); }
};

/// The cheapest variant of `contract`; none where all have a guard that does not hold, and on no
/// machine.
Candidate chooseVariant(llvm::StringRef contract, const Problem &problem);

} // namespace cameo

#endif // CAMEO_KERNELS_VARIANTS_H
