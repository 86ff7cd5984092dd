// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kahn's algorithm with the file's order among the nodes that are ready, so that the result differs
// from the file as little as it must and is the same everywhere. Names are not checked yet: one
// that nothing defines makes no dependence, of one that is defined twice the first definition
// counts. Graphs nest at most kMaxNesting deep (WireScan.h), so looking into one recurses.

#include "Import/SortNodes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <climits>
#include <queue>

using namespace llvm;
using namespace cameo;
using namespace cameo::importer;

namespace {

void collectFreeNames(const pb::GraphProto &graph, SmallVectorImpl<StringRef> &names);

} // namespace

void cameo::importer::collectReads(const pb::NodeProto &node, SmallVectorImpl<StringRef> &names) {
  append_range(names, node.input());
  for (const pb::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g())
      collectFreeNames(attribute.g(), names);
    for (const pb::GraphProto &graph : attribute.graphs())
      collectFreeNames(graph, names);
  }
}

namespace {

/// Names that a graph reads and does not define itself.
void collectFreeNames(const pb::GraphProto &graph, SmallVectorImpl<StringRef> &names) {
  DenseSet<StringRef> own;
  for (const pb::ValueInfoProto &input : graph.input())
    own.insert(input.name());
  for (const pb::TensorProto &tensor : graph.initializer())
    own.insert(tensor.name());
  for (const pb::SparseTensorProto &tensor : graph.sparse_initializer())
    own.insert(tensor.values().name());
  SmallVector<StringRef> read;
  for (const pb::NodeProto &node : graph.node()) {
    own.insert(node.output().begin(), node.output().end());
    collectReads(node, read);
  }
  for (const pb::ValueInfoProto &output : graph.output())
    read.push_back(output.name());
  copy_if(read, std::back_inserter(names), [&](StringRef name) { return !own.contains(name); });
}

/// Which nodes of a list read which others.
class Dependences {
public:
  explicit Dependences(const NodeList &nodes) : numMissing(static_cast<size_t>(nodes.size())) {
    DenseMap<StringRef, int> producers;
    for (int number = 0; number < nodes.size(); ++number)
      for (const std::string &output : nodes[number].output())
        if (!output.empty())
          producers.try_emplace(output, number);
    SmallVector<StringRef> reads;
    for (int number = 0; number < nodes.size(); ++number) {
      reads.clear();
      collectReads(nodes[number], reads);
      for (StringRef name : reads)
        if (auto producer = producers.find(name); producer != producers.end())
          edges.push_back({producer->second, number, name});
    }
  }

  /// One node reads what another, or itself, defines.
  struct Edge {
    int producer, reader;
    StringRef name;
    bool isInOrder() const { return producer < reader; }
  };
  /// The first one against the order of the list; null if there is none.
  const Edge *findDisorder() const {
    auto edge = find_if_not(edges, [](const Edge &edge) { return edge.isInOrder(); });
    return edge == edges.end() ? nullptr : &*edge;
  }

  /// The nodes in order; fewer than all if there is a cycle.
  std::vector<int> sort() {
    std::vector<SmallVector<int, 2>> readers(numMissing.size());
    for (const Edge &edge : edges) {
      readers[static_cast<size_t>(edge.producer)].push_back(edge.reader);
      ++numMissing[static_cast<size_t>(edge.reader)];
    }
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (size_t number = 0; number < numMissing.size(); ++number)
      if (numMissing[number] == 0)
        ready.push(static_cast<int>(number));
    std::vector<int> order;
    while (!ready.empty()) {
      order.push_back(ready.top());
      ready.pop();
      for (int reader : readers[static_cast<size_t>(order.back())])
        if (--numMissing[static_cast<size_t>(reader)] == 0)
          ready.push(reader);
    }
    return order;
  }

  /// After sort(): the values on a cycle among what it left, if it left any.
  SmallVector<StringRef> findCycle() const {
    // Each node that is left reads something that is left: walking up from any ends in a cycle.
    DenseMap<int, const Edge *> above;
    int node = INT_MAX;
    for (const Edge &edge : edges)
      if (numMissing[static_cast<size_t>(edge.producer)] != 0) {
        above.try_emplace(edge.reader, &edge);
        node = std::min(node, edge.reader);
      }
    if (above.empty())
      return {};
    DenseSet<int> passed;
    while (passed.insert(node).second)
      node = above[node]->producer;
    SmallVector<const Edge *> cycle;
    do {
      cycle.push_back(above[node]);
      node = cycle.back()->producer;
    } while (node != cycle.front()->reader);
    std::reverse(cycle.begin(), cycle.end());
    auto isFirst = [](const Edge *a, const Edge *b) { return a->producer < b->producer; };
    std::rotate(cycle.begin(), llvm::min_element(cycle, isFirst), cycle.end());
    return to_vector(map_range(cycle, [](const Edge *edge) { return edge->name; }));
  }

private:
  std::vector<Edge> edges;
  /// For each node, the number of reads that no sorted node defines yet.
  std::vector<size_t> numMissing;
};

void sortList(NodeList &nodes, const Where &outer, Reporter &reporter) {
  Dependences dependences(nodes);
  const Dependences::Edge *disorder = dependences.findDisorder();
  if (!disorder)
    return;
  std::vector<int> order = dependences.sort();
  if (order.size() != static_cast<size_t>(nodes.size()))
    return;
  const pb::NodeProto &early = nodes[disorder->reader];
  Where where{&outer, early.name(), early.op_type(), disorder->reader};
  reporter.warn(&where, "uses " + quoteText(disorder->name) +
                            " before it is defined; the nodes are sorted");
  std::vector<pb::NodeProto *> inFile(order.size());
  nodes.ExtractSubrange(0, nodes.size(), inFile.data());
  for (int number : order)
    nodes.AddAllocated(inFile[static_cast<size_t>(number)]);
}

void sortGraph(pb::GraphProto &graph, const Where &where, Reporter &reporter);

void sortAll(NodeList &nodes, const Where &outer, Reporter &reporter) {
  sortList(nodes, outer, reporter);
  int64_t number = 0;
  for (pb::NodeProto &node : nodes) {
    Where where{&outer, node.name(), node.op_type(), number++};
    for (pb::AttributeProto &attribute : *node.mutable_attribute()) {
      Where place{&where, attribute.name(), "attribute"};
      if (attribute.has_g())
        sortGraph(*attribute.mutable_g(), place, reporter);
      for (pb::GraphProto &graph : *attribute.mutable_graphs())
        sortGraph(graph, place, reporter);
    }
  }
}

void sortGraph(pb::GraphProto &graph, const Where &where, Reporter &reporter) {
  sortAll(*graph.mutable_node(), where, reporter);
}

} // namespace

SmallVector<StringRef> cameo::importer::findCycle(const NodeList &nodes) {
  Dependences dependences(nodes);
  (void)dependences.sort();
  return dependences.findCycle();
}

void cameo::importer::sortNodes(pb::ModelProto &model, Reporter &reporter) {
  pb::GraphProto &graph = *model.mutable_graph();
  sortGraph(graph, Where{nullptr, graph.name(), "graph"}, reporter);
  for (pb::FunctionProto &function : *model.mutable_functions())
    sortAll(*function.mutable_node(), Where{nullptr, function.name(), "function"}, reporter);
}
