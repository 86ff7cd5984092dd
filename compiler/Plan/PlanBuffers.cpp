// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns rows of the buffer table, computes their intervals, and places those whose sizes are
// constants. InsertCopies has made sure that every value that must be in a certain row has a
// producer that can write there.

#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Prog/IR/KernelTemplates.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Plan/Aliases.h"
#include "Plan/FreshDestinations.h"
#include "Plan/InsertCopies.h"
#include "Plan/Overwrite.h"
#include "Plan/PackBuffers.h"
#include "Plan/Passes.h"
#include "Plan/Steps.h"

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

/// From the first definition of a value in a row to the last use of one.
struct Lifetime {
  int64_t first = INT64_MAX, last = -1;

  void extend(const Lifetime &other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

/// Values that lie in one row, as sets that are joined; each is known by one of its members.
class Storages {
public:
  Value find(Value value) const {
    value = roots.find(value);
    for (auto found = parents.find(value); found != parents.end(); found = parents.find(value))
      value = found->second;
    return value;
  }
  void join(Value into, Value value) {
    Value storage = find(into), other = find(value);
    if (storage == other)
      return;
    parents[other] = storage;
    auto moved = lifetimes.find(other);
    if (moved != lifetimes.end())
      lifetimes[storage].extend(Lifetime(moved->second));
  }
  Lifetime &lifetimeOf(Value storage) { return lifetimes[storage]; }

private:
  mutable MemoryRoots roots;
  DenseMap<Value, Value> parents;
  DenseMap<Value, Lifetime> lifetimes;
};

struct Row {
  Side side;
  ExtentAttr bytes;
  int64_t output;
  Value storage;
  int64_t offset = -1;
};

class BufferPlanner {
public:
  BufferPlanner(func::FuncOp function, const SymbolAnalysis &symbols)
      : function(function), symbols(symbols), steps(function), builder(function.getContext()) {}

  LogicalResult run() {
    joinAcrossRegions();
    computeLifetimes();
    assignOutputs();
    reuseInputs();
    if (failed(assign(function.getBody().front())) || failed(assignOffsets()))
      return failure();
    findUpdatedInputs();
    write();
    return success();
  }

  size_t getNumRows() const { return rows.size(); }
  size_t getNumReused() const { return numReused; }

private:
  void joinAcrossRegions();
  void computeLifetimes();
  void assignOutputs();
  void reuseInputs();
  bool reuseInput(OpResult result, Value input, SmallVectorImpl<Value> &taken);
  void findUpdatedInputs();
  bool mayUpdate(OpResult result, Value input);
  ExtentAttr getCapacity(LoopOp loop, BlockArgument argument) const;
  bool mayBeginAt(Operation *writer, OpResult result);
  ExtentAttr getCapacity(Value storage, Value value) const;
  ExtentAttr getLarger(ExtentAttr x, ExtentAttr y) const;
  LogicalResult assign(Block &block);
  LogicalResult assign(IfOp branch);
  LogicalResult assign(LoopOp loop);
  LogicalResult refuseGrowth(LoopOp loop, SymTensorType type) const;
  LogicalResult assignOffsets();
  LogicalResult placeSide(Side side);
  void write();
  DenseI64ArrayAttr getRows(Operation *op);

  int64_t addRow(SymTensorType type, ExtentAttr bytes, Value storage, int64_t output = -1) {
    if (ExtentAttr capacity = capacities.lookup(storage))
      bytes = getLarger(bytes, capacity);
    rows.push_back({type.getSide(), bytes, output, storage});
    return rowOf[storage] = static_cast<int64_t>(rows.size()) - 1;
  }
  int64_t getRow(Value value) const {
    auto found = rowOf.find(storages.find(value));
    return found == rowOf.end() ? -1 : found->second;
  }

  func::FuncOp function;
  const SymbolAnalysis &symbols;
  Steps steps;
  Builder builder;
  Storages storages;
  SmallVector<Row> rows;
  /// By output: the number of the input that it updates, or -1.
  SmallVector<int64_t> updates;
  /// By storage.
  DenseMap<Value, int64_t> rowOf;
  /// The op that first writes a storage.
  DenseMap<Value, Operation *> firstWriters;
  /// The bytes that a storage must have whose values were several.
  DenseMap<Value, ExtentAttr> capacities;
  size_t numReused = 0;
};

//===----------------------------------------------------------------------===//
// Storages
//===----------------------------------------------------------------------===//

/// Both branches yield into their If's storage; a carried value starts in the loop's.
void BufferPlanner::joinAcrossRegions() {
  auto isTensor = [](Value value) { return isa<SymTensorType>(value.getType()); };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto branch = dyn_cast<IfOp>(op))
      for (OpResult result : llvm::make_filter_range(branch->getResults(), isTensor))
        for (Region &region : branch->getRegions())
          storages.join(result,
                        region.front().getTerminator()->getOperand(result.getResultNumber()));
    auto loop = dyn_cast<LoopOp>(op);
    if (!loop)
      return;
    for (BlockArgument argument :
         llvm::make_filter_range(loop.getBody().getArguments(), isTensor)) {
      unsigned number = argument.getArgNumber();
      storages.join(loop.getInits()[number], argument);
      storages.join(argument, loop->getResult(number));
      if (isUpdatedInPlace(loop, number))
        storages.join(argument, getNextValue(loop, number).get());
    }
  });
}

