// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns rows of the buffer table and computes their intervals. InsertCopies has made sure that
// every value that must be in a certain row has a producer that can write there.

#include "Plan/Aliases.h"
#include "Plan/InsertCopies.h"
#include "Plan/Passes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_PLANBUFFERSPASS
#include "Plan/Passes.h.inc"
} // namespace cameo

namespace {

struct Row {
  Side side;
  ExtentAttr bytes;
  int64_t first, last;
  int64_t output = -1;
};

/// The bytes of a tensor in its layout: sub-byte elements and bool take one each.
ExtentAttr getBytes(SymTensorType type) {
  Type element = type.getElementType();
  bool isComplex = isa<ComplexType>(element);
  if (isComplex)
    element = cast<ComplexType>(element).getElementType();
  int64_t elementBytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) * (isComplex ? 2 : 1);
  ExtentAttr bytes = ExtentAttr::constant(type.getContext(), elementBytes);
  for (ExtentAttr extent : type.getPhysicalExtents())
    bytes = bytes * extent;
  return bytes;
}

class BufferPlanner {
public:
  explicit BufferPlanner(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  LogicalResult run() {
    number(function.getBody().front());
    preassignOutputs();
    if (failed(assign(function.getBody().front())))
      return failure();
    extendToUses();
    write();
    return success();
  }

  size_t getNumRows() const { return rows.size(); }

private:
  /// Steps in the order of printing.
  void number(Block &block) {
    for (Operation &op : block) {
      steps[&op] = nextStep++;
      if (isa<KernelOp, CallOp>(op))
        continue;
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          number(inner);
      lastSteps[&op] = nextStep - 1;
    }
  }

  int64_t addRow(SymTensorType type, ExtentAttr bytes, Operation *first) {
    rows.push_back({type.getSide(), bytes, steps.lookup(first), steps.lookup(first)});
    return static_cast<int64_t>(rows.size()) - 1;
  }

  /// Roots that are returned are in the caller's memory from the start.
  void preassignOutputs() {
    Operation *terminator = function.getBody().front().getTerminator();
    for (OpOperand &operand : terminator->getOpOperands()) {
      Value root = getMemoryRoot(operand.get());
      auto type = cast<SymTensorType>(root.getType());
      int64_t row = addRow(type, getBytes(type), root.getDefiningOp());
      rows[row].output = operand.getOperandNumber();
      rowOf[root] = row;
    }
  }

  LogicalResult assign(Block &block) {
    for (Operation &op : block) {
      if (auto branch = dyn_cast<IfOp>(op)) {
        if (failed(assignIf(branch)))
          return failure();
      } else if (auto loop = dyn_cast<LoopOp>(op)) {
        if (failed(assignLoop(loop)))
          return failure();
      } else {
        for (Value result : op.getResults())
          assignResult(result);
      }
    }
    return success();
  }

  void assignResult(Value result) {
    auto type = dyn_cast<SymTensorType>(result.getType());
    if (!type || result.use_empty() || !isPlanned(result) || getMemoryRoot(result) != result ||
        rowOf.count(result))
      return;
    rowOf[result] = addRow(type, withLoopBounds(getBytes(type)), result.getDefiningOp());
  }

  LogicalResult assignIf(IfOp branch) {
    DenseMap<StringRef, ExtentAttr> thenValues, elseValues;
    for (auto [symbol, thenValue, elseValue] :
         llvm::zip_equal(branch.getSymbols().getAsRange<StringAttr>(), branch.getThenExtents(),
                         branch.getElseExtents())) {
      thenValues[symbol] = cast<ExtentAttr>(thenValue);
      elseValues[symbol] = cast<ExtentAttr>(elseValue);
    }
    for (OpResult result : branch->getResults()) {
      auto type = dyn_cast<SymTensorType>(result.getType());
      if (!type)
        continue;
      ExtentAttr bytes = getBytes(type);
      ExtentAttr either = bytes.substitute(thenValues).max(bytes.substitute(elseValues));
      int64_t row = addRow(type, withLoopBounds(either), branch);
      rowOf[result] = row;
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
        Value yielded = region->front().getTerminator()->getOperand(result.getResultNumber());
        rowOf[getMemoryRoot(yielded)] = row;
      }
    }
    if (failed(assign(branch.getThenRegion().front())))
      return failure();
    return assign(branch.getElseRegion().front());
  }

  /// The most that each of a loop's symbols can become, in symbols that are known before the loop.
  LogicalResult boundLoopSymbols(LoopOp loop) {
    ExtentAttr trip = loop.getTripAttr();
    if (trip)
      loopBounds[loop.getIv()] = withLoopBounds(trip);
    for (auto [symbol, init, next] :
         llvm::zip_equal(loop.getSymbols().getAsRange<StringAttr>(), loop.getInitExtents(),
                         loop.getNextExtents())) {
      ExtentAttr self = ExtentAttr::symbol(loop.getContext(), symbol);
      auto start = cast<ExtentAttr>(init);
      ExtentAttr step = cast<ExtentAttr>(next) - self;
      llvm::SetVector<StringRef> inStep, inNext;
      step.collectSymbols(inStep);
      cast<ExtentAttr>(next).collectSymbols(inNext);
      if (!inNext.contains(symbol))
        loopBounds[symbol] = withLoopBounds(start.max(cast<ExtentAttr>(next)));
      else if (trip && !inStep.contains(symbol))
        loopBounds[symbol] = withLoopBounds(start + step.max(0) * trip);
      else
        return loop.emitError() << "Loop carries a value that grows without a limit that is known; "
                                << "bound its trip count";
    }
    return success();
  }

