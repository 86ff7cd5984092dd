// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of quantised tensors in the one form that kernels have: of an unsigned image and of
// signed weights whose zero point is 0.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_BYTECONVOLUTION_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_BYTECONVOLUTION_H

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/Prog/IR/ChannelBlocks.h"

namespace cameo {

/// The operands of a convolution, as bytes: zero points may be null. Its windows are those of an
/// operator of any kind of elements.
struct ByteConvolution {
  template <class Op>
  ByteConvolution(Op op, mlir::Value x, mlir::Value xZeroPoint, mlir::Value w,
                  mlir::Value wZeroPoint)
      : x(x), xZeroPoint(xZeroPoint), w(w), wZeroPoint(wZeroPoint), y(op->getResult(0)),
        autoPad(op.getAutoPadAttr()), dilations(op.getDilationsAttr()), group(op.getGroupAttr()),
        kernelShape(op.getKernelShapeAttr()), pads(op.getPadsAttr()), strides(op.getStridesAttr()) {
    core::ExtentFacts facts = core::getSymbolFacts(op);
    LocalInference infer(op, facts);
    window = op.getWindow(infer);
  }

  /// Its sums, in i32; null, and nothing built, where the target has no kernel for it.
  mlir::Value build(OnnxBuilder &b, const ChannelBlocks &target) const;

private:
  mlir::Value x, xZeroPoint, w, wZeroPoint, y;
  mlir::StringAttr autoPad;
  mlir::DenseI64ArrayAttr dilations;
  mlir::IntegerAttr group;
  mlir::DenseI64ArrayAttr kernelShape, pads, strides;
  llvm::FailureOr<llvm::SmallVector<onnx::WindowAxis>> window;
};

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_BYTECONVOLUTION_H
