// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration and verifiers of the host dialect.

#include "Dialect/Host/IR/HostDialect.h"

#include "Support/NodeLocation.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::host;

#include "Dialect/Host/IR/HostDialect.cpp.inc"
#include "Dialect/Host/IR/HostEnums.cpp.inc"
#include "Dialect/Host/IR/HostInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Host/IR/HostAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "Dialect/Host/IR/HostTypes.cpp.inc"

#define GET_OP_CLASSES
#include "Dialect/Host/IR/HostOps.cpp.inc"

void HostDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/Host/IR/HostAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Dialect/Host/IR/HostTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Dialect/Host/IR/HostOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef host::getName(Value value) {
  auto result = dyn_cast<OpResult>(value);
  Operation *owner = result ? result.getOwner() : value.getParentBlock()->getParentOp();
  if (auto named = dyn_cast<NamedOpInterface>(owner))
    return named.getNameOf(value);
  // Before Prepare, a loop's argument is called what its result is.
  if (!result && isa<prog::LoopOp>(owner))
    return getName(owner->getResult(cast<BlockArgument>(value).getArgNumber()));
  if (!result)
    return "";
  if (auto weight = dyn_cast<prog::WeightOp>(owner); weight && weight.getName())
    return *weight.getName();
  return getValueName(value.getLoc(), result.getResultNumber(), owner->getNumResults());
}

static std::string getPortName(Attribute name, StringRef kind, unsigned number) {
  auto text = dyn_cast_or_null<StringAttr>(name);
  return text ? text.str() : (kind + "_" + Twine(number)).str();
}

std::string host::getInputName(func::FuncOp main, unsigned number) {
  return getPortName(main.getArgAttr(number, "onnx.name"), "input", number);
}

std::string host::getOutputName(func::FuncOp main, unsigned number) {
  return getPortName(main.getResultAttr(number, "onnx.name"), "output", number);
}

Value AwaitOp::getAwaited() { return getTicket().getDefiningOp<FetchOp>().getSource(); }

bool AwaitOp::isLeftToDevice() { return (*this)->getParentOfType<RestOp>() != nullptr; }

Value ChooseOp::getAwaited() { return getTicket().getDefiningOp<AskOp>().getSource(); }

bool ChooseOp::isLeftToDevice() { return true; }

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

LogicalResult EvaluateOp::verify() {
  llvm::SetVector<StringRef> named;
  getExtent().collectSymbols(named);
  if (static_cast<size_t>(named.size()) != getSymbols().size())
    return emitOpError("needs a value for each of ") << named.size() << " symbols";
  return success();
}

Value EvaluateOp::getValueOf(StringRef symbol) {
  llvm::SetVector<StringRef> named;
  getExtent().collectSymbols(named);
  return getSymbols()[llvm::find(named, symbol) - named.begin()];
}

LogicalResult SizeRowsOp::verify() {
  if (getRows().size() != getSizes().size())
    return emitOpError("needs a size per row");
  auto count = static_cast<int64_t>(getBytes().size());
  if (llvm::any_of(getSizes(), [&](int64_t size) { return size < -1 || size >= count; }))
    return emitOpError("names a size that it does not have");
  return success();
}

