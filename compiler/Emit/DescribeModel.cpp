// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/DescribeModel.h"

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

/// Of an element: that of a pointer or an int64_t, which larger ones are made of.
constexpr int64_t kWidestAlignment = 8;

class ModelDescriber {
public:
  ModelDescriber(const HostLayout &layout, CppWriter &writer)
      : layout(layout), program(layout.program), writer(writer) {}

  Code printPorts(ArrayRef<PortInfo> ports, const Code &kind, bool isInput);
  Code printNames(const Code &name, ArrayRef<StringRef> names, size_t longest);

private:
  Code printDims(const PortInfo &port, const Code &name);
  Code printDefault(const PortInfo &port, const Code &name, bool isValue);
  SmallVector<Code> describeDim(ExtentAttr extent);
  Code getFlags(unsigned input, bool isInput);

  const HostLayout &layout;
  const Program &program;
  CppWriter &writer;
};

Code getBound(std::optional<int64_t> bound, const Code &none) {
  return bound && *bound < kMaxSymbolExtent ? Code(*bound) : none;
}

} // namespace

SmallVector<Code> ModelDescriber::describeDim(ExtentAttr extent) {
  if (std::optional<int64_t> value = extent.getConstant())
    return {"CAMEO_DIM_VALUE", "-1", Code(*value), Code(*value), "nullptr"};
  ExtentAttr capacity = program.getCapacity(extent);
  ExtentRange bounds = range(capacity.isUnknown() ? extent : capacity, program.getFacts());
  Code least = getBound(bounds.lo(), "0"), most = getBound(bounds.hi(), "INT64_MAX");
  ArrayRef<StringRef> symbols = program.getEntrySymbols();
  Code symbol = "-1", kind = "CAMEO_DIM_SYMBOL";
  if (extent.isSymbol() && program.isEntrySymbol(extent.getSymbolName())) {
    symbol =
        Code(static_cast<int64_t>(llvm::find(symbols, extent.getSymbolName()) - symbols.begin()));
    if (most.ref() != "INT64_MAX" || least.ref() != "0")
      kind = "CAMEO_DIM_RANGE";
  } else if (capacity.isUnknown()) {
    kind = "CAMEO_DIM_OPEN";
    most = "INT64_MAX";
  } else if (capacity != extent) {
    kind = "CAMEO_DIM_BOUNDED";
    least = "0";
  }
  std::string text = extent.str();
  if (text.size() > kLongestDimText)
    text = text.substr(0, kLongestDimText) + "...";
  return {kind, symbol, least, most, str(text)};
}

Code ModelDescriber::printDims(const PortInfo &port, const Code &name) {
  if (port.type.getRank() == 0)
    return "nullptr";
  Code table = layout.file.add(name, "_dims");
  SmallVector<Code> rows;
  for (ExtentAttr extent : port.type.getExtents())
    rows.push_back(writer.getRow(describeDim(extent)));
  writer.table("const cameo_dim " + table + "[] = {", rows);
  return table;
}

/// What an input is when it is absent; its elements too where the host reads them.
Code ModelDescriber::printDefault(const PortInfo &port, const Code &name, bool isValue) {
  if (!port.initial)
    return "nullptr";
  Code dims = "nullptr", data = "nullptr";
  ArrayRef<int64_t> shape = port.initial.getShapedType().getShape();
  if (!shape.empty()) {
    dims = layout.file.add(name, "_default_dims");
    writer.table("const int64_t " + dims + "[] = {",
                 llvm::map_to_vector(shape, [](int64_t dim) { return Code(dim); }));
  }
  if (isValue && port.initial.getNumElements() != 0) {
    data = layout.file.add(name, "_default_data");
    SmallVector<Code> elements;
    for (Attribute element : port.initial.getValues<Attribute>())
      elements.push_back(*getLiteral(cast<TypedAttr>(element)));
    writer.table("const " + getCppType(port.type.getElementType())->name + " " + data + "[] = {",
                 elements);
  }
  Code initial = layout.file.add(name, "_default");
  writer.line("const cameo_default " + initial + " = {" + dims + ", " +
              Code(port.initialOffset.getInt()) + ", " + data + "};");
  return "&" + initial;
}

Code ModelDescriber::getFlags(unsigned number, bool isInput) {
  if (!isInput)
    return "CAMEO_PORT_LENDABLE";
  Code flags = program.getBody().getArgument(number).use_empty() ? Code("CAMEO_PORT_DIMS_ONLY")
                                                                 : Code("CAMEO_PORT_LENDABLE");
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
    bool onDevice = program.isCuda() && port.type.isDevice();
    bool isValue = isInput && program.isReadAtEntry(number);
    Code initial = printDefault(port, ident, isValue);
    StringRef name = StringRef(port.name).take_front(kLongestPortName);
    rows.push_back(
        writer.getRow({str(name), "CAMEO_TENSOR", element.dtype, Code(port.type.getRank()),
                       getFlags(number, isInput), dims, "nullptr",
                       onDevice ? Code("CAMEO_SPACE_DEVICE") : Code("CAMEO_SPACE_HOST"),
                       program.isCuda() ? Code("any_space") : Code("host_spaces"),
                       Code(std::min(element.bytes, kWidestAlignment)),
                       isValue ? Code("0") : Code("1"), "nullptr", initial}));
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
  if (program.isCuda()) {
    writer.line(
        "constexpr uint32_t any_space = 1u << CAMEO_SPACE_HOST | 1u << CAMEO_SPACE_PINNED |");
    writer.line(
        "                               1u << CAMEO_SPACE_DEVICE | 1u << CAMEO_SPACE_MANAGED;");
  } else {
    writer.line("constexpr uint32_t host_spaces =");
    writer.line(
        "    1u << CAMEO_SPACE_HOST | 1u << CAMEO_SPACE_PINNED | 1u << CAMEO_SPACE_MANAGED;");
  }
  ModelDescriber describer(layout, writer);
  Code inputs = describer.printPorts(program.getInputs(), "inputs", true);
  Code outputs = describer.printPorts(program.getOutputs(), "outputs", false);
  Code symbols = describer.printNames("symbol_names", program.getEntrySymbols(), kLongestNodeName);
  Code nodes = describer.printNames("nodes", program.getNodes(), kLongestNodeName);

  int64_t readbacks = 0, waits = 0;
  program.getMain()->walk([&](Operation *op) {
    readbacks += isa<FetchOp>(op);
    waits += isa<AwaitOp>(op);
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
  return {"CAMEO_ABI_VERSION",
          count(program.getInputs().size()),
          count(program.getOutputs().size()),
          count(program.getEntrySymbols().size()),
          count(program.getNodes().size()),
          Code(waits),
          Code(readbacks),
          layout.hasState() ? "sizeof(" + inside + "state)" : Code("0"),
          "\"" + name + "\"",
          str("cameo " + options.version),
          program.isCuda() ? Code("\"cuda\"") : Code("\"cpu\""),
          program.isCuda() ? Code("&cameo::cuda::target") : Code("&cameo::cpu::target"),
          member(inputs),
          member(outputs),
          member(symbols),
          member(nodes),
          blob,
          name + "_infer_shapes",
          name + "_memory",
          name + "_create",
          name + "_run",
          name + "_destroy"};
}
