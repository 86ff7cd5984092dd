// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Probabilities of support vector machines: those of pairs of classes, by Platt, coupled to those
// of classes by the iteration of Wu, Lin and Weng, "Probability Estimates for Multi-class
// Classification by Pairwise Coupling" (2004). It ends where it is near enough, so that how many
// rounds there are is part of the result: a row stops where libsvm and ONNX Runtime stop.

#include "Dialect/ONNX/IR/Ml.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace cameo {
#define GEN_PASS_DEF_COUPLEPROBABILITIESPASS
#include "Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace cameo

namespace {

/// The sums of pairs, [rows, pairs], to probabilities, [rows, classes].
class Coupling {
public:
  Coupling(OnnxBuilder &b, SVMClassifierOp op)
      : b(b), op(op), f32(Float32Type::get(op.getContext())), classes(ClassLabels::of(op).size()) {}

  Value build(Value pairSums) {
    setUp(getPairProbabilities(pairSums));
    // The first guess is the same for all, in as many rows as there are.
    Value zeros = b.mul(diagonal, number(0));
    Value guess = b.add(zeros, number(1.0f / static_cast<float>(classes)));
    return b.loop(kMostRounds, guess, [&](ValueRange p) { return buildRound(p.front()); }).front();
  }

private:
  static constexpr int64_t kMostRounds = 100;

  Value number(float value) { return b.constant(f32, value); }
  Value column(Value table, int64_t place) {
    return b.slice(table, 1, b.extent(place), b.extent(place + 1));
  }

  /// The probability of the first class of each pair.
  Value getPairProbabilities(Value sums) {
    Value exponent =
        b.add(b.mul(sums, b.floats(getList(op.getProbA()))), b.floats(getList(op.getProbB())));
    Value chance = b.sub(number(1), b.make<SigmoidOp>(exponent));
    return b.make<ClipOp>(chance, number(1e-7f), number(1 - 1e-7f));
  }

  /// The numbers of each class against each other one, [rows, classes, classes]; 0 against itself.
  Value spread(Value both, ArrayRef<int64_t> places, Value isOther) {
    SmallVector<ExtentAttr> square(2, b.extent(classes));
    return b.mul(b.make<GatherOp>(both, b.reshape(b.integers(places), square), 1), isOther);
  }

  /// The matrix whose quadratic form the probabilities make least.
  void setUp(Value pairs) {
    auto size = static_cast<size_t>(classes * classes);
    SmallVector<int64_t> places(size), turned(size);
    SmallVector<float> others(size, 1);
    int64_t pair = 0, count = countPairs(classes);
    for (int64_t first = 0; first < classes; ++first) {
      others[first * classes + first] = 0;
      for (int64_t second = first + 1; second < classes; ++second, ++pair) {
        places[first * classes + second] = turned[second * classes + first] = pair;
        places[second * classes + first] = turned[first * classes + second] = count + pair;
      }
    }
    Value isOther = b.floats(others, {classes, classes});
    Value both = b.make<ConcatOp>(ValueRange{pairs, b.sub(number(1), pairs)}, 1);
    Value won = spread(both, places, isOther), lost = spread(both, turned, isOther);
    diagonal = b.reduce<ReduceSumOp>(b.mul(lost, lost), {2}, /*keepsAxes=*/false);
    Value alone = b.make<UnsqueezeOp>(diagonal, b.integers({2}));
    matrix = b.where(b.equal(isOther, number(0)), alone, b.make<NegOp>(b.mul(won, lost)));
    for (int64_t row = 0; row < classes; ++row) {
      rows.push_back(b.make<GatherOp>(matrix, b.constant(b.getInteger(), row), 1));
      diagonals.push_back(column(diagonal, row));
      SmallVector<float> unit(static_cast<size_t>(classes));
      unit[row] = 1;
      units.push_back(b.floats(unit));
    }
  }

  /// Each class in turn is moved to where it is best; rows that are near enough stay.
  SmallVector<Value> buildRound(Value p) {
    Value row = b.make<UnsqueezeOp>(p, b.integers({1}));
    Value product = b.reduce<ReduceSumOp>(b.mul(matrix, row), {2}, /*keepsAxes=*/false);
    Value form = b.reduce<ReduceSumOp>(b.mul(p, product), {1});
    Value error = b.reduce<ReduceMaxOp>(b.make<AbsOp>(b.sub(product, form)), {1});
    Value isOff = b.make<GreaterOrEqualOp>(error, number(0.005f / static_cast<float>(classes)));
    Value next = p;
    for (int64_t place = 0; place < classes; ++place) {
      Value own = column(product, place), weight = diagonals[place];
      Value step = b.div(b.sub(form, own), weight);
      Value whole = b.add(number(1), step);
      Value gain = b.mul(step, b.add(b.mul(step, weight), b.mul(number(2), own)));
      next = b.div(b.add(next, b.mul(units[place], step)), whole);
      form = b.div(b.div(b.add(form, gain), whole), whole);
      product = b.div(b.add(product, b.mul(step, rows[place])), whole);
    }
    Value left = b.reduce<ReduceSumOp>(b.cast(isOff, f32), {}, /*keepsAxes=*/false);
    return {b.make<GreaterOp>(left, number(0)), b.where(isOff, next, p)};
  }

  OnnxBuilder &b;
  SVMClassifierOp op;
  Type f32;
  int64_t classes;
  /// [rows, classes, classes], and its diagonal, [rows, classes].
  Value matrix, diagonal;
  /// By class: its row, its element of the diagonal, 1 at its place.
  SmallVector<Value> rows, diagonals, units;
};

/// The classifier without probabilities, and these of its sums. Any transformation of them is that
/// of a linear model that changes nothing.
SmallVector<Value> coupleProbabilities(OnnxBuilder &b, SVMClassifierOp op) {
  if (getList(op.getProbA()).empty() || countVectors(op) == 0)
    return {};
  Builder attributes(op.getContext());
  auto plain = b.create<SVMClassifierOp>(op.getX(), op.getClasslabelsIntsAttr(),
                                         op.getClasslabelsStringsAttr(), op.getCoefficientsAttr(),
                                         op.getKernelParamsAttr(), op.getKernelType(), "NONE",
                                         DenseF32ArrayAttr(), DenseF32ArrayAttr(), op.getRhoAttr(),
                                         op.getSupportVectorsAttr(), op.getVectorsPerClassAttr());
  int64_t classes = ClassLabels::of(op).size();
  Value sums = plain.getZ();
  if (classes == 2) // both signs
    sums = b.slice(sums, 1, b.extent(1), b.extent(2));
  Value probabilities = Coupling(b, op).build(sums);
  if (op.getPostTransform() != "NONE") {
    SmallVector<float> unit(static_cast<size_t>(classes * classes));
    for (int64_t place = 0; place < classes; ++place)
      unit[place * (classes + 1)] = 1;
    probabilities = b.make<LinearRegressorOp>(probabilities, attributes.getDenseF32ArrayAttr(unit),
                                              DenseF32ArrayAttr(), op.getPostTransform(), classes);
  }
  return {plain.getY(), probabilities};
}

struct CoupleProbabilitiesPass : cameo::impl::CoupleProbabilitiesPassBase<CoupleProbabilitiesPass> {
  using CoupleProbabilitiesPassBase::CoupleProbabilitiesPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<Decomposition<SVMClassifierOp>>(context, coupleProbabilities);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      walkAndApplyPatterns(function, patterns);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
