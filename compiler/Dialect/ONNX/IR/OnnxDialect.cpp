// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the onnx dialect and queries that hold for every operator.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/IR/ScalarFunctions.h"
#include "Dialect/ONNX/IR/SharedInference.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

#include "Dialect/ONNX/IR/OnnxDialect.cpp.inc"
#include "Dialect/ONNX/IR/OnnxEnums.cpp.inc"
#include "Dialect/ONNX/IR/OnnxInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/ONNX/IR/OnnxAttributes.cpp.inc"

void ONNXDialect::initialize() {
  registerONNXDialectOperations(this);
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Dialect/ONNX/IR/OnnxAttributes.cpp.inc"
      >();
}

namespace {
/// Calls `visit` with each operand of the record and the operands of `op` that belong to it.
void forEachOperand(Operation *op, function_ref<void(const OperandInfo &, OperandRange)> visit) {
  ArrayRef<OperandInfo> infos = cast<OnnxOp>(op).getOperandInfos();
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  unsigned begin = 0;
  for (auto [position, info] : llvm::enumerate(infos)) {
    // Without segments at most one operand is not single, and what the others leave is its own.
    unsigned others = infos.size() - 1;
    unsigned size = segments                               ? segments[position]
                    : info.arity == OperandArity::Required ? 1
                                                           : op->getNumOperands() - others;
    visit(info, op->getOperands().slice(begin, size));
    begin += size;
  }
}

/// The element type of a tensor, or of the tensors in a sequence or optional.
Type getInnermostElementType(Type type) {
  if (auto sequence = dyn_cast<SequenceType>(type))
    return getInnermostElementType(sequence.getElement());
  if (auto optional = dyn_cast<OptionalType>(type))
    return getInnermostElementType(optional.getElement());
  if (auto tensor = dyn_cast<SymTensorType>(type))
    return tensor.getElementType();
  return {};
}

/// The types that the type variables of one operation stand for.
class TypeVariables {
public:
  explicit TypeVariables(Operation *op) : op(op) {}

  LogicalResult bind(StringRef variable, Type type) {
    Type element = getInnermostElementType(type);
    if (variable.empty() || !element)
      return success();
    Type &bound = types.try_emplace(variable, element).first->second;
    if (bound != element)
      return op->emitOpError("needs one element type for ")
             << variable << " (got " << bound << " and " << element << ")";
    return success();
  }

private:
  Operation *op;
  llvm::SmallDenseMap<StringRef, Type, 4> types;
};

LogicalResult bindOperands(Operation *op, TypeVariables &variables) {
  LogicalResult result = success();
  // ONNX lets a list of inputs be empty only where the operator has other inputs.
  ArrayRef<OperandInfo> infos = cast<OnnxOp>(op).getOperandInfos();
  if (op->getNumOperands() == 0 && infos.size() == 1 && infos[0].arity == OperandArity::Variadic)
    return op->emitOpError("needs at least one operand");
  forEachOperand(op, [&](const OperandInfo &info, OperandRange operands) {
    for (Value operand : operands) {
      if (failed(result))
        return;
      if (info.isTensor && !isa<SymTensorType>(operand.getType()))
        result = op->emitOpError("needs a tensor for ")
                 << info.name << ", got " << operand.getType();
      else
        result = variables.bind(info.variable, operand.getType());
    }
  });
  return result;
}
} // namespace

