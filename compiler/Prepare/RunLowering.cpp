// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/Choices.h"
#include "Dialect/Prog/IR/FinishedWaits.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Prepare/Lowering.h"
#include "Support/NodeLocation.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

RunLowering::RunLowering(func::FuncOp main, const ShapeProgram &shape, OpBuilder &builder,
                         bool stridesOutputs)
    : StatementLowering(shape, builder), main(main), body(main.getBody().front()),
      stridesOutputs(stridesOutputs) {
  computesEntry = false;
  auto table = main->getAttrOfType<ArrayAttr>("prog.buffers");
  buffers = table ? table.getValue() : ArrayRef<Attribute>();
  outputs.resize(main.getNumResults());
}

LogicalResult RunLowering::run() {
  findLastWriters();
  if (stridesOutputs)
    findSoleWriters();
  dropShapeProgram();
  builder.setInsertionPointToStart(&body);
  if (main.getNumArguments() != 0)
    host::ReadSymbolsOp::create(builder, main.getLoc(),
                                builder.getI64IntegerAttr(main.getNumArguments()));
  defineSymbols(shape.getSymbols(), main.getLoc());
  builder.setInsertionPointAfter(*body.getOps<host::PlanOp>().begin());
  addConstants();
  bindInputs();
  bindKnownOutputs();
  host::ReadyOp::create(builder, main.getLoc());
  Operation *next = &*builder.getInsertionPoint();
  host::RestOp rest;
  while (!next->hasTrait<OpTrait::IsTerminator>()) {
    Operation *op = next;
    next = op->getNextNode();
    before = op->getPrevNode();
    SmallVector<int64_t, 1> complete = lastWriters.lookup(op);
    builder.setInsertionPoint(op);
    if (isFinished(op) && !rest)
      rest = host::RestOp::create(builder, main.getLoc());
    if (failed(lower(op)))
      return failure();
    builder.setInsertionPoint(next);
    // An output that nothing follows is delivered by done().
    if (!next->hasTrait<OpTrait::IsTerminator>())
      for (int64_t number : complete)
        host::DeliverOp::create(builder, main.getLoc(), number);
  }
  Operation *last = body.getTerminator()->getPrevNode();
  if (failed(finish()))
    return failure();
  if (rest)
    leaveRest(rest, last);
  // A branch leaves its results in memory that nobody may ask for, and outputs have theirs by
  // number.
  main.walk([](host::AtOp memory) {
    if (isOpTriviallyDead(memory))
      memory.erase();
  });
  // A count may be all that is left of an operator whose results nobody sizes anything by.
  main.walk<WalkOrder::PostOrder, ReverseIterator>([](host::BindOp bind) {
    if (!bind.getEntry() && bind.use_empty())
      bind.erase();
  });
  // A loop that the device runs has more symbols than its kernels read.
  main.walk([](host::CountOp count) {
    Operation *place = count.getSource().getDefiningOp();
    if (!count.use_empty())
      return;
    count.erase();
    if (isa_and_nonnull<host::ViewOp>(place) && place->use_empty())
      place->erase();
  });
  return success();
}

