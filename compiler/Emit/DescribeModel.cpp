// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/DescribeModel.h"

#include "Constants/ConstantBytes.h"
#include "Dialect/Core/IR/ConstantSteps.h"
#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// Names may have megabytes; what a table repeats of them is enough to tell them apart for a
/// reader.
constexpr size_t kLongestPortName = 4096, kLongestNodeName = 256, kLongestDimText = 60;

class ModelDescriber {
public:
  ModelDescriber(const HostLayout &layout, CppWriter &writer)
      : layout(layout), program(layout.program), writer(writer) {}

  Code printPorts(ArrayRef<PortInfo> ports, const Code &kind, bool isInput);
  Code printNames(const Code &name, ArrayRef<StringRef> names, size_t longest);

private:
  Code printDims(const PortInfo &port, const Code &name);
  Code printDefault(const PortInfo &port, const Code &name, bool isValue);
  Code printKeys(const PortInfo &port, const Code &name);
  static Code describeDim(host::DimAttr dim);
  Code getFlags(unsigned input, bool isInput);

  const HostLayout &layout;
  const Program &program;
  CppWriter &writer;
};

/// The elements of a default as literals of the type that they are stored as.
SmallVector<Code> getStoredElements(const PortInfo &port) {
  SmallVector<Code> elements;
  if (!port.type.isPacked()) {
    for (Attribute element : port.initial.getValues<Attribute>())
      elements.push_back(*getLiteral(cast<TypedAttr>(element)));
    return elements;
  }
  std::vector<char> dense(static_cast<size_t>(port.initial.getNumElements()));
  copyElements(port.initial, dense);
  ArrayAttr steps = makeSteps(port.type.getContext(), {}, port.type.getLayout());
  ConstantBytes bytes(getTypeOf(port.initial, /*layout=*/{}), steps,
                      ConstantSource::own(std::move(dense), 1, /*isUniform=*/false));
  bytes.forEachPiece([&](StringRef piece) {
    for (char byte : piece)
      elements.push_back(Code(static_cast<int64_t>(static_cast<unsigned char>(byte))));
    return true;
  });
  return elements;
}

} // namespace

Code ModelDescriber::describeDim(host::DimAttr dim) {
  StringRef text = dim.getText();
  Code shown = str(text.size() > kLongestDimText ? text.take_front(kLongestDimText).str() + "..."
                                                 : text.str());
  Code least = Code(dim.getLeast());
  Code most = dim.getMost() < 0 ? Code("INT64_MAX") : Code(dim.getMost());
  switch (dim.getKind()) {
  case host::DimKind::Value:
    return "dim_value(" + least + ")";
  case host::DimKind::Symbol:
    if (dim.getSymbol() >= 0)
      return "dim_symbol(" + Code(dim.getSymbol()) + ", " + shown + ")";
    return "dim_expression(" + least + ", " + most + ", " + shown + ")";
  case host::DimKind::Range:
    return "dim_range(" + Code(dim.getSymbol()) + ", " + least + ", " + most + ", " + shown + ")";
  case host::DimKind::Bounded:
    return "dim_bounded(" + most + ", " + shown + ")";
  case host::DimKind::Open:
    return "dim_open(" + least + ", " + shown + ")";
  }
  return {};
}

Code ModelDescriber::printDims(const PortInfo &port, const Code &name) {
  if (!port.dims)
    return "any_rank";
  if (port.type.getRank() == 0)
    return "nullptr";
  Code table = layout.file.add(name, "_dims");
  SmallVector<Code> rows;
  for (auto dim : port.dims.getAsRange<host::DimAttr>())
    rows.push_back(describeDim(dim));
  writer.table("constexpr cameo_dim " + table + "[] = {", rows);
  return table;
}

