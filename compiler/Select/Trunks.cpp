// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op that can is blocked at first. Then single ops change sides while that makes the function
// cheaper, which settles where the borders run; at last trunks that cost more than they save are
// dropped whole.

#include "Select/Trunks.h"

#include "Dialect/Prog/IR/Views.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// An op changes sides at most so often; a bound on the time, not a rule.
constexpr unsigned kMaxFlips = 4;

/// The ties of a kernel or call; none of another op.
ArrayRef<int64_t> getTies(Operation *op) {
  if (auto kernel = dyn_cast_or_null<KernelOp>(op))
    return kernel.getTies();
  auto call = dyn_cast_or_null<CallOp>(op);
  return call ? call.getTies() : ArrayRef<int64_t>();
}

/// The op of a function's or a branch's block that `op` is, or is a functor of.
Operation *getWhole(Operation *op) { return isa<LoadOp, StoreOp>(op) ? op->getParentOp() : op; }

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
    : blocks(ChannelBlocks::lookup(function)),
      machine(TargetAttr::lookup(function).getComputing().getMachine()),
      facts(getSymbolFacts(function)) {
  collect(function);
  improveAll();
  dropTrunksThatDoNotPay();
}

const ImageForm *Trunks::lookup(Operation *op) const {
  auto found = numbers.find(op);
  if (found == numbers.end() || !candidates[found->second].isBlocked)
    return nullptr;
  for (auto &[member, form] : candidates[found->second].members)
    if (member == op)
      return &form;
  return nullptr;
}

Trunks::Candidate *Trunks::find(Operation *op) {
  auto found = op ? numbers.find(getWhole(op)) : numbers.end();
  return found == numbers.end() ? nullptr : &candidates[found->second];
}

namespace {
using Forms = llvm::MapVector<Operation *, ImageForm>;
/// The results that are parts of one value, by that value.
using Parts = llvm::MapVector<Value, SmallVector<OpResult>>;
} // namespace

static bool isInBlocks(OpResult part, const Forms &forms) {
  auto *found = forms.find(part.getOwner());
  return found != forms.end() && !found->second.results[part.getResultNumber()].axes.empty();
}

static void leaveBlocks(OpResult part, Forms &forms) {
  ImageForm &form = forms.find(part.getOwner())->second;
  if (!isa<CallOp>(part.getOwner()) || !form.isImage()) {
    forms.erase(part.getOwner());
    return;
  }
  form.results[part.getResultNumber()] = ImageUse();
  form.results[part.getResultNumber()].isCopied = true;
}

/// Has calls copy a part of a value that is not written in blocks as a whole, and drops the forms
/// of kernels that write one, until there are no more.
static void dropMixed(const Parts &parts, Forms &forms) {
  for (bool changes = true; changes;) {
    changes = false;
    for (auto &[value, written] : parts) {
      auto isPart = [&](OpResult part) { return isInBlocks(part, forms); };
      if (value.getDefiningOp<EmptyOp>() && llvm::all_of(written, isPart))
        continue;
      for (OpResult part : written)
        if (isPart(part)) {
          leaveBlocks(part, forms);
          changes = true;
        }
    }
  }
}

