// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be done with an extent of which the host has a bound only, and what cannot.

#ifndef CAMEO_PLAN_COUNTEDEXTENTS_H
#define CAMEO_PLAN_COUNTEDEXTENTS_H

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// A place in a program: behind `op`, or where its body begins.
struct SymbolPlace {
  mlir::Operation *op;
  bool isInside;
};

class CountedExtents {
public:
  /// The extents that follow from the symbols that `function` counts on the device.
  explicit CountedExtents(mlir::func::FuncOp function);

  /// The counted symbols that the host has to know, and the first op for which. Linear in the
  /// function.
  llvm::DenseMap<llvm::StringRef, mlir::Operation *> findHostNeeds(mlir::func::FuncOp function);

  /// The largest parts of extents with counts that have none themselves, and that only the host can
  /// compute, since they may leave 64 bits on the way: as symbols that it has they keep nothing.
  llvm::SetVector<core::ExtentAttr> findHostParts(mlir::func::FuncOp function) const;
  /// Extents that types and kernels name and that keep kernels from running by their counts, but
  /// that could be counts themselves: a kernel can compute them, and the host has a bound.
  llvm::SetVector<core::ExtentAttr> findNameable(mlir::func::FuncOp function);
  /// The most that the host can know of `extent`.
  core::ExtentAttr getBound(core::ExtentAttr extent) const { return analysis.getHostBound(extent); }
  /// Whether the symbols of `extent` have their values in front of `op`.
  bool areKnownBefore(core::ExtentAttr extent, mlir::Operation *op) const {
    return analysis.areKnownBefore(extent, op);
  }
  const core::ExtentFacts &getFacts() const { return analysis.getFacts(); }
  /// Where all symbols of `extent` first have their values: two places where it is made of what a
  /// loop carries, in its body and behind it; the front of `function` for dims of inputs alone.
  llvm::SmallVector<SymbolPlace> findPlaces(mlir::func::FuncOp function,
                                            core::ExtentAttr extent) const;

  /// The counted symbols of `extent`.
  llvm::SetVector<llvm::StringRef> getCounts(core::ExtentAttr extent) const;
  /// Whether a kernel can compute `extent`: no part of it can leave 64 bits.
  bool isBounded(core::ExtentAttr extent) const;

private:
  /// Calls `visit` with the counted symbols that an op names itself.
  void forEachCounted(mlir::Operation *op, llvm::function_ref<void(llvm::StringRef)> visit);
  /// Whether `op` needs no more of the counted symbols that it names than kernels do.
  bool runsOnDevice(mlir::Operation *op);
  /// Calls `visit` with the counted symbols that the host needs for what a branch or a loop
  /// decides: extents of symbols that are its own, and types of its tensors.
  void forEachDecided(mlir::Operation *op, llvm::function_ref<void(llvm::StringRef)> visit);
  bool canLaunch(mlir::Operation *kernel);
  bool canCall(prog::CallOp call);
  /// Whether a kernel can compute what `definition` says: the host has a bound, and no part of it
  /// can leave 64 bits, which only the host would tell.
  bool canCompute(prog::DefineOp definition) const;
  /// Whether all its values are known to lie in 64 bits.
  bool isInside(core::ExtentAttr extent) const;
  /// Whether it is a product, or an extent of natural parts, that some tensor on the device has at
  /// least as many elements as: where it left 64 bits there would have been no memory for the most
  /// that the tensor can be.
  bool hasTensor(core::ExtentAttr extent) const;
  /// Whether no part of it can leave 64 bits, given symbols of which each is a number.
  bool fitsOnTheWay(core::ExtentAttr extent) const;
  void collectHostParts(core::ExtentAttr extent, llvm::SetVector<core::ExtentAttr> &parts) const;
  /// Whether the host can tell a kernel `extent` as a multiple of one count, plus a number.
  bool isMultiple(core::ExtentAttr extent);
  bool areMultiples(mlir::Attribute extents);

  core::SymbolAnalysis analysis;
  /// Products of symbols, and the coefficient with which a tensor on the device has as many
  /// elements.
  llvm::DenseMap<core::ExtentAttr, int64_t> allocated;
  /// Extents of such tensors that are sums of what is not negative, as many elements at most.
  llvm::DenseSet<core::ExtentAttr> sums;
  core::SymbolUses uses;
};

} // namespace cameo

#endif // CAMEO_PLAN_COUNTEDEXTENTS_H
