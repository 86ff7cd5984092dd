// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wide form of a functor: as its operator(), for neighbours along the last coordinate.

#include "Emit/FunctorPrinter.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

void FunctorPrinter::defineWideInputs(CppWriter &writer, CppScope &own, ScalarPrinter &elements) {
  Block *block = functor.getBodyBlock();
  unsigned leading = functor.getNumTemplateValues();
  for (auto [number, value] : llvm::enumerate(block->getArguments().take_front(leading)))
    elements.define(value, scalars.get(value) + ".item[j]");
  for (auto [number, input] : llvm::enumerate(functor.getBodyInputs())) {
    BlockArgument argument = block->getArgument(leading + number);
    if (argument.use_empty())
      continue;
    if (!isa<SymTensorType>(input.getType())) {
      elements.define(argument, scalars.get(argument));
      continue;
    }
    Code pointer = getPointer(input, argument.getType());
    bool isLine = getWide().getLines()[number];
    Code name = own.add(pointer, isLine ? "_line" : "_all");
    if (!isLine) {
      writer.line("const " + getCppType(argument.getType())->name + " " + name + " = " + pointer +
                  "[" + inputOffsets[number] + "];");
      elements.define(argument, name);
      continue;
    }
    if (!names.isAligned(input))
      unaligned.push_back(pointer);
    Code load = names.isWeight(input) ? Code("load_wide_constant<WIDTH>(") : "load_wide<WIDTH>(";
    writer.list("const auto " + name + " = " + load, {pointer + " + " + inputOffsets[number]},
                ");");
    elements.define(argument, name + ".item[j]");
  }
}

LogicalResult FunctorPrinter::printWide(ArrayRef<Code> outputPointers) {
  Block *block = functor.getBodyBlock();
  bool isLoad = isa<LoadOp>(functor.getOperation());
  CppWriter writer(4);
  CppScope own(&scope);
  ScalarPrinter elements(
      writer, own, [this](ExtentAttr extent) { return getExtent(extent).code; },
      [this](SConstantOp op, const Code &literal) { return getConstant(op, literal); });
  elements.setIndex("at");
  defineWideInputs(writer, own, elements);
  OperandRange values = block->getTerminator()->getOperands();
  SmallVector<Code> lines;
  for (auto [number, value] : llvm::enumerate(values)) {
    lines.push_back(isLoad ? own.add("line") : own.add(outputPointers[number], "_line"));
    writer.line("neighbours<" + getCppType(value.getType())->name + ", WIDTH> " + lines.back() +
                ";");
  }
  writer.line("CAMEO_UNROLL");
  {
    CppWriter::Block loop = writer.block("for (int j = 0; j < WIDTH; ++j)");
    if (!block->getOps<SIndexOp>().empty())
      writer.line("const auto at = advance(i, j);");
    for (Operation &op : block->without_terminator())
      if (!op.use_empty() && failed(elements.print(&op)))
        return failure();
    for (auto [line, value] : llvm::zip_equal(lines, values)) {
      if (!writer.fits(line + ".item[j] = " + elements.get(value) + ";"))
        elements.name(value);
      writer.line(line + ".item[j] = " + elements.get(value) + ";");
    }
  }
  if (isLoad)
    writer.line("return " + lines.front() + ";");
  for (auto [number, pointer] : llvm::enumerate(outputPointers))
    writer.list("store_wide<WIDTH>(", {pointer + " + " + outputOffsets[number], lines[number]},
                ");");
  for (auto [pointer, result] : llvm::zip_equal(outputPointers, functor.getStoredResults()))
    if (!names.isAligned(result))
      unaligned.push_back(pointer);
  wideText = writer.take();
  return success();
}

void FunctorPrinter::printWideCalls(CppWriter &writer) {
  writer.line("static constexpr int widest = " + Code(getWide().getWidth()) + ";");
  CppWriter all(4);
  all.line(unaligned.empty() ? Code("return true;")
                             : "return are_aligned(" + joinCode(unaligned) + ");");
  // A template, since nvcc warns of a member function or constant that no kernel refers to.
  writer.wholeFunction("template <int = widest> CAMEO_DEVICE bool is_aligned(", {}, ") const",
                       all.take());
  Code result = "void";
  Block *block = functor.getBodyBlock();
  if (isa<LoadOp>(functor.getOperation()))
    result = "neighbours<" + getCppType(block->getTerminator()->getOperand(0).getType())->name +
             ", WIDTH>";
  SmallVector<Code> arguments{"const index<" + Code(static_cast<int64_t>(functor.getIndexRank())) +
                              "> &i"};
  for (Value value : block->getArguments().take_front(functor.getNumTemplateValues())) {
    Code type = "const neighbours<" + getCppType(value.getType())->name + ", WIDTH> &";
    arguments.push_back(value.use_empty() ? type : type + scalars.get(value));
  }
  Code parameter = "template <int WIDTH>", head = "CAMEO_DEVICE_ONLY " + result + " wide(";
  if (Code line = parameter + " " + head; writer.fits(line + joinCode(arguments) + ") const {"))
    return writer.wholeFunction(line, arguments, ") const", wideText);
  writer.line(parameter);
  writer.wholeFunction(head, arguments, ") const", wideText);
}