void Trunks::collect(func::FuncOp function) {
  Forms forms;
  Parts parts;
  function.walk([&](Operation *op) {
    if (std::optional<ImageForm> form = getImageForm(op, blocks))
      forms.insert({op, std::move(*form)});
    for (OpResult result : op->getResults())
      if (Value value = getWritten(result); value != result)
        parts[value].push_back(result);
  });
  dropMixed(parts, forms);
  llvm::EquivalenceClasses<Operation *> together;
  for (auto &[op, form] : forms)
    together.insert(op);
  for (auto &[value, written] : parts)
    for (OpResult part : written)
      if (isInBlocks(part, forms))
        together.unionSets(written.front().getOwner(), part.getOwner());
  DenseMap<Operation *, unsigned> leaders;
  for (auto &[op, form] : forms) {
    unsigned number =
        leaders.try_emplace(together.getLeaderValue(op), candidates.size()).first->second;
    if (number == candidates.size())
      candidates.emplace_back();
    numbers[op] = number;
    candidates[number].cost += getCost(op, form);
    candidates[number].members.push_back({op, std::move(form)});
  }
  for (Candidate &candidate : candidates)
    count(candidate, 1);
  // Other ops read a value that is made here dense.
  function.walk([&](Operation *op) {
    if (!isa<LoadOp, StoreOp>(op) && !find(op))
      visitReads(op, [&](OpOperand &operand) { ++getBorder(operand.get()).dense; });
  });
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

double Trunks::getPrice(StringRef resource) const {
  return static_cast<double>(machine.getPrice(resource)) /
         static_cast<double>(machine.getPrice("fma"));
}

double Trunks::getElements(ArrayRef<ExtentAttr> extents) const {
  double elements = 1;
  for (ExtentAttr extent : extents)
    elements *= static_cast<double>(std::max<int64_t>(1, estimate(extent, facts)));
  return elements;
}

double Trunks::getCost(Operation *op, const ImageForm &form) const {
  // No border makes up for a kernel that is not there.
  if (form.isRequired)
    return -std::numeric_limits<double>::infinity();
  const ChannelDim &channels = form.channels;
  double elements = getElements(form.elements);
  double padded = elements / static_cast<double>(channels.count) *
                  static_cast<double>(llvm::alignTo(channels.count, channels.block));
  double depth = static_cast<double>(form.depth);
  double cost = depth > 0 ? depth * (padded - elements * getPrice("dense_fma"))
                          : getPrice("lane") * (padded - elements);
  double copies = form.isDetached + llvm::count_if(form.results, [](const ImageUse &result) {
                    return result.isCopied;
                  });
  cost += copies * (getPrice("repacked") + getPrice("copied")) * elements;
  for (auto &[operand, use] : form.operands)
    if (use.axes.empty() && !use.halo.empty())
      cost += getPrice("copied") *
              getElements(cast<SymTensorType>(operand->get().getType()).getExtents());
  return cost;
}

Trunks::Border &Trunks::getBorder(Value value) {
  Value written = getWritten(value);
  auto [entry, inserted] = borders.try_emplace(written);
  auto type = cast<SymTensorType>(written.getType());
  if (inserted && !written.getDefiningOp<WeightOp>() && type.hasRank())
    entry->second.repack = getPrice("repacked") * getElements(type.getExtents());
  return entry->second;
}

void Trunks::count(const Candidate &candidate, int by) {
  for (auto &[op, form] : candidate.members) {
    visitReads(op, [&, &form = form](OpOperand &operand) {
      auto *use = form.operands.find(&operand);
      bool isBlocked =
          candidate.isBlocked && use != form.operands.end() && use->second.isInTargetBlocks();
      Border &border = getBorder(operand.get());
      (isBlocked ? border.blocked : border.dense) += by;
    });
    for (auto [result, use] : llvm::zip_equal(op->getResults(), form.results))
      getBorder(result).isBlocked = candidate.isBlocked && by > 0 && !use.axes.empty();
  }
}

double Trunks::getBorderCosts(const Candidate &candidate) {
  llvm::SmallSetVector<Value, 8> values;
  for (auto &[op, form] : candidate.members) {
    for (Value result : op->getResults())
      values.insert(getWritten(result));
    visitReads(op, [&](OpOperand &operand) { values.insert(getWritten(operand.get())); });
  }
  double cost = 0;
  for (Value value : values)
    cost += getBorder(value).getCost();
  return cost;
}

//===----------------------------------------------------------------------===//
// Decision
//===----------------------------------------------------------------------===//

/// Puts a candidate on its other side if that is cheaper.
bool Trunks::improve(Candidate &candidate) {
  auto getCost = [&] {
    return getBorderCosts(candidate) + (candidate.isBlocked ? candidate.cost : 0);
  };
  auto flip = [&] {
    count(candidate, -1);
    candidate.isBlocked = !candidate.isBlocked;
    count(candidate, 1);
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
  llvm::SetVector<Candidate *> work;
  for (Candidate &candidate : llvm::reverse(candidates))
    work.insert(&candidate);
  while (!work.empty()) {
    Candidate &candidate = *work.pop_back_val();
    if (candidate.flips == kMaxFlips || !improve(candidate))
      continue;
    auto revisit = [&](Operation *other) {
      if (Candidate *neighbour = find(other))
        work.insert(neighbour);
    };
    for (auto &[op, form] : candidate.members) {
      visitReads(op, [&](OpOperand &operand) { revisit(operand.get().getDefiningOp()); });
      for (Operation *user : op->getUsers())
        revisit(user);
    }
  }
}

void Trunks::dropTrunksThatDoNotPay() {
  llvm::EquivalenceClasses<Candidate *> trunks;
  for (Candidate &candidate : candidates) {
    if (!candidate.isBlocked)
      continue;
    trunks.insert(&candidate);
    for (auto &[op, form] : candidate.members)
      for (auto &[operand, use] : form.operands)
        if (Candidate *def = find(operand->get().getDefiningOp());
            def && def->isBlocked && use.isInTargetBlocks())
          trunks.unionSets(&candidate, def);
  }
  DenseMap<Candidate *, double> costs;
  for (Candidate &candidate : candidates) {
    if (!candidate.isBlocked)
      continue;
    double &cost = costs[trunks.getLeaderValue(&candidate)];
    cost += candidate.cost;
    llvm::SmallSetVector<Value, 4> results;
    for (auto &[op, form] : candidate.members) {
      for (Value result : op->getResults())
        results.insert(getWritten(result));
      for (auto &[operand, use] : form.operands) {
        // A value that several ops read is packed once; each takes its share.
        Border &border = getBorder(operand->get());
        if (!border.isBlocked && use.isInTargetBlocks())
          cost += border.getCost() / border.blocked;
      }
    }
    for (Value result : results)
      cost += getBorder(result).getCost();
  }
  for (Candidate &candidate : candidates)
    if (candidate.isBlocked && costs.lookup(trunks.getLeaderValue(&candidate)) >= 0) {
      count(candidate, -1);
      candidate.isBlocked = false;
      count(candidate, 1);
    }
}
