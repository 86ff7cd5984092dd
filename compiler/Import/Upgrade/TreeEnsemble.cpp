// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forests: the two operators whose nodes have ids become the one whose nodes are tables, and its
// post-transforms other operators. Where ONNX leaves a case open, ONNX Runtime decides.

#include "Dialect/Core/IR/ElementBytes.h"
#include "Import/Upgrade/Upgrade.h"
#include "Support/Diagnostic.h"

#include <set>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

//===----------------------------------------------------------------------===//
// Post-transforms
//===----------------------------------------------------------------------===//

namespace {

/// As TreeEnsemble numbers them.
constexpr StringLiteral kTransforms[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
constexpr StringLiteral kAggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};

/// Operators on scores, rows of numbers of one float type.
class ScoreBuilder {
public:
  ScoreBuilder(Upgrader &upgrader, Value scores) : upgrader(upgrader), like(scores) {}

  Value number(double value) {
    return upgrader.floatScalar(upgrader.getBuilder().getF64FloatAttr(value), like);
  }
  Value unary(StringRef opType, Value x) { return upgrader.create(opType, {x}); }
  Value add(Value a, Value b) { return upgrader.create("Add", {a, b}); }
  Value sub(Value a, Value b) { return upgrader.create("Sub", {a, b}); }
  Value mul(Value a, Value b) { return upgrader.create("Mul", {a, b}); }
  Value div(Value a, Value b) { return upgrader.create("Div", {a, b}); }
  Value greater(Value a, Value b) { return upgrader.create("Greater", {a, b}); }
  Value where(Value condition, Value a, Value b) {
    return upgrader.create("Where", {condition, a, b});
  }
  /// Over each row, which becomes one number.
  Value reduce(StringRef opType, Value x) {
    return upgrader.create(opType, {x, upgrader.integers({1})},
                           {upgrader.intAttribute("keepdims", 1)});
  }

  Value transform(Value x, StringRef name) {
    if (name == "SOFTMAX")
      return upgrader.create("Softmax", {x}, {upgrader.intAttribute("axis", 1)});
    if (name == "LOGISTIC")
      return unary("Sigmoid", x);
    if (name == "SOFTMAX_ZERO")
      return softmaxZero(x);
    return name == "PROBIT" ? probit(x) : x;
  }

private:
  /// A softmax in which zeros stay zeros.
  Value softmaxZero(Value x) {
    Value most = reduce("ReduceMax", x);
    Value powers = where(greater(unary("Abs", x), number(1e-7)), unary("Exp", sub(x, most)),
                         mul(x, unary("Exp", unary("Neg", most))));
    return div(powers, reduce("ReduceSum", powers));
  }

  /// sqrt(2) times the inverse of erf at 2 x - 1, by the approximation that ONNX Runtime has.
  Value probit(Value x) {
    constexpr double kA = 0.147, kPi = 3.14159;
    Value y = sub(mul(number(2), x), number(1));
    Value log = unary("Log", mul(sub(number(1), y), add(number(1), y)));
    Value v = add(number(2 / (kPi * kA)), mul(number(0.5), log));
    Value root = unary("Sqrt", sub(mul(v, v), mul(number(1 / kA), log)));
    Value size = mul(number(1.41421356), unary("Sqrt", sub(root, v)));
    return where(greater(number(0), y), unary("Neg", size), size);
  }

