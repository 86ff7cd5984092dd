// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow: what branches and bodies must look like, how values flow through them, and the
// types of results from the types that bodies yield. Bodies are inferred before their operator is.

#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

YieldOp cameo::onnx::getYield(Region &region) {
  if (!llvm::hasSingleElement(region) || region.front().empty())
    return {};
  return dyn_cast<YieldOp>(region.front().back());
}

LogicalResult cameo::onnx::verifyGraph(Operation *op, Region &region, StringRef name,
                                       size_t arguments, size_t yielded, StringRef argumentTag,
                                       StringRef yieldTag) {
  YieldOp yield = getYield(region);
  if (!yield)
    return op->emitOpError() << "needs a " << name << " that ends in onnx.Yield";
  if (region.getNumArguments() != arguments)
    return op->emitOpError() << "has a " << name << " with a wrong number of inputs ("
                             << argumentTag << ", got " << region.getNumArguments() << ", need "
                             << arguments << ")";
  if (yield.getNumOperands() != yielded)
    return op->emitOpError() << "has a " << name << " with a wrong number of outputs (" << yieldTag
                             << ", got " << yield.getNumOperands() << ", need " << yielded << ")";
  return success();
}

void cameo::onnx::getGraphEffects(
    Operation *op, SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpResult result : op->getResults())
    effects.emplace_back(MemoryEffects::Allocate::get(), result);
}

namespace {

/// `type` with `extent` as a new axis.
Type stacked(ExtentInference &infer, SymTensorType type, ExtentAttr extent, int64_t axis) {
  SmallVector<ExtentAttr> extents(type.getExtents());
  extents.insert(extents.begin() + axis, extent);
  return SymTensorType::get(extents, type.getElementType());
}

/// The type of a part of a tensor: its axes behind the first ones.
SymTensorType dropAxes(SymTensorType type, size_t count) {
  if (!type || !type.hasRank() || type.getExtents().size() < count)
    return type ? SymTensorType::get(type.getElementType()) : type;
  return type.withExtents(type.getExtents().drop_front(count));
}

/// Types the results of a Scan of operator set 8 by their elements and ranks.
LogicalResult inferBatchedScan(ExtentInference &infer, ScanOp op, YieldOp yield) {
  for (unsigned number = 0; number < op->getNumResults(); ++number) {
    SymTensorType element = infer.type(yield.getOperand(number));
    if (!element)
      return infer.emitError() << "stacks values that are not tensors (C5, got "
                               << yield.getOperand(number).getType() << ")";
    size_t added = number < op.getNumStates() ? 1 : 2;
    if (element.hasRank())
      infer.setResult(number, element.getElementType(),
                      SmallVector<ExtentAttr>(element.getRank() + added, infer.unknown()));
    else
      infer.setUnranked(number, element.getElementType());
  }
  return success();
}

/// Types result `number` as `initial` where the loop does not run, `yielded` where it does.
LogicalResult setCarried(ExtentInference &infer, unsigned number, Type initial, Type yielded) {
  Type joined = infer.join(initial, yielded);
  if (!joined)
    return infer.emitError() << "changes the element type of carried value " << number
                             << " (C4, got " << yielded << " after " << initial << ")";
  infer.setType(number, joined);
  return success();
}

} // namespace

MutableOperandRange YieldOp::getMutableSuccessorOperands(RegionSuccessor successor) {
  unsigned first = isa<LoopOp>((*this)->getParentOp()) ? 1 : 0; // the next condition
  return getOutputsMutable().slice(first, successor.getSuccessorInputs().size());
}

//===----------------------------------------------------------------------===//
// If
//===----------------------------------------------------------------------===//

void IfOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getGraphEffects(*this, effects);
}

LogicalResult IfOp::verify() {
  if (failed(verifyGraph(*this, getThenBranch(), "then_branch", 0, getNumResults(), "C2", "C2")))
    return failure();
  return verifyGraph(*this, getElseBranch(), "else_branch", 0, getNumResults(), "C2", "C2");
}

namespace {
/// The extents that the end of a graph gives to the symbols of the operator that has it.
ArrayRef<Attribute> getYieldedExtents(Region &region) {
  ArrayAttr extents = getYield(region).getExtentsAttr();
  return extents ? extents.getValue() : ArrayRef<Attribute>();
}
} // namespace

