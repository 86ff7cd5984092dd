// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain of f32 sums and products with constants is `(x + lead) * factor + shift` of what the
// chain starts from. The three are computed in f64, by operators that the patterns for that fold,
// and rounded once. The first summand stays in front of the product: where it takes most of x away,
// as a mean or a zero point does, `x * factor` would be rounded at its full size.

#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"
#include "Support/CheckedSize.h"
#include "mlir/Dialect/Traits.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// So many elements fold within any budget, in f64.
constexpr int64_t kMaxElements = 4096;
/// So few are no work, but may be extents, which a last bit would change by one.
constexpr int64_t kMinElements = 64;

/// An operator of a chain.
struct Step {
  enum Kind { Plus, Minus, From, Times, Over, Negative };

  Kind kind;
  OnnxOp op;
  Value data;
  /// No value for a Negative.
  Value constant;

  bool scales() const { return kind != Plus && kind != Minus; }
  bool shifts() const { return kind == Plus || kind == Minus || kind == From; }
};

/// The kind of an operator whose constant is operand `number`; nothing for one of another kind.
std::optional<Step::Kind> getKind(Operation *op, unsigned number) {
  bool isRight = number == 1;
  if (isa<AddOp>(op))
    return Step::Plus;
  if (isa<SubOp>(op))
    return isRight ? Step::Minus : Step::From;
  if (isa<MulOp>(op))
    return Step::Times;
  if (isa<DivOp>(op) && isRight)
    return Step::Over;
  return std::nullopt;
}

/// `value` as a step, if it is one whose constant has no larger extents than the data.
std::optional<Step> getStep(Value value) {
  auto op = value.getDefiningOp<OnnxOp>();
  if (!op || op->getNumResults() != 1)
    return std::nullopt;
  auto isLike = [&](Value data) { return getExtents(value) && data.getType() == value.getType(); };
  // The three are no chains themselves, while they wait to be folded.
  auto type = dyn_cast<SymTensorType>(value.getType());
  if (!type || !type.getElementType().isF32())
    return std::nullopt;
  if (isa<NegOp>(op) && isLike(op->getOperand(0)))
    return Step{Step::Negative, op, op->getOperand(0), Value()};
  for (unsigned number : {1, 0}) {
    std::optional<Step::Kind> kind = op->getNumOperands() == 2 ? getKind(op, number) : std::nullopt;
    if (kind && isNumericConstant(op->getOperand(number)) && isLike(op->getOperand(1 - number)))
      return Step{*kind, op, op->getOperand(1 - number), op->getOperand(number)};
  }
  return std::nullopt;
}

/// The steps that end with `value`, first ones first: nobody else reads what lies between.
SmallVector<Step> getChain(Value value) {
  SmallVector<Step> chain;
  for (std::optional<Step> step = getStep(value); step; step = getStep(value)) {
    if (!chain.empty() &&
        (!value.hasOneUse() || step->op->getBlock() != chain.front().op->getBlock()))
      break;
    chain.push_back(*step);
    value = step->data;
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

/// Whether what the constants of a chain broadcast to is small.
bool areSmall(ArrayRef<Step> chain) {
  SmallVector<int64_t> all, joined;
  for (const Step &step : chain) {
    std::optional<SmallVector<int64_t>> shape =
        step.constant ? getStaticShape(step.constant) : SmallVector<int64_t>();
    if (!shape || !OpTrait::util::getBroadcastedShape(all, *shape, joined))
      return false;
    all = joined;
  }
  return CheckedSize::product(all).isAtMost(kMaxElements);
}

/// `(x + lead) * factor + shift`, of which any may be missing.
class Affine {
public:
  Affine(OnnxBuilder &b, Type element) : b(b), element(element) {}

  void append(const Step &step) {
    Type exact = Float64Type::get(element.getContext());
    Value constant = step.constant ? b.cast(step.constant, exact) : b.constant(exact, -1);
    switch (step.kind) {
    case Step::Plus:
      return add(constant);
    case Step::Minus:
      return add(b.make<NegOp>(constant));
    case Step::From:
      add(b.make<NegOp>(constant));
      return scale(b.constant(exact, -1));
    case Step::Times:
    case Step::Negative:
      return scale(constant);
    case Step::Over:
      return scale(b.div(b.constant(exact, 1), constant));
    }
  }

  Value apply(Value x) {
    if (lead)
      x = b.add(x, b.cast(lead, element));
    if (factor)
      x = b.mul(x, b.cast(factor, element));
    return shift ? b.add(x, b.cast(shift, element)) : x;
  }

private:
  void add(Value constant) {
    Value &sum = factor ? shift : lead;
    sum = sum ? b.add(sum, constant) : constant;
  }

  void scale(Value constant) {
    factor = factor ? b.mul(factor, constant) : constant;
    if (shift)
      shift = b.mul(shift, constant);
  }

  OnnxBuilder &b;
  Type element;
  Value lead, factor, shift;
};

/// How many operators an Affine of `chain` takes.
size_t countOperators(ArrayRef<Step> chain) {
  bool hasLead = false, hasFactor = false, hasShift = false;
  for (const Step &step : chain) {
    if (step.shifts())
      (hasFactor ? hasShift : hasLead) = true;
    hasFactor |= step.scales();
  }
  return hasLead + hasFactor + hasShift;
}

struct FoldAffine : OpInterfaceRewritePattern<OnnxOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(OnnxOp op, PatternRewriter &rewriter) const override {
    if (!op.hasScalarBody() || op->getNumResults() != 1 || isFew(op->getResult(0)) ||
        isContinued(op->getResult(0)))
      return failure();
    SmallVector<Step> chain = getChain(op->getResult(0));
    if (chain.size() < 2 || !areSmall(chain))
      return failure();
    Value x = chain.front().data;
    if (countOperators(chain) >= chain.size())
      return failure();
    SmallVector<Operation *> merged;
    for (const Step &step : ArrayRef(chain).drop_back())
      merged.push_back(step.op);
    OnnxBuilder b(rewriter, op, merged);
    Affine affine(b, elementTypeOf(x));
    for (const Step &step : chain)
      affine.append(step);
    b.replaceRoot(affine.apply(x));
    return success();
  }

private:
  static bool isFew(Value value) {
    auto type = dyn_cast<SymTensorType>(value.getType());
    std::optional<int64_t> count =
        type && type.hasRank() ? type.getNumElements().getConstant() : std::nullopt;
    return count && *count < kMinElements;
  }

  /// Whether the only reader of `value` is a step of the same chain.
  static bool isContinued(Value value) {
    if (!value.hasOneUse())
      return false;
    Operation *user = *value.user_begin();
    std::optional<Step> next =
        user->getNumResults() == 1 ? getStep(user->getResult(0)) : std::nullopt;
    return next && next->data == value && user->getBlock() == value.getDefiningOp()->getBlock();
  }
};

} // namespace

void cameo::populateAffinePatterns(RewritePatternSet &patterns) {
  // Behind all others, which know chains by what they are spelled as.
  patterns.add<FoldAffine>(patterns.getContext(), /*benefit=*/0);
}
