// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A minimum cut: ops in blocks are on the source's side. For each value a node says that it is
// there in blocks, and one that it is not there dense; a repack makes what its writer does not.

#include "Select/LayoutProblem.h"

#include "Support/MinimumCut.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace cameo;

unsigned LayoutProblem::addOp(int64_t cost, bool isRequired) {
  ops.push_back({cost, isRequired});
  return ops.size() - 1;
}

unsigned LayoutProblem::addValue(int64_t repack, std::optional<unsigned> writer) {
  values.push_back({repack, writer, {}});
  return values.size() - 1;
}

void LayoutProblem::addReader(unsigned value, unsigned op) { values[value].readers.push_back(op); }

unsigned LayoutProblem::getShift() const {
  uint64_t total = 0;
  for (const Op &op : ops)
    total = llvm::SaturatingAdd(total, llvm::AbsoluteValue(op.cost));
  for (const Value &value : values)
    total = llvm::SaturatingAdd(total, static_cast<uint64_t>(value.repack));
  unsigned bits = llvm::Log2_64_Ceil(total + (total == 0));
  unsigned most = llvm::Log2_64(MinimumCut::kNever) - 1;
  return bits > most ? bits - most : 0;
}

llvm::BitVector LayoutProblem::solve() const {
  llvm::BitVector inBlocks(ops.size());
  // Blocks only cost where no op saves by them.
  if (llvm::none_of(ops, [](const Op &op) { return op.isRequired || op.cost < 0; }))
    return inBlocks;
  unsigned shift = getShift();
  MinimumCut cut;
  llvm::SmallVector<MinimumCut::Node> nodes;
  for (const Op &op : ops) {
    MinimumCut::Node node = nodes.emplace_back(cut.addNode());
    int64_t cost = op.cost >> shift;
    if (op.isRequired)
      cut.addEdge(MinimumCut::kSource, node, MinimumCut::kNever);
    else if (cost < 0)
      cut.addEdge(MinimumCut::kSource, node, -cost);
    else if (cost > 0)
      cut.addEdge(node, MinimumCut::kSink, cost);
  }
  for (const Value &value : values) {
    int64_t repack = value.repack >> shift;
    if (repack == 0)
      continue;
    MinimumCut::Node packed = cut.addNode();
    for (unsigned reader : value.readers)
      cut.addEdge(nodes[reader], packed, MinimumCut::kNever);
    cut.addEdge(packed, value.writer ? nodes[*value.writer] : MinimumCut::kSink, repack);
    if (!value.writer)
      continue;
    MinimumCut::Node notDense = cut.addNode();
    for (unsigned reader : value.readers)
      cut.addEdge(notDense, nodes[reader], MinimumCut::kNever);
    if (value.isReadDense)
      cut.addEdge(notDense, MinimumCut::kSink, MinimumCut::kNever);
    cut.addEdge(nodes[*value.writer], notDense, repack);
  }
  llvm::BitVector sources = cut.solve();
  for (auto [op, node] : llvm::enumerate(nodes))
    inBlocks[op] = sources[node];
  return inBlocks;
}

int64_t LayoutProblem::getCost(const llvm::BitVector &inBlocks) const {
  int64_t cost = 0;
  for (unsigned op : inBlocks.set_bits())
    cost += ops[op].isRequired ? 0 : ops[op].cost;
  for (const Value &value : values) {
    bool isPacked = value.writer && inBlocks[*value.writer];
    bool isReadOther =
        (isPacked && value.isReadDense) ||
        llvm::any_of(value.readers, [&](unsigned reader) { return inBlocks[reader] != isPacked; });
    cost += isReadOther ? value.repack : 0;
  }
  return cost;
}
