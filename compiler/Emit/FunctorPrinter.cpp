// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/FunctorPrinter.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// Names that the text of a body may use without an op that says so.
constexpr StringRef usedInBodies[] = {"WIDTH", "apart",   "at",      "bit_cast", "bits",
                                      "cast",  "compute", "crossed", "i",        "is_aligned",
                                      "j",     "line",    "nth",     "put",      "read",
                                      "reads", "value",   "wide",    "widest",   "with"};

/// Whether reading `extent` costs next to nothing in a loop: a short polynomial of symbols.
bool isCheap(ExtentAttr extent) {
  constexpr uint32_t mostNodes = 5;
  return extent.getSize() <= mostNodes &&
         llvm::all_of(extent.getTerms(), [](const ExtentTerm &term) {
           return llvm::all_of(term.factors, [](ExtentAttr factor) { return factor.isSymbol(); });
         });
}

} // namespace

FunctorPrinter::FunctorPrinter(KernelNames &names, BodyOpInterface functor)
    : names(names), functor(functor), offsets(makeOffsets()),
      scalars(
          body, scope, [this](ExtentAttr extent) { return getExtent(extent).code; },
          [this](SConstantOp op, const Code &literal) { return getConstant(op, literal); }) {
  scope.reserve(usedInBodies);
  scope.reserve(kExtentFunctions);
  scope.reserve(kWideNames);
  for (Operation &op : *functor.getBodyBlock())
    ScalarPrinter::reserveFunction(&op, scope);
}

OffsetPrinter FunctorPrinter::makeOffsets() {
  return OffsetPrinter(functor.getMapSymbolExtents(), names.getProgram().getFacts(),
                       [this](ExtentAttr extent) { return getExtent(extent); });
}

