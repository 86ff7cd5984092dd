// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/KernelPrinter.h"

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

KernelPrinter::KernelPrinter(const Program &program, host::KernelOp kernel, const Code &function,
                             CppScope &scope, KernelFileState &file)
    : outlined(kernel), op(kernel.getKernel()), kernels(*program.getSide(kernel.getSide()).kernels),
      function(function), file(scope), state(file), names(program, kernel) {
  names.getScope().reserve(
      {"access_scope", "body",    "counted", "counted_extent", "counted_index", "opaque",
       "discard",      "e",       "exec",    "for_each",       "for_crosswise", "index",
       "load",         "masked",  "p",       "read",           "scope",         "static_index",
       "store",        "threads", "write"});
  names.getScope().reserve(kExtentFunctions);
  reserveTemplates(op, names.getScope());
}

LogicalResult KernelPrinter::addArguments() {
  SmallVector<Value> inputs = outlined.getInputs();
  for (Value value : inputs) {
    auto tensor = dyn_cast<SymTensorType>(value.getType());
    if (!getCppType(tensor ? tensor.getElementType() : value.getType()))
      return op->emitError("operand of type ") << value.getType() << " has no C++";
  }
  for (Type type : op->getResultTypes())
    if (!getCppType(cast<SymTensorType>(type).getElementType()))
      return op->emitError("result of type ") << type << " has no C++";
  // Tensors first: those read, those written; then host scalars.
  for (Value value : inputs)
    if (isa<SymTensorType>(value.getType()))
      names.add(value, /*isWritten=*/false);
  for (OpResult result : op->getResults())
    if (!outlined.isAbsent(result))
      names.add(result, /*isWritten=*/true);
  for (Value value : inputs)
    if (!isa<SymTensorType>(value.getType()))
      names.add(value, /*isWritten=*/false);
  return success();
}

//===----------------------------------------------------------------------===//
// Functors
//===----------------------------------------------------------------------===//

FailureOr<Code> KernelPrinter::printFunctor(BodyOpInterface functor, StringRef suffix) {
  FunctorPrinter printer(names, functor);
  if (failed(printer.print()))
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
    if (outlined.isAbsent(result))
      return op->emitError("writes result ") << result.getResultNumber() << ", which has no buffer";
  auto extents = llvm::to_vector(kernel.getExtents().getAsRange<ExtentAttr>());
  FailureOr<Code> argument = printFunctor(functor, "body");
  if (failed(argument))
    return failure();
  auto crosswise = kernel->getAttrOfType<host::CrosswiseAttr>("host.crosswise");
  include(crosswise ? "crosswise.h" : "for_each.h");
  Code callee = crosswise ? "for_crosswise<" + Code(crosswise.getDim()) + ">(" : Code("for_each(");
  body.list(callee, {"e", printSpace(extents), *argument}, ");");
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
  FailureOr<KernelParams> params =
      getKernelParams(call, outlined.getCalledTemplateAttr().getRanks(), names);
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
  if (value.getDefiningOp() == op && outlined.isAbsent(cast<OpResult>(value)))
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
  include(outlined.getCalledTemplateAttr().getHeader());
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
    auto absent = [&](Value result) { return outlined.isAbsent(cast<OpResult>(result)); };
    if (isa<StoreOp>(nested) && llvm::all_of(functor.getStoredResults(), absent)) {
      list.push_back("discard{}");
      continue;
    }
    if (llvm::any_of(functor.getStoredResults(), absent))
      return nested.emitError("stores to a result that has no buffer");
    FailureOr<Code> argument = printFunctor(functor, isa<LoadOp>(nested) ? "load" : "store");
    if (failed(argument))
      return failure();
    list.push_back(*argument);
  }
  Code callee = TrustedCode::make(call.getCallee().str());
  body.list(callee + (types.empty() ? Code("(") : "<" + joinCode(types) + ">("), list, ");");
  addScratch(call, *params);
  return success();
}

static Code getScratchType(Attribute type) {
  auto text = dyn_cast<StringAttr>(type);
  return text ? TrustedCode::make(text.str()) : getCppType(cast<TypeAttr>(type).getValue())->name;
}

void KernelPrinter::addScratch(CallOp call, const Code &params) {
  ArrayAttr types = outlined.getCalledTemplateAttr().getScratch();
  if (!types)
    return;
  SmallVector<Code> arguments;
  for (Attribute type : types)
    arguments.push_back(getScratchType(type));
  scratch = file.add(function, "_scratch");
  scratchLines.push_back("return " + TrustedCode::make(call.getCallee().str()) + "_scratch<" +
                         joinCode(arguments) + ">(" + params + ", threads);");
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

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
    accesses.push_back((isWritten ? Code("write(") : Code("read(")) + names.get(value) + ", " +
                       names.get(outlined.getSpanOf(value)) + ")");
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