LogicalResult RunLowering::lower(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<KernelOp, CallOp>([&](Operation *kernel) { return lowerKernel(kernel); })
      .Case([&](FromElementsOp elements) { return lowerFromElements(elements); })
      .Case([&](FetchOp fetch) { return lowerFetch(fetch); })
      .Case([&](AwaitOp await) { return lowerAwait(await); })
      .Case([&](UploadOp upload) { return lowerUpload(upload); })
      .Case([&](ExternalOp external) { return lowerExternal(external); })
      .Case([&](EmptyOp empty) { return lowerEmpty(empty); })
      .Case([&](ElementOp element) {
        auto await = element.getTensor().getDefiningOp<AwaitOp>();
        return await && await.getChooses() ? success() : StatementLowering::lower(element);
      })
      .Case([&](IfOp branch) {
        AwaitOp chooser = getChooser(branch);
        return chooser ? lowerChoice(branch, chooser) : StatementLowering::lower(branch);
      })
      .Case([&](LoopOp loop) {
        AwaitOp chooser = getChooser(loop);
        return chooser ? lowerRepetition(loop, chooser) : StatementLowering::lower(loop);
      })
      .Case([&](CountOp count) { return lowerCount(count); })
      .Case([&](ExtentsOp extents) { return lowerExtents(extents); })
      .Case([&](RankOp rank) { return lowerRank(rank); })
      .Default([&](Operation *other) { return StatementLowering::lower(other); });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

BufferAttr RunLowering::getBuffer(int64_t row) const { return cast<BufferAttr>(buffers[row]); }

int64_t RunLowering::getRowOf(OpResult result) {
  auto rows = result.getOwner()->getAttrOfType<DenseI64ArrayAttr>("buffers");
  return rows ? rows[result.getResultNumber()] : -1;
}

Value RunLowering::castTo(Value pointer, Type type) {
  if (pointer.getType() == type)
    return pointer;
  return host::ViewOp::create(builder, pointer.getLoc(), type, pointer, Value());
}

FailureOr<Value> RunLowering::getRow(int64_t row, OpResult result) {
  if (Value pointer = carried.lookup(row))
    return castTo(pointer, result.getType());
  Operation *op = result.getOwner();
  BufferAttr buffer = getBuffer(row);
  if (buffer.isOutput()) {
    FailureOr<Value> output = getOutput(buffer.getOutput(), op);
    if (failed(output))
      return failure();
    return castTo(*output, result.getType());
  }
  if (!symbols.areKnown(buffer.getBytes()))
    return op->emitError("its buffer's size is not known here: ") << buffer.getBytes().str(),
           failure();
  return Value(host::AtOp::create(builder, op->getLoc(), result.getType(), row,
                                  builder.getStringAttr(host::getName(result))));
}

FailureOr<Value> RunLowering::getMemory(OpResult result) {
  int64_t row = getRowOf(result);
  if (row < 0)
    return result.getOwner()->emitError("has no memory for its result"), failure();
  return getRow(row, result);
}

FailureOr<Value> RunLowering::getBranchResult(OpResult result) { return getMemory(result); }

ArrayRef<int64_t> RunLowering::getRowsWith(StringRef symbol) {
  if (!rowsWith) {
    rowsWith.emplace();
    for (auto [row, buffer] : llvm::enumerate(buffers)) {
      SetVector<StringRef> needed;
      cast<BufferAttr>(buffer).getBytes().collectSymbols(needed);
      for (StringRef name : needed)
        (*rowsWith)[name].push_back(static_cast<int64_t>(row));
    }
  }
  auto found = rowsWith->find(symbol);
  return found == rowsWith->end() ? ArrayRef<int64_t>() : ArrayRef(found->second);
}

/// Sizes and places the rows that have waited for these symbols.
void RunLowering::learn(ArrayRef<StringRef> learned) {
  llvm::SmallSetVector<int64_t, 8> waiting;
  for (StringRef symbol : learned)
    waiting.insert_range(getRowsWith(symbol));
  SmallVector<int64_t> inOrder(waiting.begin(), waiting.end());
  llvm::sort(inOrder);
  for (Side side : {Side::Device, Side::Host}) {
    SmallVector<int64_t> rows;
    SmallVector<Value> bytes;
    int64_t first = INT64_MAX;
    for (int64_t row : inOrder) {
      BufferAttr buffer = getBuffer(row);
      if (buffer.getSide() != side || buffer.isOutput() || !symbols.areKnown(buffer.getBytes()))
        continue;
      rows.push_back(row);
      bytes.push_back(evaluate(main.getLoc(), buffer.getBytes()));
      first = std::min(first, buffer.getFirst());
    }
    if (!rows.empty())
      host::ReplanOp::create(builder, main.getLoc(), side, first, rows, bytes);
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void RunLowering::startStep(Operation *op) {
  SmallVector<Attribute> shapes;
  for (Type type : op->getResultTypes())
    if (isa<SymTensorType>(type))
      shapes.push_back(TypeAttr::get(type));
  SmallVector<NodeLocation> nodes;
  collectNodes(op->getLoc(), nodes);
  bool isNew = false;
  for (const NodeLocation &node : nodes)
    isNew |= described.insert({node.opType, node.name}).second;
  // The template's name tells several steps for one node apart.
  StringAttr callee;
  if (auto call = dyn_cast<CallOp>(op); call && !isNew && !nodes.empty())
    callee = call.getCalleeAttr();
  host::StepOp::create(builder, op->getLoc(), ++steps, builder.getArrayAttr(shapes), callee);
}

llvm::SetVector<StringRef> RunLowering::collectSymbols(Operation *kernel) {
  llvm::SetVector<StringRef> named;
  auto add = [&](StringRef symbol) { named.insert(symbol); };
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Type type : op->getOperandTypes())
      llvm::for_each(uses.get(type), add);
    uses.forEach(op, add);
  });
  return named;
}

