// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of ai.onnx.ml: types and extents, and that lists of attributes have the lengths that
// they need. Lengths are compared by division, since a file may say any number.

#include "Dialect/ONNX/IR/Ml.h"

#include <numeric>

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

//===----------------------------------------------------------------------===//
// Rows, features, labels
//===----------------------------------------------------------------------===//

namespace {

/// A tensor as rows of features.
struct Rows {
  ExtentAttr count, features;
};

/// The rows of a tensor of rank 1 or 2 (`constraint`).
FailureOr<Rows> readRows(ExtentInference &infer, Value x, StringRef constraint) {
  if (failed(infer.requireRank(x, ("X (" + constraint + ")").str(), 1, 2)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(x);
  if (!extents)
    return Rows{infer.unknown(), infer.unknown()};
  return Rows{extents->size() == 1 ? infer.constant(1) : extents->front(), extents->back()};
}

/// Fails unless `count` numbers are as many as `features` for each of `rows`, which is positive.
LogicalResult requireTable(ExtentInference &infer, size_t count, int64_t rows, ExtentAttr features,
                           StringRef name, StringRef rowName, StringRef constraint) {
  auto size = static_cast<int64_t>(count);
  if (size == 0 || size % rows != 0)
    return infer.emitError() << "has a number of " << name
                             << " that is not one for each feature of "
                             << "each " << rowName << " (" << constraint << ", got " << size
                             << ", need a multiple of " << rows << ")";
  return infer.requireEqual(features, infer.constant(size / rows),
                            (name + " (" + constraint + ")").str());
}

/// Fails unless an attribute has `need` values.
LogicalResult requireCount(ExtentInference &infer, size_t count, int64_t need, StringRef name,
                           StringRef constraint) {
  if (static_cast<int64_t>(count) == need)
    return success();
  return infer.emitError() << "has a wrong number of " << name << " (" << constraint << ", got "
                           << count << ", need " << need << ")";
}

/// Fails unless a list has one value, or one for each feature of X, which then has rows.
LogicalResult requirePerFeature(ExtentInference &infer, Value x, size_t count, StringRef name) {
  if (failed(infer.requireRank(x, "X (C1)", 1, count == 1 ? INT64_MAX : 2)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(x);
  if (count == 1 || !extents)
    return success();
  return infer.requireEqual(infer.constant(static_cast<int64_t>(count)), extents->back(),
                            ("the features of X: " + name + " (C2)").str());
}

LogicalResult requireTransform(ExtentInference &infer, StringRef transform, StringRef constraint) {
  if (llvm::is_contained({"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}, transform))
    return success();
  return infer.emitError() << "has a post_transform that ONNX does not have (" << constraint
                           << ", got " << transform << ")";
}

LogicalResult requireLabels(ExtentInference &infer, ClassLabels labels, StringRef names,
                            StringRef constraint) {
  if (labels.integers.empty() != labels.areStrings())
    return infer.emitError() << "has not one of " << names << " (" << constraint << ")";
  return success();
}

} // namespace

Type ClassLabels::getType(MLIRContext *context) const {
  return areStrings() ? Type(StringType::get(context)) : IntegerType::get(context, 64);
}

ElementsAttr ClassLabels::getElements(MLIRContext *context) const {
  auto type = RankedTensorType::get(size(), getType(context));
  if (!areStrings())
    return DenseElementsAttr::get(type, integers);
  SmallVector<StringRef> texts(strings.getAsValueRange<StringAttr>());
  return DenseStringElementsAttr::get(type, texts);
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

LogicalResult ScalerOp::inferExtents(ExtentInference &infer) {
  for (auto [list, name] :
       {std::pair{getList(getOffset()), "offset"}, std::pair{getList(getScale()), "scale"}})
    if (!list.empty() && failed(requirePerFeature(infer, getX(), list.size(), name)))
      return failure();
  infer.setType(0, infer.type(getX()).withElementType(Float32Type::get(getContext())));
  return success();
}

LogicalResult ImputerOp::inferExtents(ExtentInference &infer) {
  bool isFloat = isa<FloatType>(infer.elementType(0));
  StringRef name = isFloat ? "imputed_value_floats" : "imputed_value_int64s";
  size_t count =
      isFloat ? getList(getImputedValueFloats()).size() : getList(getImputedValueInt64s()).size();
  if (count == 0)
    return infer.emitError() << "has no attribute " << name << " (C2)";
  if (failed(requirePerFeature(infer, getX(), count, name)))
    return failure();
  infer.setType(0, getX().getType());
  return success();
}

LogicalResult FeatureVectorizerOp::inferExtents(ExtentInference &infer) {
  ArrayRef<int64_t> dimensions = getList(getInputdimensions());
  if (!dimensions.empty() &&
      failed(requireCount(infer, dimensions.size(), static_cast<int64_t>(getX().size()),
                          "inputdimensions", "C2")))
    return failure();
  ExtentAttr rows, features = infer.constant(0);
  for (auto [number, x] : llvm::enumerate(getX())) {
    if (failed(infer.requireRank(x, "X (C1)", 1)))
      return failure();
    std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(x);
    bool isRow = extents && extents->size() == 1;
    ExtentAttr count = !extents ? infer.unknown() : isRow ? infer.constant(1) : extents->front();
    rows = rows ? rows : count;
    if (failed(infer.requireEqual(count, rows, "the rows of the first tensor (C1)")))
      return failure();
    ExtentAttr width = infer.unknown();
    if (!dimensions.empty()) {
      if (dimensions[number] < 0)
        return infer.emitError() << "has a negative number in inputdimensions (C2, got "
                                 << dimensions[number] << ")";
      width = infer.constant(dimensions[number]);
    } else if (extents) {
      width = infer.constant(1);
      for (ExtentAttr extent : extents->drop_front(isRow ? 0 : 1))
        width = width * extent; // checked: `unknown` when it does not fit
    }
    features = features + width;
  }
  infer.setResult(0, Float32Type::get(getContext()), {rows, simplify(features, infer.facts())});
  return success();
}

LogicalResult ArrayFeatureExtractorOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getX(), "X (C1)", 1)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> x = infer.extents(getX());
  Type element = infer.elementType(0);
  if (!x) {
    infer.setUnranked(0, element);
    return success();
  }
  SmallVector<ExtentAttr> result(x->drop_back());
  if (result.empty())
    result.push_back(infer.constant(1));
  SymTensorType places = infer.type(getY());
  result.push_back(places.hasRank() ? places.getNumElements() : infer.unknown());
  infer.setResult(0, element, result);
  return success();
}

//===----------------------------------------------------------------------===//
// LabelEncoder
//===----------------------------------------------------------------------===//

namespace {

/// A list of a table: in one of four attributes.
struct LabelList {
  DenseF32ArrayAttr floats;
  DenseI64ArrayAttr integers;
  ArrayAttr strings;
  ElementsAttr tensor;

  int countGiven() const { return !!floats + !!integers + !!strings + !!tensor; }

  /// The element type of the list that is given; f32 where none is.
  Type getElementType(MLIRContext *context) const {
    if (tensor)
      return tensor.getElementType();
    return strings    ? Type(StringType::get(context))
           : integers ? Type(IntegerType::get(context, 64))
                      : Float32Type::get(context);
  }
  int64_t size() const {
    if (tensor)
      return tensor.getNumElements();
    return strings ? strings.size() : integers ? integers.size() : floats.size();
  }
  ElementsAttr getElements(MLIRContext *context) const {
    auto type = [&] { return RankedTensorType::get({size()}, getElementType(context)); };
    if (integers)
      return DenseElementsAttr::get(type(), integers.asArrayRef());
    if (floats)
      return DenseElementsAttr::get(type(), floats.asArrayRef());
    if (!strings)
      return tensor;
    SmallVector<StringRef> texts;
    for (StringAttr text : strings.getAsRange<StringAttr>())
      texts.push_back(text.getValue());
    return DenseStringElementsAttr::get(type(), texts);
  }
};

LabelList getKeyList(LabelEncoderOp op) {
  return {op.getKeysFloatsAttr(), op.getKeysInt64sAttr(), op.getKeysStringsAttr(),
          op.getKeysTensorAttr()};
}
LabelList getValueList(LabelEncoderOp op) {
  return {op.getValuesFloatsAttr(), op.getValuesInt64sAttr(), op.getValuesStringsAttr(),
          op.getValuesTensorAttr()};
}

} // namespace

ElementsAttr LabelEncoderOp::getKeys() { return getKeyList(*this).getElements(getContext()); }
ElementsAttr LabelEncoderOp::getValues() { return getValueList(*this).getElements(getContext()); }

LogicalResult LabelEncoderOp::inferExtents(ExtentInference &infer) {
  LabelList keys = getKeyList(*this), values = getValueList(*this);
  if (keys.countGiven() != 1 || values.countGiven() != 1)
    return infer.emitError() << "has not one attribute of keys and one of values (C1, got "
                             << keys.countGiven() << " and " << values.countGiven() << ")";
  if (keys.size() != values.size())
    return infer.emitError() << "has another number of values than of keys (C1, got "
                             << values.size() << " and " << keys.size() << ")";
  Type element = values.getElementType(getContext());
  if (keys.getElementType(getContext()) != infer.elementType(0))
    return infer.emitError() << "has keys of another type than X (C2)";
  if (ElementsAttr other = getDefaultTensorAttr();
      other && (other.getNumElements() != 1 || other.getElementType() != element))
    return infer.emitError() << "has a default_tensor that is not one of its values (C3)";
  infer.setType(0, infer.type(getX()).withElementType(element));
  return success();
}

LogicalResult OneHotEncoderOp::inferExtents(ExtentInference &infer) {
  bool isString = isa<StringType>(infer.elementType(0));
  size_t count = isString ? (getCatsStrings() ? getCatsStrings()->size() : 0)
                          : getList(getCatsInt64s()).size();
  if (count == 0)
    return infer.emitError() << "has no attribute " << (isString ? "cats_strings" : "cats_int64s")
                             << " (C1)";
  Type element = Float32Type::get(getContext());
  std::optional<ArrayRef<ExtentAttr>> x = infer.extents(getX());
  if (!x) {
    infer.setUnranked(0, element);
    return success();
  }
  SmallVector<ExtentAttr> result(*x);
  result.push_back(infer.constant(static_cast<int64_t>(count)));
  infer.setResult(0, element, result);
  return success();
}

LogicalResult ZipMapOp::inferExtents(ExtentInference &infer) {
  ClassLabels labels = ClassLabels::of(*this);
  if (failed(requireLabels(infer, labels, "classlabels_int64s and classlabels_strings", "C1")))
    return failure();
  FailureOr<Rows> rows = readRows(infer, getX(), "C2");
  if (failed(rows) ||
      failed(infer.requireEqual(rows->features, infer.constant(labels.size()), "the keys (C3)")))
    return failure();
  infer.setResult(0, infer.elementType(0), {rows->count, infer.constant(labels.size())});
  return success();
}

//===----------------------------------------------------------------------===//
// Linear models
//===----------------------------------------------------------------------===//

LogicalResult LinearRegressorOp::inferExtents(ExtentInference &infer) {
  FailureOr<Rows> rows = readRows(infer, getX(), "C1");
  if (failed(rows))
    return failure();
  if (getTargets() < 1)
    return infer.emitError() << "has targets that are not positive (C2, got " << getTargets()
                             << ")";
  if (failed(requireTable(infer, getList(getCoefficients()).size(), getTargets(), rows->features,
                          "coefficients", "target", "C2")) ||
      failed(requireTransform(infer, getPostTransform(), "C3")))
    return failure();
  infer.setResult(0, Float32Type::get(getContext()), {rows->count, infer.constant(getTargets())});
  return success();
}

int64_t cameo::onnx::countSums(LinearClassifierOp op) {
  if (size_t intercepts = getList(op.getIntercepts()).size())
    return static_cast<int64_t>(intercepts);
  int64_t classes = ClassLabels::of(op).size();
  auto type = cast<SymTensorType>(op.getX().getType());
  // Each class has its own, unless the features leave one only.
  bool isOne =
      classes == 2 && type.hasRank() && type.getRank() > 0 &&
      type.getExtents().back().isConstant(static_cast<int64_t>(op.getCoefficients().size()));
  return isOne ? 1 : classes;
}

LogicalResult LinearClassifierOp::inferExtents(ExtentInference &infer) {
  FailureOr<Rows> rows = readRows(infer, getX(), "C1");
  ClassLabels labels = ClassLabels::of(*this);
  if (failed(rows) ||
      failed(requireLabels(infer, labels, "classlabels_ints and classlabels_strings", "C2")))
    return failure();
  int64_t sums = countSums(*this);
  if (labels.size() != sums && !(sums == 1 && labels.size() == 2))
    return infer.emitError() << "has a wrong number of labels (C2, got " << labels.size()
                             << ", need one for each of " << sums << " sums)";
  if (failed(requireTable(infer, getCoefficients().size(), sums, rows->features, "coefficients",
                          "sum", "C3")) ||
      failed(requireTransform(infer, getPostTransform(), "C4")))
    return failure();
  if (sums == 1 && labels.size() == 2 && getPostTransform() == "PROBIT")
    return infer.emitError() << "has post_transform PROBIT for one sum of two classes (C4)";
  infer.setResult(0, labels.getType(getContext()), {rows->count});
  infer.setResult(1, Float32Type::get(getContext()), {rows->count, infer.constant(labels.size())});
  return success();
}

//===----------------------------------------------------------------------===//
// Support vector machines
//===----------------------------------------------------------------------===//

int64_t cameo::onnx::countVectors(SVMClassifierOp op) {
  ArrayRef<int64_t> perClass = getList(op.getVectorsPerClass());
  return std::accumulate(perClass.begin(), perClass.end(), int64_t(0));
}

template <class Op> static LogicalResult requireKernel(ExtentInference &infer, Op op) {
  if (!llvm::is_contained({"LINEAR", "POLY", "RBF", "SIGMOID"}, op.getKernelType()))
    return infer.emitError() << "has a kernel_type that ONNX does not have (C2, got "
                             << op.getKernelType() << ")";
  size_t count = getList(op.getKernelParams()).size();
  return count == 0 ? success() : requireCount(infer, count, 3, "kernel_params", "C2");
}

LogicalResult SVMRegressorOp::inferExtents(ExtentInference &infer) {
  FailureOr<Rows> rows = readRows(infer, getX(), "C1");
  if (failed(rows) || failed(requireKernel(infer, *this)))
    return failure();
  int64_t vectors = getNSupports();
  size_t coefficients = getList(getCoefficients()).size();
  if (vectors < 0)
    return infer.emitError() << "has a negative n_supports (C3, got " << vectors << ")";
  if (vectors == 0) {
    if (failed(requireTable(infer, coefficients, 1, rows->features, "coefficients", "sum", "C4")))
      return failure();
  } else if (failed(requireTable(infer, getList(getSupportVectors()).size(), vectors,
                                 rows->features, "support_vectors", "vector", "C3")) ||
             failed(requireCount(infer, coefficients, vectors, "coefficients", "C4"))) {
    return failure();
  }
  if (getList(getRho()).empty())
    return infer.emitError() << "has no attribute rho (C4)";
  infer.setResult(0, Float32Type::get(getContext()), {rows->count, infer.constant(1)});
  return success();
}

namespace {

/// The number of support vectors of an SVMClassifier with `classes` classes, once C4 holds.
FailureOr<int64_t> readVectors(ExtentInference &infer, SVMClassifierOp op, int64_t classes) {
  ArrayRef<int64_t> perClass = getList(op.getVectorsPerClass());
  size_t numbers = getList(op.getSupportVectors()).size();
  auto most = static_cast<int64_t>(numbers);
  int64_t vectors = 0;
  for (int64_t count : perClass) {
    if (count < 0 || count > most)
      return infer.emitError() << "has a wrong number in vectors_per_class (C4, got " << count
                               << ", of " << numbers << " numbers in support_vectors)";
    vectors = std::min(vectors + count, most + 1);
  }
  if (vectors > 0 &&
      failed(requireCount(infer, perClass.size(), classes, "vectors_per_class", "C4")))
    return failure();
  return vectors;
}

LogicalResult requirePairs(ExtentInference &infer, SVMClassifierOp op, int64_t pairs) {
  size_t a = getList(op.getProbA()).size(), b = getList(op.getProbB()).size();
  if (failed(requireCount(infer, getList(op.getRho()).size(), pairs, "rho", "C6")))
    return failure();
  if (a == 0 && b == 0)
    return success();
  return success(succeeded(requireCount(infer, a, pairs, "prob_a", "C6")) &&
                 succeeded(requireCount(infer, b, pairs, "prob_b", "C6")));
}

} // namespace

LogicalResult SVMClassifierOp::inferExtents(ExtentInference &infer) {
  FailureOr<Rows> rows = readRows(infer, getX(), "C1");
  ClassLabels labels = ClassLabels::of(*this);
  if (failed(rows) || failed(requireKernel(infer, *this)) ||
      failed(requireLabels(infer, labels, "classlabels_ints and classlabels_strings", "C3")) ||
      failed(requireTransform(infer, getPostTransform(), "C7")))
    return failure();
  int64_t classes = labels.size(), scores = classes;
  FailureOr<int64_t> vectors = readVectors(infer, *this, classes);
  if (failed(vectors))
    return failure();
  size_t coefficients = getList(getCoefficients()).size();
  if (*vectors == 0) {
    if (failed(requireTable(infer, coefficients, classes, rows->features, "coefficients", "class",
                            "C5")))
      return failure();
    if (getList(getRho()).empty())
      return infer.emitError() << "has no attribute rho (C6)";
  } else {
    if (classes < 2)
      return infer.emitError() << "has one label (C3, need two)";
    bool hasProbabilities = !getList(getProbA()).empty();
    // `rho` has a number for each pair of classes, so that pairs do not outgrow the file.
    if (failed(requireTable(infer, getList(getSupportVectors()).size(), *vectors, rows->features,
                            "support_vectors", "vector", "C4")) ||
        failed(requireCount(infer, coefficients, (classes - 1) * *vectors, "coefficients", "C5")) ||
        failed(requirePairs(infer, *this, countPairs(classes))))
      return failure();
    if (classes == 2 && !hasProbabilities && getPostTransform() == "PROBIT")
      return infer.emitError() << "has post_transform PROBIT for one pair of classes (C7)";
    if (classes > 2 && !hasProbabilities)
      scores = countPairs(classes);
  }
  infer.setResult(0, labels.getType(getContext()), {rows->count});
  infer.setResult(1, Float32Type::get(getContext()), {rows->count, infer.constant(scores)});
  return success();
}
