// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The costs of ops in blocks and of repacks, by which LayoutProblem chooses.

#include "Select/Trunks.h"

#include "Dialect/Prog/IR/CallMembers.h"
#include "Dialect/Prog/IR/Views.h"
#include "llvm/ADT/EquivalenceClasses.h"

#include <limits>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// The ties of a kernel or call; none of another op.
ArrayRef<int64_t> getTies(Operation *op) {
  if (auto kernel = dyn_cast_or_null<KernelOp>(op))
    return kernel.getTies();
  auto call = dyn_cast_or_null<CallOp>(op);
  return call ? call.getTies() : ArrayRef<int64_t>();
}

/// The tensors that an op and its functors read.
template <class Visit> void visitReads(Operation *op, Visit visit) {
  auto visitOwn = [&](Operation *owner, unsigned count) {
    for (OpOperand &operand : owner->getOpOperands().take_front(count))
      if (isa<SymTensorType>(operand.get().getType()))
        visit(operand);
  };
  if (auto kernel = dyn_cast<KernelOp>(op))
    return visitOwn(op, kernel.getIns().size());
  if (auto call = dyn_cast<CallOp>(op)) {
    visitOwn(op, call.getIns().size());
    for (Operation &functor : call.getFunctors().front())
      visitOwn(&functor, functor.getNumOperands());
    return;
  }
  visitOwn(op, op->getNumOperands());
}

} // namespace

Value cameo::getWritten(Value value) {
  for (;;) {
    auto result = dyn_cast<OpResult>(value);
    ArrayRef<int64_t> ties = result ? getTies(result.getOwner()) : ArrayRef<int64_t>();
    if (ties.empty() || ties[result.getResultNumber()] < 0)
      return value;
    value = getDests(result.getOwner())[ties[result.getResultNumber()]];
  }
}

Trunks::Trunks(func::FuncOp function)
    : machine(TargetAttr::lookup(function).getComputing().getMachine()),
      facts(getSymbolFacts(function)) {
  collect(function);
  separateParts();
  group();
  inBlocks = makeProblem(function).solve();
}