  Upgrader &upgrader;
  Value like;
};

/// Transforms scores. ONNX Runtime computes PROBIT for a single target only.
Value transformScores(Upgrader &upgrader, Value scores, StringRef name, int64_t targets) {
  return targets == 1 && name != "PROBIT" ? scores
                                          : ScoreBuilder(upgrader, scores).transform(scores, name);
}

/// The number of the word that an attribute has, which is not there any more.
FailureOr<int64_t> takeWord(Upgrader &upgrader, Node &node, StringRef name,
                            ArrayRef<StringLiteral> words, StringRef otherwise) {
  auto text = dyn_cast_or_null<StringAttr>(node.attributes.erase(name));
  StringRef word = text ? text.getValue() : otherwise;
  const auto *found = llvm::find(words, word);
  if (found == words.end())
    return upgrader.malformed("has an unknown " + name + " (got " + quoteText(word) + ")");
  return found - words.begin();
}

/// TreeEnsemble's post-transform becomes other operators.
LogicalResult expandPostTransform(Upgrader &upgrader, Node &node) {
  if (node.attributes.get("leaf_ends"))
    return upgrader.malformed("has an attribute 'leaf_ends', which ml.TreeEnsemble does not have");
  int64_t transform = upgrader.getInt("post_transform", 0);
  node.attributes.erase("post_transform");
  if (transform < 0 || transform >= static_cast<int64_t>(std::size(kTransforms)))
    return upgrader.malformed("has an unknown post_transform (got " + Twine(transform) + ")");
  if (transform == 0)
    return success();
  Value scores = upgrader.create(node.opType, node.operands, node.attributes.getAttrs());
  if (!scores)
    return failure();
  return upgrader.replaceBy(
      {transformScores(upgrader, scores, kTransforms[transform], upgrader.getInt("n_targets", 0))});
}

//===----------------------------------------------------------------------===//
// Nodes with ids
//===----------------------------------------------------------------------===//

/// The forest of an older operator: nodes are rows of lists, in any order, each known by the ids of
/// its tree and its own. `leaf` is how the names of lists of weights begin: target or class.
class OldForest {
public:
  OldForest(Upgrader &upgrader, Node &node, StringRef leaf)
      : upgrader(upgrader), node(node), leaf(leaf) {}

  LogicalResult read() {
    return failure(failed(readNumbers()) || failed(readNodes()) || failed(readTrees()) ||
                   failed(readWeights()));
  }

  ArrayRef<int64_t> getWeightTargets() const { return weightTargets; }
  ArrayRef<double> getWeights() const { return weights; }
  FloatType getElementType() const { return element; }
  int64_t countTrees() const { return static_cast<int64_t>(roots.size()); }

  /// The leaves' contributions to each row, computed in getElementType(); null, with a diagnostic,
  /// on failure.
  Value build(int64_t targets, int64_t aggregate);
  /// The base values as a row; null where there are none.
  Value getBase() { return base.empty() ? Value() : upgrader.constant(makeTensor(base)); }
  size_t countBase() const { return base.size(); }

private:
  struct Id {
    int64_t tree, node, row;
    bool operator<(const Id &other) const {
      return std::tie(tree, node) < std::tie(other.tree, other.node);
    }
  };

  LogicalResult readNumbers();
  LogicalResult readNodes();
  LogicalResult readTrees();
  LogicalResult findRoots(const std::vector<bool> &isBelow);
  LogicalResult readWeights();

  /// Takes an attribute of integers, which is to have `count` of them.
  FailureOr<SmallVector<int64_t>> takeList(const Twine &name, size_t count);
  /// Takes an attribute of floats, or the one that has them as a tensor.
  FailureOr<std::vector<double>> takeNumbers(const Twine &name);
  FailureOr<int64_t> findNode(int64_t tree, int64_t id);
  size_t getFirstOfTree(int64_t tree) const {
    return llvm::lower_bound(ids, Id{tree, INT64_MIN, 0}) - ids.begin();
  }
  bool isLeaf(int64_t row) const { return isLeafRow[row]; }

  DenseElementsAttr makeTensor(ArrayRef<double> values) {
    auto type = RankedTensorType::get(static_cast<int64_t>(values.size()), element);
    if (element.isF64())
      return DenseElementsAttr::get(type, values);
    std::vector<float> floats(values.begin(), values.end());
    return DenseElementsAttr::get(type, ArrayRef(floats));
  }
  void setInts(NamedAttrList &attributes, StringRef name, ArrayRef<int64_t> values) {
    attributes.set(name, upgrader.getBuilder().getDenseI64ArrayAttr(values));
  }
  void setNodes(NamedAttrList &attributes);
  void setLeaves(NamedAttrList &attributes);