  ExtentAttr withLoopBounds(ExtentAttr bytes) { return bytes.substitute(loopBounds); }

  LogicalResult assignLoop(LoopOp loop) {
    if (failed(boundLoopSymbols(loop)))
      return failure();
    Block &body = loop.getBody().front();
    unsigned skipped = loop.getCondition() ? 1 : 0;
    SmallVector<int64_t> pairs;
    for (BlockArgument argument : body.getArguments()) {
      auto type = dyn_cast<SymTensorType>(argument.getType());
      if (!type) {
        pairs.append({-1, -1});
        continue;
      }
      unsigned index = argument.getArgNumber();
      ExtentAttr bytes = withLoopBounds(getBytes(type));
      int64_t current = rowOf.lookup(loop.getInits()[index]);
      rows[current].bytes = rows[current].bytes.max(bytes);
      rowOf[argument] = current;
      rowOf[loop.getResult(index)] = current;
      Value next = getMemoryRoot(body.getTerminator()->getOperand(index + skipped));
      int64_t other = next == argument ? -1 : addRow(type, bytes, loop);
      if (other >= 0) {
        rowOf[next] = other;
        // Either may hold the result.
        partners.push_back({current, other, loop});
      }
      pairs.append({current, other});
    }
    loopRows[loop] = pairs;
    return assign(body);
  }

  /// The last step at which an op, or anything that must wait for it, uses its operands.
  int64_t getLastStep(Operation *user, Block *definedIn) {
    if (auto fetch = dyn_cast<FetchOp>(user)) {
      int64_t last = steps.lookup(fetch);
      for (Operation *await : fetch.getTicket().getUsers())
        last = std::max(last, steps.lookup(await));
      return last;
    }
    if (isa<StageOp>(user))
      return nextStep - 1;
    // Functors read when their call runs.
    while (user->getBlock() != definedIn && !steps.count(user))
      user = user->getParentOp();
    // A use inside a region below the definition: a loop's body runs again.
    int64_t last = steps.lookup(user);
    for (Operation *op = user; op->getBlock() != definedIn; op = op->getParentOp())
      if (isa<LoopOp>(op->getParentOp()))
        last = std::max(last, lastSteps.lookup(op->getParentOp()));
    return last;
  }

  void extendToUses() {
    function.walk([&](Operation *op) {
      for (Value result : op->getResults())
        extendToUses(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            extendToUses(argument);
    });
    for (auto &[current, other, loop] : partners) {
      int64_t last = std::max(rows[current].last, lastSteps.lookup(loop));
      rows[current].last = last;
      rows[other].first = std::min(rows[other].first, steps.lookup(loop));
      rows[other].last = std::max(rows[other].last, last);
    }
  }

  void extendToUses(Value value) {
    auto found = rowOf.find(getMemoryRoot(value));
    if (found == rowOf.end())
      return;
    Row &row = rows[found->second];
    if (Operation *op = value.getDefiningOp(); op && steps.count(op))
      row.first = std::min(row.first, steps.lookup(op));
    for (Operation *user : value.getUsers())
      row.last = std::max(row.last, getLastStep(user, value.getParentBlock()));
  }

  void write() {
    SmallVector<Attribute> table;
    for (const Row &row : rows)
      table.push_back(BufferAttr::get(function.getContext(), row.side, row.bytes, row.first,
                                      row.last, row.output));
    function->setAttr("prog.buffers", builder.getArrayAttr(table));
    function.walk([&](Operation *op) {
      if (isa<LoopOp>(op)) {
        op->setAttr("buffers", builder.getDenseI64ArrayAttr(loopRows.lookup(op)));
        return;
      }
      SmallVector<int64_t> buffers;
      bool any = false;
      for (Value result : op->getResults()) {
        bool hasRow = !isa<ViewOp>(op) && isa<SymTensorType>(result.getType());
        auto found = hasRow ? rowOf.find(getMemoryRoot(result)) : rowOf.end();
        buffers.push_back(found == rowOf.end() ? -1 : found->second);
        any |= isa<SymTensorType>(result.getType());
      }
      if (any)
        op->setAttr("buffers", builder.getDenseI64ArrayAttr(buffers));
    });
  }

  func::FuncOp function;
  Builder builder;
  int64_t nextStep = 0;
  DenseMap<Operation *, int64_t> steps, lastSteps;
  SmallVector<Row> rows;
  DenseMap<Value, int64_t> rowOf;
  DenseMap<StringRef, ExtentAttr> loopBounds;
  DenseMap<Operation *, SmallVector<int64_t>> loopRows;
  SmallVector<std::tuple<int64_t, int64_t, Operation *>> partners;
};

struct PlanBuffersPass : cameo::impl::PlanBuffersPassBase<PlanBuffersPass> {
  using PlanBuffersPassBase::PlanBuffersPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      numCopies += insertCopies(function);
      BufferPlanner planner(function);
      if (failed(planner.run()))
        return signalPassFailure();
      numRows += planner.getNumRows();
    }
  }
};

} // namespace
