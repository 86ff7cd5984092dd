// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisations and activations that exporters spell out, as the operators that they are: one pass
// over memory instead of many, and sums in the accumulator's precision. The core of a normalisation
// is found first, with a scale of 1; a product or sum behind it then becomes its scale or bias.
// Halves that change places, as rotary embeddings have them, are one read in another order.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/KnownValues.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// The number that all elements of a float constant are.
std::optional<double> getReal(Value value) {
  auto number = dyn_cast_or_null<FloatAttr>(getUniformValue(value));
  return number ? std::optional<double>(number.getValueAsDouble()) : std::nullopt;
}

/// Whether `value` is `number` as far as an exporter rounds it: to f16 at worst.
bool isAbout(Value value, double number) {
  std::optional<double> real = getReal(value);
  if (!real)
    return false;
  double tolerance = elementTypeOf(value).getIntOrFloatBitWidth() >= 32 ? 1e-5 : 1e-3;
  return std::fabs(*real - number) <= tolerance * std::fabs(number);
}

/// The operand of a commutative operator besides a constant that is about `number`.
template <class Op> Value matchWithConstant(Value value, double number) {
  auto op = value.getDefiningOp<Op>();
  if (!op)
    return {};
  for (unsigned constant : {0, 1})
    if (isAbout(op->getOperand(constant), number))
      return op->getOperand(1 - constant);
  return {};
}

/// x, if `value` is x * x or x ^ 2.
Value matchSquare(Value value) {
  if (auto product = value.getDefiningOp<MulOp>())
    return product.getA() == product.getB() ? product.getA() : Value();
  auto power = value.getDefiningOp<PowOp>();
  if (!power)
    return {};
  auto exponent = dyn_cast_or_null<IntegerAttr>(getUniformValue(power.getY()));
  bool isTwo = exponent ? exponent.getValue() == 2 : getReal(power.getY()) == 2.0;
  return isTwo ? power.getX() : Value();
}

/// A mean over the last axes, which it keeps: of what, and the first of them.
struct TrailingMean {
  Value of;
  int64_t axis;

  static std::optional<TrailingMean> match(Value value) {
    auto mean = value.getDefiningOp<ReduceMeanOp>();
    if (!mean || !mean.getKeepdims() || !mean.getAxes())
      return std::nullopt;
    std::optional<ExtentValues> axes = KnownValues().lookup(mean.getAxes());
    int64_t rank = cast<SymTensorType>(mean.getData().getType()).getRank();
    SmallVector<int64_t> normalized;
    for (ExtentAttr axis : axes.value_or(ExtentValues())) {
      int64_t constant = axis.getConstant().value_or(-rank - 1);
      normalized.push_back(constant < 0 ? constant + rank : constant);
    }
    llvm::sort(normalized);
    int64_t first = rank - static_cast<int64_t>(normalized.size());
    if (normalized.empty() || normalized != llvm::to_vector(llvm::seq<int64_t>(first, rank)))
      return std::nullopt;
    return TrailingMean{mean.getData(), first};
  }
};

/// sqrt(mean(x ^ 2) + epsilon)
struct RootMeanSquare {
  Value of;
  int64_t axis;
  double epsilon;

  static std::optional<RootMeanSquare> match(Value value) {
    auto root = value.getDefiningOp<SqrtOp>();
    auto sum = root ? root.getX().getDefiningOp<AddOp>() : AddOp();
    if (!sum)
      return std::nullopt;
    for (unsigned constant : {0, 1}) {
      std::optional<double> epsilon = getReal(sum->getOperand(constant));
      std::optional<TrailingMean> mean = TrailingMean::match(sum->getOperand(1 - constant));
      Value x = mean ? matchSquare(mean->of) : Value();
      // The attribute is an f32.
      bool isExact = elementTypeOf(value).getIntOrFloatBitWidth() <= 32 ||
                     (epsilon && static_cast<double>(static_cast<float>(*epsilon)) == *epsilon);
      if (epsilon && x && isExact)
        return RootMeanSquare{x, mean->axis, *epsilon};
    }
    return std::nullopt;
  }
};

/// `x / root` in any spelling: x, for which root there is.
template <class Function> void forEachQuotient(Operation *op, Function visit) {
  if (isa<DivOp>(op))
    return visit(op->getOperand(0), op->getOperand(1));
  for (unsigned factor : {0, 1}) {
    Value inverse = op->getOperand(factor), other = op->getOperand(1 - factor);
    if (auto reciprocal = inverse.getDefiningOp<ReciprocalOp>())
      visit(other, reciprocal.getX());
    else if (auto quotient = inverse.getDefiningOp<DivOp>();
             quotient && getReal(quotient.getA()) == 1.0)
      visit(other, quotient.getB());
  }
}