void BufferPlanner::computeLifetimes() {
  auto extend = [&](Value value) {
    if (!isa<SymTensorType>(value.getType()))
      return;
    Lifetime &lifetime = storages.lifetimeOf(storages.find(value));
    if (Operation *op = value.getDefiningOp())
      lifetime.extend({steps.get(op), steps.get(op)});
    for (Operation *user : value.getUsers())
      lifetime.last = std::max(lifetime.last, steps.getLastUse(user, value.getParentBlock()));
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // Anything that names the symbol may read it until the end.
    int64_t end = steps.get(function.getBody().front().getTerminator());
    if (auto count = dyn_cast<CountOp>(op))
      storages.lifetimeOf(storages.find(count.getCount())).last = end;
    if (isRepeated(op) || !getCountedSymbols(op).empty())
      storages.lifetimeOf(storages.find(op->getResult(0))).last = end;
    for (Value result : op->getResults()) {
      extend(result);
      if (isa<SymTensorType>(result.getType()))
        firstWriters.try_emplace(storages.find(result), op);
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), extend);
  });
  // A carried value that alternates between two places may be in either at the end.
  walkOutsideKernels(function, [&](LoopOp loop) {
    for (BlockArgument argument : loop.getBody().getArguments()) {
      if (!isa<SymTensorType>(argument.getType()))
        continue;
      Lifetime both{steps.get(loop), steps.getEnd(loop)};
      Value current = storages.find(argument);
      Value next = storages.find(getNextValue(loop, argument.getArgNumber()).get());
      both.last = std::max(both.last, storages.lifetimeOf(current).last);
      storages.lifetimeOf(current).extend(both);
      storages.lifetimeOf(next).extend(both);
    }
  });
}

/// Results that are returned lie in the caller's memory from the start.
void BufferPlanner::assignOutputs() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    auto type = cast<SymTensorType>(operand.get().getType());
    addRow(type, getStorageBytes(type), storages.find(operand.get()), operand.getOperandNumber());
  }
}

//===----------------------------------------------------------------------===//
// Reuse of inputs
//===----------------------------------------------------------------------===//

/// A result takes the place of an operand that nobody needs any more.
void BufferPlanner::reuseInputs() {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<KernelOp, CallOp>(op))
      return WalkResult::advance();
    SmallVector<Value> taken;
    for (OpResult result : op->getResults())
      if (!result.use_empty() && !getTiedDestination(result))
        for (Value input : getTensorOperands(op))
          if (reuseInput(result, input, taken))
            break;
    return WalkResult::skip();
  });
}

