// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers: kernels that draw each element on its own, by Philox (cameo/philox.h). The key is
// the node's seed, the counter the element's position in row-major order and the iteration of the
// loops around the node.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Support/NodeLocation.h"

#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

/// The iterations of the loops around `op`, the outermost first.
SmallVector<SymbolAttr> getIterations(Operation *op) {
  SmallVector<SymbolAttr> iterations;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp()) {
    if (auto loop = dyn_cast<onnx::LoopOp>(parent))
      iterations.push_back(loop.getIterationAttr());
    else if (auto loop = dyn_cast<prog::LoopOp>(parent))
      iterations.push_back(loop.getIv());
  }
  std::reverse(iterations.begin(), iterations.end());
  return iterations;
}

/// The key of a node: its seed alone where it has one, else its name, its output's and those of the
/// loops around it, which no seed's 32 bits are.
int64_t getKey(Operation *op, const std::optional<APFloat> &seed) {
  if (seed)
    return static_cast<int64_t>(seed->bitcastToAPInt().getZExtValue());
  std::string path;
  auto append = [&](StringRef name) { (path += name) += '\0'; };
  append(getOutputName(op->getLoc(), 0));
  append(getNodeName(op->getLoc()));
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<onnx::LoopOp, prog::LoopOp>(parent))
      append(getNodeName(parent->getLoc()));
  return static_cast<int64_t>(llvm::xxh3_64bits(path) | uint64_t(1) << 63);
}

/// Numbers that differ between any two of the first 2^31 iterations of two nested loops: multiples
/// of the golden ratio lie that far apart.
Value buildDraw(ScalarBuilder &b, ArrayRef<SymbolAttr> iterations) {
  if (iterations.empty())
    return b.integer(0);
  Value draw = b.extent(iterations.front().getExtent());
  for (SymbolAttr iteration : iterations.drop_front())
    draw = b.add(b.mul(draw, b.integer(static_cast<int64_t>(0x9E3779B97F4A7C15))),
                 b.extent(iteration.getExtent()));
  return draw;
}

Value buildPosition(ScalarBuilder &b, ArrayRef<ExtentAttr> extents) {
  if (extents.empty())
    return b.integer(0);
  Value position = b.index(0);
  for (unsigned axis = 1; axis < extents.size(); ++axis)
    position = b.add(b.mul(position, b.extent(extents[axis])), b.index(axis));
  return position;
}

/// The topmost `digits` bits as a number in [0, 1).
Value buildUnit(ScalarBuilder &b, Value bits, unsigned digits, Type real) {
  Value top = b.shiftRight(bits, b.constant(bits, 64 - digits));
  return b.mul(b.cast(top, real), b.constant(real, std::ldexp(1.0, -static_cast<int>(digits))));
}

/// The greatest number of `type` that is less than `high`.
double getLargestBelow(APFloat high, FloatType type) {
  bool isInexact = false;
  high.convert(type.getFloatSemantics(), APFloat::rmTowardNegative, &isInexact);
  if (!isInexact)
    high.next(/*nextDown=*/true);
  return high.convertToDouble();
}

/// The element drawn from two words of 64 random bits. It has as many digits as its type has room
/// for; what rounding makes `high` is the number below it.
template <class Op> Value buildUniform(Op op, ScalarBuilder &b, FloatType type, Value word, Value) {
  Type real = getAccumulatorType(type);
  double low = op.getLow().convertToDouble(), high = op.getHigh().convertToDouble();
  Value unit = buildUnit(b, word, type.getFPMantissaWidth(), real);
  Value value = b.add(b.mul(unit, b.constant(real, high - low)), b.constant(real, low));
  Value element = b.cast(value, type);
  return low < high ? b.min(element, b.constant(type, getLargestBelow(op.getHigh(), type)))
                    : element;
}

/// By Box and Muller: a point of a plane, its distance and its angle drawn on their own.
template <class Op>
Value buildNormal(Op op, ScalarBuilder &b, FloatType type, Value low, Value high) {
  Type real = getAccumulatorType(type);
  unsigned digits = real.isF64() ? 53 : 32;
  // In the middle of its step: 0 has no logarithm.
  Value share = b.add(buildUnit(b, low, digits, real),
                      b.constant(real, std::ldexp(0.5, -static_cast<int>(digits))));
  Value distance = b.sqrt(b.mul(b.log(share), b.constant(real, -2)));
  constexpr double kTwoPi = 6.283185307179586;
  Value angle = b.mul(buildUnit(b, high, digits, real), b.constant(real, kTwoPi));
  Value standard = b.mul(distance, b.cos(angle));
  Value scaled = b.mul(standard, b.constant(real, op.getScale().convertToDouble()));
  return b.cast(b.add(scaled, b.constant(real, op.getMean().convertToDouble())), type);
}

template <class Op> struct RandomLowering : OpRewritePattern<Op> {
  using Build = Value (*)(Op, ScalarBuilder &, FloatType, Value, Value);

  RandomLowering(MLIRContext *context, Build build) : OpRewritePattern<Op>(context), build(build) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getOutput());
    int64_t key = getKey(op, op.getSeed());
    SmallVector<SymbolAttr> iterations = getIterations(op);
    Value drawn =
        lower.kernel(result.getExtents(), {}, result, lower.dims(result.getRank()),
                     [&](ScalarBuilder &b, ValueRange) {
                       Value seed = b.integer(key), draw = buildDraw(b, iterations);
                       Value position = buildPosition(b, result.getExtents());
                       return SmallVector<Value>{build(
                           op, b, cast<FloatType>(result.getElementType()),
                           b.randomLow(seed, draw, position), b.randomHigh(seed, draw, position))};
                     });
    rewriter.replaceOp(op, drawn);
    return success();
  }

private:
  Build build;
};

} // namespace

void cameo::populateRandomPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<RandomLowering<RandomUniformOp>>(context, buildUniform<RandomUniformOp>);
  patterns.add<RandomLowering<RandomUniformLikeOp>>(context, buildUniform<RandomUniformLikeOp>);
  patterns.add<RandomLowering<RandomNormalOp>>(context, buildNormal<RandomNormalOp>);
  patterns.add<RandomLowering<RandomNormalLikeOp>>(context, buildNormal<RandomNormalLikeOp>);
}