LogicalResult ReplanOp::verify() {
  if (static_cast<size_t>(getRows().size()) != getBytes().size())
    return emitOpError("needs a size per row");
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

Value LaunchOp::getValueOf(StringRef symbol) {
  const auto *name = llvm::find(getSymbols(), StringAttr::get(getContext(), symbol));
  return name == getSymbols().end() ? Value() : getValues()[name - getSymbols().begin()];
}

Value LaunchOp::getDestination(OpResult result) {
  int64_t tie = getTies(getKernel())[result.getResultNumber()];
  return tie < 0 ? Value() : getDestinations(getKernel())[tie].get();
}

/// The strides of one result among those of all, if there are any.
static SmallVector<core::ExtentAttr> getStridesOf(OpResult result, ArrayAttr all) {
  if (!all)
    return {};
  auto strides = cast<ArrayAttr>(all[result.getResultNumber()]);
  return llvm::map_to_vector(strides, llvm::CastTo<core::ExtentAttr>);
}

SmallVector<core::ExtentAttr> LaunchOp::getStridesOf(OpResult result) {
  return ::getStridesOf(result, getStridesAttr());
}

LogicalResult LaunchOp::verify() {
  if (getSymbols().size() != getValues().size())
    return emitOpError("needs a value per symbol");
  if (!llvm::hasSingleElement(getBody().front()) || !isa<prog::KernelOp, prog::CallOp>(getKernel()))
    return emitOpError("starts one prog.kernel or prog.call");
  if (!getStrides())
    return success();
  if (getStrides()->size() != getKernel()->getNumResults())
    return emitOpError("needs strides, or none, per result");
  for (OpResult result : getKernel()->getResults()) {
    auto strides = dyn_cast<ArrayAttr>((*getStrides())[result.getResultNumber()]);
    int64_t rank = cast<core::SymTensorType>(result.getType()).getRank();
    if (!strides || !llvm::all_of(strides, llvm::IsaPred<core::ExtentAttr>) ||
        (!strides.empty() && static_cast<int64_t>(strides.size()) != rank))
      return emitOpError("needs a stride per dim of result ") << result.getResultNumber();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// KernelOp and its launches
//===----------------------------------------------------------------------===//

StringRef KernelOp::getNameOf(Value value) {
  return cast<StringAttr>(getNames()[cast<BlockArgument>(value).getArgNumber()]).getValue();
}

core::Side KernelOp::getSide() {
  return cast<core::SymTensorType>(getKernel()->getResult(0).getType()).getSide();
}

bool host::isNarrowed(Operation *op) {
  auto cast = dyn_cast<prog::SCastOp>(op);
  return isa<prog::SQuantizeOp>(op) || (cast && prog::isNarrowing(cast));
}

ArrayRef<int64_t> host::getTies(Operation *kernel) {
  auto loop = dyn_cast<prog::KernelOp>(kernel);
  return loop ? loop.getTies() : cast<prog::CallOp>(kernel).getTies();
}

MutableOperandRange host::getDestinations(Operation *kernel) {
  auto loop = dyn_cast<prog::KernelOp>(kernel);
  return loop ? loop.getDestsMutable() : cast<prog::CallOp>(kernel).getDestsMutable();
}

BlockArgument KernelOp::getArgumentOf(Value value) {
  if (value.getDefiningOp() != getKernel())
    return dyn_cast<BlockArgument>(value);
  int64_t tie = getTies(getKernel())[cast<OpResult>(value).getResultNumber()];
  if (tie < 0)
    return {};
  return cast<BlockArgument>(getDestinations(getKernel())[tie].get());
}

SmallVector<Value> KernelOp::getInputs() {
  if (auto loop = dyn_cast<prog::KernelOp>(getKernel()))
    return SmallVector<Value>(loop.getIns());
  auto call = cast<prog::CallOp>(getKernel());
  SmallVector<Value> inputs(call.getIns());
  for (Operation &functor : call.getFunctors().front())
    llvm::append_range(inputs, functor.getOperands());
  llvm::append_range(inputs, call.getScalars());
  if (Value mask = call.getMask())
    inputs.push_back(mask);
  return inputs;
}

bool KernelOp::isAbsent(OpResult result) { return !getArgumentOf(result); }

SmallVector<core::ExtentAttr> KernelOp::getStridesOf(OpResult result) {
  return ::getStridesOf(result, getStridesAttr());
}

Memory KernelOp::getMemoryOf(Value value) {
  BlockArgument argument = getArgumentOf(value);
  return argument ? cast<MemoryAttr>(getMemories()[argument.getArgNumber()]).getValue()
                  : Memory::Any;
}

core::ExtentAttr KernelOp::getSpanOf(Value value) {
  return cast<core::ExtentAttr>(getSpans()[getArgumentOf(value).getArgNumber()]);
}

LogicalResult KernelOp::verify() {
  size_t count = getBody().getNumArguments();
  if (getNames().size() != count || getSpans().size() != count || getMemories().size() != count)
    return emitOpError("needs a name, a span and a memory per argument");
  Block &block = getBody().front();
  if (block.empty() || !isa<prog::KernelOp, prog::CallOp>(block.back()) ||
      !llvm::all_of(llvm::drop_end(block), llvm::IsaPred<prog::NullOp>))
    return emitOpError("starts one prog.kernel or prog.call");
  if (block.back().getNumResults() == 0)
    return emitOpError("computes nothing");
  return success();
}

LogicalResult LaunchKernelOp::verifySymbolUses(SymbolTableCollection &table) {
  auto kernel = table.lookupNearestSymbolFrom<KernelOp>(getOperation(), getKernelAttr());
  if (!kernel)
    return emitOpError("starts ") << getKernelAttr() << ", which is no host.kernel";
  if (getArgs().size() != kernel.getBody().getNumArguments() ||
      getValues().size() != kernel.getSymbols().size() ||
      getNumbers().size() != kernel.getNumbers().size())
    return emitOpError("does not give what ") << getKernelAttr() << " takes";
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

StringRef IfOp::getNameOf(Value value) {
  return cast<StringAttr>(getNames()[cast<OpResult>(value).getResultNumber()]).getValue();
}

LogicalResult IfOp::verify() {
  for (Region *region : {&getThenRegion(), &getElseRegion()})
    if (region->front().getTerminator()->getOperandTypes() != getOperation()->getResultTypes())
      return emitOpError("has a branch that does not yield its results");
  if (getNames().size() != getOutputs().size())
    return emitOpError("needs a name per result");
  return success();
}

/// Whether `op` would not wait, but would run in a branch that is not taken.
static bool isOfHost(Operation *op) {
  return isa<FetchOp, AwaitOp, UploadOp, CheckOp, ReplanOp, BindInputOp, BindOutputOp, DeliverOp>(
      op);
}

static bool isOfDeviceAlone(Operation *op) {
  return !op->walk([&](Operation *inner) {
              return isOfHost(inner) ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted();
}

LogicalResult ChooseOp::verify() {
  if (!getTicket().getDefiningOp<AskOp>())
    return emitOpError("needs a ticket of host.ask");
  return isOfDeviceAlone(getOperation())
             ? success()
             : emitOpError("has a branch that is not the device's alone");
}

LogicalResult RestOp::verify() {
  WalkResult walked = getBody().walk([](Operation *op) {
    return isOfHost(op) && !isa<AwaitOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted() ? emitOpError("does more than to await and to compute")
                                 : success();
}

LogicalResult WhileOp::verify() {
  Operation *yield = getBody().front().getTerminator();
  auto type = yield->getNumOperands() == 1
                  ? dyn_cast<core::SymTensorType>(yield->getOperand(0).getType())
                  : core::SymTensorType();
  if (!type || !type.isDevice() || !type.getElementType().isInteger(1))
    return emitOpError("does not yield a bool of the device");
  return isOfDeviceAlone(getOperation()) ? success()
                                         : emitOpError("has a body that is not the device's alone");
}

StringRef LoopOp::getNameOf(Value value) {
  auto result = dyn_cast<OpResult>(value);
  unsigned number = result ? result.getResultNumber() : cast<BlockArgument>(value).getArgNumber();
  if (result ? number == getOutputs().size() : number == 0)
    return getIteration();
  return cast<StringAttr>(getNames()[result ? number : number - 1]).getValue();
}

LogicalResult LoopOp::verify() {
  size_t carried = getInits().size();
  Block &block = getBody().front();
  size_t yielded = block.getTerminator()->getNumOperands();
  if (getNames().size() != carried || getOutputs().size() != carried ||
      block.getNumArguments() != carried + 1 || yielded != carried + (getCondition() ? 1 : 0))
    return emitOpError("carries ") << carried << " values, others do its body, results or names";
  return success();
}