host::LaunchOp RunLowering::launch(Operation *kernel) {
  SmallVector<StringRef> named;
  SmallVector<Value> values;
  if (!symbols.empty())
    for (StringRef symbol : collectSymbols(kernel))
      if (Value value = symbols.lookup(symbol)) {
        named.push_back(symbol);
        values.push_back(value);
      }
  auto launch = host::LaunchOp::create(builder, kernel->getLoc(), values,
                                       builder.getStrArrayAttr(named), ArrayAttr());
  Block &block = launch.getBody().emplaceBlock();
  kernel->moveBefore(&block, block.end());
  return launch;
}

/// The operand that each result of a kernel copies; empty where the kernel computes something.
static SmallVector<Value> getCopied(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  SmallVector<Value> sources;
  if (!llvm::hasSingleElement(body))
    return sources;
  for (Value yielded : body.getTerminator()->getOperands()) {
    auto argument = cast<BlockArgument>(yielded);
    if (argument.getArgNumber() >= kernel.getIns().size())
      return {};
    sources.push_back(kernel.getIns()[argument.getArgNumber()]);
  }
  return sources;
}

/// The memory of a pointer, without views that start where it does.
static Value getStart(Value pointer) {
  while (auto view = pointer.getDefiningOp<host::ViewOp>()) {
    if (view.getOffset())
      break;
    pointer = view.getSource();
  }
  return pointer;
}

static bool isSameMemory(Value a, Value b) {
  a = getStart(a);
  b = getStart(b);
  auto rowOfA = a.getDefiningOp<host::AtOp>(), rowOfB = b.getDefiningOp<host::AtOp>();
  return a == b || (rowOfA && rowOfB && rowOfA.getRow() == rowOfB.getRow());
}

/// Whether an output is bound where the input that it updates may be.
static bool isUpdate(func::FuncOp main, Value output, Value input) {
  auto written = getStart(output).getDefiningOp<host::BindOutputOp>();
  auto read = getStart(input).getDefiningOp<host::BindInputOp>();
  auto updates = main->getAttrOfType<DenseI64ArrayAttr>("prog.updates");
  return written && read && updates &&
         updates[written.getNumber()] == static_cast<int64_t>(read.getInput());
}

LogicalResult RunLowering::lowerKernel(Operation *op) {
  startStep(op);
  SmallVector<OpResult> strided;
  for (OpResult result : op->getResults())
    if (auto sole = soleWriters.find(result); sole != soleWriters.end())
      if (canStride(result, sole->second))
        strided.push_back(result);
  auto tieResults = [&](auto kernel) -> LogicalResult {
    SmallVector<int64_t> ties(kernel.getTies());
    for (OpResult result : op->getResults()) {
      int64_t &tie = ties[result.getResultNumber()];
      if (tie < 0 && getRowOf(result) < 0 && result.use_empty())
        continue;
      if (tie < 0) {
        FailureOr<Value> memory = getMemory(result);
        if (failed(memory))
          return failure();
        tie = kernel.getDests().size();
        kernel.getDestsMutable().append(*memory);
      }
      result.replaceAllUsesWith(kernel.getDests()[tie]);
    }
    kernel.setTies(ties);
    return success();
  };
  auto kernel = dyn_cast<KernelOp>(op);
  if (failed(kernel ? tieResults(kernel) : tieResults(cast<CallOp>(op))))
    return failure();
  if (kernel && !getCopied(kernel).empty())
    return lowerCopy(kernel, strided);
  host::LaunchOp dense = launch(op);
  if (!strided.empty())
    addStridedLaunch(dense, strided);
  return success();
}

