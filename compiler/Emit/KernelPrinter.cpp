// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/KernelPrinter.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/KernelTemplates.h"
#include "Emit/ElementOffset.h"
#include "Emit/FunctorPrinter.h"
#include "Emit/KernelParams.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

void cameo::reserveTemplates(Operation *op, CppScope &scope) {
  auto call = dyn_cast<CallOp>(op);
  if (!call)
    return;
  scope.reserve({call.getCallee()});
  for (auto type : call.getTypes().getAsRange<StringAttr>())
    scope.reserve(
        {type.getValue().take_while([](char c) { return llvm::isAlnum(c) || c == '_'; })});
}

KernelPrinter::KernelPrinter(Operation *op, const KernelSet &kernels, const Code &function,
                             KernelNames fresh, CppScope &scope, KernelFileState &file)
    : op(op), launch(cast<host::LaunchOp>(op->getParentOp())), kernels(kernels), function(function),
      file(scope), state(file), names(std::move(fresh)) {
  for (auto [symbol, value] :
       llvm::zip_equal(launch.getSymbols().getAsValueRange<StringAttr>(), launch.getValues()))
    if (isa<host::CountedType>(value.getType()))
      names.addCounted(symbol);
  names.getScope().reserve({"access_scope",  "body",     "counted", "counted_extent",
                            "counted_index", "opaque",   "discard", "e",
                            "exec",          "for_each", "index",   "load",
                            "masked",        "p",        "read",    "scope",
                            "static_index",  "store",    "threads", "write"});
  names.getScope().reserve(kExtentFunctions);
  reserveTemplates(op, names.getScope());
}

bool KernelPrinter::isAbsent(OpResult result) const {
  return !cast<host::LaunchOp>(op->getParentOp()).getDestination(result);
}

LogicalResult KernelPrinter::addArguments() {
  SmallVector<Value> inputs;
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    llvm::append_range(inputs, kernel.getIns());
  } else {
    auto call = cast<CallOp>(op);
    llvm::append_range(inputs, call.getIns());
    for (Operation &functor : call.getFunctors().front())
      llvm::append_range(inputs, functor.getOperands());
    llvm::append_range(inputs, call.getScalars());
    if (Value mask = call.getMask())
      inputs.push_back(mask);
  }
  for (Value value : inputs) {
    auto tensor = dyn_cast<SymTensorType>(value.getType());
    if (!getCppType(tensor ? tensor.getElementType() : value.getType()))
      return op->emitError("operand of type ") << value.getType() << " has no C++";
  }
  for (OpResult result : op->getResults()) {
    ExtentAttr bytes = getByteSize(cast<SymTensorType>(result.getType()));
    if (!bytes || bytes.isUnknown())
      return op->emitError("result of type ") << result.getType() << " has no C++";
  }
  // Tensors first: those read, those written; then host scalars.
  for (Value value : inputs)
    if (isa<SymTensorType>(value.getType()))
      names.add(value, /*isWritten=*/false);
  for (OpResult result : op->getResults())
    if (!isAbsent(result))
      names.add(result, /*isWritten=*/true);
  for (Value value : inputs)
    if (!isa<SymTensorType>(value.getType()))
      names.add(value, /*isWritten=*/false);
  return success();
}

//===----------------------------------------------------------------------===//
// Functors
//===----------------------------------------------------------------------===//

/// Where the body's operands are read and its results stored, operands first.
static SmallVector<ElementOffset> getOffsets(BodyOpInterface functor, host::LaunchOp launch) {
  SmallVector<ElementOffset> offsets;
  auto add = [&](Type type, AffineMap map) {
    SmallVector<ExtentAttr> physical;
    if (auto tensor = dyn_cast<SymTensorType>(type))
      physical = tensor.getPhysicalExtents();
    offsets.push_back(getElementOffset(map, functor.getMapSymbolExtents(), physical));
  };
  for (auto [input, map] : llvm::zip_equal(functor.getBodyInputs(), functor.getInputMaps()))
    add(input.getType(), map);
  for (auto [result, map] : llvm::zip_equal(functor.getStoredResults(), functor.getOutputMaps())) {
    SmallVector<ExtentAttr> strides = launch.getStridesOf(cast<OpResult>(result));
    if (strides.empty())
      add(result.getType(), map);
    else
      offsets.push_back(getStridedOffset(map, functor.getMapSymbolExtents(), strides));
  }
  return offsets;
}