void IfOp::visitSymbols(SymbolVisitor visit) {
  if (!getSymbols())
    return;
  for (auto [symbol, onThen, onElse] :
       llvm::zip_equal(getSymbols()->getAsRange<SymbolAttr>(), getYieldedExtents(getThenBranch()),
                       getYieldedExtents(getElseBranch()))) {
    ExtentAttr bound = cast<ExtentAttr>(onThen).max(cast<ExtentAttr>(onElse));
    visit({symbol, SymbolScope::Behind, bound});
  }
}

bool IfOp::areTypesCompatible(Type a, Type b) { return mayFlowTogether(a, b); }

void IfOp::getSuccessorRegions(RegionBranchPoint point,
                               SmallVectorImpl<RegionSuccessor> &successors) {
  if (!point.isParent()) {
    successors.emplace_back(getOperation(), getOperation()->getResults());
    return;
  }
  successors.emplace_back(&getElseBranch());
  successors.emplace_back(&getThenBranch());
}

LogicalResult IfOp::inferExtents(ExtentInference &infer) {
  if (failed(verify()) || failed(infer.requireOneElement(getCond(), "cond (C1)")))
    return failure();
  YieldOp thenYield = getYield(getThenBranch()), elseYield = getYield(getElseBranch());
  std::optional<SmallVector<int64_t>> condition = infer.constants(getCond());
  for (unsigned number = 0; number < getNumResults(); ++number) {
    Value onThen = thenYield.getOperand(number), onElse = elseYield.getOperand(number);
    Type joined = infer.join(onThen.getType(), onElse.getType());
    if (!joined)
      return infer.emitError() << "has branches that differ in result " << number << " (C3, got "
                               << onThen.getType() << " and " << onElse.getType() << ")";
    if (condition && condition->size() == 1) {
      Value taken = condition->front() != 0 ? onThen : onElse;
      infer.setType(number, taken.getType());
      if (std::optional<ExtentValues> values = infer.values(taken))
        infer.setValues(number, *values);
      continue;
    }
    infer.setType(number, joined);
    std::optional<ExtentValues> values = infer.values(onThen);
    if (values && values == infer.values(onElse))
      infer.setValues(number, *values);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Loop
//===----------------------------------------------------------------------===//

void LoopOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getGraphEffects(*this, effects);
}

LogicalResult LoopOp::verify() {
  if (getNumResults() < getNumCarried())
    return emitOpError() << "has fewer results than carried values (C3, got " << getNumResults()
                         << ", need " << getNumCarried() << ")";
  return verifyGraph(*this, getBody(), "body", 2 + getNumCarried(), 1 + getNumResults(), "C2",
                     "C3");
}

void LoopOp::visitSymbols(SymbolVisitor visit) {
  if (getIteration())
    visitLoopSymbols(getOperation(),
                     {getIterationAttr(), getCountAttr(), getTripAttr(), getSymbolsAttr(),
                      getInitExtentsAttr(), getYieldedExtents(getBody())},
                     visit);
}

bool LoopOp::areTypesCompatible(Type a, Type b) { return mayFlowTogether(a, b); }

OperandRange LoopOp::getEntrySuccessorOperands(RegionSuccessor) { return getVInitial(); }

void LoopOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &successors) {
  successors.emplace_back(&getBody(), getBody().getArguments().drop_front(2));
  successors.emplace_back(getOperation(), getResults().take_front(getNumCarried()));
}

SmallVector<Type> LoopOp::getBodyArgumentTypes(ExtentInference &infer) {
  SmallVector<Type> types = {SymTensorType::get(ArrayRef<ExtentAttr>(), infer.int64Type()),
                             SymTensorType::get(ArrayRef<ExtentAttr>(), infer.boolType())};
  YieldOp yield = getYield(getBody());
  for (auto [number, initial] : llvm::enumerate(getVInitial()))
    types.push_back(yield && number + 1 < yield.getNumOperands()
                        ? infer.join(initial.getType(), yield.getOperand(number + 1).getType())
                        : initial.getType());
  return types;
}

