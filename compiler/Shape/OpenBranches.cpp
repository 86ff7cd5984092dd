// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block that is walked has its open Ifs in order, each followed by what depends on it: an
// operator is moved in front of the Ifs that it does not need as the walk reaches it, so that what
// goes into a branch finds all that it reads either in the branch or in front of the If.

#include "Shape/OpenBranches.h"

#include "Dialect/ONNX/IR/UntypedBuilder.h"
#include "Shape/ShapeInference.h"
#include "Support/NodeLocation.h"
#include "Support/Unsupported.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

int64_t countOperators(Operation *root) {
  int64_t count = 0;
  root->walk([&](OnnxOp op) { count += !isa<ConstantOp>(op); });
  return count;
}

/// Calls `callback` on what `op` and the operators in its regions read of outside.
template <class Callback> void forEachRead(Operation *op, Callback callback) {
  for (Value operand : op->getOperands())
    callback(operand);
  visitUsedValuesDefinedAbove(op->getRegions(), [&](OpOperand *use) { callback(use->get()); });
}

/// The op of `block` that defines `value`; null for one from outside.
Operation *getDefiningOpIn(Block *block, Value value) {
  Operation *def = value.getDefiningOp();
  return def && def->getBlock() == block ? def : nullptr;
}

} // namespace

OpenBranches::OpenBranches(func::FuncOp function, int64_t maxGrowth, ShapeInference &stage)
    : function(function), stage(stage), numOperators(countOperators(function)),
      maxOperators(numOperators * maxGrowth) {}

bool OpenBranches::isOpen(Value value) {
  auto branch = value.getDefiningOp<IfOp>();
  auto type = dyn_cast<SymTensorType>(value.getType());
  if (!branch || !type || type.hasRank())
    return false;
  auto hasRank = [&](Region &region) {
    Value yielded = getYield(region).getOperand(cast<OpResult>(value).getResultNumber());
    return cast<SymTensorType>(yielded.getType()).hasRank() || isOpen(yielded);
  };
  return hasRank(branch.getThenBranch()) && hasRank(branch.getElseBranch());
}

FailureOr<Operation *> OpenBranches::take(Operation *op, Operation *next) {
  auto found = blocks.find(op->getBlock());
  if (found == blocks.end())
    return nullptr;
  WatchedBlock &block = found->second;
  moveUp(op, block);
  IfOp branch = findReadBy(op, block);
  if (!branch)
    return nullptr;

  // The ops behind the If that it needs go with it.
  unsigned level = block.levels.lookup(branch);
  llvm::SetVector<Operation *> needed;
  needed.insert(op);
  for (size_t next = 0; next < needed.size(); ++next)
    forEachRead(needed[next], [&](Value value) {
      Operation *def = getDefiningOpIn(op->getBlock(), value);
      if (def && def != branch && block.levels.lookup(def) >= level)
        needed.insert(def);
    });
  SmallVector<Operation *> absorbed = needed.takeVector();
  llvm::sort(absorbed, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });

  for (Operation *part : absorbed) {
    FailureOr<Operation *> taken = absorb(part, branch);
    if (failed(taken))
      return failure();
    if (!*taken)
      continue;
    // One branch has taken the place of the If: it is typed anew, and what stood behind the If.
    stage.forget(*taken, next);
    blocks.find((*taken)->getBlock())->second.ifs.truncate(level - 1);
    return *taken;
  }
  if (absorbed.size() > 1) {
    // The ops that are left behind the If were typed by ops that are now in the branches.
    stage.forget(branch->getNextNode(), next);
    next = branch->getNextNode();
    blocks.find(branch->getBlock())->second.ifs.truncate(level);
  }
  watch(branch, next);
  return next;
}

IfOp *OpenBranches::findSlot(Operation *op) {
  auto found = blocks.find(op->getBlock());
  if (found == blocks.end())
    return nullptr;
  auto &[ifs, levels] = found->second;
  IfOp *slot = llvm::find_if(ifs, [&](IfOp branch) { return branch == op; });
  return slot == ifs.end() ? nullptr : slot;
}

void OpenBranches::watch(IfOp branch, Operation *next) {
  Block *block = branch->getBlock();
  IfOp *slot = findSlot(branch);
  if (llvm::any_of(branch->getResults(),
                   [](Value result) { return isOpen(result) && !result.use_empty(); })) {
    if (slot)
      return;
    auto &[ifs, levels] = blocks[block];
    // Behind the others, whatever it depends on: nothing that is typed reads it yet.
    if (!ifs.empty())
      branch->moveBefore(next);
    ifs.push_back(branch);
    levels[branch] = ifs.size();
  } else if (slot) {
    *slot = {};
    if (llvm::none_of(blocks.find(block)->second.ifs, [](IfOp other) { return bool(other); }))
      blocks.erase(block);
  }
}