bool BufferPlanner::reuseInput(OpResult result, Value input, SmallVectorImpl<Value> &taken) {
  Value target = storages.find(result), source = storages.find(input);
  auto type = cast<SymTensorType>(result.getType());
  if (target == source || !source.getDefiningOp() || !isPlanned(source) || getRow(source) >= 0 ||
      llvm::is_contained(taken, source) ||
      cast<SymTensorType>(input.getType()).getSide() != type.getSide())
    return false;
  int64_t step = steps.get(result.getOwner());
  if (storages.lifetimeOf(source).last != step || storages.lifetimeOf(target).first != step)
    return false;
  auto isSource = [&](Value operand) {
    return isa<SymTensorType>(operand.getType()) && storages.find(operand) == source;
  };
  if (!isWhole(input, getMemoryRoot(input)) || !mayOverwrite(result, isSource))
    return false;
  Operation *firstWriter = firstWriters.lookup(source);
  if (!mayBeginAt(firstWriter, result))
    return false;
  ExtentAttr targetBytes = getCapacity(target, result), sourceBytes = getCapacity(source, input);
  ExtentAttr both = getLarger(targetBytes, sourceBytes);
  // A value of a branch or a loop is as large as its type says.
  Block *block = result.getParentBlock();
  bool isLocal = target.getParentBlock() == block && firstWriter->getBlock() == block;
  bool isOutput = getRow(result) >= 0;
  if (targetBytes != sourceBytes &&
      (!isLocal || !symbols.areKnownBefore(both, firstWriter) || (isOutput && both != targetBytes)))
    return false;
  if (isLocal)
    capacities[target] = both;
  storages.join(target, source);
  firstWriters[target] = firstWriter;
  taken.push_back(target);
  ++numReused;
  return true;
}

/// One of the two where symbols, which are no negative numbers, say so.
ExtentAttr BufferPlanner::getLarger(ExtentAttr x, ExtentAttr y) const {
  if (provablyLessEqual(x, y, symbols.getFacts()))
    return y;
  return provablyLessEqual(y, x, symbols.getFacts()) ? x : x.max(y);
}

/// The bytes that a storage must have, of which `value` is the whole.
ExtentAttr BufferPlanner::getCapacity(Value storage, Value value) const {
  if (ExtentAttr capacity = capacities.lookup(storage))
    return capacity;
  return symbols.getLoopBound(getStorageBytes(cast<SymTensorType>(value.getType())));
}

/// The bytes that a loop's carried value may need in any iteration.
ExtentAttr BufferPlanner::getCapacity(LoopOp loop, BlockArgument argument) const {
  ExtentAttr bytes = getStorageBytes(cast<SymTensorType>(argument.getType()));
  return symbols.getBound(symbols.getLoopBound(bytes), loop);
}

/// Whether the memory of `result` can be had before `writer` runs: the output's, whose dims must be
/// known, or that of a carried value, which must have room for every later one.
bool BufferPlanner::mayBeginAt(Operation *writer, OpResult result) {
  if (int64_t row = getRow(result); row >= 0) {
    Operation *terminator = function.getBody().front().getTerminator();
    auto output = cast<SymTensorType>(terminator->getOperand(rows[row].output).getType());
    return llvm::all_of(output.getExtents(), [&](ExtentAttr extent) {
      return symbols.areKnownBefore(symbols.getHostBound(extent), writer);
    });
  }
  return llvm::all_of(result.getUses(), [&](OpOperand &use) {
    auto loop = dyn_cast<LoopOp>(use.getOwner());
    if (!loop)
      return true;
    unsigned number = use.getOperandNumber() - loop.getInits().getBeginOperandIndex();
    return symbols.areKnownBefore(getCapacity(loop, loop.getBody().getArgument(number)), writer);
  });
}

/// An output may lie where an input does whose elements are last read by what first writes there,
/// each to make the one that replaces it.
void BufferPlanner::findUpdatedInputs() {
  updates.assign(function.getNumResults(), -1);
  for (const Row &row : rows) {
    Operation *writer = row.output < 0 ? nullptr : firstWriters.lookup(storages.find(row.storage));
    if (!isa_and_nonnull<KernelOp, CallOp>(writer))
      continue;
    for (OpResult result : writer->getResults())
      if (storages.find(result) == storages.find(row.storage))
        for (Value input : getTensorOperands(writer))
          if (updates[row.output] < 0 && mayUpdate(result, input))
            updates[row.output] = cast<BlockArgument>(storages.find(input)).getArgNumber();
  }
}