const ImageForm *Trunks::lookup(Operation *op) const {
  auto found = numbers.find(op);
  return found == numbers.end() || !inBlocks[found->second] ? nullptr : &forms.find(op)->second;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

void Trunks::collect(func::FuncOp function) {
  ChannelBlocks blocks = ChannelBlocks::lookup(function);
  function.walk([&](Operation *op) {
    if (std::optional<ImageForm> form = getImageForm(op, blocks))
      forms.insert({op, std::move(*form)});
    for (OpResult result : op->getResults())
      if (Value value = getWritten(result); value != result)
        parts[value].push_back(result);
  });
}

bool Trunks::isInBlocks(OpResult part) const {
  const auto *found = forms.find(part.getOwner());
  return found != forms.end() && !found->second.results[part.getResultNumber()].axes.empty();
}

void Trunks::leaveBlocks(OpResult part) {
  ImageForm &form = forms.find(part.getOwner())->second;
  if (!isa<CallOp>(part.getOwner()) || !form.isImage()) {
    forms.erase(part.getOwner());
    return;
  }
  form.results[part.getResultNumber()] = ImageUse();
  form.results[part.getResultNumber()].isCopied = true;
}

void Trunks::separateParts() {
  for (bool changes = true; changes;) {
    changes = false;
    for (auto &[value, written] : parts) {
      auto isPart = [&](OpResult part) { return isInBlocks(part); };
      if (value.getDefiningOp<EmptyOp>() && llvm::all_of(written, isPart))
        continue;
      for (OpResult part : written)
        if (isPart(part)) {
          leaveBlocks(part);
          changes = true;
        }
    }
  }
}

void Trunks::group() {
  llvm::EquivalenceClasses<Operation *> together;
  for (auto &[op, form] : forms)
    together.insert(op);
  for (auto &[value, written] : parts)
    for (OpResult part : written)
      if (isInBlocks(part))
        together.unionSets(written.front().getOwner(), part.getOwner());
  DenseMap<Operation *, unsigned> leaders;
  for (auto &[op, form] : forms)
    numbers[op] = leaders.try_emplace(together.getLeaderValue(op), leaders.size()).first->second;
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// A sum that stays at the ends of what there is.
static int64_t addCosts(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!llvm::AddOverflow(a, b, sum))
    return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

Amount Trunks::getElements(ArrayRef<ExtentAttr> extents, ArrayRef<int64_t> halo) const {
  Amount elements = 1;
  size_t inner = extents.size() - halo.size();
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    Amount around = axis < inner ? Amount() : Amount(2) * halo[axis - inner];
    elements = elements * (Amount(std::max<int64_t>(1, estimate(extent, facts))) + around);
  }
  return elements;
}

int64_t Trunks::getCost(const ImageForm &form) const {
  auto getPrice = [&](StringRef resource) -> Amount { return machine.getPrice(resource); };
  const ChannelDim &channels = form.channels;
  Amount elements = getElements(form.elements);
  auto lanes = static_cast<int64_t>(llvm::alignTo(channels.count, channels.block));
  Amount padded = elements / channels.count * lanes;
  Amount copies = form.isDetached + llvm::count_if(form.results, [](const ImageUse &result) {
                    return result.isCopied;
                  });
  Amount inBlocks =
      copies * ((getPrice("repacked") + getPrice("copied")) * elements + 2 * getPrice("call"));
  for (auto &[operand, use] : form.operands) {
    if (use.halo.empty())
      continue;
    ArrayRef<ExtentAttr> extents = getTensor(operand->get()).getExtents();
    // Planes are copied into their halo, blocks are written into it.
    Amount inner = use.axes.empty() ? Amount() : getElements(extents);
    inBlocks = inBlocks + getPrice("copied") * (getElements(extents, use.halo) - inner);
  }
  if (form.depth == 0)
    return (inBlocks + getPrice("lane") * (padded - elements)).get();
  Amount depth = form.depth;
  inBlocks = inBlocks + depth * padded * getPrice("fma");
  Amount dense = depth * elements * getPrice("dense_fma") +
                 depth * (elements / form.sharing) * getPrice("copied");
  return (inBlocks - dense).get();
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

LayoutProblem Trunks::makeProblem(func::FuncOp function) {
  SmallVector<int64_t> costs;
  llvm::SmallBitVector required;
  for (auto &[op, form] : forms) {
    unsigned number = numbers.lookup(op);
    costs.resize(std::max<size_t>(costs.size(), number + 1));
    required.resize(costs.size());
    costs[number] = addCosts(costs[number], getCost(form));
    required[number] = required[number] || form.isRequired;
    for (OpResult result : op->getResults())
      if (isInBlocks(result))
        writers[getWritten(result)] = number;
  }
  LayoutProblem problem;
  for (auto [number, cost] : llvm::enumerate(costs))
    problem.addOp(cost, required[number]);
  function.walk([&](Operation *op) {
    if (!isa<LoadOp, StoreOp>(op))
      addReads(problem, op);
  });
  return problem;
}

unsigned Trunks::addValue(LayoutProblem &problem, Value value) {
  Value written = getWritten(value);
  auto [entry, isNew] = values.try_emplace(written, 0);
  if (!isNew)
    return entry->second;
  SymTensorType type = getTensor(written);
  bool isFree = written.getDefiningOp<WeightOp>() || !type.hasRank();
  Amount repack = isFree ? Amount()
                         : Amount(machine.getPrice("repacked")) * getElements(type.getExtents()) +
                               machine.getPrice("call");
  auto writer = writers.find(written);
  return entry->second = problem.addValue(
             repack.get(), writer == writers.end() ? std::nullopt : std::optional(writer->second));
}

void Trunks::addReads(LayoutProblem &problem, Operation *op) {
  auto *own = forms.find(op);
  visitReads(op, [&](OpOperand &operand) {
    unsigned value = addValue(problem, operand.get());
    auto *use = own == forms.end() ? nullptr : own->second.operands.find(&operand);
    if (use && use != own->second.operands.end() && use->second.isInTargetBlocks())
      problem.addReader(value, numbers.lookup(op));
    else
      problem.setReadDense(value);
  });
}