  Upgrader &upgrader;
  Node &node;
  std::string leaf;
  FloatType element;

  // By row.
  SmallVector<int64_t> trees, features, tracks;
  SmallVector<std::array<int64_t, 2>> branches;
  std::vector<double> values;
  std::vector<uint8_t> modes;
  std::vector<bool> isLeafRow;

  std::vector<Id> ids;
  /// Rows.
  std::vector<int64_t> roots;
  SmallVector<int64_t> weightRows, weightTargets;
  std::vector<double> weights, base;
};

FailureOr<SmallVector<int64_t>> OldForest::takeList(const Twine &name, size_t count) {
  SmallString<32> text;
  StringRef key = name.toStringRef(text);
  std::optional<SmallVector<int64_t>> list = upgrader.getInts(key);
  node.attributes.erase(key);
  if (!list)
    list.emplace();
  if (list->size() != count)
    return upgrader.malformed("has " + Twine(list->size()) + " elements of " + key + ", need " +
                              Twine(count));
  return std::move(*list);
}

FailureOr<std::vector<double>> OldForest::takeNumbers(const Twine &name) {
  SmallString<32> text;
  StringRef key = name.toStringRef(text);
  std::vector<double> numbers;
  if (auto floats = dyn_cast_or_null<DenseF32ArrayAttr>(node.attributes.erase(key)))
    numbers.assign(floats.asArrayRef().begin(), floats.asArrayRef().end());
  Attribute attribute = node.attributes.erase((key + "_as_tensor").str());
  auto tensor = dyn_cast_or_null<ElementsAttr>(attribute);
  if (!attribute || (tensor && tensor.getNumElements() == 0))
    return numbers;
  if (!tensor || !(tensor.getElementType().isF32() || tensor.getElementType().isF64()) ||
      !numbers.empty())
    return upgrader.malformed("has not " + key + " as floats or as a tensor of floats or doubles");
  if (tensor.getElementType().isF64())
    element = upgrader.getBuilder().getF64Type();
  return readFloats(tensor);
}

/// All lists of floats; they decide, with X, what is computed in.
LogicalResult OldForest::readNumbers() {
  SymTensorType x = upgrader.getType(node.getOperand(0));
  if (!x)
    return upgrader.malformed("has no input X");
  element = x.getElementType().isF64() ? FloatType(upgrader.getBuilder().getF64Type())
                                       : FloatType(upgrader.getBuilder().getF32Type());
  FailureOr<std::vector<double>> read[] = {
      takeNumbers("nodes_values"), takeNumbers(leaf + "_weights"), takeNumbers("base_values"),
      takeNumbers("nodes_hitrates")};
  if (llvm::any_of(read, [](auto &list) { return failed(list); }))
    return failure();
  values = std::move(*read[0]);
  weights = std::move(*read[1]);
  base = std::move(*read[2]);
  return success();
}

LogicalResult OldForest::readNodes() {
  static constexpr StringLiteral kModes[] = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                             "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
  auto words = dyn_cast_or_null<ArrayAttr>(node.attributes.erase("nodes_modes"));
  size_t rows = words ? words.size() : 0;
  if (rows == 0 || rows > size_t{1} << 26)
    return upgrader.malformed("has " + Twine(rows) + " nodes, need 1 to 2^26");
  for (StringAttr word : words.getAsRange<StringAttr>()) {
    const auto *mode = llvm::find(kModes, word.getValue());
    if (mode == std::end(kModes))
      return upgrader.malformed("has a node of an unknown mode (got " + quoteText(word.getValue()) +
                                ")");
    modes.push_back(static_cast<uint8_t>(mode - kModes));
    isLeafRow.push_back(word.getValue() == "LEAF");
  }
  bool hasTracks =
      upgrader.getInts("nodes_missing_value_tracks_true").value_or(SmallVector<int64_t>()).size() >
      0;
  FailureOr<SmallVector<int64_t>> treeIds = takeList("nodes_treeids", rows),
                                  nodeIds = takeList("nodes_nodeids", rows),
                                  featureIds = takeList("nodes_featureids", rows),
                                  missing = takeList("nodes_missing_value_tracks_true",
                                                     hasTracks ? rows : 0);
  if (failed(treeIds) || failed(nodeIds) || failed(featureIds) || failed(missing))
    return failure();
  if (values.size() != rows)
    return upgrader.malformed("has " + Twine(values.size()) + " elements of nodes_values, need " +
                              Twine(rows));
  trees = std::move(*treeIds);
  features = std::move(*featureIds);
  tracks = std::move(*missing);
  for (size_t row = 0; row < rows; ++row)
    ids.push_back({trees[row], (*nodeIds)[row], static_cast<int64_t>(row)});
  llvm::sort(ids);
  for (size_t at = 1; at < rows; ++at)
    if (!(ids[at - 1] < ids[at]))
      return upgrader.malformed("has node " + Twine(ids[at].node) + " of tree " +
                                Twine(ids[at].tree) + " twice");
  return success();
}

FailureOr<int64_t> OldForest::findNode(int64_t tree, int64_t id) {
  Id wanted{tree, id, 0};
  auto found = llvm::lower_bound(ids, wanted);
  if (found == ids.end() || wanted < *found)
    return upgrader.malformed("names node " + Twine(id) + " of tree " + Twine(tree) +
                              ", which is not there");
  return found->row;
}

LogicalResult OldForest::readTrees() {
  size_t rows = modes.size();
  FailureOr<SmallVector<int64_t>> whenTrue = takeList("nodes_truenodeids", rows),
                                  whenFalse = takeList("nodes_falsenodeids", rows);
  if (failed(whenTrue) || failed(whenFalse))
    return failure();
  std::vector<bool> isBelow(rows);
  branches.resize(rows);
  for (size_t row = 0; row < rows; ++row)
    for (unsigned side : {0, 1}) {
      if (isLeaf(row))
        continue;
      FailureOr<int64_t> branch = findNode(trees[row], side ? (*whenTrue)[row] : (*whenFalse)[row]);
      if (failed(branch))
        return failure();
      branches[row][side] = *branch;
      isBelow[*branch] = true;
    }
  return findRoots(isBelow);
}

/// The root of a tree is its first node to which no branch leads, a leaf only where all are leaves.
/// Trees are numbered as they first occur.
LogicalResult OldForest::findRoots(const std::vector<bool> &isBelow) {
  size_t rows = modes.size();
  // The number of a tree, where its first id stands.
  std::vector<int64_t> numbers(rows, -1);
  std::vector<bool> areLeaves;
  for (size_t row = 0; row < rows; ++row) {
    int64_t &number = numbers[getFirstOfTree(trees[row])];
    if (number < 0) {
      number = static_cast<int64_t>(roots.size());
      roots.push_back(-1);
      areLeaves.push_back(true);
    }
    int64_t &root = roots[number];
    if (!isBelow[row] && (root < 0 || (isLeaf(root) && !isLeaf(row))))
      root = static_cast<int64_t>(row);
    areLeaves[number] = areLeaves[number] && isLeaf(row);
  }
  for (auto [root, areAllLeaves] : llvm::zip(roots, areLeaves))
    if (root < 0 || (isLeaf(root) && !areAllLeaves))
      return upgrader.malformed("has a tree in which a node is below itself");
  return success();
}

/// Reads the weights of leaves; those of other nodes are ignored.
LogicalResult OldForest::readWeights() {
  FailureOr<SmallVector<int64_t>> treeIds = takeList(leaf + "_treeids", weights.size()),
                                  nodeIds = takeList(leaf + "_nodeids", weights.size()),
                                  targets = takeList(leaf + "_ids", weights.size());
  if (failed(treeIds) || failed(nodeIds) || failed(targets))
    return failure();
  weightTargets = std::move(*targets);
  for (auto [tree, id] : llvm::zip(*treeIds, *nodeIds)) {
    FailureOr<int64_t> row = findNode(tree, id);
    if (failed(row))
      return failure();
    weightRows.push_back(*row);
  }
  return success();
}

void OldForest::setNodes(NamedAttrList &attributes) {
  // Inner nodes and leaves are numbered apart.
  SmallVector<int64_t> numbers;
  int64_t counts[2] = {0, 0};
  for (bool isLeafRow : isLeafRow)
    numbers.push_back(counts[isLeafRow]++);
  SmallVector<int64_t> below[2], areLeaves[2], nodeFeatures, nodeTracks, nodeRoots;
  std::vector<uint8_t> nodeModes;
  std::vector<double> splits;
  auto addNode = [&](int64_t row, std::array<int64_t, 2> sides) {
    for (unsigned side : {0, 1}) {
      below[side].push_back(numbers[sides[side]]);
      areLeaves[side].push_back(isLeaf(sides[side]));
    }
    nodeFeatures.push_back(isLeaf(row) ? 0 : features[row]);
    nodeTracks.push_back(!tracks.empty() && tracks[row] != 0);
    nodeModes.push_back(isLeaf(row) ? 0 : modes[row]);
    splits.push_back(values[row]);
  };
  for (size_t row = 0; row < modes.size(); ++row)
    if (!isLeaf(row))
      addNode(row, branches[row]);
  // A tree of one leaf is a node with this on both sides.
  for (int64_t root : roots) {
    nodeRoots.push_back(isLeaf(root) ? static_cast<int64_t>(splits.size()) : numbers[root]);
    if (isLeaf(root))
      addNode(root, {root, root});
  }
  setInts(attributes, "nodes_falsenodeids", below[0]);
  setInts(attributes, "nodes_truenodeids", below[1]);
  setInts(attributes, "nodes_falseleafs", areLeaves[0]);
  setInts(attributes, "nodes_trueleafs", areLeaves[1]);
  setInts(attributes, "nodes_featureids", nodeFeatures);
  setInts(attributes, "tree_roots", nodeRoots);
  if (!tracks.empty())
    setInts(attributes, "nodes_missing_value_tracks_true", nodeTracks);
  auto bytes = RankedTensorType::get(static_cast<int64_t>(nodeModes.size()),
                                     upgrader.getBuilder().getIntegerType(8, /*isSigned=*/false));
  attributes.set("nodes_modes", DenseElementsAttr::get(bytes, ArrayRef(nodeModes)));
  attributes.set("nodes_splits", makeTensor(splits));
}

void OldForest::setLeaves(NamedAttrList &attributes) {
  SmallVector<int64_t> numbers, ends, order;
  int64_t leaves = 0;
  for (bool isLeafRow : isLeafRow)
    numbers.push_back(isLeafRow ? leaves++ : -1);
  for (auto [weight, row] : llvm::enumerate(weightRows))
    if (isLeaf(row))
      order.push_back(static_cast<int64_t>(weight));
  llvm::stable_sort(
      order, [&](int64_t a, int64_t b) { return numbers[weightRows[a]] < numbers[weightRows[b]]; });
  ends.resize(static_cast<size_t>(leaves));
  SmallVector<int64_t> targets;
  std::vector<double> sorted;
  for (int64_t weight : order) {
    ++ends[numbers[weightRows[weight]]];
    targets.push_back(weightTargets[weight]);
    sorted.push_back(weights[weight]);
  }
  bool isOneEach = llvm::all_of(ends, [](int64_t count) { return count == 1; });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  if (!isOneEach)
    setInts(attributes, "leaf_ends", ends);
  setInts(attributes, "leaf_targetids", targets);
  attributes.set("leaf_weights", makeTensor(sorted));
}

/// A tensor as another float type; itself where it has that.
Value castTo(Upgrader &upgrader, Value x, FloatType element) {
  if (upgrader.getType(x).getElementType() == element)
    return x;
  return upgrader.create("Cast", {x}, {upgrader.intAttribute("to", element.isF64() ? 11 : 1)});
}

Value OldForest::build(int64_t targets, int64_t aggregate) {
  NamedAttrList attributes;
  setNodes(attributes);
  setLeaves(attributes);
  attributes.set("n_targets", upgrader.getBuilder().getI64IntegerAttr(targets));
  attributes.set("aggregate_function", upgrader.getBuilder().getI64IntegerAttr(aggregate));
  Value x = castTo(upgrader, node.getOperand(0), element);
  return x ? upgrader.create("ml.TreeEnsemble", {x}, attributes.getAttrs()) : Value();
}

/// Base values, one for each target, added to what the leaves have.
FailureOr<Value> addBase(Upgrader &upgrader, OldForest &forest, Value scores, int64_t targets) {
  if (!scores)
    return failure();
  if (forest.countBase() == 0)
    return scores;
  if (static_cast<int64_t>(forest.countBase()) != targets)
    return upgrader.malformed("has " + Twine(forest.countBase()) + " base values, need " +
                              Twine(targets));
  return upgrader.create("Add", {scores, forest.getBase()});
}

/// Refuses the attributes that are left: the operator has none of them.
LogicalResult refuseOthers(Upgrader &upgrader, Node &node) {
  if (node.attributes.empty())
    return success();
  StringRef name = node.attributes.begin()->getName();
  return upgrader.malformed("has an attribute " + quoteText(name) + ", which " + node.opType +
                            " does not have");
}

//===----------------------------------------------------------------------===//
// The older operators
//===----------------------------------------------------------------------===//

LogicalResult upgradeRegressor(Upgrader &upgrader, Node &node) {
  FailureOr<int64_t> transform = takeWord(upgrader, node, "post_transform", kTransforms, "NONE"),
                     aggregate = takeWord(upgrader, node, "aggregate_function", kAggregates, "SUM");
  int64_t targets = upgrader.getInt("n_targets", 0);
  node.attributes.erase("n_targets");
  OldForest forest(upgrader, node, "target");
  if (failed(transform) || failed(aggregate) || failed(forest.read()) ||
      failed(refuseOthers(upgrader, node)))
    return failure();
  FailureOr<Value> scores = addBase(upgrader, forest, forest.build(targets, *aggregate), targets);
  if (failed(scores) || !*scores)
    return failure();
  Value y = transformScores(upgrader, *scores, kTransforms[*transform], targets);
  return upgrader.replaceBy(
      {y ? castTo(upgrader, y, upgrader.getBuilder().getF32Type()) : Value()});
}

/// Scores of classes and the number of the class that each row has.
struct Classes {
  Value scores, numbers;
};

/// Two classes of which one alone has weights: the sign, or half, of their sum decides.
FailureOr<Classes> classifyByOne(Upgrader &upgrader, OldForest &forest, int64_t weighted,
                                 StringRef transform) {
  bool arePositive = llvm::all_of(forest.getWeights(), [](double w) { return !(w < 0); });
  if (transform == "PROBIT" || forest.countBase() > (weighted == 0 ? 1 : 0))
    return upgrader.unsupported("has two classes, weights of one alone, and PROBIT or base values "
                                "of another class, for which ONNX Runtime gives no scores");
  // With weights of the second class scores are those of two classes like any other.
  int64_t targets = weighted == 0 ? 1 : 2;
  FailureOr<Value> sums =
      addBase(upgrader, forest, forest.build(targets, /*aggregate=*/1), targets);
  if (failed(sums) || !*sums)
    return failure();
  ScoreBuilder b(upgrader, *sums);
  Value deciding = targets == 1 ? *sums
                                : upgrader.create("Gather", {*sums, upgrader.integers({1})},
                                                  {upgrader.intAttribute("axis", 1)});
  Value isSecond = b.greater(deciding, b.number(arePositive ? 0.5 : 0));
  Value numbers = upgrader.create(
      "Squeeze", {upgrader.create("Cast", {isSecond}, {upgrader.intAttribute("to", 7)}),
                  upgrader.integers({1})});
  if (targets == 2)
    return Classes{b.transform(*sums, transform), numbers};
  bool isLogistic = transform == "LOGISTIC";
  Value other = arePositive && !isLogistic ? b.sub(b.number(1), *sums) : b.unary("Neg", *sums);
  Value scores = upgrader.create("Concat", {other, *sums}, {upgrader.intAttribute("axis", 1)});
  return Classes{isLogistic ? b.unary("Sigmoid", scores) : scores, numbers};
}

/// The first class of the greatest score.
FailureOr<Classes> classifyByGreatest(Upgrader &upgrader, OldForest &forest, int64_t classes,
                                      StringRef transform) {
  FailureOr<Value> sums =
      addBase(upgrader, forest, forest.build(classes, /*aggregate=*/1), classes);
  if (failed(sums) || !*sums)
    return failure();
  Value numbers = upgrader.create(
      "ArgMax", {*sums}, {upgrader.intAttribute("axis", 1), upgrader.intAttribute("keepdims", 0)});
  return Classes{ScoreBuilder(upgrader, *sums).transform(*sums, transform), numbers};
}

/// The labels of numbers of classes.
Value takeLabels(Upgrader &upgrader, Value numbers, ArrayRef<int64_t> integers, ArrayAttr strings) {
  size_t count = strings ? strings.size() : integers.size();
  auto places = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(count)));
  if (!strings && llvm::equal(places, integers))
    return numbers;
  OpBuilder &builder = upgrader.getBuilder();
  NamedAttribute keys = builder.getNamedAttr("keys_int64s", builder.getDenseI64ArrayAttr(places));
  NamedAttribute values =
      strings ? builder.getNamedAttr("values_strings", strings)
              : builder.getNamedAttr("values_int64s", builder.getDenseI64ArrayAttr(integers));
  return upgrader.create("ml.LabelEncoder", {numbers}, {keys, values});
}