namespace {
/// Whether a condition is true in every iteration in which the condition before it was.
bool staysTrue(LoopOp loop, Value next, ExtentInference &infer) {
  while (auto identity = next.getDefiningOp<IdentityOp>())
    next = identity.getInput();
  if (next == loop.getBody().getArgument(1))
    return true;
  std::optional<SmallVector<int64_t>> value = infer.constants(next);
  return value && value->size() == 1 && value->front() != 0;
}

/// How often the loop runs.
ExtentAttr getTripCount(LoopOp loop, ExtentInference &infer) {
  std::optional<ExtentValues> limit = infer.values(loop.getM());
  ExtentAttr most = limit && limit->size() == 1 ? simplify(limit->front().max(0), infer.facts())
                                                : infer.unknown();
  if (!loop.getCond())
    return most;
  std::optional<SmallVector<int64_t>> first = infer.constants(loop.getCond());
  if (first && first->size() == 1 && first->front() == 0)
    return infer.constant(0);
  if (first && staysTrue(loop, getYield(loop.getBody()).getOperand(0), infer))
    return most;
  return infer.counted("trips", most);
}
} // namespace

LogicalResult LoopOp::inferExtents(ExtentInference &infer) {
  if (failed(verify()) || (getM() && failed(infer.requireOneElement(getM(), "M (C1)"))) ||
      (getCond() && failed(infer.requireOneElement(getCond(), "cond (C1)"))))
    return failure();
  YieldOp yield = getYield(getBody());
  SymTensorType condition = infer.type(yield.getOperand(0));
  if (!condition || condition.getElementType() != infer.boolType())
    return infer.emitError() << "has a body whose condition is not bool (C5, got "
                             << yield.getOperand(0).getType() << ")";
  if (failed(infer.requireOneElement(yield.getOperand(0), "the body's condition (C5)")))
    return failure();
  unsigned carried = getNumCarried();
  for (unsigned number = 0; number < carried; ++number)
    if (failed(setCarried(infer, number, getVInitial()[number].getType(),
                          yield.getOperand(1 + number).getType())))
      return failure();
  ExtentAttr trips = carried < getNumResults() ? getTripCount(*this, infer) : ExtentAttr();
  for (unsigned number = carried; number < getNumResults(); ++number) {
    SymTensorType element = infer.type(yield.getOperand(1 + number));
    if (!element)
      return infer.emitError() << "stacks values that are not tensors (C6, got "
                               << yield.getOperand(1 + number).getType() << ")";
    if (element.hasRank())
      infer.setType(number, stacked(infer, element, trips, 0));
    else
      infer.setUnranked(number, element.getElementType());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

unsigned ScanOp::getNumStates() {
  int64_t inputs = getNumScanInputs(), all = getNumOperands();
  return inputs >= 1 && inputs <= all ? all - inputs : 0;
}

void ScanOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  getGraphEffects(*this, effects);
}

LogicalResult ScanOp::verify() {
  int64_t inputs = getNumScanInputs();
  if (inputs < 1 || inputs > static_cast<int64_t>(getNumOperands()))
    return emitOpError() << "has num_scan_inputs out of range (C1, got " << inputs << ", need [1, "
                         << getNumOperands() << "])";
  if (getNumResults() < getNumStates())
    return emitOpError() << "has fewer results than states (C3, got " << getNumResults()
                         << ", need " << getNumStates() << ")";
  int64_t outputs = getNumResults() - getNumStates();
  auto verifyPerValue = [&](std::optional<ArrayRef<int64_t>> list, StringRef name, int64_t need,
                            bool direction) -> LogicalResult {
    if (list && static_cast<int64_t>(list->size()) != need)
      return emitOpError() << "has a wrong number of " << name << " (C6, got " << list->size()
                           << ", need " << need << ")";
    if (list && direction)
      for (int64_t entry : *list)
        if (entry != 0 && entry != 1)
          return emitOpError() << "has a direction in " << name << " other than 0 and 1 (C7, got "
                               << entry << ")";
    return success();
  };
  if (failed(verifyPerValue(getScanInputAxes(), "scan_input_axes", inputs, false)) ||
      failed(verifyPerValue(getScanInputDirections(), "scan_input_directions", inputs, true)) ||
      failed(verifyPerValue(getScanOutputAxes(), "scan_output_axes", outputs, false)) ||
      failed(verifyPerValue(getScanOutputDirections(), "scan_output_directions", outputs, true)))
    return failure();
  return verifyGraph(*this, getBody(), "body", getNumOperands(), getNumResults(), "C2", "C3");
}

bool ScanOp::areTypesCompatible(Type a, Type b) { return mayFlowTogether(a, b); }

OperandRange ScanOp::getEntrySuccessorOperands(RegionSuccessor) { return getStates(); }

void ScanOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &successors) {
  successors.emplace_back(&getBody(), getBody().getArguments().take_front(getNumStates()));
  successors.emplace_back(getOperation(), getResults().take_front(getNumStates()));
}