/// The operators that compute `root` from `x` and constants, besides `root` itself; none when not
/// all of it is in one block: an iteration would do again what is done once.
SmallVector<Operation *> getOperatorsBetween(Operation *root, Value x) {
  llvm::SetVector<Operation *> found;
  SmallVector<Operation *> pending{root};
  while (!pending.empty())
    for (Value operand : pending.pop_back_val()->getOperands()) {
      Operation *op = operand.getDefiningOp();
      if (operand != x && isa_and_nonnull<OnnxOp>(op) && !isa<ConstantOp>(op) && found.insert(op))
        pending.push_back(op);
    }
  bool isTogether =
      llvm::all_of(found, [&](Operation *op) { return op->getBlock() == root->getBlock(); });
  if (!isTogether)
    found.clear();
  return llvm::to_vector(found);
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

/// (x - mean(x)) / sqrt(mean((x - mean(x)) ^ 2) + epsilon), or x / sqrt(mean(x ^ 2) + epsilon)
template <class Op> struct FindNormalization : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    std::optional<RootMeanSquare> root;
    forEachQuotient(op, [&](Value dividend, Value divisor) {
      std::optional<RootMeanSquare> found = RootMeanSquare::match(divisor);
      if (found && found->of == dividend && dividend.getType() == op->getResult(0).getType())
        root = found;
    });
    if (!root)
      return failure();
    Value x = matchCentered(*root);
    SmallVector<Operation *> merged = getOperatorsBetween(op, x ? x : root->of);
    if (merged.empty())
      return failure();
    OnnxBuilder b(rewriter, op, merged);
    Value one = b.constant(elementTypeOf(root->of), 1);
    FloatAttr epsilon = rewriter.getF32FloatAttr(static_cast<float>(root->epsilon));
    // Counted from the end, as exporters that know the operator do: equal ones become one.
    int64_t rank = cast<SymTensorType>(root->of.getType()).getRank();
    IntegerAttr axis = rewriter.getI64IntegerAttr(root->axis - rank),
                stash = rewriter.getI64IntegerAttr(1);
    if (x)
      b.replaceRoot(b.make<LayerNormalizationOp>(x, one, Value(), axis, epsilon, stash));
    else
      b.replaceRoot(b.make<RMSNormalizationOp>(root->of, one, axis, epsilon, stash));
    return success();
  }

private:
  /// x, if what is squared is x - mean(x) over the same axes.
  static Value matchCentered(const RootMeanSquare &root) {
    auto difference = root.of.getDefiningOp<SubOp>();
    std::optional<TrailingMean> mean =
        difference ? TrailingMean::match(difference.getB()) : std::nullopt;
    bool fits = mean && mean->of == difference.getA() && mean->axis == root.axis;
    return fits ? difference.getA() : Value();
  }
};

/// The producer of an operand, if that is an `Op`, for this user alone and as often.
template <class Op> Op getOnlyOperand(Operation *user, unsigned number) {
  auto op = user->getOperand(number).getDefiningOp<Op>();
  return op && op->hasOneUse() && op->getBlock() == user->getBlock() ? op : Op();
}

/// A product behind a normalisation whose scale is 1 is its scale.
template <class Op> struct AbsorbScale : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    for (unsigned number : {0, 1}) {
      auto normalization = getOnlyOperand<Op>(op, number);
      // A factor of larger extents would make the result larger than what is normalised.
      if (!normalization || getReal(normalization->getOperand(1)) != 1.0 ||
          normalization->getNumOperands() > 2 ||
          op.getC().getType() != normalization.getY().getType())
        continue;
      OnnxBuilder b(rewriter, op, {normalization});
      b.replaceRoot(rebuild(b, normalization, op->getOperand(1 - number)));
      return success();
    }
    return failure();
  }

private:
  static Value rebuild(OnnxBuilder &b, LayerNormalizationOp op, Value scale) {
    return b.make<LayerNormalizationOp>(op.getX(), scale, Value(), op.getAxisAttr(),
                                        op.getEpsilonAttr(), op.getStashTypeAttr());
  }
  static Value rebuild(OnnxBuilder &b, RMSNormalizationOp op, Value scale) {
    return b.make<RMSNormalizationOp>(op.getX(), scale, op.getAxisAttr(), op.getEpsilonAttr(),
                                      op.getStashTypeAttr());
  }
};

