// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/IR/ByteKernels.h"

#include "Dialect/Core/IR/ElementBytes.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

/// The type of an image whose planes have two axes; null for another value.
static SymTensorType getImage(Value value) {
  auto type = dyn_cast<SymTensorType>(value.getType());
  return type && type.hasRank() && type.getRank() == 4 ? type : SymTensorType();
}

std::optional<int64_t> cameo::onnx::getZeroPoint(Value value) {
  if (!value)
    return 0;
  auto constant = value.getDefiningOp<ConstantOp>();
  char byte = 0;
  if (!constant || !copyElements(constant.getValue(), {&byte, 1}))
    return std::nullopt;
  return elementTypeOf(value).isUnsignedInteger() ? int64_t{static_cast<uint8_t>(byte)}
                                                  : int64_t{static_cast<int8_t>(byte)};
}

bool cameo::onnx::canConvolveBytes(Value x, Value w, Value y, int64_t group,
                                   const FailureOr<SmallVector<WindowAxis>> &window,
                                   const ChannelBlocks &blocks) {
  SymTensorType image = getImage(x), result = getImage(y);
  if (failed(window) || !image || !result || !w.getDefiningOp<ConstantOp>())
    return false;
  bool arePadsKnown = llvm::all_of(*window, [](const WindowAxis &axis) {
    return axis.padBegin.isConstant() && axis.padEnd.isConstant();
  });
  ArrayRef<ExtentAttr> weights = cast<SymTensorType>(w.getType()).getExtents();
  ByteChannels channels{group, *weights[1].getConstant(), *weights[0].getConstant(),
                        image.getExtents()[1].getConstant()};
  return arePadsKnown && channels.haveKernel(blocks);
}

bool cameo::onnx::hasByteKernel(ConvIntegerOp op, const FailureOr<SmallVector<WindowAxis>> &window,
                                const ChannelBlocks &blocks) {
  return getZeroPoint(op.getXZeroPoint()) && !op.getWZeroPoint() &&
         elementTypeOf(op.getX()).isUnsignedInteger(8) &&
         elementTypeOf(op.getW()).isSignlessInteger(8) &&
         canConvolveBytes(op.getX(), op.getW(), op.getY(), op.getGroup(), window, blocks);
}