/// Behind all that it reads, but in front of the first open If behind that.
void OpenBranches::moveUp(Operation *op, WatchedBlock &block) {
  unsigned level = 0;
  forEachRead(op, [&](Value value) {
    if (Operation *def = getDefiningOpIn(op->getBlock(), value))
      level = std::max(level, block.levels.lookup(def));
  });
  block.levels[op] = level;
  for (IfOp branch : ArrayRef(block.ifs).drop_front(level)) {
    if (!branch || branch == op)
      continue;
    // The ops that replaced a known If stand where that was moved to, and must keep their order.
    if (!op->isBeforeInBlock(branch))
      op->moveBefore(branch);
    return;
  }
}

/// The first If of whose open results `op` reads one; null when there is none.
IfOp OpenBranches::findReadBy(Operation *op, const WatchedBlock &block) const {
  IfOp first;
  forEachRead(op, [&](Value value) {
    if (!getDefiningOpIn(op->getBlock(), value) || !isOpen(value))
      return;
    auto branch = value.getDefiningOp<IfOp>();
    if (!first || block.levels.lookup(branch) < block.levels.lookup(first))
      first = branch;
  });
  return first;
}

/// Puts `op`, which stands behind `branch`, into both branches. Where it contradicts what it reads
/// in one of them, that cannot be run: gives the op with which the other one begins, which has
/// taken the place of the If. Null otherwise.
FailureOr<Operation *> OpenBranches::absorb(Operation *op, IfOp &branch) {
  copied = true;
  numOperators += countOperators(op);
  if (numOperators > maxOperators) {
    InFlightDiagnostic error = emitLimit(branch);
    error << "has results of another rank in each branch, so that what reads them is needed in both"
          << " and the graph grows beyond " << maxOperators << " operators";
    error.attachNote() << "raise it with --max-branch-growth";
    return error;
  }
  FailureOr<std::optional<OnlyBranch>> only =
      inferBranches(branch, [&](bool isThen) { return addToBranch(op, branch, isThen); });
  if (failed(only))
    return failure();
  if (*only)
    return takeOther(op, branch, **only);
  branch = rebuild(branch, op);
  if (failed(mergeBranches(branch, stage)))
    return failure();
  for (Value result : branch->getResults())
    stage.bindIfDemanded(result);
  return nullptr;
}

/// Absorbs an operator into an If of which only one branch can be run; both yield what `absorbed`
/// gives.
Operation *OpenBranches::takeOther(Operation *absorbed, IfOp branch, const OnlyBranch &only) {
  YieldOp yield = getYield(only.isThen ? branch.getThenBranch() : branch.getElseBranch());
  unsigned numOwn = branch->getNumResults();
  for (auto [result, value] :
       llvm::zip_equal(absorbed->getResults(), yield->getOperands().drop_front(numOwn)))
    stage.replace(result, value);
  if (IfOp *slot = findSlot(absorbed))
    *slot = {};
  stage.erase(absorbed);
  yield->eraseOperands(numOwn, yield->getNumOperands() - numOwn);
  return takeOnly(branch, only, stage);
}

/// Adds a copy of `op` to the end of a branch, which then yields its results too.
LogicalResult OpenBranches::addToBranch(Operation *op, IfOp branch, bool isThen) {
  YieldOp yield = getYield(isThen ? branch.getThenBranch() : branch.getElseBranch());
  IRMapping mapping;
  mapping.map(branch->getResults(), yield->getOperands());
  OpBuilder builder(yield);
  Operation *copy = builder.clone(*op, mapping);
  for (auto [original, value] : mapping.getValueMap())
    stage.copyDemand(original, value);
  // A value that decided nothing in the branch may do so now.
  for (Value value : yield->getOperands())
    stage.bindIfDemanded(value);
  yield->insertOperands(yield->getNumOperands(), copy->getResults());
  AssumedCondition assumed(branch.getCond(), isThen, stage.getKnownValues());
  return stage.inferRange(copy, nullptr);
}