/// The default of an input that is absent, with its elements where the host reads them.
Code ModelDescriber::printDefault(const PortInfo &port, const Code &name, bool isValue) {
  if (!port.initial)
    return {};
  Code dims = "nullptr", data = "nullptr";
  ArrayRef<int64_t> shape = port.initial.getShapedType().getShape();
  if (!shape.empty()) {
    dims = layout.file.add(name, "_default_dims");
    writer.table("const int64_t " + dims + "[] = {",
                 llvm::map_to_vector(shape, [](int64_t dim) { return Code(dim); }));
  }
  if (isValue && port.initial.getNumElements() != 0) {
    data = layout.file.add(name, "_default_data");
    writer.table("const " + getStoredType(port.type) + " " + data + "[] = {",
                 getStoredElements(port));
  }
  Code initial = layout.file.add(name, "_default");
  writer.line("const cameo_default " + initial + " = {/*dims=*/" + dims + ", /*offset=*/" +
              Code(port.initialOffset.getInt()) + ", /*data=*/" + data + "};");
  return "&" + initial;
}

/// The keys of an output's columns, as a port of their own.
Code ModelDescriber::printKeys(const PortInfo &port, const Code &name) {
  bool areStrings = isa<ArrayAttr>(port.keys);
  Code element = areStrings ? Code("cameo_string") : Code("int64_t");
  SmallVector<Code> keys = getKeyLiterals(port.keys);
  if (areStrings)
    for (auto [key, text] :
         llvm::zip_equal(keys, cast<ArrayAttr>(port.keys).getAsValueRange<StringAttr>()))
      key = "{" + key + ", " + Code(static_cast<int64_t>(text.size())) + "}";
  Code data = layout.file.add(name, "_keys_data"), dims = layout.file.add(name, "_keys_dims"),
       values = layout.file.add(name, "_keys_values"), table = layout.file.add(name, "_keys");
  writer.table("const " + element + " " + data + "[] = {", keys);
  writer.line("const int64_t " + dims + "[] = {" + Code(static_cast<int64_t>(keys.size())) + "};");
  writer.line("const cameo_default " + values + " = {/*dims=*/" + dims +
              ", /*offset=*/0, /*data=*/" + data + "};");
  writer.line("constexpr cameo_port " + table + " = keys_port<" + element + ">(&" + values + ");");
  return table;
}

Code ModelDescriber::getFlags(unsigned number, bool isInput) {
  if (!isInput && program.getOutputs()[number].isStrided)
    return "CAMEO_PORT_LENDABLE | CAMEO_PORT_STRIDED";
  if (!isInput)
    return "CAMEO_PORT_LENDABLE";
  Code flags = program.isRead(number) ? Code("CAMEO_PORT_LENDABLE") : Code("CAMEO_PORT_DIMS_ONLY");
  if (program.getInputs()[number].initial)
    flags += " | CAMEO_PORT_DEFAULT";
  if (program.isReadAtEntry(number))
    flags += " | CAMEO_PORT_HOST_VALUE";
  return flags;
}

Code ModelDescriber::printPorts(ArrayRef<PortInfo> ports, const Code &kind, bool isInput) {
  if (ports.empty())
    return "nullptr";
  SmallVector<Code> rows;
  for (auto [number, port] : llvm::enumerate(ports)) {
    CppScope scope;
    Code ident = scope.add(port.name), dims = printDims(port, ident);
    CppType element = *getCppType(port.type.getElementType());
    bool isValue = isInput && program.isReadAtEntry(number);
    Code initial = printDefault(port, ident, isValue);
    StringRef name = StringRef(port.name).take_front(kLongestPortName);
    SmallVector<Code> fields{str(name), dims, getFlags(number, isInput),
                             program.getSide(port.type).space, "port_spaces"};
    if (port.initial)
      fields.push_back(initial);
    Code row = writer.getRow("tensor_port<" + element.name + ">(", fields);
    if (port.updated >= 0)
      row = "updating(" + row + ", " + Code(port.updated) + ")";
    if (port.keys)
      row = "with_keys(" + row + ", &" + printKeys(port, ident) + ")";
    rows.push_back(row);
  }
  Code table = layout.file.add(kind, "");
  writer.table("const cameo_port " + table + "[] = {", rows);
  return table;
}

