// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operator that can is blocked at first. Then single operators change sides while that makes
// the function cheaper, which settles where the borders run; at last trunks that cost more than
// they save are dropped whole.

#include "Layout/Trunks.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "llvm/ADT/EquivalenceClasses.h"

#include <limits>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// An operator changes sides at most so often; a bound on the time, not a rule.
constexpr unsigned kMaxFlips = 4;

bool isElementwise(Operation *op) { return cast<OnnxOp>(op).hasScalarBody(); }

bool isConstant(Value value) { return value.getDefiningOp<ConstantOp>() != nullptr; }

} // namespace

Trunks::Trunks(func::FuncOp function)
    : target(getChannelBlocks(function)),
      machine(TargetAttr::lookup(function).getComputing().getMachine()),
      facts(getSymbolFacts(function)) {
  collect(function);
  improveAll();
  dropTrunksThatDoNotPay();
}

const ChannelUses *Trunks::lookup(Operation *op) const {
  auto found = candidates.find(op);
  return found == candidates.end() || !found->second.isBlocked ? nullptr : &found->second.uses;
}

void Trunks::collect(func::FuncOp function) {
  function.walk([&](OnnxOp op) {
    LocalInference infer(op, facts);
    if (std::optional<ChannelUses> uses = op.getChannelUses(infer, target)) {
      double cost = getOperatorCost(op, *uses);
      candidates.insert({op, Candidate{std::move(*uses), cost}});
    }
  });
  for (auto &[op, candidate] : candidates)
    count(op, candidate, 1);
  // Other operators read a value that is made here dense.
  function.walk([&](Operation *op) {
    if (!candidates.count(op))
      for (Value operand : op->getOperands())
        if (isa<SymTensorType>(operand.getType()))
          ++getBorder(operand).dense.all;
  });
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

double Trunks::getPrice(StringRef resource) const {
  return static_cast<double>(machine.getPrice(resource)) /
         static_cast<double>(machine.getPrice("fma"));
}

double Trunks::getElements(Value value, ArrayRef<int64_t> padded) const {
  double elements = 1;
  auto type = cast<SymTensorType>(value.getType());
  for (auto [axis, extent] : llvm::enumerate(type.getExtents())) {
    double count = std::max<int64_t>(1, estimate(extent, facts));
    if (llvm::is_contained(padded, axis))
      count = static_cast<double>(llvm::alignTo(static_cast<uint64_t>(count), target.block));
    elements *= count;
  }
  return elements;
}

double Trunks::getOperatorCost(Operation *op, const ChannelUses &uses) const {
  // No border makes up for a kernel that is not there.
  if (uses.isRequired)
    return -std::numeric_limits<double>::infinity();
  double elements = getElements(op->getResult(0));
  double padded = getElements(op->getResult(0), uses.results.front().axes);
  double depth = static_cast<double>(uses.depth);
  double cost = 0;
  if (depth > 0)
    cost = depth * (padded - elements * getPrice("dense_fma"));
  else if (!isElementwise(op)) // Those are fused: lanes of the kernel that they join.
    cost = getPrice("lane") * (padded - elements);
  for (auto [operand, use] : llvm::zip_equal(op->getOperands(), uses.operands))
    if (use.axes.empty() && !use.halo.empty())
      cost += getPrice("copied") * getElements(operand);
  return cost;
}

Trunks::Border &Trunks::getBorder(Value value) {
  auto [entry, inserted] = borders.try_emplace(value);
  auto type = cast<SymTensorType>(value.getType());
  if (inserted && !isConstant(value) && type.hasRank()) {
    double elements = getElements(value);
    entry->second.repack = getPrice("repacked") * elements;
    entry->second.pass = getPrice("lane") * elements;
  }
  return entry->second;
}

void Trunks::count(Operation *op, const Candidate &candidate, int by) {
  for (auto [operand, use] : llvm::zip_equal(op->getOperands(), candidate.uses.operands)) {
    Border &border = getBorder(operand);
    Border::Reads &reads =
        candidate.isBlocked && use.isInTargetBlocks() ? border.blocked : border.dense;
    reads.all += by;
    reads.elementwise += isElementwise(op) ? by : 0;
  }
  getBorder(op->getResult(0)).isBlocked =
      candidate.isBlocked && by > 0 && !candidate.uses.results.front().axes.empty();
}

double Trunks::getBorderCosts(Operation *op) {
  double cost = getBorder(op->getResult(0)).getCost();
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (!llvm::is_contained(op->getOperands().take_front(number), operand))
      cost += getBorder(operand).getCost();
  return cost;
}

//===----------------------------------------------------------------------===//
// Decision
//===----------------------------------------------------------------------===//

/// Puts an operator on its other side if that is cheaper.
bool Trunks::improve(Operation *op, Candidate &candidate) {
  auto getCost = [&] { return getBorderCosts(op) + (candidate.isBlocked ? candidate.cost : 0); };
  auto flip = [&] {
    count(op, candidate, -1);
    candidate.isBlocked = !candidate.isBlocked;
    count(op, candidate, 1);
  };
  double before = getCost();
  flip();
  if (getCost() < before) {
    ++candidate.flips;
    return true;
  }
  flip();
  return false;
}

void Trunks::improveAll() {
  llvm::SetVector<Operation *> work;
  for (auto &[op, candidate] : llvm::reverse(candidates))
    work.insert(op);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    Candidate &candidate = candidates.find(op)->second;
    if (candidate.flips == kMaxFlips || !improve(op, candidate))
      continue;
    auto revisit = [&](Operation *other) {
      if (other && candidates.count(other))
        work.insert(other);
    };
    for (Value operand : op->getOperands())
      revisit(operand.getDefiningOp());
    for (Operation *user : op->getResult(0).getUsers())
      revisit(user);
  }
}

void Trunks::dropTrunksThatDoNotPay() {
  llvm::EquivalenceClasses<Operation *> trunks;
  for (auto &[op, candidate] : candidates) {
    if (!candidate.isBlocked)
      continue;
    trunks.insert(op);
    for (auto [operand, use] : llvm::zip_equal(op->getOperands(), candidate.uses.operands))
      if (Operation *def = operand.getDefiningOp(); def && lookup(def) && use.isInTargetBlocks())
        trunks.unionSets(op, def);
  }
  DenseMap<Operation *, double> costs;
  for (auto &[op, candidate] : candidates) {
    if (!candidate.isBlocked)
      continue;
    double &cost = costs[trunks.getLeaderValue(op)];
    cost += candidate.cost + getBorder(op->getResult(0)).getCost();
    for (auto [operand, use] : llvm::zip_equal(op->getOperands(), candidate.uses.operands)) {
      // A value that several operators read is packed once; each takes its share.
      Border &border = getBorder(operand);
      if (!border.isBlocked && use.isInTargetBlocks())
        cost += border.getCost() / border.blocked.all;
    }
  }
  SmallVector<Operation *> dropped;
  for (auto &[op, candidate] : candidates)
    if (candidate.isBlocked && costs.lookup(trunks.getLeaderValue(op)) >= 0)
      dropped.push_back(op);
  for (Operation *op : dropped) {
    Candidate &candidate = candidates.find(op)->second;
    count(op, candidate, -1);
    candidate.isBlocked = false;
    count(op, candidate, 1);
  }
}