FailureOr<Code> KernelPrinter::printFunctor(BodyOpInterface functor, StringRef suffix,
                                            ArrayRef<ElementOffset> offsets, unsigned rank,
                                            ArrayRef<unsigned> dims) {
  size_t inputs = functor.getBodyInputs().size();
  FunctorPrinter printer(names, functor, rank, dims);
  if (failed(printer.print(offsets.take_front(inputs), offsets.drop_front(inputs))))
    return failure();
  Code name = file.add(function, ("_" + suffix).str());
  printer.printStruct(name, structs);
  SmallVector<Code> values;
  for (const FunctorPrinter::Member &member : printer.getMembers())
    values.push_back(member.value);
  Code whole = name + "{" + joinCode(values) + "}";
  constexpr size_t longestArgument = 60;
  if (whole.size() <= longestArgument)
    return whole;
  Code variable = names.getScope().add(suffix);
  body.line(name + " " + variable + ";");
  for (const FunctorPrinter::Member &member : printer.getMembers())
    body.line(variable + "." + member.name + " = " + member.value + ";");
  return variable;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

LogicalResult KernelPrinter::printKernel(KernelOp kernel) {
  auto functor = cast<BodyOpInterface>(op);
  for (OpResult result : op->getResults())
    if (isAbsent(result))
      return op->emitError("writes result ") << result.getResultNumber() << ", which has no buffer";
  SmallVector<ElementOffset> offsets = getOffsets(functor, launch);
  SmallVector<ExtentAttr> extents;
  for (Attribute extent : kernel.getExtents())
    extents.push_back(cast<ExtentAttr>(extent));
  llvm::SmallBitVector fixed(extents.size());
  functor.getBodyBlock()->walk([&](SIndexOp index) { fixed.set(index.getDim()); });
  // The host can tell a kernel multiples of one count.
  if (llvm::count_if(extents, [&](ExtentAttr extent) { return names.isCounted(extent); }) > 1)
    fixed.set();
  SmallVector<unsigned> dims = coalesce(extents, offsets, fixed);
  if (llvm::any_of(extents, [](ExtentAttr extent) { return extent.isUnknown(); }))
    return op->emitError("iterates over an extent that nothing determines");

  FailureOr<Code> argument = printFunctor(functor, "body", offsets, extents.size(), dims);
  if (failed(argument))
    return failure();
  include("for_each.h");
  body.list("for_each(", {"e", printSpace(extents), *argument}, ");");
  return success();
}

/// `index<2>{N, 3}`, `counted_index<2>{N, 3}`, or `static_index<2, 3>{}`.
Code KernelPrinter::printSpace(ArrayRef<ExtentAttr> extents) {
  SmallVector<Code> sizes;
  for (ExtentAttr extent : extents)
    sizes.push_back(names.get(extent));
  Code rank(static_cast<int64_t>(extents.size())), all = joinCode(sizes);
  auto isConstant = [](ExtentAttr extent) { return extent.isConstant(); };
  if (!extents.empty() && llvm::all_of(extents, isConstant))
    return Code("static_index<") + all + ">{}";
  auto isCounted = [&](ExtentAttr extent) { return names.isCounted(extent); };
  Code type = llvm::any_of(extents, isCounted) ? Code("counted_index<") : Code("index<");
  return type + rank + ">{" + all + "}";
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

FailureOr<Code> KernelPrinter::printParams(CallOp call) {
  FailureOr<KernelParams> params = getKernelParams(call, names);
  if (failed(params))
    return failure();
  Code &name = state.params[params->members];
  if (name.empty()) {
    name = file.add(function, "_params");
    CppWriter::Block scope = structs.block("struct " + name, "};");
    structs.append(params->members);
  }
  if (params->isStatic())
    return name + "{}";
  body.line(name + " p;");
  scratchLines.push_back(name + " p;");
  llvm::append_range(scratchLines, params->extents);
  for (const Code &assignment : llvm::concat<Code>(params->extents, params->scalars))
    body.line(assignment);
  return Code("p");
}

Code KernelPrinter::getPointer(Value value) {
  auto tensor = dyn_cast<SymTensorType>(value.getType());
  if (!tensor)
    return names.get(value);
  Code type = getStoredType(tensor);
  if (value.getDefiningOp<NullOp>())
    return "static_cast<const " + type + " *>(nullptr)";
  if (value.getDefiningOp() == op && isAbsent(cast<OpResult>(value)))
    return "static_cast<" + type + " *>(nullptr)";
  return names.get(value);
}

LogicalResult KernelPrinter::getTypes(CallOp call, SmallVectorImpl<Code> &types) {
  auto isTypeText = [](char c) { return llvm::isAlnum(c) || StringRef("_:<>, ").contains(c); };
  for (auto type : call.getTypes().getAsRange<StringAttr>()) {
    if (!llvm::all_of(type.getValue(), isTypeText))
      return call.emitError("template argument has no C++: ") << type;
    types.push_back(TrustedCode::make(type.str()));
  }
  return success();
}

/// A header of the set's.
void KernelPrinter::include(StringRef header) {
  state.headers.insert(("cameo/" + kernels.name + "/" + header).str());
}

LogicalResult KernelPrinter::printCall(CallOp call) {
  const KernelTemplate &declared = *findTemplate(call.getCallee());
  if (!declared.isIn(kernels.name))
    return call.emitError("no template '") << declared.name << "' for " << kernels.name;
  include(declared.header);
  SmallVector<Code> types;
  if (failed(getTypes(call, types)))
    return failure();
  FailureOr<Code> params = printParams(call);
  if (failed(params))
    return failure();
  SmallVector<Code> list{"e", *params};
  if (Value mask = call.getMask()) {
    body.line("exec masked = e.masked_by(" + getPointer(mask) + ");");
    list.front() = "masked";
  }
  for (Value input : call.getIns())
    list.push_back(getPointer(input));
  for (OpResult result : call->getResults())
    if (!call.isStored(result.getResultNumber()))
      list.push_back(getPointer(result));
  for (Operation &nested : call.getFunctors().front()) {
    auto functor = cast<BodyOpInterface>(nested);
    auto absent = [&](Value result) { return isAbsent(cast<OpResult>(result)); };
    if (isa<StoreOp>(nested) && llvm::all_of(functor.getStoredResults(), absent)) {
      list.push_back("discard{}");
      continue;
    }
    if (llvm::any_of(functor.getStoredResults(), absent))
      return nested.emitError("stores to a result that has no buffer");
    FailureOr<Code> argument =
        printFunctor(functor, isa<LoadOp>(nested) ? "load" : "store", getOffsets(functor, launch),
                     functor.getIndexRank(), {});
    if (failed(argument))
      return failure();
    list.push_back(*argument);
  }
  Code callee = TrustedCode::make(call.getCallee().str());
  body.list(callee + (types.empty() ? Code("(") : "<" + joinCode(types) + ">("), list, ");");
  addScratch(call, types, *params);
  return success();
}

static Code getScratchType(CallOp call, ScratchType type, ArrayRef<Code> types) {
  auto spell = [](Type element) { return getCppType(element)->name; };
  switch (type.source) {
  case ScratchType::Argument:
    return types[type.number];
  case ScratchType::Input:
    return spell(cast<SymTensorType>(call.getIns()[type.number].getType()).getElementType());
  case ScratchType::Load: {
    LoadOp load = call.getLoads()[type.number];
    return spell(load.getBodyBlock()->getTerminator()->getOperand(0).getType());
  }
  }
  llvm_unreachable("every source is above");
}

void KernelPrinter::addScratch(CallOp call, ArrayRef<Code> types, const Code &params) {
  const KernelTemplate &declared = *findTemplate(call.getCallee());
  // At strides a kernel takes what it takes where results are dense.
  if (!declared.takesScratch || !kernels.sizesScratch || launch.getStrides())
    return;
  SmallVector<Code> arguments;
  for (ScratchType type : declared.scratchTypes)
    arguments.push_back(getScratchType(call, type, types));
  scratch = file.add(function, "_scratch");
  scratchLines.push_back("return " + TrustedCode::make(call.getCallee().str()) + "_scratch<" +
                         joinCode(arguments) + ">(" + params + ", threads);");
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

/// Elements that an argument spans in memory, gaps included.
ExtentAttr KernelPrinter::getSpan(Value value) {
  auto tensor = cast<SymTensorType>(value.getType());
  ExtentAttr bytes = getByteSize(tensor);
  if (value.getDefiningOp() != op)
    return bytes;
  SmallVector<ExtentAttr> strides = launch.getStridesOf(cast<OpResult>(value));
  if (strides.empty())
    return bytes;
  MLIRContext *context = value.getContext();
  ExtentAttr one = ExtentAttr::constant(context, 1), span = one;
  for (auto [extent, stride] : llvm::zip_equal(tensor.getExtents(), strides))
    span = span + (extent - one) * stride;
  return span * ExtentAttr::constant(context, getElementBytes(tensor.getElementType()));
}

void KernelPrinter::assemble() {
  SmallVector<Code> accesses;
  for (Value value : names.getArguments()) {
    auto tensor = dyn_cast<SymTensorType>(value.getType());
    bool isWritten = names.isWritten(value);
    Code type = getStoredType(value.getType());
    if (!tensor) {
      parameters.push_back(type + " " + names.get(value));
      continue;
    }
    ExtentAttr span = getSpan(value);
    Code bytes = names.get(span);
    if (span.isConstant())
      bytes = names.getNumber("bytes", "int64_t", bytes);
    accesses.push_back((isWritten ? Code("write(") : Code("read(")) + names.get(value) + ", " +
                       bytes + ")");
    parameters.push_back((isWritten ? type : "const " + type) + " *" + names.get(value));
  }
  for (StringRef symbol : names.getSymbols()) {
    bool isCounted = names.isCounted(symbol);
    symbolParameters.push_back((isCounted ? "counted " : "int64_t ") + names.get(symbol));
    if (isCounted)
      accesses.push_back("read(" + names.get(symbol) + ".source, sizeof(int64_t))");
  }
  llvm::append_range(parameters, symbolParameters);
  llvm::append_range(parameters, names.getNumberParameters());

  SmallVector<Code> all{"exec &e"};
  llvm::append_range(all, parameters);
  {
    CppWriter::Block scope = text.function("void " + function + "(", all);
    CppWriter head(2);
    head.nested("access_scope scope(", {"e", str(function.ref())}, accesses, ");");
    text.append(head.take());
    text.append(body.take());
  }
  if (scratch.empty())
    return;
  CppWriter lines(2);
  for (const Code &line : scratchLines)
    lines.line(line);
  // It is called as the kernel is, and has no name for what it does not read.
  SmallVector<Code> sizes{"int threads"};
  for (const Code &parameter : symbolParameters) {
    auto [type, name] = parameter.ref().rsplit(' ');
    bool isRead = llvm::any_of(scratchLines, [&, word = name](const Code &line) {
      return mentions(line, TrustedCode::make(word.str()));
    });
    sizes.push_back(isRead ? parameter : TrustedCode::make(type.str()));
  }
  text.wholeFunction("int64_t " + scratch + "(", sizes, ")", lines.take());
}

LogicalResult KernelPrinter::print() {
  if (failed(addArguments()))
    return failure();
  auto kernel = dyn_cast<KernelOp>(op);
  if (failed(kernel ? printKernel(kernel) : printCall(cast<CallOp>(op))))
    return failure();
  assemble();
  return success();
}
