// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sliding windows of convolutions and pools: attributes read and checked once, for inference
// and for lowering.

#ifndef CAMEO_DIALECT_ONNX_IR_WINDOW_H
#define CAMEO_DIALECT_ONNX_IR_WINDOW_H

#include "Dialect/ONNX/IR/ExtentInference.h"

namespace cameo::onnx {

/// A window along one spatial axis, everything resolved: output element o reads the input elements
/// o * stride - padBegin + k * dilation for k below kernel.
struct WindowAxis {
  core::ExtentAttr input, kernel, output;
  core::ExtentAttr padBegin, padEnd;
  int64_t stride = 1, dilation = 1;
};

/// The attributes as the model has them; absent lists have their defaults.
struct WindowAttributes {
  using List = std::optional<llvm::ArrayRef<int64_t>>;

  WindowAttributes(llvm::StringRef autoPad, List kernel, List strides, List dilations, List pads)
      : autoPad(autoPad), kernel(kernel), strides(strides), dilations(dilations), pads(pads) {}

  llvm::StringRef autoPad;
  List kernel, strides, dilations, pads;
  /// ConvTranspose only.
  List outputPadding, outputShape;
  bool ceilMode = false;
};

/// Checks attributes for `rank` spatial axes; with a diagnostic: `auto_pad` is NOTSET, VALID,
/// SAME_UPPER or SAME_LOWER; lists have one entry per axis (`pads` two); kernels, strides and
/// dilations are at least 1, pads at least 0, and all are below 2^40.
llvm::LogicalResult verifyWindow(ExtentInference &infer, const WindowAttributes &attributes,
                                 int64_t rank);

/// The windows of a convolution or pool over `input`, the spatial extents. `weight` has those of a
/// kernel operand; empty when `attributes.kernel` is given. Fails with a diagnostic when the
/// attributes are wrong (verifyWindow), when they contradict `weight`, or when a window is larger
/// than the padded input.
llvm::FailureOr<llvm::SmallVector<WindowAxis>>
resolveWindow(ExtentInference &infer, const WindowAttributes &attributes,
              llvm::ArrayRef<core::ExtentAttr> input, llvm::ArrayRef<core::ExtentAttr> weight = {});

/// The same for a transposed convolution, where output and input change roles: input element i is
/// added to the output elements i * stride - padBegin + k * dilation.
llvm::FailureOr<llvm::SmallVector<WindowAxis>>
resolveTransposedWindow(ExtentInference &infer, const WindowAttributes &attributes,
                        llvm::ArrayRef<core::ExtentAttr> input,
                        llvm::ArrayRef<core::ExtentAttr> weight);

/// Conv and its variants as result 0: `bias` may be null (Conv.td, C1 to C5).
llvm::LogicalResult inferConv(ExtentInference &infer, mlir::Value input, mlir::Value weight,
                              mlir::Value bias, int64_t group, const WindowAttributes &attributes,
                              mlir::Type elementType);

/// Pools: all results get the extents, result 0 the element type of `input`, the second one int64.
llvm::LogicalResult inferPool(ExtentInference &infer, mlir::Value input,
                              const WindowAttributes &attributes);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_WINDOW_H
