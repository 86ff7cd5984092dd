// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/EmitExternal.h"

#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Emit/FileComment.h"
#include "Support/NodeLocation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

SmallVector<host::ExternalOp> cameo::findExternalCalls(const Program &program) {
  SmallVector<host::ExternalOp> calls;
  llvm::StringSet<> found;
  prog::walkOutsideKernels(program.getMain(), [&](host::ExternalOp op) {
    if (found.insert(op.getFunction()).second)
      calls.push_back(op);
  });
  return calls;
}

/// `x float32 [N, 4]` of each tensor.
static void printTensors(CppWriter &writer, const Code &title, ValueRange tensors) {
  for (auto [number, tensor] : llvm::enumerate(tensors)) {
    auto type = cast<SymTensorType>(tensor.getType());
    bool isAbsent = tensor.getDefiningOp<prog::NullOp>() != nullptr;
    writer.comment(
        title + " " + Code(static_cast<int64_t>(number)) + ": " +
        (isAbsent ? Code("none") : describeElements(type) + " " + Program::describeShape(type)));
  }
}

void cameo::emitExternalHeader(const Program &program, EmittedFiles &files) {
  SmallVector<host::ExternalOp> calls = findExternalCalls(program);
  if (calls.empty())
    return;
  CppWriter writer;
  printFileComment(writer, program.getOptions(),
                   "What the model calls of its user: define these functions, in a source of your "
                   "own. cameo/abi.h says what each is given.");
  writer.line("#pragma once");
  writer.blank();
  writer.line("#include \"cameo/abi.h\"");
  writer.blank();
  writer.line("#ifdef __cplusplus");
  writer.line("extern \"C\" {");
  writer.line("#endif");
  for (host::ExternalOp op : calls) {
    writer.blank();
    Code where = op.getSide() == Side::Device ? Code(", on the device") : Code(", on the host");
    writer.comment("As " + Program::describeNodes(op) + " calls it" + where + ".");
    printTensors(writer, "input", op.getIns());
    printTensors(writer, "output", op.getOuts());
    writer.declaration("cameo_status " + TrustedCode::make(op.getFunction().str()) + "(",
                       {"cameo_call *call", "const cameo_tensor *inputs", "int32_t input_count",
                        "cameo_tensor *outputs", "int32_t output_count",
                        "const cameo_attribute *attributes", "int32_t attribute_count"},
                       ");");
  }
  writer.blank();
  writer.line("#ifdef __cplusplus");
  writer.line("} // extern \"C\"");
  writer.line("#endif");
  files[program.getOptions().name + "_external.h"] = writer.take();
}

namespace {

/// The values of an attribute: what they are called in abi.h, and as literals.
struct Values {
  Code kind, type;
  SmallVector<Code> literals;
};

Code printString(StringRef text) {
  return "{" + str(text) + ", " + Code(static_cast<int64_t>(text.size())) + "}";
}

Values readValues(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return {"CAMEO_ATTRIBUTE_INT", "int64_t", {getInt64Literal(integer.getInt())}};
  if (auto number = dyn_cast<FloatAttr>(value))
    return {"CAMEO_ATTRIBUTE_FLOAT",
            "float",
            {getFloatLiteral(static_cast<float>(number.getValueAsDouble()))}};
  if (auto text = dyn_cast<StringAttr>(value))
    return {"CAMEO_ATTRIBUTE_STRING", "cameo_string", {printString(text)}};
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(value))
    return {"CAMEO_ATTRIBUTE_INTS", "int64_t",
            llvm::map_to_vector(integers.asArrayRef(), getInt64Literal)};
  if (auto numbers = dyn_cast<DenseF32ArrayAttr>(value))
    return {"CAMEO_ATTRIBUTE_FLOATS", "float",
            llvm::map_to_vector(numbers.asArrayRef(), getFloatLiteral)};
  SmallVector<Code> texts;
  for (StringRef text : cast<ArrayAttr>(value).getAsValueRange<StringAttr>())
    texts.push_back(printString(text));
  return {"CAMEO_ATTRIBUTE_STRINGS", "cameo_string", std::move(texts)};
}

} // namespace

Code cameo::printAttributes(host::ExternalOp op, CppWriter &writer, CppScope &scope) {
  SmallVector<Code> rows;
  for (auto [name, value] :
       llvm::zip_equal(op.getNames().getAsValueRange<StringAttr>(), op.getValues())) {
    Values values = readValues(value);
    Code table = "nullptr";
    if (!values.literals.empty()) {
      table = scope.add("values");
      writer.table("const " + values.type + " " + table + "[] = {", values.literals);
    }
    auto of = [&](const Code &type) { return values.type == type ? table : Code("nullptr"); };
    rows.push_back(
        "{" +
        joinCode({str(name), values.kind, Code(static_cast<int64_t>(values.literals.size())),
                  of("int64_t"), of("float"), of("cameo_string")}) +
        "}");
  }
  if (rows.empty())
    return "nullptr";
  Code table = scope.add("attributes");
  writer.table("const cameo_attribute " + table + "[] = {", rows);
  return table;
}