struct AbsorbBias : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    for (unsigned number : {0, 1}) {
      auto normalization = getOnlyOperand<LayerNormalizationOp>(op, number);
      Value bias = op->getOperand(1 - number);
      // A constant only: a sum with an activation (a residual) has further uses, and fuses by
      // itself.
      if (!normalization || normalization.getB() || !isNumericConstant(bias) ||
          op.getC().getType() != normalization.getY().getType())
        continue;
      OnnxBuilder b(rewriter, op, {normalization});
      b.replaceRoot(b.make<LayerNormalizationOp>(
          normalization.getX(), normalization.getScale(), bias, normalization.getAxisAttr(),
          normalization.getEpsilonAttr(), normalization.getStashTypeAttr()));
      return success();
    }
    return failure();
  }
};

//===----------------------------------------------------------------------===//
// Gelu
//===----------------------------------------------------------------------===//

/// x, if `value` is 1 + erf(x / sqrt(2)).
Value matchErf(Value value) {
  Value error = matchWithConstant<AddOp>(value, 1.0);
  auto erf = error ? error.getDefiningOp<ErfOp>() : ErfOp();
  if (!erf)
    return {};
  if (Value x = matchWithConstant<MulOp>(erf.getInput(), std::sqrt(0.5)))
    return x;
  auto quotient = erf.getInput().getDefiningOp<DivOp>();
  return quotient && isAbout(quotient.getB(), std::sqrt(2.0)) ? quotient.getA() : Value();
}

/// x, if `value` is x ^ 3.
Value matchCube(Value value) {
  if (auto power = value.getDefiningOp<PowOp>())
    return isAbout(power.getY(), 3.0) && getReal(power.getY()) == 3.0 ? power.getX() : Value();
  auto product = value.getDefiningOp<MulOp>();
  for (unsigned square : {0, 1})
    if (product)
      if (Value x = matchSquare(product->getOperand(square));
          x && x == product->getOperand(1 - square))
        return x;
  return {};
}

/// x, if `value` is 1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ^ 3)).
Value matchTanh(Value value) {
  Value bend = matchWithConstant<AddOp>(value, 1.0);
  auto tanh = bend ? bend.getDefiningOp<TanhOp>() : TanhOp();
  Value inner = tanh ? matchWithConstant<MulOp>(tanh.getInput(), std::sqrt(M_2_PI)) : Value();
  auto sum = inner ? inner.getDefiningOp<AddOp>() : AddOp();
  for (unsigned cubic : {0, 1}) {
    Value cube = sum ? matchWithConstant<MulOp>(sum->getOperand(cubic), 0.044715) : Value();
    Value x = cube ? matchCube(cube) : Value();
    if (x && x == sum->getOperand(1 - cubic))
      return x;
  }
  return {};
}

/// The three factors of a product of two products.
SmallVector<SmallVector<Value, 3>> getTripleProducts(MulOp op) {
  SmallVector<SmallVector<Value, 3>> products;
  for (unsigned number : {0, 1})
    if (auto inner = op->getOperand(number).getDefiningOp<MulOp>())
      products.push_back({op->getOperand(1 - number), inner.getA(), inner.getB()});
  return products;
}

/// x * 0.5 * (1 + ...), in any order.
struct FindGelu : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    for (ArrayRef<Value> factors : getTripleProducts(op))
      for (auto [match, form] : {std::pair(&matchErf, "none"), std::pair(&matchTanh, "tanh")})
        for (Value factor : factors) {
          Value x = match(factor);
          if (!x || x.getType() != op.getC().getType() || !areXAndHalf(factors, factor, x))
            continue;
          SmallVector<Operation *> merged = getOperatorsBetween(op, x);
          if (merged.empty())
            continue;
          OnnxBuilder b(rewriter, op, merged);
          b.replaceRoot(b.make<GeluOp>(x, form));
          return success();
        }
    return failure();
  }

private:
  /// Whether the factors besides `bend` are x and 0.5.
  static bool areXAndHalf(ArrayRef<Value> factors, Value bend, Value x) {
    bool hasX = false, hasHalf = false;
    for (Value factor : factors)
      if (factor != bend) {
        hasX |= factor == x;
        hasHalf |= getReal(factor) == 0.5;
      }
    return hasX && hasHalf;
  }
};