Code ModelDescriber::printNames(const Code &name, ArrayRef<StringRef> names, size_t longest) {
  if (names.empty())
    return "nullptr";
  SmallVector<Code> rows;
  for (StringRef text : names)
    rows.push_back(str(text.take_front(longest)));
  Code table = layout.file.add(name, "");
  writer.table("const char *const " + table + "[] = {", rows);
  return table;
}

SmallVector<Code> cameo::describeModel(const HostLayout &layout, const WeightsInfo &weights,
                                       CppWriter &writer) {
  const Program &program = layout.program;
  const EmitOptions &options = program.getOptions();
  Code name = layout.getLibraryName();
  ModelDescriber describer(layout, writer);
  Code inputs = describer.printPorts(program.getInputs(), "inputs", true);
  Code outputs = describer.printPorts(program.getOutputs(), "outputs", false);
  Code symbols = describer.printNames("symbol_names", program.getEntrySymbols(), kLongestNodeName);
  Code nodes = describer.printNames("nodes", program.getNodes(), kLongestNodeName);

  int64_t readbacks = 0, waits = 0;
  prog::walkOutsideKernels(program.getMain(), [&](Operation *op) {
    // There the device asks itself.
    if (op->getParentOfType<host::WhileOp>())
      return;
    readbacks += isa<host::FetchOp, host::AskOp>(op);
    waits += isa<WaitOpInterface>(op) && !op->getParentOfType<host::RestOp>();
  });
  auto count = [](size_t number) { return Code(static_cast<int64_t>(number)); };
  std::string hash;
  llvm::raw_string_ostream(hash) << llvm::format_hex(weights.hash, 18);
  bool isEmbedded = options.weights == EmitOptions::Weights::Embed && weights.bytes != 0;
  bool hasFile = options.weights != EmitOptions::Weights::Extern && weights.bytes != 0;
  Code blob = "{" + count(weights.bytes) + ", " +
              (weights.bytes == 0 ? Code("0") : TrustedCode::make(hash)) + ", " +
              (isEmbedded ? name + "_weights" : Code("nullptr")) + ", " +
              (hasFile ? "\"" + name + "_weights.bin\"" : Code("nullptr")) + "}";
  Code inside = "cameo::gen::" + name + "_net::";
  auto member = [&](const Code &table) {
    return table.ref() == "nullptr" ? table : inside + table;
  };
  std::pair<Code, Code> members[] = {
      {"abi", "CAMEO_ABI_VERSION"},
      {"input_count", count(program.getInputs().size())},
      {"output_count", count(program.getOutputs().size())},
      {"symbol_count", count(program.getEntrySymbols().size())},
      {"node_count", count(program.getNodes().size())},
      {"blocking_syncs", Code(waits)},
      {"readbacks", Code(readbacks)},
      {"state_bytes", layout.hasState() ? "sizeof(" + inside + "state)" : Code("0")},
      {"name", "\"" + name + "\""},
      {"compiler", str("cameo " + options.version)},
      {"target_name", str(program.getTarget().name)},
      {"target", "&cameo::" + Code(program.getTarget().name) + "::target"},
      {"inputs", member(inputs)},
      {"outputs", member(outputs)},
      {"symbols", member(symbols)},
      {"nodes", member(nodes)},
      {"weights", blob},
      {"infer_shapes", name + "_infer_shapes"},
      {"memory", name + "_memory"},
      {"create", name + "_create"},
      {"run", name + "_run"},
      {"destroy", name + "_destroy"}};
  SmallVector<Code> fields;
  for (const auto &[field, value] : members)
    fields.push_back("/*" + field + "=*/" + value);
  return fields;
}