LogicalResult upgradeClassifier(Upgrader &upgrader, Node &node) {
  FailureOr<int64_t> transform = takeWord(upgrader, node, "post_transform", kTransforms, "NONE");
  SmallVector<int64_t> integers =
      upgrader.getInts("classlabels_int64s").value_or(SmallVector<int64_t>());
  auto strings = dyn_cast_or_null<ArrayAttr>(node.attributes.erase("classlabels_strings"));
  node.attributes.erase("classlabels_int64s");
  if (strings && strings.empty())
    strings = {};
  OldForest forest(upgrader, node, "class");
  if (failed(transform) || failed(forest.read()) || failed(refuseOthers(upgrader, node)))
    return failure();
  if (integers.empty() == !strings)
    return upgrader.malformed("needs labels of classes, as integers or as strings");
  auto classes = static_cast<int64_t>(strings ? strings.size() : integers.size());
  if (classes == 1)
    return upgrader.unsupported("has one class, of which ONNX says no label for other rows");
  ArrayRef<int64_t> targets = forest.getWeightTargets();
  bool isByOne = classes == 2 && !targets.empty() && llvm::all_equal(targets);
  StringRef name = kTransforms[*transform];
  FailureOr<Classes> found = isByOne ? classifyByOne(upgrader, forest, targets[0], name)
                                     : classifyByGreatest(upgrader, forest, classes, name);
  if (failed(found) || !found->numbers || !found->scores)
    return failure();
  Value labels = takeLabels(upgrader, found->numbers, integers, strings);
  if (!labels)
    return failure();
  return upgrader.replaceBy(
      {labels, castTo(upgrader, found->scores, upgrader.getBuilder().getF32Type())});
}

constexpr UpgradeRow kRows[] = {
    {"ml.TreeEnsemble", kAlways, expandPostTransform},
    {"ml.TreeEnsembleClassifier", kAlways, upgradeClassifier},
    {"ml.TreeEnsembleRegressor", kAlways, upgradeRegressor},
};

} // namespace

ArrayRef<UpgradeRow> cameo::importer::getTreeUpgrades() { return kRows; }