//===----------------------------------------------------------------------===//
// Halves that change places
//===----------------------------------------------------------------------===//

/// One half of the last axis of a tensor.
struct Half {
  Value of;
  bool isSecond = false, isNegated = false;

  static std::optional<Half> match(Value value) {
    Half half;
    if (auto negation = value.getDefiningOp<NegOp>()) {
      half.isNegated = true;
      value = negation.getX();
    }
    std::optional<ArrayRef<ExtentAttr>> part = getExtents(value);
    std::optional<ExtentAttr> first;
    if (auto slice = value.getDefiningOp<SliceOp>()) {
      half.of = slice.getData();
      first = getFirst(slice);
    } else if (auto split = value.getDefiningOp<SplitOp>()) {
      half.of = split.getInput();
      first = getFirst(split, cast<OpResult>(value).getResultNumber());
    }
    std::optional<ArrayRef<ExtentAttr>> whole = half.of ? getExtents(half.of) : std::nullopt;
    if (!first || !part || !whole || part->drop_back() != whole->drop_back() ||
        !part->back().isConstant() || whole->back() != part->back() * 2)
      return std::nullopt;
    half.isSecond = *first == part->back();
    return half.isSecond || first->isConstant(0) ? std::optional(half) : std::nullopt;
  }

private:
  /// The coordinate of the last axis that its first element has; no other axis is cut.
  static std::optional<ExtentAttr> getFirst(SliceOp op) {
    ExtentFacts facts = getSymbolFacts(op);
    LocalInference infer(op, facts);
    FailureOr<SmallVector<AxisSlice>> slices =
        getExtents(op.getData()) && !getExtents(op.getData())->empty()
            ? op.getAxisSlices(infer)
            : FailureOr<SmallVector<AxisSlice>>(failure());
    bool isPlain = succeeded(slices) && llvm::all_of(*slices, [](const AxisSlice &slice) {
                     return slice.step.isConstant(1);
                   });
    return isPlain ? std::optional(slices->back().first) : std::nullopt;
  }
  static std::optional<ExtentAttr> getFirst(SplitOp op, unsigned number) {
    int64_t rank = cast<SymTensorType>(op.getInput().getType()).getRank();
    if (op.getAxis() != -1 && op.getAxis() != rank - 1)
      return std::nullopt;
    ExtentAttr first = ExtentAttr::constant(op.getContext(), 0);
    for (Value before : op.getResults().take_front(number))
      first = first + getExtents(before)->back();
    return first;
  }
};

/// Concat(-x[second half], x[first half]) is x with these rows of 2 in the other order, times a
/// constant: one kernel, which what reads it can take in.
struct FindRotation : OpRewritePattern<ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConcatOp op, PatternRewriter &rewriter) const override {
    std::optional<ArrayRef<ExtentAttr>> whole = getExtents(op.getConcatResult());
    int64_t rank = whole ? static_cast<int64_t>(whole->size()) : 0;
    if (op.getInputs().size() != 2 || rank == 0 || (op.getAxis() != -1 && op.getAxis() != rank - 1))
      return failure();
    std::optional<Half> first = Half::match(op.getInputs()[0]),
                        second = Half::match(op.getInputs()[1]);
    if (!first || !second || first->of != second->of || !first->isSecond || second->isSecond)
      return failure();
    SmallVector<Operation *> merged = getOperatorsBetween(op, first->of);
    if (merged.empty())
      return failure();
    OnnxBuilder b(rewriter, op, merged);
    SmallVector<ExtentAttr> rows(whole->drop_back());
    rows.push_back(b.extent(2));
    rows.push_back(getExtents(op.getInputs()[0])->back());
    Value turned = b.reverse(b.reshape(first->of, rows), rank - 1);
    if (first->isNegated || second->isNegated) {
      auto getSign = [](const Half &half) { return half.isNegated ? -1.0F : 1.0F; };
      Value signs = b.floats({getSign(*first), getSign(*second)}, {2, 1});
      turned = b.mul(turned, b.cast(signs, elementTypeOf(first->of)));
    }
    b.replaceRoot(b.reshape(turned, *whole));
    return success();
  }
};

} // namespace

void cameo::populateIdiomPatterns(RewritePatternSet &patterns) {
  patterns
      .add<FindNormalization<DivOp>, FindNormalization<MulOp>, AbsorbScale<LayerNormalizationOp>,
           AbsorbScale<RMSNormalizationOp>, AbsorbBias, FindGelu, FindRotation>(
          patterns.getContext());
}
