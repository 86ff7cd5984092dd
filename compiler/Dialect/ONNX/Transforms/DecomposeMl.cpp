// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of ai.onnx.ml as products, lookups and elementwise operators. Scores are computed in
// f32, as ONNX Runtime does, whatever features are. A label is its number up to the end, where it
// is looked up.

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/ONNX/IR/Ml.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

Type getF32(Operation *op) { return Float32Type::get(op->getContext()); }

/// A tensor of rank 1 as one row, one of rank 2 as it is.
Value asRows(OnnxBuilder &b, Value x) {
  ArrayRef<ExtentAttr> extents = *getExtents(x);
  return extents.size() == 1 ? b.reshape(x, {b.extent(1), extents[0]}) : x;
}

/// `count` values of an attribute beside the features of X, which is checked to have as many.
void requireFeatures(OnnxBuilder &b, Value x, size_t count, StringRef name) {
  if (count != 1)
    b.requireEqual(b.extent(static_cast<int64_t>(count)), getExtents(x)->back(),
                   ("the features of X: " + name).str());
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

/// In f64 where X is.
SmallVector<Value> decomposeScaler(OnnxBuilder &b, ScalerOp op) {
  if (!getExtents(op.getX()))
    return {};
  Type f32 = getF32(op);
  Value y = elementTypeOf(op.getX()).isF64() ? op.getX() : b.cast(op.getX(), f32);
  Type element = elementTypeOf(y);
  if (ArrayRef<float> offset = getList(op.getOffset()); !offset.empty()) {
    requireFeatures(b, y, offset.size(), "offset");
    y = b.sub(y, b.cast(b.floats(offset), element));
  }
  if (ArrayRef<float> scale = getList(op.getScale()); !scale.empty()) {
    requireFeatures(b, y, scale.size(), "scale");
    y = b.mul(y, b.cast(b.floats(scale), element));
  }
  return {b.cast(y, f32)};
}

SmallVector<Value> decomposeImputer(OnnxBuilder &b, ImputerOp op) {
  Value x = op.getX();
  if (!getExtents(x))
    return {};
  Type element = elementTypeOf(x);
  Value isMissing, values;
  if (isa<FloatType>(element)) {
    ArrayRef<float> floats = getList(op.getImputedValueFloats());
    requireFeatures(b, x, floats.size(), "imputed_value_floats");
    float replaced = op.getReplacedValueFloat().convertToFloat();
    isMissing =
        std::isnan(replaced) ? b.make<IsNaNOp>(x) : b.equal(x, b.constant(element, replaced));
    values = b.floats(floats);
  } else {
    ArrayRef<int64_t> integers = getList(op.getImputedValueInt64s());
    requireFeatures(b, x, integers.size(), "imputed_value_int64s");
    Type wide = IntegerType::get(op.getContext(), 64);
    isMissing = b.equal(b.cast(x, wide), b.integers(op.getReplacedValueInt64()));
    values = b.integers(integers);
  }
  return {b.where(isMissing, b.cast(values, element), x)};
}

/// How many features each row of a tensor has; unknown where that does not fit.
ExtentAttr countFeatures(OnnxBuilder &b, ArrayRef<ExtentAttr> extents) {
  ExtentAttr features = b.extent(1);
  for (ExtentAttr extent : extents.drop_front(extents.size() == 1 ? 0 : 1))
    features = features * extent; // checked: `unknown` when it does not fit
  return features;
}

/// The first `width` features of each row; zeros where there are not as many.
Value takeFeatures(OnnxBuilder &b, Value rows, int64_t width) {
  ExtentAttr features = getExtents(rows)->back(), zero = b.extent(0), most = b.extent(width);
  if (features == most)
    return rows;
  ExtentAttr kept = features.min(most);
  return b.make<PadOp>(b.slice(rows, 1, zero, kept), b.extents({zero, most - kept}),
                       b.constant(elementTypeOf(rows), 0), b.integers({1}), "constant");
}

SmallVector<Value> decomposeFeatureVectorizer(OnnxBuilder &b, FeatureVectorizerOp op) {
  for (Value x : op.getX()) {
    std::optional<ArrayRef<ExtentAttr>> extents = getExtents(x);
    if (!extents || countFeatures(b, *extents).isUnknown())
      return {};
  }
  ArrayRef<int64_t> widths = getList(op.getInputdimensions());
  SmallVector<Value> columns;
  for (auto [number, x] : llvm::enumerate(op.getX())) {
    ArrayRef<ExtentAttr> extents = *getExtents(x);
    ExtentAttr rows = extents.size() == 1 ? b.extent(1) : extents.front();
    Value column = b.cast(b.reshape(x, {rows, countFeatures(b, extents)}), getF32(op));
    columns.push_back(widths.empty() ? column : takeFeatures(b, column, widths[number]));
  }
  return {b.make<ConcatOp>(columns, 1)};
}

SmallVector<Value> decomposeFeatureExtractor(OnnxBuilder &b, ArrayFeatureExtractorOp op) {
  std::optional<ArrayRef<ExtentAttr>> x = getExtents(op.getX()), z = getExtents(op.getZ());
  if (!x || !z || !getExtents(op.getY()))
    return {};
  Value places = b.reshape(op.getY(), z->back());
  auto axis = static_cast<int64_t>(x->size()) - 1;
  return {b.reshape(b.make<GatherOp>(op.getX(), places, axis), *z)};
}

//===----------------------------------------------------------------------===//
// Categories
//===----------------------------------------------------------------------===//

SmallVector<int64_t> countTo(int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(0, count));
}

