// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes by which calls say how they were chosen, in a module that is to be explained.

#ifndef CAMEO_KERNELS_EXPLAINED_H
#define CAMEO_KERNELS_EXPLAINED_H

#include "mlir/IR/BuiltinOps.h"

namespace cameo {

/// Has the calls of a module keep these attributes.
void explainChoices(mlir::ModuleOp module);
/// Whether those of the module around `op` do.
bool explainsChoices(mlir::Operation *op);

/// The variants of a call's contract, a dictionary each, in the order of the records. `name` and
/// `function`; the numbers of `choices` and, if it spends anything, the `price` in picoseconds with
/// the `bound`, the resource that most of it goes to, and how many `percent` that is; or `refused`,
/// the text of a guard; `taken` on the one that was.
constexpr llvm::StringLiteral kWeighed = "cameo.weighed";
/// Where a call is taken that is one of several for ranges: a dictionary of the extent `measure`,
/// which is more than `above` and at most `most`, where these are there; `usual` on the one of the
/// sizes that costs are weighed by.
constexpr llvm::StringLiteral kWhere = "cameo.where";
/// The node that a choice by prices was made for, as reports have it: it is kept by this.
constexpr llvm::StringLiteral kChosenFor = "cameo.chosen_for";
/// The template that a call was of before another one took it over.
constexpr llvm::StringLiteral kReplaced = "cameo.replaced";

/// Removes them all.
void forgetChoices(mlir::ModuleOp module);

} // namespace cameo

#endif // CAMEO_KERNELS_EXPLAINED_H
