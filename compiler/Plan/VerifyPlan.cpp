// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds a planned program against the contract of README.md. It does not ask how the plan came
// about: it follows, op by op, which value each row holds, and reports the first op that would read
// another one, or use a row outside its interval; and it looks for rows that share bytes while both
// are alive. A row that a loop's body writes is unknown when the body begins, as it is for every
// iteration but the first.

#include "Dialect/Core/IR/Limits.h"
#include "Dialect/Prog/IR/Choices.h"
#include "Dialect/Prog/IR/KernelTemplates.h"
#include "Plan/Aliases.h"
#include "Plan/Overwrite.h"
#include "Plan/PackBuffers.h"
#include "Plan/Passes.h"
#include "Plan/Steps.h"

#include <map>
#include <queue>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_VERIFYPLANPASS
#include "Plan/Passes.h.inc"
} // namespace cameo

namespace {

class PlanVerifier {
public:
  PlanVerifier(func::FuncOp function, ArrayAttr table)
      : function(function), table(table), steps(function), contents(table.size()) {}

  LogicalResult run() {
    for (Side side : {Side::Host, Side::Device})
      if (failed(checkPlaces(side)))
        return failure();
    // An output that updates an input holds it at first, as if it were bound there.
    for (int64_t number = 0; number < static_cast<int64_t>(table.size()); ++number)
      if (BufferAttr row = getRow(number); row.isOutput())
        if (Value input = getUpdatedInput(function, row.getOutput())) {
          contents[number] = input;
          updating[input] = number;
        }
    return visit(function.getBody().front());
  }

private:
  BufferAttr getRow(int64_t number) const { return cast<BufferAttr>(table[number]); }
  int64_t getRowOf(Value value) const;
  int64_t getNextRowOf(LoopOp loop, unsigned number) const;

  LogicalResult checkPlaces(Side side);
  LogicalResult checkAttribute(Operation *op);
  LogicalResult checkInterval(Operation *op, int64_t row, int64_t step);
  LogicalResult checkBytes(Operation *op, int64_t row, Type type);
  LogicalResult checkRead(Operation *op, Value value);
  LogicalResult checkHolds(Operation *op, Value value, int64_t row);
  LogicalResult checkAlive(Operation *op, Value value, int64_t row);

  LogicalResult visit(Block &block);
  LogicalResult visit(Operation *op);
  LogicalResult visit(IfOp branch);
  LogicalResult visit(LoopOp loop);
  LogicalResult visitYield(Operation *yield);
  LogicalResult visitReturn(Operation *terminator);
  LogicalResult checkFetch(FetchOp fetch);
  LogicalResult enter(LoopOp loop);
  LogicalResult write(OpResult result);

