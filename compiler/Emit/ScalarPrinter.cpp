// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/ScalarPrinter.h"

#include "Emit/CppTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::prog;

/// Beyond this an expression gets a name of its own.
static constexpr size_t kLongestNested = 64;

bool ScalarPrinter::isLeaf(const Code &code) {
  return llvm::all_of(code.ref(), [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}

/// Nothing for what is held as its type says.
static std::optional<host::Held> getHeld(Operation *op) {
  auto held = op->getAttrOfType<host::HeldAttr>("host.held");
  return held ? std::optional(held.getValue()) : std::nullopt;
}

/// The function that gives what a narrowed number is held as; none: the op's own function gives it.
static StringRef getHolder(Operation *op) {
  // In the order of Held.
  static constexpr StringRef ofQuantised[] = {"quantized_number", "quantized_bits", "quantized"};
  static constexpr StringRef ofNumbers[] = {"whole_number", "whole_number", "limited"};
  static constexpr StringRef ofFloats[] = {"whole", "whole", "limited"};
  auto cast = dyn_cast<SCastOp>(op);
  bool isNumber = cast && cast.getNumber();
  std::optional<host::Held> held = getHeld(op);
  // A conversion that need not look for NaN has no function of its own.
  if (!held)
    return isNumber && host::isNarrowed(op) ? ofNumbers[0] : StringRef();
  const auto &holders = isa<SQuantizeOp>(op) ? ofQuantised : isNumber ? ofNumbers : ofFloats;
  return holders[static_cast<unsigned>(*held)];
}

/// Whether `value` is a constant of float or double, and a number.
static bool isFloatConstant(Value value) {
  auto constant = value.getDefiningOp<SConstantOp>();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  bool isPlain = value.getType().isF32() || value.getType().isF64();
  return number && isPlain && !number.getValue().isNaN();
}

/// A minimum or maximum with a constant has a function that need not look whether that is NaN.
static StringRef getFunctionName(ScalarOpInterface op) {
  if (isa<SMaxOp, SMinOp>(op) && isFloatConstant(op->getOperand(1)))
    return isa<SMaxOp>(op) ? "at_least" : "at_most";
  return op.getFunctionName();
}

void ScalarPrinter::reserveFunction(Operation *op, CppScope &scope) {
  if (auto scalar = dyn_cast<ScalarOpInterface>(op))
    scope.reserve({getFunctionName(scalar)});
  if (host::isNarrowed(op))
    scope.reserve(
        {"limited", "quantized", "quantized_bits", "quantized_number", "whole", "whole_number"});
}

Code ScalarPrinter::getHeldType(Value value) {
  Operation *op = value.getDefiningOp();
  std::optional<host::Held> held = op ? getHeld(op) : std::nullopt;
  if (held == host::Held::Wide || held == host::Held::LowBits)
    return "int32_t";
  bool isFloat = held == host::Held::Float;
  return getCppType(isFloat ? op->getOperand(0).getType() : value.getType())->name;
}

void ScalarPrinter::define(Value value, const Code &code, bool reads) {
  values[value] = {code, isLeaf(code), reads};
}

ScalarPrinter::Expression ScalarPrinter::call(const Code &function, OperandRange operands) {
  auto assemble = [&] {
    Expression result;
    SmallVector<Code> arguments;
    for (Value operand : operands) {
      Expression argument = values.lookup(operand);
      arguments.push_back(argument.code);
      result.reads |= argument.reads;
    }
    result.code = function + "(" + joinCode(arguments) + ")";
    return result;
  };
  Expression result = assemble();
  if (result.code.size() <= kLongestNested)
    return result;
  for (Value operand : operands)
    if (!values.lookup(operand).isLeaf)
      name(operand);
  return assemble();
}

FailureOr<ScalarPrinter::Expression> ScalarPrinter::express(Operation *op) {
  if (auto held = dyn_cast<SConstantOp>(op)) {
    std::optional<Code> literal = getLiteral(held.getValue());
    if (!literal)
      return op->emitError("constant of type ") << held.getType() << " has no C++", failure();
    return Expression{constant ? constant(held, *literal) : *literal, true, false};
  }
  if (auto value = dyn_cast<SExtentOp>(op)) {
    if (std::optional<int64_t> constant = value.getExtent().getConstant())
      return Expression{getInt64Literal(*constant), true, false};
    return Expression{extent(value.getExtent()), true, false};
  }
  if (auto index = dyn_cast<SIndexOp>(op)) {
    indexUsed = true;
    return Expression{indexName + "[" + Code(static_cast<int64_t>(index.getDim())) + "]", true,
                      false};
  }
  if (auto cast = dyn_cast<SCastOp>(op))
    if (Operation *from = cast.getX().getDefiningOp(); from && getHeld(from) == host::Held::Float)
      return values.lookup(cast.getX());
  auto scalar = dyn_cast<ScalarOpInterface>(op);
  std::optional<CppType> type =
      op->getNumResults() == 1 ? getCppType(op->getResult(0).getType()) : std::optional<CppType>();
  if (!scalar || !type)
    return op->emitError("'") << op->getName() << "' has no C++", failure();
  Code function = TrustedCode::make(getFunctionName(scalar).str());
  if (auto cast = dyn_cast<SCastOp>(op))
    function += "<" + type->name + (cast.getSaturate() ? Code(">") : Code(", false>"));
  else if (isa<SReinterpretOp, SQuantizeOp>(op))
    function += "<" + type->name + ">";
  StringRef holder = getHolder(op);
  if (holder.empty())
    return call(function, op->getOperands());
  Expression held =
      call(TrustedCode::make(holder.str()) + "<" + type->name + ">", op->getOperands());
  if (!getHeld(op))
    held.code = function + "(" + held.code + ")";
  return held;
}

LogicalResult ScalarPrinter::print(Operation *op) {
  FailureOr<Expression> expression = express(op);
  if (failed(expression))
    return failure();
  Value result = op->getResult(0);
  values[result] = *expression;
  bool isNested =
      expression->isLeaf || (result.hasOneUse() && expression->code.size() <= kLongestNested);
  if (!isNested)
    name(result);
  return success();
}

Code ScalarPrinter::name(Value value, StringRef base) {
  Expression &expression = values[value];
  if (expression.isLeaf && !expression.reads)
    return expression.code;
  Code type = getHeldType(value);
  Code temporary = base.empty() ? scope.add("t" + std::to_string(temporaries++)) : scope.add(base);
  // g++ keeps a constant of a class in memory, and makes vectors of no loop that has one.
  bool isClass = isa<FloatType>(value.getType()) && value.getType().getIntOrFloatBitWidth() < 32;
  writer.line((isClass ? Code("") : Code("const ")) + type + " " + temporary + " = " +
              expression.code + ";");
  expression = {temporary, true, false};
  return temporary;
}

Code ScalarPrinter::nameIfRead(Value value) {
  return values.lookup(value).reads ? name(value) : get(value);
}