/// A kernel that computes nothing has nothing to do where all elements already lie where it puts
/// them, which of an input that is updated only the run knows: the plan has a result begin where an
/// operand does only where equal indices are equal addresses.
LogicalResult RunLowering::lowerCopy(KernelOp kernel, ArrayRef<OpResult> strided) {
  SmallVector<Value> outputs, inputs;
  bool moves = false;
  for (auto [number, source] : llvm::enumerate(getCopied(kernel))) {
    int64_t tie = kernel.getTies()[number];
    Value target = tie < 0 ? source : kernel.getDests()[tie];
    if (isSameMemory(source, target))
      continue;
    moves |= !isUpdate(main, target, source);
    outputs.push_back(getStart(target));
    inputs.push_back(getStart(source));
  }
  if (outputs.empty()) {
    kernel->erase();
    return success();
  }
  OpBuilder::InsertionGuard guard(builder);
  if (!moves) {
    Location location = kernel.getLoc();
    Value condition = host::ApartOp::create(builder, location, outputs, inputs);
    auto branch = addBranch(location, condition);
    builder.setInsertionPoint(branch.getThenRegion().front().getTerminator());
  }
  ExtentAttr bytes = countBytes(kernel);
  host::LaunchOp dense = launch(kernel);
  builder.setInsertionPointAfter(dense);
  if (!bytes.isUnknown())
    host::CopiedOp::create(builder, dense.getLoc(), evaluate(dense.getLoc(), bytes));
  if (!strided.empty())
    addStridedLaunch(dense, strided);
  return success();
}

/// The most bytes that a kernel writes.
ExtentAttr RunLowering::countBytes(KernelOp kernel) {
  ExtentAttr points = ExtentAttr::constant(kernel.getContext(), 1), bytes = points - points;
  for (auto extent : kernel.getExtents().getAsRange<ExtentAttr>())
    points = points * extent;
  for (Type type : kernel.getResultTypes())
    bytes = bytes + points * getElementBytes(cast<SymTensorType>(type).getElementType());
  return getMost(bytes);
}

/// A branch that does nothing yet, whatever `condition` is.
host::IfOp RunLowering::addBranch(Location location, Value condition) {
  auto branch =
      host::IfOp::create(builder, location, TypeRange(), condition, builder.getStrArrayAttr({}));
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&region->emplaceBlock());
    host::YieldOp::create(builder, location, ValueRange());
  }
  return branch;
}

//===----------------------------------------------------------------------===//
// Outputs at strides of the caller's
//===----------------------------------------------------------------------===//

/// Results of kernels of the run itself that are an output as they are, and whose memory nothing
/// else writes, reads or shows.
void RunLowering::findSoleWriters() {
  SmallVector<int64_t> users(outputs.size(), 0);
  walkOutsideKernels(main, [&](Operation *op) {
    auto rows = op->getAttrOfType<DenseI64ArrayAttr>("buffers");
    for (int64_t row : rows ? rows.asArrayRef() : ArrayRef<int64_t>())
      if (row >= 0 && getBuffer(row).isOutput())
        ++users[getBuffer(row).getOutput()];
  });
  for (OpOperand &output : body.getTerminator()->getOpOperands()) {
    int64_t number = output.getOperandNumber();
    auto result = dyn_cast<OpResult>(output.get());
    if (result && users[number] == 1 && result.hasOneUse() && getRowOf(result) >= 0 &&
        isa<KernelOp, CallOp>(result.getOwner()))
      soleWriters[result] = number;
  }
}

/// Whether a kernel stores the result element by element, at extents that the host knows when it
/// binds the output.
bool RunLowering::canStride(OpResult result, int64_t output) {
  auto type = cast<SymTensorType>(result.getType());
  auto call = dyn_cast<CallOp>(result.getOwner());
  ArrayRef<int64_t> ties = call ? call.getTies() : cast<KernelOp>(result.getOwner()).getTies();
  constexpr int64_t leastRank = 2; // a row alone has no stride but its last
  return type == getOutputType(output) && !type.getLayout() && type.getRank() >= leastRank &&
         type.getElementType().isIntOrFloat() && !type.isPacked() &&
         ties[result.getResultNumber()] < 0 && (!call || call.isStored(result.getResultNumber())) &&
         llvm::all_of(type.getExtents(), [&](ExtentAttr extent) {
           return symbols.areKnown(extent) && shape.getCapacity(extent) == extent;
         });
}