  func::FuncOp function;
  ArrayAttr table;
  Steps steps;
  /// By row: what it holds now; null when nobody knows.
  SmallVector<Value> contents;
  /// The rows of outputs that update inputs, by these.
  DenseMap<Value, int64_t> updating;
  /// Rows that change places with others in the loops that are open: nothing but the loop writes
  /// to the first of a pair.
  SmallVector<int64_t> alternating;
};

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

/// No two rows of an arena that are alive at one step share a byte. Swept in the order in which
/// rows come to life; those alive lie side by side, so that only neighbours can be in the way.
LogicalResult PlanVerifier::checkPlaces(Side side) {
  SmallVector<int64_t> rows;
  for (int64_t number = 0; number < static_cast<int64_t>(table.size()); ++number) {
    BufferAttr row = getRow(number);
    if (row.getSide() != side || !row.isPlaced())
      continue;
    std::optional<int64_t> bytes = row.getBytes().getConstant();
    if (row.isOutput() || !bytes || *bytes < 0 || row.getOffset() % kAlignment != 0)
      return function.emitError() << "row " << number << " cannot lie at " << row.getOffset();
    if (*bytes > 0)
      rows.push_back(number);
  }
  llvm::stable_sort(
      rows, [&](int64_t x, int64_t y) { return getRow(x).getFirst() < getRow(y).getFirst(); });
  std::map<int64_t, int64_t> alive; // by offset
  auto diesLater = [&](int64_t x, int64_t y) { return getRow(x).getLast() > getRow(y).getLast(); };
  std::priority_queue<int64_t, std::vector<int64_t>, decltype(diesLater)> ends(diesLater);
  auto getEnd = [&](int64_t row) {
    return getRow(row).getOffset() + *getRow(row).getBytes().getConstant();
  };
  for (int64_t number : rows) {
    BufferAttr row = getRow(number);
    for (; !ends.empty() && getRow(ends.top()).getLast() < row.getFirst(); ends.pop())
      alive.erase(getRow(ends.top()).getOffset());
    auto behind = alive.lower_bound(row.getOffset());
    bool isFree = behind == alive.end() || getEnd(number) <= behind->first;
    auto other = behind;
    if (isFree && behind != alive.begin()) {
      --other;
      isFree = getEnd(other->second) <= row.getOffset();
    }
    if (!isFree)
      return function.emitError() << "rows " << other->second << " and " << number
                                  << " share bytes and are both alive at step " << row.getFirst();
    alive[row.getOffset()] = number;
    ends.push(number);
  }
  return success();
}

LogicalResult PlanVerifier::checkAttribute(Operation *op) {
  auto numbers = op->getAttrOfType<DenseI64ArrayAttr>("buffers");
  if (!numbers)
    return success();
  int64_t perResult = isa<LoopOp>(op) ? 2 : 1;
  if (numbers.size() != static_cast<int64_t>(op->getNumResults()) * perResult)
    return op->emitError() << "needs " << perResult << " entries in 'buffers' per result";
  for (int64_t number : numbers.asArrayRef())
    if (number < -1 || number >= static_cast<int64_t>(table.size()))
      return op->emitError() << "names buffer " << number << " of " << table.size();
  return success();
}

int64_t PlanVerifier::getRowOf(Value value) const {
  value = stripViews(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<LoopOp>(argument.getOwner()->getParentOp());
    if (auto input = updating.find(argument); input != updating.end())
      return input->second;
    return loop ? getRowOf(loop->getResult(argument.getArgNumber())) : -1;
  }
  Operation *op = value.getDefiningOp();
  auto numbers = op->getAttrOfType<DenseI64ArrayAttr>("buffers");
  unsigned number = cast<OpResult>(value).getResultNumber();
  return numbers ? numbers[isa<LoopOp>(op) ? 2 * number : number] : -1;
}

int64_t PlanVerifier::getNextRowOf(LoopOp loop, unsigned number) const {
  auto numbers = loop->getAttrOfType<DenseI64ArrayAttr>("buffers");
  int64_t next = numbers ? numbers[2 * number + 1] : -1;
  return next < 0 ? getRowOf(loop->getResult(number)) : next;
}

//===----------------------------------------------------------------------===//
// Uses of rows
//===----------------------------------------------------------------------===//

LogicalResult PlanVerifier::checkInterval(Operation *op, int64_t row, int64_t step) {
  BufferAttr buffer = getRow(row);
  if (step < buffer.getFirst() || step > buffer.getLast())
    return op->emitError() << "needs row " << row << " at step " << step << "; it is alive from "
                           << buffer.getFirst() << " through " << buffer.getLast();
  return success();
}

LogicalResult PlanVerifier::checkBytes(Operation *op, int64_t row, Type type) {
  auto tensor = cast<SymTensorType>(type);
  BufferAttr buffer = getRow(row);
  if (buffer.getSide() != tensor.getSide())
    return op->emitError() << "has a value on another side than row " << row;
  if (provablyLess(buffer.getBytes(), getStorageBytes(tensor), ExtentFacts()))
    return op->emitError() << "has a value of " << getStorageBytes(tensor).str() << " bytes in row "
                           << row << ", which has " << buffer.getBytes().str();
  return success();
}

LogicalResult PlanVerifier::checkHolds(Operation *op, Value value, int64_t row) {
  if (contents[row] == stripViews(value))
    return success();
  InFlightDiagnostic diagnostic = op->emitError() << "needs a value of row " << row
                                                  << ", which holds another by then";
  diagnostic.attachNote(value.getLoc()) << "this value";
  if (contents[row])
    diagnostic.attachNote(contents[row].getLoc()) << "the row holds this one";
  return diagnostic;
}

LogicalResult PlanVerifier::checkRead(Operation *op, Value value) {
  if (!isa<SymTensorType>(value.getType()))
    return success();
  Value source = stripViews(value);
  int64_t row = getRowOf(source);
  if (row < 0) {
    if (isPlanned(source) && source.getDefiningOp())
      return op->emitError() << "needs a value that has no memory";
    return success();
  }
  // A loop that alternates between two places may have its result in either.
  auto loop = source.getDefiningOp<LoopOp>();
  int64_t other = loop ? getNextRowOf(loop, cast<OpResult>(source).getResultNumber()) : row;
  for (int64_t number : {row, other})
    if (failed(checkHolds(op, source, number)) || failed(checkAlive(op, source, number)))
      return failure();
  return success();
}

/// Whether the row of a value is alive where `op` needs it; every iteration needs again what comes
/// from outside a loop.
LogicalResult PlanVerifier::checkAlive(Operation *op, Value value, int64_t row) {
  if (updating.contains(value)) // the caller's
    return success();
  for (Operation *user = op; user->getBlock() != value.getParentBlock(); user = user->getParentOp())
    if (isa<LoopOp>(user->getParentOp()) &&
        failed(checkInterval(op, row, steps.getEnd(user->getParentOp()))))
      return failure();
  return checkInterval(op, row, steps.get(op));
}

/// A result comes into its row.
LogicalResult PlanVerifier::write(OpResult result) {
  Operation *op = result.getOwner();
  int64_t row = getRowOf(result);
  if (row < 0 && needsMemory(result))
    return op->emitError() << "writes result " << result.getResultNumber()
                           << ", which has no memory";
  if (row < 0 || isa<ViewOp>(op))
    return success();
  Value destination = getTiedDestination(result);
  if (destination && getRowOf(destination) != row)
    return op->emitError() << "writes result " << result.getResultNumber()
                           << " elsewhere than to its destination";
  auto isOverwritten = [&](Value operand) {
    return isa<SymTensorType>(operand.getType()) && operand != destination &&
           getRowOf(operand) == row;
  };
  bool readsIt = llvm::any_of(getTensorOperands(op), isOverwritten);
  bool ofEqualBytes = getRow(row).isOutput() && getUpdatedInput(function, getRow(row).getOutput());
  if (readsIt && (destination || !mayOverwrite(result, isOverwritten, ofEqualBytes)))
    return op->emitError() << "writes row " << row << " where it reads it";
  if (llvm::is_contained(alternating, row))
    return op->emitError() << "writes row " << row << ", which alternates with another";
  contents[row] = result;
  return success(succeeded(checkInterval(op, row, steps.get(op))) &&
                 succeeded(checkBytes(op, row, result.getType())));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult PlanVerifier::visit(Block &block) {
  for (Operation &op : block)
    if (failed(checkAttribute(&op)) || failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult PlanVerifier::visit(Operation *op) {
  if (auto branch = dyn_cast<IfOp>(op))
    return visit(branch);
  if (auto loop = dyn_cast<LoopOp>(op))
    return visit(loop);
  if (isa<YieldOp>(op))
    return visitYield(op);
  if (isa<func::ReturnOp>(op))
    return visitReturn(op);
  if (isa<ViewOp>(op)) // its users read
    return success();
  for (Value operand : getTensorOperands(op))
    if (failed(checkRead(op, operand)))
      return failure();
  if (auto fetch = dyn_cast<FetchOp>(op))
    return checkFetch(fetch);
  // The copy reads until here.
  if (auto await = dyn_cast<AwaitOp>(op))
    if (auto fetch = await.getTicket().getDefiningOp<FetchOp>())
      if (failed(checkRead(op, fetch.getSource())))
        return failure();
  DenseSet<int64_t> written;
  for (OpResult result : op->getResults()) {
    if (!isa<SymTensorType>(result.getType()))
      continue;
    if (failed(write(result)))
      return failure();
    if (int64_t row = getRowOf(result); row >= 0 && !written.insert(row).second)
      return op->emitError() << "writes two results to row " << row;
  }
  return success();
}

/// The copy runs on a stream of its own, which begins behind what was enqueued before (`fetch` of
/// the runtime). Nothing but its await orders later uses of the bytes behind it.
LogicalResult PlanVerifier::checkFetch(FetchOp fetch) {
  bool isAwaited = fetch.getTicket().hasOneUse() && isa<AwaitOp>(*fetch.getTicket().user_begin()) &&
                   (*fetch.getTicket().user_begin())->getBlock() == fetch->getBlock();
  if (!isAwaited)
    return fetch.emitError()
           << "starts a copy that is not awaited once, in the same block: nothing "
           << "says when its source may change";
  return success();
}

/// A value that a region yields lies where its op says that the result, or the next value, lies.
LogicalResult PlanVerifier::visitYield(Operation *yield) {
  Operation *parent = yield->getParentOp();
  auto loop = dyn_cast<LoopOp>(parent);
  for (OpResult result : parent->getResults()) {
    if (!isa<SymTensorType>(result.getType()))
      continue;
    unsigned number = result.getResultNumber();
    Value value = loop ? getNextValue(loop, number).get() : yield->getOperand(number);
    int64_t row = loop ? getNextRowOf(loop, number) : getRowOf(result);
    if (getRowOf(value) != row || !isWhole(value, stripViews(value)))
      return yield->emitError() << "yields value " << number << " in row " << getRowOf(value)
                                << ", not as the whole of row " << row;
    if (row >= 0 && failed(checkRead(yield, value)))
      return failure();
  }
  return success();
}

LogicalResult PlanVerifier::visitReturn(Operation *terminator) {
  for (OpOperand &operand : terminator->getOpOperands()) {
    int64_t row = getRowOf(operand.get());
    if (row < 0 || getRow(row).getOutput() != operand.getOperandNumber() ||
        !startsAtRoot(operand.get(), stripViews(operand.get())))
      return terminator->emitError()
             << "returns a value that is not in output " << operand.getOperandNumber();
    if (failed(checkRead(terminator, operand.get())))
      return failure();
  }
  return success();
}

LogicalResult PlanVerifier::visit(IfOp branch) {
  // The device reads the condition here.
  if (AwaitOp chooser = getChooser(branch))
    if (failed(checkRead(branch, chooser.getAwaited())))
      return failure();
  SmallVector<Value> before = contents;
  if (failed(visit(branch.getThenRegion().front())))
    return failure();
  SmallVector<Value> afterThen = std::exchange(contents, before);
  if (failed(visit(branch.getElseRegion().front())))
    return failure();
  for (auto [content, other] : llvm::zip_equal(contents, afterThen))
    if (content != other)
      content = {};
  for (OpResult result : branch->getResults())
    if (isa<SymTensorType>(result.getType()) && failed(write(result)))
      return failure();
  return success();
}

/// The rows as any iteration finds them.
LogicalResult PlanVerifier::enter(LoopOp loop) {
  loop.getBody().walk([&](Operation *op) {
    if (isa<ViewOp>(op)) // it writes nothing, and its source may be from outside
      return;
    for (OpResult result : op->getResults())
      if (int64_t row = getRowOf(result); isa<SymTensorType>(result.getType()) && row >= 0)
        contents[row] = {};
  });
  for (BlockArgument argument : loop.getBody().getArguments()) {
    unsigned number = argument.getArgNumber();
    int64_t row = getRowOf(argument), next = getNextRowOf(loop, number);
    if (!isa<SymTensorType>(argument.getType()))
      continue;
    if (row < 0 || getRowOf(loop.getInits()[number]) != row)
      return loop.emitError() << "carries value " << number << " that does not start in its row";
    if (next != row) {
      alternating.push_back(row);
      contents[next] = {};
    }
    contents[row] = argument;
    for (int64_t used : {row, next})
      for (int64_t step : {steps.get(loop), steps.getEnd(loop)})
        if (failed(checkInterval(loop, used, step)) ||
            failed(checkBytes(loop, used, argument.getType())))
          return failure();
  }
  return success();
}

LogicalResult PlanVerifier::visit(LoopOp loop) {
  for (Value init : loop.getInits())
    if (failed(checkRead(loop, init)))
      return failure();
  size_t numAlternating = alternating.size();
  if (failed(enter(loop)))
    return failure();
  SmallVector<Value> entered = contents;
  if (failed(visit(loop.getBody().front())))
    return failure();
  alternating.truncate(numAlternating);
  // The body may not have run at all.
  contents = std::move(entered);
  for (OpResult result : loop->getResults()) {
    int64_t row = getRowOf(result);
    if (row >= 0)
      contents[row] = contents[getNextRowOf(loop, result.getResultNumber())] = result;
  }
  return success();
}

struct VerifyPlanPass : cameo::impl::VerifyPlanPassBase<VerifyPlanPass> {
  using VerifyPlanPassBase::VerifyPlanPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto table = function->getAttrOfType<ArrayAttr>("prog.buffers");
      if (!table || !llvm::all_of(table, llvm::IsaPred<BufferAttr>)) {
        function.emitError() << "has no table of buffers";
        return signalPassFailure();
      }
      if (failed(PlanVerifier(function, table).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
