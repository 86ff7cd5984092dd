// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions without the outer taps that read nothing but padding: of 3 x 3 taps that are 24
// apart one is left over an image of 16 x 20.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "Dialect/ONNX/IR/Window.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// The taps of one axis from the first to the last one that some output reads the input by, and the
/// padding that they leave.
struct LiveTaps {
  int64_t first, end, padBegin, padEnd;
};

/// Whether an output reads one of `inputs` by a tap that lies `offset` behind the output's place.
bool readsInput(int64_t offset, int64_t stride, int64_t inputs, int64_t outputs) {
  int64_t output = offset >= 0 ? 0 : llvm::divideCeilSigned(-offset, stride);
  return output < outputs && output * stride + offset < inputs;
}

/// All taps where extents are open, or where none reads the input; nullopt where those that are
/// left would begin within it.
std::optional<LiveTaps> findLiveTaps(const WindowAxis &axis) {
  std::optional<int64_t> kernel = axis.kernel.getConstant(), begin = axis.padBegin.getConstant(),
                         end = axis.padEnd.getConstant();
  if (!kernel || !begin || !end)
    return std::nullopt;
  LiveTaps taps = {0, *kernel, *begin, *end};
  std::optional<int64_t> inputs = axis.input.getConstant(), outputs = axis.output.getConstant();
  if (!inputs || !outputs)
    return taps;
  auto isLive = [&](int64_t tap) {
    return readsInput(tap * axis.dilation - *begin, axis.stride, *inputs, *outputs);
  };
  auto all = llvm::seq<int64_t>(0, *kernel);
  if (llvm::none_of(all, isLive))
    return taps;
  taps.first = *llvm::find_if(all, isLive);
  while (!isLive(taps.end - 1))
    --taps.end;
  taps.padBegin -= taps.first * axis.dilation;
  taps.padEnd -= (*kernel - taps.end) * axis.dilation;
  return taps.padBegin < 0 || taps.padEnd < 0 ? std::nullopt : std::optional(taps);
}

SmallVector<Value> cropTaps(OnnxBuilder &b, ConvOp op) {
  // By definition a zero of the padding times an infinite weight is no number.
  if (PrecisionAttr::lookup(op) == Precision::Exact || !isNumericConstant(op.getW()))
    return {};
  ExtentFacts facts = getSymbolFacts(op);
  LocalInference inference(op, facts);
  FailureOr<SmallVector<WindowAxis>> windows = op.getWindow(inference);
  if (failed(windows))
    return {};
  SmallVector<int64_t> firsts, ends, axes, begins, behind, dilations, strides;
  bool isCropped = false;
  for (const WindowAxis &axis : *windows) {
    std::optional<LiveTaps> taps = findLiveTaps(axis);
    if (!taps)
      return {};
    isCropped |= taps->end - taps->first != axis.kernel.getConstant();
    axes.push_back(static_cast<int64_t>(axes.size()) + 2);
    firsts.push_back(taps->first);
    ends.push_back(taps->end);
    begins.push_back(taps->padBegin);
    behind.push_back(taps->padEnd);
    dilations.push_back(axis.dilation);
    strides.push_back(axis.stride);
  }
  if (!isCropped)
    return {};
  begins.append(behind);
  auto list = [&](ArrayRef<int64_t> values) {
    return DenseI64ArrayAttr::get(op.getContext(), values);
  };
  Value w =
      b.make<SliceOp>(op.getW(), b.integers(firsts), b.integers(ends), b.integers(axes), Value());
  return {b.make<ConvOp>(op.getX(), w, op.getB(), "NOTSET", list(dilations), op.getGroup(),
                         DenseI64ArrayAttr(), list(begins), list(strides))};
}

} // namespace

void cameo::populateTapPatterns(RewritePatternSet &patterns) {
  patterns.add<Decomposition<ConvOp>>(patterns.getContext(), cropTaps);
}