/// `branch` with the results that are read elsewhere than by `absorbed`, and those of `absorbed`,
/// which both branches have got; both are gone then.
IfOp OpenBranches::rebuild(IfOp branch, Operation *absorbed) {
  SmallVector<OpResult> kept;
  SmallVector<Type> types;
  SmallVector<StringRef> names;
  llvm::BitVector dropped(getYield(branch.getThenBranch()).getNumOperands());
  auto add = [&](OpResult result, unsigned position) {
    auto reads = [&](Operation *user) { return !absorbed || !absorbed->isAncestor(user); };
    if (llvm::none_of(result.getUsers(), reads))
      return void(dropped.set(position));
    kept.push_back(result);
    types.push_back(result.getType());
    names.push_back(getOutputName(result.getLoc(), result.getResultNumber()));
  };
  for (OpResult result : branch->getResults())
    add(result, result.getResultNumber());
  if (absorbed)
    for (OpResult result : absorbed->getResults())
      add(result, branch->getNumResults() + result.getResultNumber());

  OpBuilder builder(branch);
  SmallVector<NodeLocation> nodes;
  collectNodes(branch.getLoc(), nodes);
  Location location = nodes.empty() ? branch.getLoc()
                                    : makeNodeLocation(builder.getContext(), nodes.front().opType,
                                                       nodes.front().name, names);
  auto rebuilt = IfOp::create(builder, location, types, branch.getCond(), branch.getSymbolsAttr(),
                              branch.getSelectsAttr());
  stage.redefine(rebuilt.getSymbolsAttr(), rebuilt);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), rebuilt->getRegions())) {
    to.takeBody(from);
    getYield(to)->eraseOperands(dropped);
  }
  for (auto [from, to] : llvm::zip_equal(kept, rebuilt->getResults()))
    stage.replace(from, to);

  if (IfOp *slot = findSlot(branch)) {
    *slot = rebuilt;
    auto &levels = blocks.find(rebuilt->getBlock())->second.levels;
    levels[rebuilt] = levels.lookup(branch);
  }
  if (absorbed) {
    if (IfOp *slot = findSlot(absorbed))
      *slot = {};
    stage.erase(absorbed);
  }
  stage.erase(branch);
  return rebuilt;
}

/// The most dims that an open value may have.
static int64_t getMostDims(Value value) {
  auto type = cast<SymTensorType>(value.getType());
  if (type.hasRank())
    return type.getRank();
  auto branch = value.getDefiningOp<IfOp>();
  unsigned number = cast<OpResult>(value).getResultNumber();
  return std::max(getMostDims(getYield(branch.getThenBranch()).getOperand(number)),
                  getMostDims(getYield(branch.getElseBranch()).getOperand(number)));
}

LogicalResult OpenBranches::finish() {
  Operation *end = function.getBody().front().getTerminator();
  SmallVector<std::pair<unsigned, prog::KeepOp>> closed;
  for (OpOperand &output : end->getOpOperands()) {
    if (!isOpen(output.get()))
      continue;
    FailureOr<prog::KeepOp> dims = closeOutput(output);
    if (failed(dims))
      return failure();
    closed.emplace_back(output.getOperandNumber(), *dims);
  }
  // Not before all are closed: an If keeps the symbols that its types name.
  OpBuilder builder(end);
  for (auto [output, dims] : closed) {
    ExtentAttr rank = cast<SymTensorType>(dims.getTensor().getType()).getExtents().front();
    prog::RankOp::create(builder, dims.getLoc(), output, rank);
    dims.erase();
  }
  dropUnread();
  return success();
}

/// Reads it by operators that make it one type: as others that read an open result they go into the
/// branches. Gives an op that reads its dims, whose number is the rank.
FailureOr<prog::KeepOp> OpenBranches::closeOutput(OpOperand &output) {
  Operation *end = output.getOwner();
  Value value = output.get();
  UntypedBuilder b(end, value.getLoc());
  Value ones = b.integers(SmallVector<int64_t>(getMostDims(value), 1));
  output.set(b.expand(value, ones));
  auto reader = prog::KeepOp::create(b, b.getLocation(), b.shape(value));
  if (failed(stage.inferRange(ones.getDefiningOp(), end)))
    return failure();
  return reader;
}

void OpenBranches::dropUnread() {
  blocks.clear();
  // Outer Ifs first: what they no longer yield is then unread inside.
  SmallVector<IfOp> ifs;
  function.walk<WalkOrder::PreOrder>([&](IfOp branch) { ifs.push_back(branch); });
  for (IfOp branch : ifs)
    if (llvm::any_of(branch->getResults(), [](Value result) { return result.use_empty(); }))
      rebuild(branch, /*absorbed=*/nullptr);
}
