// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes that an operand names, which may be first known when the model runs. Results then follow
// from them by arithmetic: a condition is an extent of 0 or 1, a constant one by constants, so
// nothing here asks which they are.

#ifndef CAMEO_DIALECT_ONNX_IR_AXISLIST_H
#define CAMEO_DIALECT_ONNX_IR_AXISLIST_H

#include "Dialect/ONNX/IR/ExtentInference.h"

namespace cameo::onnx {

class AxisList {
public:
  /// Axes of a tensor of `rank` axes; fails with a diagnostic when a constant is outside
  /// [-rank, rank) or comes twice, or when there are more than `rank`.
  static llvm::FailureOr<AxisList> get(ExtentInference &infer,
                                       llvm::ArrayRef<core::ExtentAttr> axes, int64_t rank,
                                       llvm::StringRef name);
  /// The axes that the elements of `axes` name. An unknown one is checked by the run to be in
  /// [-rank, rank), but not to differ from others; see Lowering::checkAxes(). `count` unknown ones
  /// where not even their number is known.
  static llvm::FailureOr<AxisList> ofOperand(ExtentInference &infer, mlir::Value axes, int64_t rank,
                                             llvm::StringRef name, int64_t count = 1);
  /// All axes up to `count`.
  static AxisList first(ExtentInference &infer, int64_t count, int64_t rank);

  llvm::ArrayRef<core::ExtentAttr> get() const { return axes; }
  int64_t getRank() const { return rank; }
  bool isConstant() const;
  /// Whether each is a constant or a value of the run that the host has.
  bool isKnown() const;

  /// Whether element `number` is `axis`, counted from either end.
  core::ExtentAttr isAt(size_t number, int64_t axis) const;
  /// Whether an element is `axis`.
  core::ExtentAttr contains(int64_t axis) const;
  /// How many axes are elements: as many as there are elements unless one comes twice.
  core::ExtentAttr count() const;

  /// The one of `values`, one per axis, for the axis that is element `number`.
  core::ExtentAttr at(size_t number, llvm::ArrayRef<core::ExtentAttr> values) const;
  /// The one of `values`, one per element, for the element that is `axis`; else `otherwise`.
  core::ExtentAttr select(int64_t axis, llvm::ArrayRef<core::ExtentAttr> values,
                          core::ExtentAttr otherwise) const;
  /// The extents of `rank` axes with 1 for those that are elements.
  llvm::SmallVector<core::ExtentAttr> reduce(llvm::ArrayRef<core::ExtentAttr> extents) const;
  /// The extents of `rank` axes with 1 for those that are no elements.
  llvm::SmallVector<core::ExtentAttr> keep(llvm::ArrayRef<core::ExtentAttr> extents) const;
  /// The extents of `rank` axes without those that are elements.
  llvm::SmallVector<core::ExtentAttr> remove(llvm::ArrayRef<core::ExtentAttr> extents) const;
  /// The inverse: `rank` extents, 1 for the axes that are elements, `extents` for the others.
  llvm::SmallVector<core::ExtentAttr> insert(llvm::ArrayRef<core::ExtentAttr> extents) const;

private:
  AxisList(ExtentInference &infer, llvm::ArrayRef<core::ExtentAttr> axes, int64_t rank)
      : infer(infer), axes(axes), rank(rank) {}

  /// How many of the axes before `axis` are no elements.
  core::ExtentAttr countOthersBefore(int64_t axis) const;

  ExtentInference &infer;
  llvm::SmallVector<core::ExtentAttr> axes;
  int64_t rank;
};

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_AXISLIST_H
