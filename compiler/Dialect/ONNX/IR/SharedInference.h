// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// inferExtents of families of operators that differ in what they compute only: their records call
// these.

#ifndef CAMEO_DIALECT_ONNX_IR_SHAREDINFERENCE_H
#define CAMEO_DIALECT_ONNX_IR_SHAREDINFERENCE_H

#include "Dialect/ONNX/IR/AxisList.h"
#include "Dialect/Prog/IR/NumberRange.h"

namespace cameo::onnx {

/// Joins two known integers; null for a reduction whose values are not followed.
using Combine = core::ExtentAttr (*)(core::ExtentAttr, core::ExtentAttr);

/// Reduce*: `axes` may be null. `noop` says that no axes means none, not all.
llvm::LogicalResult inferReduction(ExtentInference &infer, mlir::Value data, mlir::Value axes,
                                   bool keepdims, bool noop, Combine combine = nullptr);

/// The axes that Reduce* reduces a tensor of `rank` axes over, by the elements of `axes`.
llvm::FailureOr<AxisList> getReducedAxes(ExtentInference &infer, mlir::Value axes, int64_t rank,
                                         bool noop);

/// As its operands of class Data, where the operator selects elements.
prog::NumberRange getSelectedNumbers(mlir::Operation *op,
                                     llvm::function_ref<prog::NumberRange(mlir::Value)> of);
/// The elements of `x`, which are `numbers`, added up along `axes` (null: all, or with `noop`
/// none).
prog::NumberRange getSums(ExtentInference &infer, mlir::Value x, mlir::Value axes, bool noop,
                          prog::NumberRange numbers);
/// The least or the greatest of them, of none perhaps.
prog::NumberRange getExtremes(ExtentInference &infer, mlir::Value x, mlir::Value axes, bool noop,
                              prog::NumberRange numbers);
/// A place along axis `axis` of `x`.
prog::NumberRange getPlaces(ExtentInference &infer, mlir::Value x, int64_t axis);

/// ArgMax and ArgMin.
llvm::LogicalResult inferArgReduction(ExtentInference &infer, mlir::Value data, int64_t axis,
                                      bool keepdims);

/// CumSum and CumProd.
llvm::LogicalResult inferCumulative(ExtentInference &infer, mlir::Value x, mlir::Value axis);

/// Result 0 has the type of operand 0, one of whose axes is `axis` (C1).
llvm::LogicalResult inferAlongAxis(ExtentInference &infer, int64_t axis);

/// A pool over all spatial axes of operand 0 (C1).
llvm::LogicalResult inferGlobalPool(ExtentInference &infer);

/// The matrix product of numpy.matmul as result 0 (C1, C2).
llvm::LogicalResult inferMatMul(ExtentInference &infer, mlir::Value a, mlir::Value b,
                                mlir::Type elementType);

/// Whether scales that may be one for all are for places along `axis` of `data`: otherwise they are
/// one, whatever its extents are called.
bool hasScalesAlong(llvm::ArrayRef<core::ExtentAttr> scales, llvm::ArrayRef<core::ExtentAttr> data,
                    int64_t axis);

/// Fails with a diagnostic unless `parameter`, if there is one, has one element, or one for each
/// place along `axis` of `tensor`.
llvm::LogicalResult requirePerPlace(ExtentInference &infer, mlir::Value parameter,
                                    mlir::Value tensor, int64_t axis, llvm::StringRef name);

/// The same for each row of `matrices`, or each column: of rank 1, or of their rank with 1 for the
/// axis of the others.
llvm::LogicalResult requirePerRow(ExtentInference &infer, mlir::Value parameter,
                                  mlir::Value matrices, llvm::StringRef name);
llvm::LogicalResult requirePerColumn(ExtentInference &infer, mlir::Value parameter,
                                     mlir::Value matrices, llvm::StringRef name);

/// Fails with a diagnostic unless [low, high) is an interval of finite numbers, or one number.
llvm::LogicalResult requireInterval(ExtentInference &infer, const llvm::APFloat &low,
                                    const llvm::APFloat &high, llvm::StringRef constraint);

/// Result 0 has the extents of operand 0 and the type with number `dtype`, if that is given (C1).
llvm::LogicalResult inferLike(ExtentInference &infer, std::optional<int64_t> dtype);

/// Result 0 has the type with number `dtype` (C1) and the extents `shape` (C2).
llvm::LogicalResult inferOfShape(ExtentInference &infer, int64_t dtype,
                                 llvm::ArrayRef<int64_t> shape);

/// Result 0 is one number, or with a reduction of `none` a tensor with the extents of `labels`,
/// which are those of `scores` without axis 1 (Loss.td, C1 to C4).
llvm::LogicalResult inferLoss(ExtentInference &infer, mlir::Value scores, mlir::Value labels,
                              mlir::Value weights, llvm::StringRef reduction);

/// A window function: `size` elements (C1) of the type with number `dtype` (C2).
llvm::LogicalResult inferWindowFunction(ExtentInference &infer, int64_t dtype);

/// Scales of Resize, and their reciprocals, are at most this.
inline constexpr int64_t kMaxResizeScale = int64_t(1) << 20;

/// A scale of Resize as numerator and denominator: the fraction of the smallest denominator that
/// rounds to it.
std::pair<int64_t, int64_t> getScaleFraction(float scale);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_SHAREDINFERENCE_H