LogicalResult cameo::onnx::verifyElementTypes(Operation *op) {
  TypeVariables variables(op);
  if (failed(bindOperands(op, variables)))
    return failure();
  ArrayRef<StringRef> names = cast<OnnxOp>(op).getResultVariables();
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    if (failed(variables.bind(names[std::min(number, names.size() - 1)], result.getType())))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Counted extents
//===----------------------------------------------------------------------===//

static constexpr StringLiteral kCounts = "cameo.counts";

void cameo::onnx::addCount(Operation *op, SymbolAttr symbol) {
  SmallVector<Attribute> symbols;
  if (auto others = dyn_cast_or_null<ArrayAttr>(op->getDiscardableAttr(kCounts)))
    llvm::append_range(symbols, others);
  symbols.push_back(symbol);
  op->setDiscardableAttr(kCounts, ArrayAttr::get(op->getContext(), symbols));
}

void cameo::onnx::removeCounts(Operation *op) { op->removeDiscardableAttr(kCounts); }

void cameo::onnx::visitCounts(Operation *op, SymbolVisitor visit) {
  if (auto symbols = dyn_cast_or_null<ArrayAttr>(op->getDiscardableAttr(kCounts)))
    for (auto symbol : symbols.getAsRange<SymbolAttr>())
      visit({symbol, SymbolScope::Behind, symbol.getBound()});
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

prog::NumberRange cameo::onnx::getSelectedNumbers(Operation *op,
                                                  llvm::function_ref<prog::NumberRange(Value)> of) {
  std::optional<prog::NumberRange> all;
  if (op->hasTrait<SelectsElements>())
    for (OpOperand &operand : op->getOpOperands())
      if (getOperandClass(op, operand.getOperandNumber()) == OperandClass::Data)
        all = all ? all->join(of(operand.get())) : of(operand.get());
  return all.value_or(prog::NumberRange());
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

SmallVector<Value> cameo::onnx::alignWithRecord(Operation *op, ValueRange perOperand) {
  SmallVector<Value> aligned;
  forEachOperand(op, [&](const OperandInfo &info, OperandRange operands) {
    if (operands.empty() && info.arity == OperandArity::Optional)
      aligned.push_back({});
    if (!operands.empty())
      llvm::append_range(aligned,
                         perOperand.slice(operands.getBeginOperandIndex(), operands.size()));
  });
  return aligned;
}

/// The operand of the record that operand `number` of `op` belongs to.
static const OperandInfo *findOperandInfo(Operation *op, unsigned number) {
  const OperandInfo *found = nullptr;
  forEachOperand(op, [&](const OperandInfo &info, OperandRange operands) {
    if (!operands.empty() && operands.getBeginOperandIndex() <= number &&
        number < operands.getBeginOperandIndex() + operands.size())
      found = &info;
  });
  return found;
}

static constexpr StringLiteral kRanged = "cameo.ranged";

void cameo::onnx::setBoundedOperands(Operation *op, ArrayRef<int64_t> operands) {
  if (operands.empty())
    op->removeDiscardableAttr(kRanged);
  else
    op->setDiscardableAttr(kRanged, DenseI64ArrayAttr::get(op->getContext(), operands));
}

OperandClass cameo::onnx::getOperandClass(Operation *op, unsigned number) {
  const OperandInfo *info = findOperandInfo(op, number);
  OperandClass operandClass = info ? info->operandClass : OperandClass::Data;
  if (operandClass != OperandClass::Bounded)
    return operandClass;
  auto bounded = op->getAttrOfType<DenseI64ArrayAttr>(kRanged);
  bool isSymbolic = (bounded && llvm::is_contained(bounded.asArrayRef(), number)) ||
                    op->getOperand(number).getDefiningOp<prog::FromExtentsOp>();
  return isSymbolic ? OperandClass::Symbolic : OperandClass::Host;
}

bool cameo::onnx::isBoundedByRecord(Operation *op, unsigned number) {
  const OperandInfo *info = findOperandInfo(op, number);
  return info && info->operandClass == OperandClass::Bounded;
}

StringRef cameo::onnx::getOperandName(Operation *op, unsigned number) {
  const OperandInfo *info = findOperandInfo(op, number);
  return info ? StringRef(info->name) : StringRef();
}

bool cameo::onnx::readsElements(Operation *op, unsigned number) {
  return getOperandClass(op, number) != OperandClass::DimsOnly;
}

Operation *ONNXDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || !isa<SymTensorType>(type))
    return nullptr;
  return ConstantOp::create(builder, location, type, elements);
}
