// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forests as the tables that tree_ensemble walks. Its nodes ask one thing, whether an element is at
// most a number (or equals it), and the two that a node may lead to lie side by side: other
// comparisons are brought to that by the number before it and by their branches changing places,
// and sets by a search among their members.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"
#include "Dialect/Core/IR/ElementBytes.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

/// As ONNX numbers them.
enum Mode : uint8_t { AtMost, Less, AtLeast, Greater, Equal, NotEqual, Member };

/// Numbers of a float tensor. f16 is widened.
template <class T> std::vector<T> readNumbers(ElementsAttr elements) {
  if (!elements)
    return {};
  std::vector<double> numbers = readFloats(elements);
  return {numbers.begin(), numbers.end()};
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// The nodes of a forest in the form of the template, which compares in T. A node to which several
/// branches lead stands once for each, with the same children.
template <class T> class NodeTable {
public:
  explicit NodeTable(TreeEnsembleOp op)
      : op(op), splits(readNumbers<T>(op.getNodesSplits())),
        members(readNumbers<T>(op.getMembershipValuesAttr())), modes(splits.size()),
        tracks(op.getNodesMissingValueTracksTrue().value_or(ArrayRef<int64_t>())),
        below(splits.size(), -1) {
    copyElements(op.getNodesModes(),
                 MutableArrayRef(reinterpret_cast<char *>(modes.data()), modes.size()));
    readMembers();
    for (int64_t root : op.getTreeRoots()) {
      roots.push_back(addNodes(1));
      pending.push_back({roots.back(), {Target::Node, root, 0, 0}});
      store();
    }
    setDepths();
  }

  /// The simplest rule that answers all nodes.
  StringRef getRule() const { return hasEqual ? "any" : hasMissing ? "missing" : "at_most"; }
  /// Features as the rule wants them.
  std::vector<int32_t> takeFeatures() {
    if (hasEqual || hasMissing)
      for (auto [feature, flags] : llvm::zip(features, bits))
        feature = feature * 4 + flags;
    return std::move(features);
  }

  // By root; by node.
  std::vector<int32_t> roots, depths;
  std::vector<T> numbers;
  std::vector<int32_t> children;
  /// The leaf that a node is, or -1.
  std::vector<int32_t> leaves;

private:
  /// A branch leads to a node, to a leaf, or to the rest of a search of a node's members.
  struct Target {
    enum { Node, Leaf, Search } kind;
    int64_t id;
    size_t begin, end;
  };
  struct Place {
    int32_t at;
    Target target;
  };

  int32_t addNodes(size_t count) {
    auto first = static_cast<int32_t>(numbers.size());
    numbers.resize(numbers.size() + count, std::numeric_limits<T>::quiet_NaN());
    features.resize(numbers.size());
    bits.resize(numbers.size());
    children.resize(numbers.size());
    leaves.resize(numbers.size(), -1);
    return first;
  }

  void readMembers() {
    size_t begin = 0, at = 0;
    memberRanges.resize(modes.size());
    for (auto [node, mode] : llvm::enumerate(modes)) {
      if (mode != Member)
        continue;
      for (at = begin; !std::isnan(members[at]);)
        ++at;
      auto first = members.begin() + begin, last = members.begin() + at;
      std::sort(first, last);
      last = std::unique(first, last);
      memberRanges[node] = {begin, static_cast<size_t>(last - members.begin())};
      begin = at + 1;
    }
  }

  Target getBranch(int64_t node, bool holds) {
    auto [id, isLeaf] = op.getBranch(node, holds);
    return {isLeaf ? Target::Leaf : Target::Node, id, 0, 0};
  }
  bool tracksTrue(int64_t node) const { return !tracks.empty() && tracks[node] != 0; }

  void store() {
    for (size_t next = 0; next < pending.size(); ++next) {
      auto [at, target] = pending[next];
      if (target.kind == Target::Node)
        storeNode(at, target.id);
      else if (target.kind == Target::Leaf)
        storeLeaf(at, target.id);
      else
        storeSearch(at, target);
    }
    pending.clear();
  }

  void storeLeaf(int32_t at, int64_t leaf) {
    children[at] = at;
    leaves[at] = static_cast<int32_t>(leaf);
  }

  void storeNode(int32_t at, int64_t node) {
    Target whenTrue = getBranch(node, true), whenFalse = getBranch(node, false);
    if (whenTrue.kind == Target::Leaf && whenFalse.kind == Target::Leaf &&
        whenTrue.id == whenFalse.id)
      return storeLeaf(at, whenTrue.id);
    Mode mode = static_cast<Mode>(modes[node]);
    if (mode == Member)
      return storeSearch(
          at, {Target::Search, node, memberRanges[node].first, memberRanges[node].second},
          &below[node]);
    T split = splits[node];
    bool isLow = mode == Less || mode == AtLeast, isNan = std::isnan(split);
    // A comparison with NaN never holds, but for NotEqual, which always does.
    bool swaps = mode == NotEqual || (!isNan && (mode == AtLeast || mode == Greater));
    if (isLow)
      split = getBefore(split);
    set(at, node, split, mode == Equal || mode == NotEqual,
        mode == NotEqual ? false : tracksTrue(node) != swaps);
    link(at, &below[node], swaps ? whenTrue : whenFalse, swaps ? whenFalse : whenTrue);
  }

  /// Members in the first half, or in the second; of one only whether it is the element.
  void storeSearch(int32_t at, Target search, int32_t *shared = nullptr) {
    auto [kind, node, begin, end] = search;
    bool isLast = end - begin <= 1;
    T number = begin == end ? std::numeric_limits<T>::quiet_NaN()
                            : members[isLast ? begin : (begin + end) / 2 - 1];
    set(at, node, number, isLast, isLast && tracksTrue(node));
    size_t middle = (begin + end) / 2;
    if (isLast)
      link(at, shared, getBranch(node, false), getBranch(node, true));
    else
      link(at, shared, {Target::Search, node, middle, end}, {Target::Search, node, begin, middle});
  }

  void set(int32_t at, int64_t node, T number, bool isEqual, bool takesNan) {
    numbers[at] = number;
    features[at] = static_cast<int32_t>(op.getNodesFeatureids()[node]);
    bits[at] = static_cast<char>(takesNan + 2 * isEqual);
    hasEqual |= isEqual;
    hasMissing |= takesNan;
  }

  /// Where a node leads to: what is at `shared` already, if it is given and there.
  void link(int32_t at, int32_t *shared, Target otherwise, Target whenHolds) {
    if (shared && *shared >= 0) {
      children[at] = *shared;
      return;
    }
    int32_t pair = addNodes(2);
    children[at] = pair;
    if (shared)
      *shared = pair;
    pending.push_back({pair, otherwise});
    pending.push_back({pair + 1, whenHolds});
  }

  static T getBefore(T number) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    return number == -kInfinity ? std::numeric_limits<T>::quiet_NaN()
                                : std::nextafter(number, -kInfinity);
  }

  /// The most steps from each root.
  void setDepths() {
    std::vector<int32_t> heights(op.countNodes());
    auto heightOf = [&](int64_t node, bool holds) {
      auto [id, isLeaf] = op.getBranch(node, holds);
      return isLeaf ? 0 : heights[id];
    };
    std::vector<int32_t> order = *op.orderNodes();
    for (int32_t node : order) {
      auto [begin, end] = memberRanges[node];
      int32_t own = modes[node] == Member && end > begin ? 1 + llvm::Log2_64_Ceil(end - begin) : 1;
      heights[node] = own + std::max(heightOf(node, true), heightOf(node, false));
    }
    for (int64_t root : op.getTreeRoots())
      depths.push_back(heights[root]);
  }

  TreeEnsembleOp op;
  std::vector<T> splits, members;
  std::vector<uint8_t> modes;
  ArrayRef<int64_t> tracks;
  /// By node of the operator: where its members are; the first of the two that its branches lead
  /// to, once they are there.
  std::vector<std::pair<size_t, size_t>> memberRanges;
  std::vector<int32_t> below;
  std::vector<int32_t> features;
  std::vector<char> bits;
  std::vector<Place> pending;
  bool hasMissing = false, hasEqual = false;
};

