// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints on a forest, and the extents of its result. All checks take time in proportion to its
// nodes and leaves.

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"

#include <cmath>
#include <vector>

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

constexpr int64_t kMostNodes = 1 << 26, kMostWeights = 1 << 30, kMostFeatures = 1 << 29;
constexpr int64_t kModes = 7, kMember = 6;

int64_t sizeOf(ElementsAttr elements) { return elements.getNumElements(); }
int64_t sizeOf(const std::vector<double> &elements) {
  return static_cast<int64_t>(elements.size());
}
int64_t sizeOf(ArrayRef<int64_t> elements) { return static_cast<int64_t>(elements.size()); }

} // namespace

//===----------------------------------------------------------------------===//
// The graph of nodes
//===----------------------------------------------------------------------===//

TreeEnsembleOp::Branch TreeEnsembleOp::getBranch(int64_t node, bool holds) {
  auto at = static_cast<size_t>(node);
  return holds ? Branch{getNodesTruenodeids()[at], getNodesTrueleafs()[at] != 0}
               : Branch{getNodesFalsenodeids()[at], getNodesFalseleafs()[at] != 0};
}

int64_t TreeEnsembleOp::getLastFeature() {
  ArrayRef<int64_t> features = getNodesFeatureids();
  return features.empty() ? -1 : *llvm::max_element(features);
}