FunctorPrinter::Part FunctorPrinter::makePart(const Code &head, AffineMap offset,
                                              const Code &tail) {
  OffsetPrinter own = makeOffsets();
  CppWriter statement(4);
  statement.line(head + "[" + own.print(offset) + "]" + tail + ";");
  return {statement.take(), own.usesIndex()};
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

Code FunctorPrinter::getMember(StringRef base, const Code &type, const Code &value) {
  Code &name = memberNames[type.str() + " " + value.str()];
  if (name.empty()) {
    name = scope.add(base);
    members.push_back({type, name, value});
  }
  return name;
}

Code FunctorPrinter::getConstant(SConstantOp op, const Code &literal) {
  auto number = op->getAttrOfType<StringAttr>("host.number");
  bool isOpaque = op->hasAttr("host.opaque");
  if (!number && !isOpaque)
    return literal;
  Code &known = constants[op];
  if (!known.empty())
    return known;
  Code type = getCppType(op.getType())->name;
  Code value = number ? names.get(number.getValue()) : literal;
  return known = isOpaque ? getMember("bound", type, "opaque(" + value + ")")
                          : getMember("number", type, value);
}

OffsetCode FunctorPrinter::getExtent(ExtentAttr extent) {
  // The kernel function computes an extent once if it costs more than a multiplication, unless only
  // the device can.
  if (!isCheap(extent) && !names.isCounted(extent))
    return {getMember("extent", "int64_t", names.get(extent)), false};
  Code code = getExtentCode(extent, [&](StringRef symbol) {
    bool isCounted = names.isCounted(symbol);
    Code type = isCounted ? Code("counted_extent") : Code("int64_t");
    Code member = getMember(names.getBase(symbol), type, names.get(symbol));
    return isCounted ? member + ".value" : member;
  });
  return {code, isSum(extent)};
}

void FunctorPrinter::addTemplateValues() {
  unsigned count = functor.getNumTemplateValues();
  for (Value value : functor.getBodyBlock()->getArguments().take_front(count)) {
    Code type = getCppType(value.getType())->name;
    Code name =
        count == 1 ? Code("value") : scope.add("value_" + std::to_string(parameters.size()));
    scalars.define(value, name);
    parameters.push_back(value.use_empty() ? type : type + " " + name);
  }
}

Code FunctorPrinter::getPointer(Value input, Type element) {
  Code type = getCppType(element)->name;
  bool isPacked = cast<SymTensorType>(input.getType()).isPacked();
  return getMember(names.getBase(input), isPacked ? "packed<" + type + ">" : "const " + type + " *",
                   names.get(input));
}

void FunctorPrinter::addInputs() {
  SmallVector<AffineMap> maps = functor.getInputMaps();
  inputOffsets.resize(maps.size());
  unsigned leading = functor.getNumTemplateValues();
  for (auto [number, input] : llvm::enumerate(functor.getBodyInputs())) {
    BlockArgument argument = functor.getBodyBlock()->getArgument(leading + number);
    if (argument.use_empty())
      continue;
    auto tensor = dyn_cast<SymTensorType>(input.getType());
    if (!tensor) {
      Code type = getCppType(argument.getType())->name;
      scalars.define(argument, getMember(names.getBase(input), type, names.get(input)));
      continue;
    }
    Code pointer = getPointer(input, argument.getType());
    if (isReadApart(number)) {
      reads.push_back(makePart("return " + pointer, maps[number], ""));
      Code name = scope.add("operand");
      parameters.push_back("int32_t " + name);
      scalars.define(argument, name);
      continue;
    }
    if (isCrossed(number)) {
      addCrossed(argument, pointer, maps[number]);
      continue;
    }
    inputOffsets[number] = offsets.print(maps[number]);
    scalars.define(argument, pointer + "[" + inputOffsets[number] + "]", /*reads=*/true);
    if (!argument.hasOneUse())
      scalars.name(argument);
  }
}

//===----------------------------------------------------------------------===//
// operator()
//===----------------------------------------------------------------------===//

void FunctorPrinter::printReturn(Value value) {
  if (!body.fits("return " + scalars.get(value) + ";"))
    scalars.name(value);
  body.line("return " + scalars.get(value) + ";");
}

void FunctorPrinter::printStores(ArrayRef<Code> pointers, OperandRange values) {
  // A store may overwrite what another value reads, so all are read first.
  if (pointers.size() > 1)
    for (Value value : values)
      scalars.nameIfRead(value);
  for (auto [pointer, map, value] : llvm::zip_equal(pointers, functor.getOutputMaps(), values)) {
    outputOffsets.push_back(offsets.print(map));
    Code target = pointer + "[" + outputOffsets.back() + "] = ";
    if (!body.fits(target + scalars.get(value) + ";"))
      scalars.name(value);
    body.line(target + scalars.get(value) + ";");
  }
}

bool FunctorPrinter::isReadApart(size_t operand) {
  auto apart = functor->getAttrOfType<DenseI64ArrayAttr>("host.apart");
  return apart && llvm::is_contained(apart.asArrayRef(), static_cast<int64_t>(operand));
}

bool FunctorPrinter::isCrossed(size_t operand) {
  host::CrosswiseAttr form = getCrosswise();
  return form && form.getOperands()[operand];
}

void FunctorPrinter::addCrossed(BlockArgument argument, const Code &pointer, AffineMap map) {
  Code type = getCppType(argument.getType())->name;
  Part line = makePart("return &" + pointer, map, "");
  ElementOffset offset = getOffset(map, functor.getMapSymbolExtents());
  auto last = getAffineDimExpr(map.getNumDims() - 1, map.getContext());
  const ElementOffset::Term *term =
      llvm::find_if(offset.terms, [&](const auto &each) { return each.atom == last; });
  crossed.push_back({type, line, getExtent(term->scale).code});
  Code name = scope.add("element");
  parameters.push_back(type + " " + name);
  scalars.define(argument, name);
}

void FunctorPrinter::printNarrowing(const Code &pointer, Value value) {
  printReturn(value);
  put = makePart(pointer, functor.getOutputMaps().front(),
                 " = static_cast<" + getCppType(value.getType())->name + ">(bits)");
}

LogicalResult FunctorPrinter::print() {
  addTemplateValues();
  addInputs();
  // Members for results stand behind those for inputs.
  SmallVector<Code> pointers;
  for (Value result : functor.getStoredResults()) {
    Code type = getCppType(cast<SymTensorType>(result.getType()).getElementType())->name;
    pointers.push_back(getMember(names.getBase(result), type + " *", names.get(result)));
  }
  Block *block = functor.getBodyBlock();
  for (Operation &op : block->without_terminator())
    if (!op.use_empty() && failed(scalars.print(&op)))
      return failure();
  if (isa<LoadOp>(functor.getOperation()))
    printReturn(block->getTerminator()->getOperand(0));
  else if (isNarrowing())
    printNarrowing(pointers.front(), block->getTerminator()->getOperand(0));
  else
    printStores(pointers, block->getTerminator()->getOperands());
  return getWide() ? printWide(pointers) : success();
}

void FunctorPrinter::printStruct(const Code &name, CppWriter &writer) {
  CppWriter::Block scope = writer.block("struct " + name, "};");
  for (const Member &member : members)
    writer.line(member.type + (member.type.ref().ends_with("*") ? Code() : Code(" ")) +
                member.name + ";");
  CppWriter loads(4);
  for (const Member &member : members)
    if (member.type.ref() == "counted_extent")
      loads.line(member.name + ".load_counts();");
  if (std::string text = loads.take(); !text.empty())
    writer.wholeFunction("CAMEO_DEVICE void load_counts(", {}, ")", text);
  printCalls(writer);
  if (getWide())
    printWideCalls(writer);
}

void FunctorPrinter::printCall(CppWriter &writer, const Code &head, bool namesIndex,
                               ArrayRef<Code> rest, StringRef text) {
  Code index = "const index<" + Code(static_cast<int64_t>(functor.getIndexRank())) + "> &";
  SmallVector<Code> all{namesIndex ? index + "i" : index};
  all.append(rest.begin(), rest.end());
  writer.wholeFunction("CAMEO_DEVICE " + head + "(", all, ") const", text);
}

void FunctorPrinter::printCalls(CppWriter &writer) {
  if (isNarrowing())
    return printNarrowingCalls(writer);
  if (getCrosswise())
    return printCrosswiseCalls(writer);
  Code result = "void";
  if (isa<LoadOp>(functor.getOperation()))
    result = getCppType(functor.getBodyBlock()->getTerminator()->getOperand(0).getType())->name;
  printCall(writer, result + " operator()", offsets.usesIndex() || scalars.usesIndex(), parameters,
            body.take());
}

void FunctorPrinter::printNarrowingCalls(CppWriter &writer) {
  SmallVector<Code> arguments{"i", "value"};
  if (!reads.empty())
    writer.line("static constexpr int reads = " + Code(static_cast<int64_t>(reads.size())) + ";");
  for (auto [number, part] : llvm::enumerate(reads)) {
    Code nth = "nth<" + Code(static_cast<int64_t>(number)) + ">";
    printCall(writer, "int32_t read", part.usesIndex, {nth}, part.text);
    arguments.push_back("read(i, " + nth + "())");
  }
  printCall(writer, "int32_t compute", offsets.usesIndex() || scalars.usesIndex(), parameters,
            body.take());
  printCall(writer, "void put", put.usesIndex, {"int32_t bits"}, put.text);
  CppWriter all(4);
  all.line("put(i, compute(" + joinCode(arguments) + "));");
  printCall(writer, "void operator()", /*namesIndex=*/true, ArrayRef(parameters).take_front(1),
            all.take());
}

void FunctorPrinter::printCrosswiseCalls(CppWriter &writer) {
  SmallVector<Code> elements{"i"};
  writer.line("static constexpr int crossed = " + Code(static_cast<int64_t>(crossed.size())) + ";");
  for (auto [number, operand] : llvm::enumerate(crossed)) {
    Code nth = "nth<" + Code(static_cast<int64_t>(number)) + ">";
    printCall(writer, "const " + operand.type + " *line", operand.line.usesIndex, {nth},
              operand.line.text);
    CppWriter stride(4);
    stride.line("return " + operand.apart + ";");
    writer.wholeFunction("CAMEO_DEVICE int64_t apart(", {nth}, ") const", stride.take());
    elements.push_back("*line(i, " + nth + "())");
  }
  printCall(writer, "void with", /*namesIndex=*/true, parameters, body.take());
  CppWriter all(4);
  all.line("with(" + joinCode(elements) + ");");
  printCall(writer, "void operator()", /*namesIndex=*/true, {}, all.take());
}