/// The weights of leaves: beside each node, or, where one has several or none, in ranges.
template <class T> struct LeafTable {
  LeafTable(TreeEnsembleOp op, ArrayRef<int32_t> leaves) {
    std::vector<T> own = readNumbers<T>(op.getLeafWeights());
    ArrayRef<int64_t> targets = op.getLeafTargetids();
    std::optional<ArrayRef<int64_t>> ranges = op.getLeafEnds();
    bool hasTargets = *op.getNTargets() > 1;
    auto add = [&](int64_t place) {
      weights.push_back(own[place]);
      if (hasTargets)
        targetIds.push_back(static_cast<int32_t>(targets[place]));
    };
    if (!ranges) {
      for (int32_t leaf : leaves)
        leaf < 0 ? addNone(hasTargets) : add(leaf);
      return;
    }
    for (int64_t place : sortByTarget(*ranges, targets))
      add(place);
    if (weights.empty())
      addNone(hasTargets);
    for (int32_t leaf : leaves) {
      begins.push_back(leaf <= 0 ? 0 : static_cast<int32_t>((*ranges)[leaf - 1]));
      ends.push_back(leaf < 0 ? 0 : static_cast<int32_t>((*ranges)[leaf]));
    }
  }

  std::vector<T> weights;
  std::vector<int32_t> targetIds, begins, ends;

private:
  void addNone(bool hasTargets) {
    weights.push_back(0);
    if (hasTargets)
      targetIds.push_back(0);
  }

  static SmallVector<int64_t> sortByTarget(ArrayRef<int64_t> ranges, ArrayRef<int64_t> targets) {
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(targets.size())));
    int64_t begin = 0;
    for (int64_t end : ranges) {
      std::stable_sort(order.begin() + begin, order.begin() + end,
                       [&](int64_t a, int64_t b) { return targets[a] < targets[b]; });
      begin = end;
    }
    return order;
  }
};

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

