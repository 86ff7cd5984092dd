// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelInputs.h"

#include "Compare.h"
#include "Elements.h"
#include "NumPyData.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Support/ElementTypes.h"
#include "Support/NearNames.h"
#include "cameo/scalar.h"

#include <fmt/format.h>

using namespace cameo;
using namespace cameo::cli;
using namespace cameo::core;
using llvm::StringRef;

void ModelInputs::addTo(CLI::App &verb) {
  verb.add_option("--in", given, "an input: NAME=FILE.npy or NAME=FILE.pb")
      ->allow_extra_args(false);
  verb.add_option("--seed", seed, "of the data that is made up for the other inputs");
}

/// Floats in [-1, 1), small integers that are valid indices of most things, both truths. Nothing
/// for elements that are no numbers.
static std::vector<char> makeElements(int32_t elementType, int64_t count, std::mt19937_64 &random) {
  std::vector<char> bytes;
  with_element(elementType, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t number = 0; number < count; ++number) {
      // The library's distributions differ from one implementation to the next.
      double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      T value = cameo::cast<T>(2 * unit - 1);
      if (!is_float_v<T>)
        value = cameo::cast<T>(random() % 2);
      const char *data = reinterpret_cast<const char *>(&value);
      bytes.insert(bytes.end(), data, data + sizeof value);
    }
  });
  return packElements(elementType, std::move(bytes));
}

/// Open dims become what they are said to be likely, or 1, or the least that they may be.
void ModelInputs::readSignature(mlir::func::FuncOp main) {
  inputs.clear();
  SymbolAnalysis symbols(main);
  const ExtentFacts &facts = symbols.getFacts();
  for (auto [number, type] : llvm::enumerate(main.getArgumentTypes())) {
    Input &input = inputs.emplace_back();
    unsigned position = static_cast<unsigned>(number);
    if (auto name = main.getArgAttrOfType<mlir::StringAttr>(position, "onnx.name"))
      input.name = name.str();
    input.hasDefault = static_cast<bool>(main.getArgAttr(position, "onnx.default"));
    PortType port = getPortType(type);
    input.kinds = port.kinds;
    input.elementType = port.elementType;
    auto tensor = llvm::dyn_cast<SymTensorType>(type);
    if (!tensor || !tensor.hasRank())
      continue;
    input.hasRank = true;
    for (ExtentAttr extent : tensor.getExtents()) {
      ExtentRange bounds = range(extent, facts);
      std::optional<int64_t> likely = symbols.getLikely(extent);
      if (!extent.isConstant())
        input.named.push_back({input.dims.size(), extent.str(), extent.isSymbol(),
                               bounds.lo() != bounds.hi(), likely.has_value()});
      input.dims.push_back(likely.value_or(std::max<int64_t>(bounds.lo().value_or(1), 1)));
    }
  }
}

std::optional<Diagnostic> ModelInputs::readGiven() {
  for (StringRef text : given) {
    auto [name, file] = text.split('=');
    size_t position = inputs.size();
    for (size_t number = 0; number < inputs.size(); ++number)
      if (inputs[number].name == name || std::to_string(number) == name)
        position = number;
    if (position == inputs.size() || file.empty()) {
      std::vector<StringRef> names;
      for (const Input &input : inputs)
        names.push_back(input.name);
      return Diagnostic{
          ExitClass::Usage, "cameo", "",
          fmt::format("--in {} names no input of the model", quoteText(text)),
          suggestNear(name, names,
                      "NAME=FILE.npy or NAME=FILE.pb, or the input's number for its name")};
    }
    TensorData data;
    auto problem = file.ends_with(".pb") ? readTensor(file, inputs[position].kinds, data)
                                         : readNpy(file.str(), data);
    if (problem)
      return problem;
    takeAs(inputs[position].elementType, data);
    inputs[position].data = std::move(data);
  }
  return std::nullopt;
}

/// Inputs that are made up agree with those that are given; what nothing decides is said.
void ModelInputs::chooseDims() {
  std::map<std::string, int64_t> known = getSymbolValues();
  for (Input &input : inputs) {
    if (input.data || input.hasDefault)
      continue;
    std::string guessed = input.hasRank ? "" : ", its rank";
    for (const NamedDim &dim : input.named) {
      if (!dim.isOpen)
        continue;
      auto found = known.find(dim.text);
      if (found != known.end())
        input.dims[dim.axis] = found->second;
      else if (!dim.isLikely)
        guessed += fmt::format(", {} = {}", escapeText(dim.text), input.dims[dim.axis]);
    }
    if (!guessed.empty())
      fmt::print(stderr,
                 "warning: input {} is made up, as {}[{}]: guessed {} (--dim or --in decide)\n",
                 escapeText(input.name), getDataTypeName(input.elementType),
                 fmt::join(input.dims, ", "), guessed.substr(2));
  }
}

std::optional<Diagnostic> ModelInputs::makeUp(Input &input, const std::string &model,
                                              std::mt19937_64 &random) const {
  if (input.data || input.hasDefault)
    return std::nullopt;
  const ElementInfo *info = findElementInfo(input.elementType);
  if (!info || info->isString() || info->kind == ElementKind::complex)
    return Diagnostic{ExitClass::Usage, model, escapeText(input.name),
                      "has a type that data cannot be made up for", "give it by --in"};
  TensorData data;
  data.name = input.name;
  data.elementType = input.elementType;
  data.dims = input.dims;
  data.bytes = makeElements(data.elementType, getNumElements(data), random);
  input.data = std::move(data);
  return std::nullopt;
}

std::optional<Diagnostic> ModelInputs::fill(const std::string &model) {
  if (auto problem = readGiven())
    return problem;
  chooseDims();
  std::mt19937_64 random(seed);
  for (Input &input : inputs)
    if (auto problem = makeUp(input, model, random))
      return problem;
  return std::nullopt;
}

std::vector<std::optional<TensorData>> ModelInputs::getData() const {
  std::vector<std::optional<TensorData>> data;
  for (const Input &input : inputs)
    data.push_back(input.data);
  return data;
}

std::map<std::string, int64_t> ModelInputs::getSymbolValues() const {
  std::map<std::string, int64_t> known;
  for (const Input &input : inputs)
    for (const NamedDim &dim : input.named)
      if (input.data && dim.isSymbol && dim.axis < input.data->dims.size())
        known.emplace(dim.text, input.data->dims[dim.axis]);
  return known;
}