void RunLowering::addStridedLaunch(host::LaunchOp dense, ArrayRef<OpResult> results) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(dense);
  Location location = dense.getLoc();
  Value condition = host::StridedOp::create(
      builder, location,
      llvm::map_to_vector(results, [&](OpResult result) { return soleWriters.lookup(result); }));
  host::IfOp branch = addBranch(location, condition);
  builder.setInsertionPoint(branch.getThenRegion().front().getTerminator());

  auto named = llvm::to_vector(dense.getSymbols().getAsValueRange<StringAttr>());
  SmallVector<Value> values(dense.getValues());
  SmallVector<Attribute> strides(dense.getKernel()->getNumResults(), builder.getArrayAttr({}));
  for (OpResult result : results) {
    int64_t output = soleWriters.lookup(result);
    main.setResultAttr(output, "host.strided", builder.getUnitAttr());
    SmallVector<Attribute> each;
    int64_t last = getOutputType(output).getRank() - 1;
    for (int64_t dim = 0; dim < last; ++dim) {
      std::string name = host::getOutputName(main, output) + "_stride";
      if (last > 1)
        name += "_" + std::to_string(dim);
      while (llvm::is_contained(named, name) || symbols.lookup(name))
        name += "_";
      auto symbol = builder.getStringAttr(name);
      named.push_back(symbol.getValue());
      values.push_back(host::StrideOp::create(builder, location, output, dim));
      each.push_back(ExtentAttr::symbol(main.getContext(), symbol.getValue()));
    }
    each.push_back(ExtentAttr::constant(main.getContext(), 1));
    strides[result.getResultNumber()] = builder.getArrayAttr(each);
  }
  auto strided = host::LaunchOp::create(builder, location, values, builder.getStrArrayAttr(named),
                                        builder.getArrayAttr(strides));
  strided.getBody().emplaceBlock().push_back(dense.getKernel()->clone());
  dense->moveBefore(branch.getElseRegion().front().getTerminator());
}

LogicalResult RunLowering::lowerFromElements(FromElementsOp op) {
  if (!op.use_empty()) {
    startStep(op);
    OpResult result = cast<OpResult>(op.getOutput());
    Value tensor;
    if (getRowOf(result) < 0) {
      tensor = host::FromElementsOp::create(builder, op.getLoc(), result.getType(),
                                            host::getName(result), op.getElements());
    } else {
      FailureOr<Value> memory = getMemory(result);
      if (failed(memory))
        return failure();
      tensor = *memory;
      if (!op.getElements().empty())
        host::WriteElementsOp::create(builder, op.getLoc(), tensor, op.getElements());
    }
    result.replaceAllUsesWith(tensor);
  }
  op.erase();
  return success();
}

LogicalResult RunLowering::lowerFetch(FetchOp op) {
  startStep(op);
  StringRef name = host::getName(op.getSource());
  Value ticket;
  if (cast<AwaitOp>(*op.getTicket().user_begin()).getChooses()) {
    ticket =
        host::AskOp::create(builder, op.getLoc(), op.getTicket().getType(), op.getSource(), name);
  } else {
    Value bytes = evaluate(op.getLoc(), getStorageBytes(op.getSource().getType()));
    ticket = host::FetchOp::create(builder, op.getLoc(), op.getTicket().getType(), op.getSource(),
                                   bytes, name);
  }
  op.replaceAllUsesWith(ticket);
  op.erase();
  return success();
}

LogicalResult RunLowering::lowerChoice(IfOp op, AwaitOp chooser) {
  startStep(op);
  auto element = op.getCondition().getDefiningOp<ElementOp>();
  auto choice = host::ChooseOp::create(builder, op.getLoc(), chooser.getTicket(),
                                       *element.getOffset().getConstant());
  if (failed(lowerBranch(op.getThenRegion(), choice.getThenRegion(), {})) ||
      failed(lowerBranch(op.getElseRegion(), choice.getElseRegion(), {})))
    return failure();
  builder.setInsertionPoint(op);
  if (failed(takeBranchResults(llvm::to_vector(op->getResults()))) || failed(countDecided(op)))
    return failure();
  op.erase();
  element.erase();
  if (chooser->use_empty())
    chooser.erase();
  return success();
}

LogicalResult RunLowering::lowerAwait(AwaitOp op) {
  if (op.getChooses()) // goes with its branch
    return success();
  startStep(op);
  OpResult result = cast<OpResult>(op.getOutput());
  Value target;
  if (getRowOf(result) < 0) {
    target = host::LocalOp::create(builder, op.getLoc(), result.getType(), host::getName(result));
  } else {
    FailureOr<Value> memory = getMemory(result);
    if (failed(memory))
      return failure();
    target = *memory;
  }
  host::AwaitOp::create(builder, op.getLoc(), op.getTicket(), target);
  op.replaceAllUsesWith(target);
  op.erase();
  return success();
}