struct TreeEnsembleLowering : OpRewritePattern<TreeEnsembleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TreeEnsembleOp op, PatternRewriter &rewriter) const override {
    if (elementTypeOf(op.getX()).isF64())
      rewriter.replaceOp(op, lowerTo<double>(op, rewriter, rewriter.getF64Type()));
    else
      rewriter.replaceOp(op, lowerTo<float>(op, rewriter, rewriter.getF32Type()));
    return success();
  }

private:
  template <class T>
  static Value lowerTo(TreeEnsembleOp op, PatternRewriter &rewriter, FloatType element) {
    Lowering lower(rewriter, op);
    auto constant = [&](Type type, const auto &values) -> Value {
      if (values.empty())
        return {};
      auto bytes = ArrayRef(reinterpret_cast<const char *>(values.data()),
                            values.size() * sizeof(values[0]));
      auto shape = RankedTensorType::get(static_cast<int64_t>(values.size()), type);
      auto value = DenseElementsAttr::getFromRawBuffer(shape, bytes);
      return ConstantOp::create(rewriter, op.getLoc(), getTypeOf(value, {}), value);
    };
    NodeTable<T> nodes(op);
    LeafTable<T> leaves(op, nodes.leaves);
    Type integer = rewriter.getI32Type();
    SymTensorType result = tensorOf(op.getY());
    ExtentAttr columns = tensorOf(op.getX()).getExtents().back();
    lower.check("le", lower.inference().constant(op.getLastFeature() + 1), columns,
                "invalid_argument", "X has fewer features than its trees read");
    auto trees = static_cast<int64_t>(nodes.roots.size());
    bool isAverage = op.getAggregateFunction() == 0;
    TreeEnsembleCall call(lower);
    call.aggregate(getAggregate(op))
        .rule(nodes.getRule())
        .rows(result.getExtents()[0])
        .columns(columns)
        .trees(trees)
        .targets(*op.getNTargets())
        .x(op.getX())
        .roots(constant(integer, nodes.roots))
        .depths(constant(integer, nodes.depths))
        .splits(constant(element, nodes.numbers))
        .features(constant(integer, nodes.takeFeatures()))
        .children(constant(integer, nodes.children))
        .weights(constant(element, leaves.weights))
        .targetIds(constant(integer, leaves.targetIds))
        .begins(constant(integer, leaves.begins))
        .ends(constant(integer, leaves.ends))
        .store({}, result, lower.dims(2), [=](ScalarBuilder &b, ValueRange x) {
          Value total = x[0];
          if (isAverage)
            total = b.div(total, b.constant(total, static_cast<double>(trees)));
          return SmallVector<Value>{b.cast(total, result.getElementType())};
        });
    return call.build().getResult(0);
  }

  static StringRef getAggregate(TreeEnsembleOp op) {
    int64_t aggregate = op.getAggregateFunction();
    return aggregate == 2 ? "min" : aggregate == 3 ? "max" : "sum";
  }
};

} // namespace

void cameo::populateTreePatterns(RewritePatternSet &patterns) {
  patterns.add<TreeEnsembleLowering>(patterns.getContext());
}
