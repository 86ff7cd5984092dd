// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks a function in order, inferring extents and following integer values. Which integers are
// worth a symbol is decided beforehand by walking it backward from the operands that decide
// extents.

#include "Shape/ShapeInference.h"

#include "Placement/SideAnalysis.h"
#include "Support/Unsupported.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// inferExtents as the Shape stage runs it: with values, facts, and the right to name symbols.
class StageInference final : public ExtentInference {
public:
  StageInference(Operation *op, ShapeInference &stage) : ExtentInference(op), stage(stage) {}

  std::optional<ExtentValues> values(Value value) override {
    return stage.getKnownValues().lookup(value);
  }
  void setType(unsigned result, Type type) override {
    auto tensor = dyn_cast<SymTensorType>(type);
    if (tensor && tensor.hasRank()) {
      SmallVector<ExtentAttr> extents;
      for (ExtentAttr extent : tensor.getExtents())
        extents.push_back(simplify(extent, stage.getFacts()));
      type = tensor.withExtents(extents);
    }
    op->getResult(result).setType(type);
  }
  void setValues(unsigned result, ArrayRef<ExtentAttr> values) override {
    stage.getKnownValues().set(op->getResult(result), values);
  }
  ExtentAttr counted(StringRef hint, ExtentAttr bound) override {
    return stage.newCount(hint, bound);
  }
  const ExtentFacts &facts() const override { return stage.getFacts(); }

private:
  ShapeInference &stage;
};

/// A word to name a value's symbols by: the argument's or the node's name.
std::string getHint(Value value) {
  Location location = value.getLoc();
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "onnx.name"))
        return name.str();
  if (auto named = location->findInstanceOf<NameLoc>()) {
    StringRef name = named.getName();
    StringRef node = name.split(':').second;
    return (node.empty() ? name : node).str();
  }
  return "v";
}

} // namespace

ShapeInference::ShapeInference(func::FuncOp function, ExtentFacts facts, const SideAnalysis *sides)
    : function(function), facts(std::move(facts)), sides(sides) {}

LogicalResult ShapeInference::run() {
  for (Type type : function.getArgumentTypes())
    useSymbolsOf(type);
  findDemand();
  return inferBlock(function.getBody().front());
}

LogicalResult ShapeInference::inferBlock(Block &block) {
  for (BlockArgument argument : block.getArguments())
    bindIfDemanded(argument);
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(inferOp(&op)))
      return failure();
  return success();
}

LogicalResult ShapeInference::inferOp(Operation *op) {
  auto onnxOp = dyn_cast<OnnxOp>(op);
  if (!onnxOp)
    return success();
  if (op->getNumRegions() != 0) {
    FailureOr<Operation *> inferred = inferControlFlow(op, *this);
    if (failed(inferred) || !*inferred)
      return inferred;
  } else {
    StageInference inference(op, *this);
    if (failed(onnxOp.inferExtents(inference)))
      return failure();
    if (failed(checkExtents(onnxOp)))
      return failure();
    evaluateElementwise(onnxOp, known, facts);
  }
  for (Value result : op->getResults())
    bindIfDemanded(result);
  return success();
}

/// Whether `value` is a tensor whose extents all satisfy `predicate`.
template <class Predicate> static bool allExtents(Value value, Predicate predicate) {
  auto tensor = dyn_cast<SymTensorType>(value.getType());
  return tensor && tensor.hasRank() && llvm::all_of(tensor.getExtents(), predicate);
}