Value constant(OnnxBuilder &b, ElementsAttr value) {
  return b.constant(getTypeOf(value, {}), value);
}

ElementsAttr integersOf(MLIRContext *context, ArrayRef<int64_t> values) {
  auto type =
      RankedTensorType::get(static_cast<int64_t>(values.size()), IntegerType::get(context, 64));
  return DenseElementsAttr::get(type, values);
}

/// A number's string, out of as many.
Value nameNumbers(OnnxBuilder &b, Value numbers, ElementsAttr strings) {
  MLIRContext *context = numbers.getContext();
  return b.lookUp(numbers, integersOf(context, countTo(strings.getNumElements())), strings);
}

/// The labels of classes whose numbers are known to be of some.
Value pickLabels(OnnxBuilder &b, Value numbers, ClassLabels labels) {
  ElementsAttr elements = labels.getElements(numbers.getContext());
  if (labels.areStrings())
    return nameNumbers(b, numbers, elements);
  return b.make<GatherOp>(constant(b, elements), numbers, 0);
}

/// A category is its number, which is compared with all. A value that is no category has the number
/// behind them, which the table of numbers does not have where that is to end the run.
SmallVector<Value> decomposeOneHotEncoder(OnnxBuilder &b, OneHotEncoderOp op) {
  std::optional<ArrayRef<ExtentAttr>> extents = getExtents(op.getX());
  if (!extents)
    return {};
  MLIRContext *context = op.getContext();
  bool areStrings = isa<StringType>(elementTypeOf(op.getX()));
  ClassLabels categories{areStrings ? ArrayRef<int64_t>() : getList(op.getCatsInt64s()),
                         areStrings ? op.getCatsStringsAttr() : ArrayAttr()};
  Value x = areStrings ? op.getX() : b.cast(op.getX(), IntegerType::get(context, 64));
  SmallVector<int64_t> numbers = countTo(categories.size());
  Value number = b.lookUp(x, categories.getElements(context), integersOf(context, numbers),
                          integersOf(context, categories.size()));
  Value all = b.integers(numbers);
  if (!op.getZeros())
    number = b.make<GatherOp>(all, number, 0);
  SmallVector<ExtentAttr> beside(*extents);
  beside.push_back(b.extent(1));
  return {b.cast(b.equal(b.reshape(number, beside), all), getF32(op))};
}