SmallVector<Type> ScanOp::getBodyArgumentTypes(ExtentInference &infer) {
  SmallVector<Type> types;
  YieldOp yield = getYield(getBody());
  for (auto [number, initial] : llvm::enumerate(getStates())) {
    Type first = getBatched() ? dropAxes(infer.type(initial), 1) : initial.getType();
    types.push_back(yield && number < yield.getNumOperands()
                        ? infer.join(first, yield.getOperand(number).getType())
                        : first);
  }
  std::optional<ArrayRef<int64_t>> axes = getScanInputAxes();
  for (auto [number, input] : llvm::enumerate(getScanInputs())) {
    SymTensorType tensor = infer.type(input);
    if (getBatched()) {
      types.push_back(dropAxes(tensor, 2));
      continue;
    }
    int64_t axis = axes && number < axes->size() ? (*axes)[number] : 0;
    int64_t rank = tensor.getRank();
    if (!tensor.hasRank() || axis < -rank || axis >= rank) { // C7 is reported by inferExtents
      types.push_back(SymTensorType::get(tensor.getElementType()));
      continue;
    }
    SmallVector<ExtentAttr> extents(tensor.getExtents());
    extents.erase(extents.begin() + (axis < 0 ? axis + rank : axis));
    types.push_back(tensor.withExtents(extents));
  }
  return types;
}

LogicalResult ScanOp::inferExtents(ExtentInference &infer) {
  if (failed(verify()))
    return failure();
  if (getBatched())
    return inferBatchedScan(infer, *this, getYield(getBody()));
  unsigned states = getNumStates();
  ExtentAttr length = infer.unknown();
  for (auto [number, input] : llvm::enumerate(getScanInputs())) {
    std::optional<ArrayRef<ExtentAttr>> extents = infer.extents(input);
    if (!extents)
      continue;
    int64_t given = getScanInputAxes() ? (*getScanInputAxes())[number] : 0;
    FailureOr<int64_t> axis = infer.normalizeAxis(given, extents->size(), "scan input axis (C7)");
    if (failed(axis))
      return failure();
    ExtentAttr extent = (*extents)[*axis];
    if (length.isConstant() && extent.isConstant() && length != extent)
      return infer.emitError() << "has scan inputs of different lengths (C8, got "
                               << *length.getConstant() << " and " << *extent.getConstant() << ")";
    if (length.isUnknown() || extent.isConstant())
      length = extent;
  }
  YieldOp yield = getYield(getBody());
  for (unsigned number = 0; number < states; ++number)
    if (failed(setCarried(infer, number, getStates()[number].getType(),
                          yield.getOperand(number).getType())))
      return failure();
  for (unsigned number = states; number < getNumResults(); ++number) {
    SymTensorType element = infer.type(yield.getOperand(number));
    if (!element)
      return infer.emitError() << "stacks values that are not tensors (C5, got "
                               << yield.getOperand(number).getType() << ")";
    if (!element.hasRank()) {
      infer.setUnranked(number, element.getElementType());
      continue;
    }
    int64_t given = getScanOutputAxes() ? (*getScanOutputAxes())[number - states] : 0;
    FailureOr<int64_t> axis =
        infer.normalizeAxis(given, element.getRank() + 1, "scan output axis (C7)");
    if (failed(axis))
      return failure();
    infer.setType(number, stacked(infer, element, length, *axis));
  }
  return success();
}