LogicalResult ShapeInference::checkExtents(OnnxOp op) const {
  // What the data decides is a symbol, and symbols make no extent unknown: what is left is a limit
  // of extents.
  auto followsFrom = [&](auto predicate) {
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      if (!allExtents(operand.get(), predicate))
        return false;
      OperandClass operandClass = getOperandClass(op, operand.getOperandNumber());
      if (operandClass != OperandClass::Host && operandClass != OperandClass::HostBound)
        return true;
      std::optional<ExtentValues> elements = known.lookup(operand.get());
      return elements && llvm::all_of(*elements, predicate);
    });
  };
  auto isKnown = [](ExtentAttr extent) { return !extent.isUnknown(); };
  auto isConstant = [](ExtentAttr extent) { return extent.isConstant(); };
  for (OpResult result : op->getResults()) {
    auto tensor = dyn_cast<SymTensorType>(result.getType());
    if (!tensor || !tensor.hasRank() || allExtents(result, isKnown))
      continue;
    if (followsFrom(isConstant))
      return op->emitOpError() << "makes result " << result.getResultNumber()
                               << " with an extent that 64 bits cannot hold";
    if (followsFrom(isKnown))
      return emitUnsupported(op) << "makes result " << result.getResultNumber()
                                 << " with an extent that is an expression of more than "
                                 << kMaxExtentSize << " parts, or too large for 64 bits";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

void ShapeInference::useSymbolsOf(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  if (!tensor || !tensor.hasRank())
    return;
  llvm::SetVector<StringRef> used;
  for (ExtentAttr extent : tensor.getExtents())
    extent.collectSymbols(used);
  for (StringRef name : used)
    if (names.insert(name).second)
      symbols.push_back(name);
}

ExtentAttr ShapeInference::newSymbol(StringRef hint, int64_t min, int64_t max) {
  std::string name = hint.str();
  for (unsigned &number = numbers[hint]; !names.insert(name).second;)
    name = (hint + "_" + Twine(++number)).str();
  ExtentAttr symbol = ExtentAttr::symbol(function.getContext(), name);
  symbols.push_back(symbol.getSymbolName());
  facts.setRange(name, min, max);
  return symbol;
}

ExtentAttr ShapeInference::newCount(StringRef hint, ExtentAttr bound) {
  return newSymbol(hint, 0, range(bound, facts).hi().value_or(kMaxSymbolExtent));
}

//===----------------------------------------------------------------------===//
// Demand
//===----------------------------------------------------------------------===//

void ShapeInference::demand(Value value, SmallVectorImpl<Value> &worklist) {
  auto type = dyn_cast<SymTensorType>(value.getType());
  if (type && type.getElementType().isSignlessInteger() && demanded.insert(value).second)
    worklist.push_back(value);
}

void ShapeInference::findDemand() {
  SmallVector<Value> worklist;
  function.walk([&](Operation *op) {
    if (!isa<OnnxOp>(op))
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      OperandClass operandClass = getOperandClass(op, operand.getOperandNumber());
      if (operandClass == OperandClass::Host || operandClass == OperandClass::HostBound)
        demand(operand.get(), worklist);
    }
  });
  // What a demanded integer is computed from may be easier to know than the integer itself.
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!isa_and_nonnull<OnnxOp>(op) || op->getNumRegions() != 0)
      continue;
    for (OpOperand &operand : op->getOpOperands())
      if (getOperandClass(op, operand.getOperandNumber()) != OperandClass::DimsOnly)
        demand(operand.get(), worklist);
  }
}

void ShapeInference::bindIfDemanded(Value value) {
  std::optional<int64_t> count = getTrackableElements(value);
  if (!count || *count > kMaxBoundElements || !demanded.contains(value) ||
      known.isComplete(value) || elementTypeOf(value).isInteger(1))
    return;
  if (sides && !sides->isOnHost(value))
    return;
  std::optional<ExtentValues> elements = known.lookup(value);
  ExtentValues bound;
  SmallVector<Attribute> boundNames;
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfterValue(value);
  // Any integer may come: extents that follow from it are checked where they are used.
  constexpr int64_t kLimit = int64_t(1) << 62;
  for (int64_t element = 0; element < *count; ++element) {
    std::string hint = getHint(value) + (*count > 1 ? "_" + std::to_string(element) : "");
    ExtentAttr symbol = newSymbol(hint, -kLimit, kLimit);
    boundNames.push_back(builder.getStringAttr(symbol.getSymbolName()));
    bool followed = elements && !(*elements)[element].isUnknown();
    bound.push_back(followed ? (*elements)[element] : symbol);
    ++numBound;
  }
  BindElementsOp::create(builder, value.getLoc(), value, builder.getArrayAttr(boundNames));
  known.set(value, bound);
}