/// Strings that are constants are their numbers until they are taken.
SmallVector<Value> decomposeStringGather(OnnxBuilder &b, GatherOp op) {
  auto data = op.getData().getDefiningOp<ConstantOp>();
  std::optional<ArrayRef<ExtentAttr>> extents = getExtents(op.getData());
  if (!data || !extents || !isa<StringType>(elementTypeOf(op.getData())))
    return {};
  Value numbers = b.reshape(b.integers(countTo(data.getValue().getNumElements())), *extents);
  Value taken = b.make<GatherOp>(numbers, op.getIndices(), op.getAxis());
  auto flat = RankedTensorType::get(data.getValue().getNumElements(), elementTypeOf(op.getData()));
  return {nameNumbers(b, taken, cast<DenseElementsAttr>(data.getValue()).reshape(flat))};
}

/// Until sequences of maps are values, the scores as they are: the output has the keys.
SmallVector<Value> decomposeZipMap(OnnxBuilder &b, ZipMapOp op) {
  if (!getExtents(op.getX()))
    return {};
  b.requireEqual(getExtents(op.getX())->back(), b.extent(ClassLabels::of(op).size()), "the keys");
  return {asRows(b, op.getX())};
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// The inverse of the cumulative normal distribution, by Winitzki's approximation of that of the
/// error function, with the constants of ONNX Runtime.
Value buildProbit(OnnxBuilder &b, Value p) {
  Type f32 = elementTypeOf(p);
  auto number = [&](float value) { return b.constant(f32, value); };
  Value x = b.sub(b.mul(number(2), p), number(1));
  Value log = b.make<LogOp>(b.mul(b.sub(number(1), x), b.add(number(1), x)));
  Value half = b.add(number(2 / (3.14159f * 0.147f)), b.mul(number(0.5f), log));
  Value rest = b.mul(number(1 / 0.147f), log);
  // sqrt(half^2 - rest) - half, which would cancel near the middle.
  Value whole = b.add(b.sqrt(b.sub(b.mul(half, half), rest)), half);
  Value size = b.sqrt(b.div(b.make<NegOp>(rest), whole));
  Value root = b.mul(number(1.41421356f), size);
  return b.where(b.make<LessOp>(x, number(0)), b.make<NegOp>(root), root);
}

/// Softmax in which what is 0 stays 0 and is in no sum.
Value buildSoftmaxZero(OnnxBuilder &b, Value scores) {
  Type f32 = elementTypeOf(scores);
  Value most = b.reduce<ReduceMaxOp>(scores, {1}), zero = b.constant(f32, 0);
  Value isZero = b.make<LessOrEqualOp>(b.make<AbsOp>(scores), b.constant(f32, 0.0000001f));
  Value powers = b.make<ExpOp>(b.sub(scores, most));
  Value sum = b.reduce<ReduceSumOp>(b.where(isZero, zero, powers), {1});
  Value small = b.mul(scores, b.make<ExpOp>(b.make<NegOp>(most)));
  return b.div(b.where(isZero, small, powers), sum);
}

/// The scores of each row as `transform` wants them; a single one is left as it is, but by PROBIT.
Value transformScores(OnnxBuilder &b, Value scores, StringRef transform) {
  if (transform == "PROBIT")
    return buildProbit(b, scores);
  if (transform == "NONE" || getExtents(scores)->back().isConstant(1))
    return scores;
  if (transform == "SOFTMAX")
    return b.make<SoftmaxOp>(scores, 1);
  return transform == "LOGISTIC" ? b.make<SigmoidOp>(scores) : buildSoftmaxZero(b, scores);
}

/// One score as those of two classes: behind LOGISTIC, or with what it lacks to `whole`.
Value splitScore(OnnxBuilder &b, Value score, StringRef transform, double whole) {
  Value first, second = score;
  if (transform == "LOGISTIC") {
    first = b.make<SigmoidOp>(b.make<NegOp>(score));
    second = b.make<SigmoidOp>(score);
  } else {
    first = b.sub(b.constant(elementTypeOf(score), whole), score);
  }
  return b.make<ConcatOp>(ValueRange{first, second}, 1);
}

/// A column of conditions as the numbers 0 and 1.
Value asNumbers(OnnxBuilder &b, Value condition) {
  return b.cast(b.make<SqueezeOp>(condition, b.integers({1})),
                IntegerType::get(condition.getContext(), 64));
}

//===----------------------------------------------------------------------===//
// Linear models
//===----------------------------------------------------------------------===//

/// X times a table of weights, a row for each of `sums` sums, and what is added to these.
Value buildSums(OnnxBuilder &b, Value x, ArrayRef<float> weights, int64_t sums, Value added,
                float factor = 1) {
  Value rows = asRows(b, b.cast(x, Float32Type::get(x.getContext())));
  Value table = b.floats(weights, {sums, static_cast<int64_t>(weights.size()) / sums});
  return b.make<GemmOp>(rows, table, added, APFloat(factor), APFloat(1.0f), 0, 1);
}

SmallVector<Value> decomposeLinearRegressor(OnnxBuilder &b, LinearRegressorOp op) {
  if (!getExtents(op.getX()))
    return {};
  ArrayRef<float> intercepts = getList(op.getIntercepts());
  bool hasIntercepts = static_cast<int64_t>(intercepts.size()) == op.getTargets();
  Value sums = buildSums(b, op.getX(), getList(op.getCoefficients()), op.getTargets(),
                         hasIntercepts ? b.floats(intercepts) : Value());
  return {transformScores(b, sums, op.getPostTransform())};
}

SmallVector<Value> decomposeLinearClassifier(OnnxBuilder &b, LinearClassifierOp op) {
  if (!getExtents(op.getX()))
    return {};
  ClassLabels labels = ClassLabels::of(op);
  ArrayRef<float> intercepts = getList(op.getIntercepts());
  int64_t count = countSums(op);
  Value sums = buildSums(b, op.getX(), op.getCoefficients(), count,
                         intercepts.empty() ? Value() : b.floats(intercepts));
  Value numbers, scores;
  if (count == labels.size()) {
    numbers = b.make<ArgMaxOp>(sums, 1, 0, 0);
    scores = transformScores(b, sums, op.getPostTransform());
  } else {
    Value isSecond = b.make<GreaterOp>(sums, b.constant(elementTypeOf(sums), 0));
    numbers = asNumbers(b, isSecond);
    scores = splitScore(b, sums, op.getPostTransform(), /*whole=*/1);
  }
  return {pickLabels(b, numbers, labels), scores};
}

//===----------------------------------------------------------------------===//
// Support vector machines
//===----------------------------------------------------------------------===//

/// exp(-gamma |x - v|^2), by differences: a product of matrices would lose those that are small
/// beside x.
Value buildRadialKernels(OnnxBuilder &b, Value rows, Value vectors, float gamma) {
  ArrayRef<ExtentAttr> extents = *getExtents(rows);
  b.requireEqual(extents[1], getExtents(vectors)->back(), "support_vectors");
  Value apart = b.sub(b.reshape(rows, {extents[0], b.extent(1), extents[1]}), vectors);
  Value distances = b.reduce<ReduceSumSquareOp>(apart, {2}, /*keepsAxes=*/false);
  return b.make<ExpOp>(b.mul(distances, b.constant(elementTypeOf(rows), -gamma)));
}

/// The kernel of each row with each of `count` support vectors.
template <class Op> Value buildKernels(OnnxBuilder &b, Op op, int64_t count) {
  ArrayRef<float> vectors = getList(op.getSupportVectors());
  StringRef kind = op.getKernelType();
  if (kind == "LINEAR")
    return buildSums(b, op.getX(), vectors, count, Value());
  SmallVector<float, 3> params(getList(op.getKernelParams()));
  params.resize(3);
  float gamma = params[0], offset = params[1], degree = params[2];
  Type f32 = getF32(op);
  if (kind == "RBF") {
    auto features = static_cast<int64_t>(vectors.size()) / count;
    return buildRadialKernels(b, asRows(b, b.cast(op.getX(), f32)),
                              b.floats(vectors, {count, features}), gamma);
  }
  Value sums = buildSums(b, op.getX(), vectors, count, b.constant(f32, offset), gamma);
  if (kind == "SIGMOID")
    return b.make<TanhOp>(sums);
  if (degree == 2)
    return b.mul(sums, sums);
  if (degree == 3)
    return b.mul(b.mul(sums, sums), sums);
  return b.make<PowOp>(sums, b.constant(f32, degree));
}

SmallVector<Value> decomposeSvmRegressor(OnnxBuilder &b, SVMRegressorOp op) {
  if (!getExtents(op.getX()))
    return {};
  Value rho = b.floats(getList(op.getRho()).front()), x = op.getX();
  if (op.getNSupports() > 0)
    x = buildKernels(b, op, op.getNSupports());
  Value sum = buildSums(b, x, getList(op.getCoefficients()), 1, rho);
  if (!op.getOneClass())
    return {sum};
  auto number = [&](double value) { return b.constant(elementTypeOf(sum), value); };
  return {b.where(b.make<GreaterOp>(sum, number(0)), number(1), number(-1))};
}

/// The pairs of classes of an SVMClassifier, in the order of `rho`.
struct ClassPairs {
  int64_t classes;

  template <class Visit> void visit(Visit visit) const {
    for (int64_t first = 0; first < classes; ++first)
      for (int64_t second = first + 1; second < classes; ++second)
        visit(first, second);
  }
  /// In a table of each class and each other one: where `other` is beside `one`.
  int64_t index(int64_t one, int64_t other) const {
    return one * (classes - 1) + other - (other > one ? 1 : 0);
  }
};

/// The votes of the support vectors of each class against each other class: [rows, classes *
/// (classes - 1)]. Class by class, since a table of vectors and pairs would be mostly zeros.
Value buildOpinions(OnnxBuilder &b, SVMClassifierOp op, Value kernels, int64_t classes) {
  ArrayRef<float> coefficients = getList(op.getCoefficients());
  auto vectors = static_cast<int64_t>(coefficients.size()) / (classes - 1);
  SmallVector<Value> opinions;
  int64_t start = 0;
  for (int64_t count : getList(op.getVectorsPerClass())) {
    SmallVector<float> weights;
    for (int64_t other = 0; other < classes - 1; ++other)
      llvm::append_range(weights, coefficients.slice(other * vectors + start, count));
    Value own = b.slice(kernels, 1, b.extent(start), b.extent(start + count));
    Value table = b.floats(weights, {classes - 1, count});
    opinions.push_back(b.make<GemmOp>(own, table, Value(), APFloat(1.0f), APFloat(1.0f), 0, 1));
    start += count;
  }
  return b.make<ConcatOp>(opinions, 1);
}

/// For each pair of classes a number that is positive where it is the first: [rows, pairs].
Value buildPairSums(OnnxBuilder &b, SVMClassifierOp op, int64_t classes, int64_t vectors) {
  Value kernels = buildKernels(b, op, vectors), rho = b.floats(getList(op.getRho()));
  if (classes == 2)
    return buildSums(b, kernels, getList(op.getCoefficients()), 1, rho);
  SmallVector<int64_t> ofFirst, ofSecond;
  ClassPairs pairs{classes};
  pairs.visit([&](int64_t first, int64_t second) {
    ofFirst.push_back(pairs.index(first, second));
    ofSecond.push_back(pairs.index(second, first));
  });
  Value opinions = buildOpinions(b, op, kernels, classes);
  Value sums = b.add(b.make<GatherOp>(opinions, b.integers(ofFirst), 1),
                     b.make<GatherOp>(opinions, b.integers(ofSecond), 1));
  return b.add(sums, rho);
}

/// The number of the class that wins most pairs, the first of several.
Value countVotes(OnnxBuilder &b, Value pairSums, int64_t classes) {
  Type f32 = elementTypeOf(pairSums);
  Value isFirst = b.make<GreaterOp>(pairSums, b.constant(f32, 0));
  if (classes == 2)
    return asNumbers(b, b.make<NotOp>(isFirst));
  SmallVector<int64_t> places(static_cast<size_t>(classes * (classes - 1)));
  SmallVector<float> wins(places.size());
  int64_t number = 0;
  ClassPairs pairs{classes};
  pairs.visit([&](int64_t first, int64_t second) {
    places[pairs.index(first, second)] = places[pairs.index(second, first)] = number++;
    wins[pairs.index(first, second)] = 1;
  });
  ExtentAttr rows = getExtents(pairSums)->front();
  Value results = b.make<GatherOp>(b.cast(isFirst, f32), b.integers(places), 1);
  Value won = b.cast(b.equal(results, b.floats(wins)), f32);
  Value byClass = b.reshape(won, {rows, b.extent(classes), b.extent(classes - 1)});
  return b.make<ArgMaxOp>(b.reduce<ReduceSumOp>(byClass, {2}, /*keepsAxes=*/false), 1, 0, 0);
}

/// Without support vectors: a sum of features for each class. The second one of two is chosen
/// wherever the largest sum is positive, or at least a half where no coefficient is negative.
SmallVector<Value> decomposeLinearMachine(OnnxBuilder &b, SVMClassifierOp op) {
  ClassLabels labels = ClassLabels::of(op);
  ArrayRef<float> coefficients = getList(op.getCoefficients());
  Value sums =
      buildSums(b, op.getX(), coefficients, labels.size(), b.floats(getList(op.getRho()).front()));
  Value number = b.make<ArgMaxOp>(sums, 1, 0, 0);
  if (labels.size() == 2 && getList(op.getProbA()).empty()) {
    Type f32 = getF32(op);
    Value most = b.reduce<ReduceMaxOp>(sums, {1}, /*keepsAxes=*/false);
    bool isPositive = llvm::all_of(coefficients, [](float value) { return value >= 0; });
    Value isSecond = isPositive ? b.make<GreaterOrEqualOp>(most, b.constant(f32, 0.5))
                                : b.make<GreaterOp>(most, b.constant(f32, 0));
    number = b.where(isSecond, b.constant(elementTypeOf(number), 1), number);
  }
  return {pickLabels(b, number, labels), transformScores(b, sums, op.getPostTransform())};
}

/// Probabilities are the business of a pass of their own, since they take a loop.
SmallVector<Value> decomposeSvmClassifier(OnnxBuilder &b, SVMClassifierOp op) {
  int64_t vectors = countVectors(op);
  if (!getExtents(op.getX()))
    return {};
  if (vectors == 0)
    return decomposeLinearMachine(b, op);
  if (!getList(op.getProbA()).empty())
    return {};
  ClassLabels labels = ClassLabels::of(op);
  StringRef transform = op.getPostTransform();
  Value sums = buildPairSums(b, op, labels.size(), vectors);
  Value scores = labels.size() == 2
                     ? splitScore(b, sums, transform, /*whole=*/transform == "NONE" ? 0 : 1)
                     : transformScores(b, sums, transform);
  return {pickLabels(b, countVotes(b, sums, labels.size()), labels), scores};
}

} // namespace

void cameo::populateMlDecompositions(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Decomposition<ArrayFeatureExtractorOp>>(context, decomposeFeatureExtractor);
  patterns.add<Decomposition<FeatureVectorizerOp>>(context, decomposeFeatureVectorizer);
  patterns.add<Decomposition<GatherOp>>(context, decomposeStringGather);
  patterns.add<Decomposition<ImputerOp>>(context, decomposeImputer);
  patterns.add<Decomposition<LinearClassifierOp>>(context, decomposeLinearClassifier);
  patterns.add<Decomposition<LinearRegressorOp>>(context, decomposeLinearRegressor);
  patterns.add<Decomposition<OneHotEncoderOp>>(context, decomposeOneHotEncoder);
  patterns.add<Decomposition<SVMClassifierOp>>(context, decomposeSvmClassifier);
  patterns.add<Decomposition<SVMRegressorOp>>(context, decomposeSvmRegressor);
  patterns.add<Decomposition<ScalerOp>>(context, decomposeScaler);
  patterns.add<Decomposition<ZipMapOp>>(context, decomposeZipMap);
}
