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
struct VariantAmount {
  llvm::StringLiteral resource;
  Amount (*count)(const Problem &, const ChosenNumbers &);
};

/// A record of codegen_templates/records/variant.td.
struct Variant {
  llvm::StringLiteral name, contract, function;
  llvm::ArrayRef<VariantGuard> guards;
  llvm::ArrayRef<VariantChoice> choices;
  llvm::ArrayRef<VariantAmount> amounts;
  llvm::ArrayRef<llvm::StringLiteral> packs;
  llvm::StringLiteral expansion;
  int64_t worth, choiceWorth;
};

/// A variant that may be taken, with what is chosen, and what it costs.
struct Candidate {
  const Variant *variant = nullptr;
  ChosenNumbers choices;
  Amount price;

  explicit operator bool() const { return variant != nullptr; }
  /// Whether the compiler transforms an operand for it.
  bool packs(llvm::StringRef operand) const { return llvm::is_contained(variant->packs, operand); }
};

/// The cheapest variant of `contract`; none where all have a guard that does not hold, and on no
/// machine.
Candidate chooseVariant(llvm::StringRef contract, const Problem &problem);

} // namespace cameo

#endif // CAMEO_KERNELS_VARIANTS_H