std::optional<std::vector<int32_t>> TreeEnsembleOp::orderNodes() {
  enum State : char { New, Open, Done };
  std::vector<State> states(getNodesFeatureids().size(), New);
  std::vector<int32_t> order, open;
  for (int64_t root : getTreeRoots()) {
    open.push_back(static_cast<int32_t>(root));
    while (!open.empty()) {
      int32_t node = open.back();
      if (states[node] != New) {
        // Open: all below it has been seen. Done: it was reached in two ways.
        open.pop_back();
        if (states[node] == Open)
          order.push_back(node);
        states[node] = Done;
        continue;
      }
      states[node] = Open;
      for (bool holds : {true, false}) {
        Branch branch = getBranch(node, holds);
        if (branch.isLeaf || states[branch.id] == Done)
          continue;
        if (states[branch.id] == Open)
          return std::nullopt;
        open.push_back(static_cast<int32_t>(branch.id));
      }
    }
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

namespace {

class ForestVerifier {
public:
  explicit ForestVerifier(TreeEnsembleOp op) : op(op) {}

  LogicalResult verify() {
    if (op.getNTargets().value_or(0) < 1)
      return op.emitOpError() << "has no positive n_targets (C2, got "
                              << op.getNTargets().value_or(0) << ")";
    if (op.getAggregateFunction() < 0 || op.getAggregateFunction() > 3)
      return op.emitOpError() << "has an unknown aggregate_function (C2, got "
                              << op.getAggregateFunction() << ")";
    return failure(failed(verifyLists()) || failed(verifyTypes()) || failed(verifyNodes()) ||
                   failed(verifyLeaves()) || failed(verifyBranches()));
  }

private:
  LogicalResult verifyLists() {
    int64_t nodes = op.countNodes();
    if (nodes > kMostNodes)
      return op.emitOpError() << "has too many nodes (C3, got " << nodes << ", need at most "
                              << kMostNodes << ")";
    ArrayRef<int64_t> tracks = op.getNodesMissingValueTracksTrue().value_or(ArrayRef<int64_t>());
    std::pair<StringRef, int64_t> lists[] = {
        {"nodes_modes", sizeOf(op.getNodesModes())},
        {"nodes_splits", sizeOf(op.getNodesSplits())},
        {"nodes_truenodeids", sizeOf(op.getNodesTruenodeids())},
        {"nodes_falsenodeids", sizeOf(op.getNodesFalsenodeids())},
        {"nodes_trueleafs", sizeOf(op.getNodesTrueleafs())},
        {"nodes_falseleafs", sizeOf(op.getNodesFalseleafs())},
        {"nodes_missing_value_tracks_true", tracks.empty() ? nodes : sizeOf(tracks)}};
    for (auto [name, size] : lists)
      if (size != nodes)
        return op.emitOpError() << "has another number of " << name
                                << " than of nodes_featureids (C3, got " << size << " and " << nodes
                                << ")";
    return success();
  }

  LogicalResult verifyTypes() {
    if (!op.getNodesModes().getElementType().isInteger(8))
      return op.emitOpError() << "has nodes_modes that are no bytes (C4)";
    Type element = elementTypeOf(op.getX());
    std::pair<StringRef, ElementsAttr> numbers[] = {
        {"nodes_splits", op.getNodesSplits()},
        {"leaf_weights", op.getLeafWeights()},
        {"membership_values", op.getMembershipValuesAttr()}};
    for (auto [name, values] : numbers)
      if (values && values.getElementType() != element)
        return op.emitOpError() << "has " << name << " of another type than X (C5, got "
                                << values.getElementType() << " and " << element << ")";
    return success();
  }

  LogicalResult verifyNodes() {
    for (auto [node, feature] : llvm::enumerate(op.getNodesFeatureids()))
      if (feature < 0 || feature >= kMostFeatures)
        return op.emitOpError() << "reads a feature that no row has at node " << node
                                << " (C4, got " << feature << ")";
    std::vector<char> modes(op.getNodesFeatureids().size());
    // A module that was printed says nothing of large constants.
    if (!copyElements(op.getNodesModes(), modes))
      return success();
    int64_t members = 0;
    for (auto [node, mode] : llvm::enumerate(modes)) {
      if (static_cast<uint8_t>(mode) >= kModes)
        return op.emitOpError() << "has an unknown mode at node " << node << " (C4, got "
                                << int(static_cast<uint8_t>(mode)) << ")";
      members += mode == kMember;
    }
    return verifyMembers(members);
  }

  LogicalResult verifyMembers(int64_t nodes) {
    ElementsAttr values = op.getMembershipValuesAttr();
    int64_t lists = 0, members = values ? sizeOf(values) : 0;
    if (members > kMostNodes)
      return op.emitOpError() << "has too many membership_values (C6, got " << members
                              << ", need at most " << kMostNodes << ")";
    std::vector<double> numbers = members > 0 ? readFloats(values) : std::vector<double>();
    if (sizeOf(numbers) != members)
      return success();
    bool isEnded = true;
    for (double value : numbers) {
      isEnded = std::isnan(value);
      lists += isEnded;
    }
    if (!isEnded || lists != nodes)
      return op.emitOpError() << "has not a list of membership_values for each node of mode 6 "
                              << "(C6, got " << lists + !isEnded << " for " << nodes << ")";
    return success();
  }

  LogicalResult verifyLeaves() {
    ArrayRef<int64_t> targets = op.getLeafTargetids();
    int64_t weights = sizeOf(op.getLeafWeights());
    if (sizeOf(targets) != weights || weights > kMostWeights)
      return op.emitOpError() << "has another number of leaf_targetids than of leaf_weights, or "
                              << "more than " << kMostWeights << " (C8, got " << sizeOf(targets)
                              << " and " << weights << ")";
    for (int64_t target : targets)
      if (target < 0 || target >= *op.getNTargets())
        return op.emitOpError() << "has a target that is out of range (C8, got " << target
                                << ", need less than " << *op.getNTargets() << ")";
    if (std::optional<ArrayRef<int64_t>> ends = op.getLeafEnds())
      if (!llvm::is_sorted(*ends) || (!ends->empty() && ends->front() < 0) ||
          (ends->empty() ? 0 : ends->back()) != weights)
        return op.emitOpError() << "has leaf_ends that are not those of " << weights
                                << " weights (C9)";
    return success();
  }

  LogicalResult verifyBranches() {
    int64_t nodes = op.countNodes();
    int64_t leaves = op.getLeafEnds() ? sizeOf(*op.getLeafEnds()) : sizeOf(op.getLeafTargetids());
    for (int64_t node = 0; node < nodes; ++node)
      for (bool holds : {true, false}) {
        auto [id, isLeaf] = op.getBranch(node, holds);
        if (id < 0 || id >= (isLeaf ? leaves : nodes))
          return op.emitOpError() << "has a branch of node " << node << " to a "
                                  << (isLeaf ? "leaf" : "node") << " that is not there (C7, got "
                                  << id << ", need less than " << (isLeaf ? leaves : nodes) << ")";
      }
    ArrayRef<int64_t> roots = op.getTreeRoots();
    if (roots.empty() || sizeOf(roots) > kMostNodes)
      return op.emitOpError() << "has " << sizeOf(roots) << " trees (C7, need 1 to " << kMostNodes
                              << ")";
    for (int64_t root : roots)
      if (root < 0 || root >= nodes)
        return op.emitOpError() << "has a root that is no node (C7, got " << root
                                << ", need less than " << nodes << ")";
    if (!op.orderNodes())
      return op.emitOpError() << "has a tree in which a node is below itself (C7)";
    return success();
  }

  TreeEnsembleOp op;
};

} // namespace

LogicalResult TreeEnsembleOp::verify() { return ForestVerifier(*this).verify(); }

LogicalResult TreeEnsembleOp::inferExtents(ExtentInference &infer) {
  if (failed(infer.requireRank(getX(), "X (C1)", 1, 2)))
    return failure();
  ExtentAttr rows = infer.unknown(), targets = infer.constant(getNTargets().value_or(0));
  if (std::optional<ArrayRef<ExtentAttr>> x = infer.extents(getX())) {
    rows = x->size() == 1 ? infer.constant(1) : x->front();
    if (std::optional<int64_t> features = x->back().getConstant();
        features && *features <= getLastFeature())
      return infer.emitError() << "reads a feature that X does not have (C1, got "
                               << getLastFeature() << ", need less than " << *features << ")";
  }
  infer.setResult(0, infer.elementType(0), {rows, targets});
  return success();
}
