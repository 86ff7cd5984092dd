// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/Provenance.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <deque>

using namespace mlir;
using namespace cameo;

SmallVector<NodeLocation> cameo::getNodes(Operation *op) {
  SmallVector<NodeLocation> locations;
  if (op)
    collectNodes(op->getLoc(), locations);
  llvm::erase_if(locations, [](const NodeLocation &location) {
    return location.opType == kInitializerOpType;
  });
  return locations;
}

Provenance::Provenance(ModuleOp imported) {
  imported.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!op->hasTrait<OpTrait::IsTerminator>())
      for (const NodeLocation &location : getNodes(op))
        add(location);
  });
  imported.walk([&](Operation *op) { addOperands(op); });
}

unsigned Provenance::add(const NodeLocation &location) {
  auto [entry, isNew] = numbers.try_emplace({location.opType, location.name}, nodes.size());
  if (isNew)
    nodes.push_back({location, {}});
  return entry->second;
}

/// The operands of a terminator are read by the operator around it, or are the program's outputs.
void Provenance::addOperands(Operation *op) {
  Operation *reader = op->hasTrait<OpTrait::IsTerminator>() ? op->getParentOp() : op;
  SmallVector<unsigned, 2> readers;
  if (isa<FunctionOpInterface>(reader))
    readers.push_back(0);
  for (const NodeLocation &location : getNodes(reader))
    readers.push_back(add(location));
  for (Value operand : op->getOperands())
    for (const NodeLocation &location : getNodes(operand.getDefiningOp())) {
      unsigned producer = add(location);
      for (unsigned number : readers)
        if (number != producer)
          nodes[number].producers.push_back(producer);
    }
}

std::vector<FoldedNode> Provenance::findFolded(ArrayRef<Operation *> ops) const {
  constexpr unsigned kNone = ~0U;
  std::vector<unsigned> into(nodes.size(), kNone);
  for (Operation *op : ops)
    for (const NodeLocation &location : getNodes(op))
      if (auto found = numbers.find({location.opType, location.name}); found != numbers.end())
        into[found->second] = found->second;
  // From every node that is named, in the model's order, to what it reads; what only outputs read
  // comes last.
  std::deque<unsigned> pending;
  for (unsigned number = 1; number < nodes.size(); ++number)
    if (into[number] == number)
      pending.push_back(number);
  auto spread = [&] {
    for (; !pending.empty(); pending.pop_front())
      for (unsigned producer : nodes[pending.front()].producers)
        if (into[producer] == kNone) {
          into[producer] = into[pending.front()];
          pending.push_back(producer);
        }
  };
  spread();
  into[0] = 0;
  pending.push_back(0);
  spread();

  std::vector<FoldedNode> folded;
  for (unsigned number = 1; number < nodes.size(); ++number)
    if (into[number] == kNone)
      folded.push_back({nodes[number].location, std::nullopt});
    else if (into[number] != number)
      folded.push_back({nodes[number].location, nodes[into[number]].location});
  return folded;
}