/// Memory has its place in the run: an arena may be another one when it is over.
void RunLowering::leaveRest(host::RestOp rest, Operation *last) {
  Block &block = rest.getBody().emplaceBlock();
  auto builder = OpBuilder::atBlockEnd(&block);
  Operation *yield = host::YieldOp::create(builder, rest.getLoc());
  Operation *next = rest->getNextNode();
  for (Operation *end = last->getNextNode(); next != end;) {
    Operation *op = next;
    next = op->getNextNode();
    if (!isa<host::AtOp, WeightOp, NullOp>(op))
      op->moveBefore(yield);
  }
  rest->moveBefore(rest->getBlock()->getTerminator()->getPrevNode());
}

LogicalResult RunLowering::lowerUpload(UploadOp op) {
  OpResult result = cast<OpResult>(op.getOutput());
  if (!op.use_empty()) {
    startStep(op);
    FailureOr<Value> memory = getMemory(result);
    if (failed(memory))
      return failure();
    Value bytes = evaluate(op.getLoc(), getStorageBytes(op.getSource().getType()));
    host::UploadOp::create(builder, op.getLoc(), op.getSource(), *memory, bytes);
    op.replaceAllUsesWith(*memory);
  }
  op.erase();
  return success();
}

LogicalResult RunLowering::lowerExternal(ExternalOp op) {
  startStep(op);
  SmallVector<Value> written, dims;
  for (OpResult result : op->getResults()) {
    if (getRowOf(result) < 0) {
      written.push_back(NullOp::create(builder, op.getLoc(), result.getType()));
      continue;
    }
    FailureOr<Value> memory = getMemory(result);
    if (failed(memory))
      return failure();
    written.push_back(*memory);
    result.replaceAllUsesWith(*memory);
  }
  Side side = cast<SymTensorType>(op.getOutputs().front().getType()).getSide();
  Value counts = op.getCounts() ? written.pop_back_val() : Value();
  auto addDims = [&](Type type) {
    for (ExtentAttr extent : cast<SymTensorType>(type).getExtents())
      dims.push_back(evaluate(op.getLoc(), extent));
  };
  for (Value in : op.getIns())
    if (!in.getDefiningOp<NullOp>())
      addDims(in.getType());
  for (Value out : op.getOutputs().take_front(written.size()))
    addDims(out.getType());
  host::ExternalOp::create(builder, op.getLoc(), op.getFunction(), side, op.getIns(), written,
                           counts, dims, op.getNumOutputs(), op.getNames(), op.getValues());
  op.erase();
  return success();
}

LogicalResult RunLowering::lowerEmpty(EmptyOp op) {
  if (!op.use_empty()) {
    FailureOr<Value> memory = getMemory(cast<OpResult>(op.getOutput()));
    if (failed(memory))
      return failure();
    op.replaceAllUsesWith(*memory);
  }
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Extents that stay on the device
//===----------------------------------------------------------------------===//

ExtentAttr RunLowering::getMost(ExtentAttr extent) {
  return shape.getBound(extent, [&](StringRef symbol) { return symbols.isKnown(symbol); });
}

/// A counted extent beside which `symbol` is what is left, so that the most that both can be
/// together is the most that it can be; null where there is none.
Value RunLowering::getBeside(SymbolAttr symbol) {
  llvm::SetVector<StringRef> named;
  if (symbol.getBound())
    symbol.getBound().collectSymbols(named);
  ExtentAttr own = symbol.getExtent();
  for (StringRef name : named) {
    Value value = symbols.lookup(name);
    if (value && isa<host::CountedType>(value.getType()) &&
        getMost(own * ExtentAttr::symbol(own.getContext(), name)) == getMost(own))
      return value;
  }
  return {};
}

LogicalResult RunLowering::lowerCount(CountOp op) {
  SymbolAttr symbol = op.getSymbol();
  ExtentAttr most = getMost(symbol.getExtent());
  if (!symbols.areKnown(most))
    return op.emitError("counts '") << symbol.getName() << "', which nothing bounds here";
  symbols.define(symbol.getName(),
                 host::CountOp::create(builder, op.getLoc(), op.getCount(),
                                       evaluate(op.getLoc(), most), getBeside(symbol),
                                       builder.getStringAttr(symbol.getName())));
  op.erase();
  return success();
}

LogicalResult RunLowering::lowerExtents(ExtentsOp op) {
  host::ExtentsOp::create(builder, op.getLoc(), op.getExtents(), op.getOutputs(), op.getAxes());
  op.erase();
  return success();
}

LogicalResult RunLowering::lowerRank(RankOp op) {
  ranks[op.getOutput()] = evaluate(op.getLoc(), op.getRank());
  op.erase();
  return success();
}