bool BufferPlanner::mayUpdate(OpResult result, Value input) {
  Value source = storages.find(input);
  auto argument = dyn_cast<BlockArgument>(source);
  if (!argument || argument.getOwner() != &function.getBody().front() ||
      llvm::is_contained(updates, argument.getArgNumber()))
    return false;
  auto type = cast<SymTensorType>(argument.getType());
  auto written = cast<SymTensorType>(result.getType());
  const Row &row = rows[getRow(result)];
  auto isSource = [&](Value operand) {
    return isa<SymTensorType>(operand.getType()) && storages.find(operand) == source;
  };
  // The run compares the bytes where nothing else does.
  ExtentAttr bytes = getStorageBytes(type);
  bool mayBeEqual = !provablyLess(bytes, row.bytes, symbols.getFacts()) &&
                    !provablyLess(row.bytes, bytes, symbols.getFacts());
  return type.getSide() == row.side && isWhole(input, source) && mayBeEqual &&
         getStorageBytes(written) == row.bytes &&
         storages.lifetimeOf(source).last == steps.get(result.getOwner()) &&
         mayOverwrite(result, isSource, /*ofEqualBytes=*/true);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

LogicalResult BufferPlanner::assign(Block &block) {
  for (Operation &op : block) {
    if (auto branch = dyn_cast<IfOp>(op)) {
      if (failed(assign(branch)))
        return failure();
    } else if (auto loop = dyn_cast<LoopOp>(op)) {
      if (failed(assign(loop)))
        return failure();
    } else {
      for (OpResult result : op.getResults())
        if (auto type = dyn_cast<SymTensorType>(result.getType()))
          if ((!result.use_empty() || needsMemory(result)) && isPlanned(result) &&
              isMemoryRoot(result) && getRow(result) < 0)
            addRow(type, symbols.getLoopBound(getStorageBytes(type)), storages.find(result));
    }
  }
  return success();
}

LogicalResult BufferPlanner::assign(IfOp branch) {
  DenseMap<StringRef, ExtentAttr> thenValues, elseValues;
  for (auto [symbol, thenValue, elseValue] :
       llvm::zip_equal(branch.getSymbols().getAsRange<SymbolAttr>(), branch.getThenExtents(),
                       branch.getElseExtents())) {
    thenValues[symbol.getName()] = cast<ExtentAttr>(thenValue);
    elseValues[symbol.getName()] = cast<ExtentAttr>(elseValue);
  }
  for (OpResult result : branch->getResults()) {
    auto type = dyn_cast<SymTensorType>(result.getType());
    if (!type || getRow(result) >= 0)
      continue;
    ExtentAttr bytes = getStorageBytes(type);
    ExtentAttr either = bytes.substitute(thenValues).max(bytes.substitute(elseValues));
    either = symbols.getBound(symbols.getLoopBound(either), branch);
    if (!symbols.areKnownBefore(either, branch))
      return branch.emitError() << "If has a result whose size is first known inside a branch, "
                                << "without a limit";
    addRow(type, either, storages.find(result));
  }
  if (failed(assign(branch.getThenRegion().front())))
    return failure();
  return assign(branch.getElseRegion().front());
}

/// A carried value of which nobody can say how large it becomes: says what would have to be
/// bounded.
LogicalResult BufferPlanner::refuseGrowth(LoopOp loop, SymTensorType type) const {
  InFlightDiagnostic error = loop.emitError() << "Loop carries a value that grows ";
  if (!loop.getTripAttr())
    return error << "without a limit that is known; bound its trip count";
  auto isLimited = [&](StringRef name) {
    ExtentAttr extent = ExtentAttr::symbol(loop.getContext(), name);
    return symbols.areKnownBefore(symbols.getBound(symbols.getLoopBound(extent), loop), loop);
  };
  llvm::SetVector<StringRef> carried, added;
  for (ExtentAttr extent : type.getExtents())
    extent.collectSymbols(carried);
  for (auto [symbol, next] :
       llvm::zip_equal(loop.getSymbols().getAsRange<SymbolAttr>(), loop.getNextExtents()))
    if (carried.contains(symbol.getName()))
      cast<ExtentAttr>(next).collectSymbols(added);
  for (StringRef name : added)
    if (!carried.contains(name) && !isLimited(name))
      return error
             << "in each iteration by an extent that only the iteration knows ('" << name
             << "'), so that nothing limits its memory; Min of that integer with a constant, or "
             << "an upper limit by --assert, would";
  return error
         << "by more than the same step in each iteration, so that nothing limits its memory; "
         << "a Slice to a constant number of elements would";
}

LogicalResult BufferPlanner::assign(LoopOp loop) {
  for (BlockArgument argument : loop.getBody().getArguments()) {
    auto type = dyn_cast<SymTensorType>(argument.getType());
    if (!type)
      continue;
    ExtentAttr bytes = getCapacity(loop, argument);
    if (!symbols.areKnownBefore(bytes, loop))
      return refuseGrowth(loop, type);
    Row &current = rows[getRow(argument)];
    current.bytes = current.bytes.max(bytes);
    Value next = getNextValue(loop, argument.getArgNumber()).get();
    if (getRow(next) < 0)
      addRow(type, bytes, storages.find(next));
  }
  return assign(loop.getBody().front());
}

//===----------------------------------------------------------------------===//
// Offsets
//===----------------------------------------------------------------------===//

LogicalResult BufferPlanner::assignOffsets() {
  for (const Row &row : rows)
    if (row.bytes.isUnknown())
      return emitError(row.storage.getLoc())
             << "makes a tensor whose size in bytes 64 bits cannot hold, or an expression "
             << "of more than " << kMaxExtentSize << " parts";
  return success(succeeded(placeSide(Side::Host)) && succeeded(placeSide(Side::Device)));
}

/// Places the rows of an arena when all of their sizes are constants.
LogicalResult BufferPlanner::placeSide(Side side) {
  SmallVector<Row *> placed;
  SmallVector<PackedBuffer> buffers;
  for (Row &row : rows) {
    if (row.side != side || row.output >= 0)
      continue;
    std::optional<int64_t> bytes = row.bytes.getConstant();
    if (!bytes)
      return success();
    Lifetime lifetime = storages.lifetimeOf(row.storage);
    placed.push_back(&row);
    buffers.push_back({*bytes, lifetime.first, lifetime.last});
  }
  if (!packTightly(buffers))
    return function.emitError() << "needs more memory than a number of bytes can say";
  for (auto [row, buffer] : llvm::zip_equal(placed, buffers))
    row->offset = buffer.offset;
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

DenseI64ArrayAttr BufferPlanner::getRows(Operation *op) {
  auto loop = dyn_cast<LoopOp>(op);
  SmallVector<int64_t> numbers;
  bool any = loop != nullptr;
  for (OpResult result : op->getResults()) {
    bool isTensor = isa<SymTensorType>(result.getType());
    any |= isTensor;
    numbers.push_back(isTensor && !isa<ViewOp>(op) ? getRow(result) : -1);
    if (!loop)
      continue;
    int64_t next = isTensor ? getRow(getNextValue(loop, result.getResultNumber()).get()) : -1;
    numbers.push_back(next == numbers.back() ? -1 : next);
  }
  return any ? builder.getDenseI64ArrayAttr(numbers) : DenseI64ArrayAttr();
}

void BufferPlanner::write() {
  SmallVector<Attribute> table;
  for (const Row &row : rows) {
    Lifetime lifetime = storages.lifetimeOf(row.storage);
    table.push_back(BufferAttr::get(function.getContext(), row.side, row.bytes, lifetime.first,
                                    lifetime.last, row.output, row.offset));
  }
  function->setAttr("prog.buffers", builder.getArrayAttr(table));
  if (llvm::any_of(updates, [](int64_t input) { return input >= 0; }))
    function->setAttr("prog.updates", builder.getDenseI64ArrayAttr(updates));
  walkOutsideKernels(function, [&](Operation *op) {
    if (DenseI64ArrayAttr numbers = getRows(op))
      op->setAttr("buffers", numbers);
  });
}

struct PlanBuffersPass : cameo::impl::PlanBuffersPassBase<PlanBuffersPass> {
  using PlanBuffersPassBase::PlanBuffersPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      dropFreshDestinations(function);
      SymbolAnalysis symbols(function);
      numCopies += insertCopies(function, symbols);
      BufferPlanner planner(function, symbols);
      if (failed(planner.run()))
        return signalPassFailure();
      numRows += planner.getNumRows();
      numReused += planner.getNumReused();
    }
  }
};

} // namespace
