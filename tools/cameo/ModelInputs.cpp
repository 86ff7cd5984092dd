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
  listChoices(main);
}

/// Lists sizes behind which faults hide: an extent of 1 broadcasts, equal extents may be mixed up,
/// and a prime shows the rest that vectors or tiles leave over.
void ModelInputs::listChoices(mlir::func::FuncOp main) {
  constexpr int64_t kExtents[] = {1, 2, 3, 7};
  SymbolAnalysis analysis(main);
  const ExtentFacts &facts = analysis.getFacts();
  llvm::SetVector<StringRef> symbols;
  auto forEachExtent = [&](llvm::function_ref<void(size_t, size_t, ExtentAttr)> visit) {
    for (auto [number, type] : llvm::enumerate(main.getArgumentTypes()))
      if (auto tensor = llvm::dyn_cast<SymTensorType>(type); tensor && tensor.hasRank())
        for (auto [axis, extent] : llvm::enumerate(tensor.getExtents()))
          visit(number, axis, extent);
  };
  forEachExtent([&](size_t, size_t, ExtentAttr extent) { extent.collectSymbols(symbols); });
  // Sizes that --assert calls likely are a choice of their own, the first.
  std::vector<llvm::StringMap<int64_t>> values;
  auto &likely = values.emplace_back();
  for (StringRef symbol : symbols)
    if (auto value = analysis.getLikely(ExtentAttr::symbol(main.getContext(), symbol)))
      likely[symbol] = *value;
  if (likely.size() != symbols.size())
    values.clear();
  for (bool areSame : {true, false})
    for (size_t first = 0; first < std::size(kExtents); ++first) {
      auto &chosen = values.emplace_back();
      for (auto [number, symbol] : llvm::enumerate(symbols)) {
        ExtentRange bounds = range(ExtentAttr::symbol(main.getContext(), symbol), facts);
        int64_t extent = kExtents[(first + (areSame ? 0 : number)) % std::size(kExtents)];
        extent = std::max(extent, bounds.lo().value_or(extent));
        chosen[symbol] = std::min(extent, bounds.hi().value_or(extent));
      }
    }
  choices.clear();
  for (const llvm::StringMap<int64_t> &chosen : values) {
    Choice choice;
    for (StringRef symbol : symbols)
      choice.symbols.emplace_back(symbol.str(), chosen.lookup(symbol));
    for (const Input &input : inputs)
      choice.dims.push_back(input.dims);
    forEachExtent([&](size_t number, size_t axis, ExtentAttr extent) {
      std::optional<int64_t> value =
          extent.evaluate([&](StringRef symbol) { return std::optional(chosen.lookup(symbol)); });
      choice.dims[number][axis] = value.value_or(choice.dims[number][axis]);
    });
    choices.push_back(std::move(choice));
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

std::optional<Diagnostic> ModelInputs::makeDataSets(const std::string &model, int64_t seeds,
                                                    std::vector<DataSet> &dataSets) {
  if (auto problem = readGiven())
    return problem;
  for (const Input &input : inputs)
    if (!input.hasRank && !input.data && !input.hasDefault)
      return Diagnostic{ExitClass::Usage, model, escapeText(input.name),
                        "has any number of dims, so that data cannot be made up for it",
                        "--rank says how many, or --in gives it"};
  const std::map<std::string, int64_t> known = getSymbolValues();
  std::vector<std::vector<std::vector<int64_t>>> done;
  for (const Choice &choice : choices) {
    std::vector<Input> made = inputs;
    std::vector<std::vector<int64_t>> dims;
    for (auto [input, chosen] : llvm::zip_equal(made, choice.dims)) {
      input.dims = input.data ? input.data->dims : chosen;
      // Inputs that are made up agree with given ones.
      for (const NamedDim &dim : input.named)
        if (auto found = known.find(dim.text); found != known.end() && !input.data)
          input.dims[dim.axis] = found->second;
      dims.push_back(input.dims);
    }
    if (llvm::is_contained(done, dims))
      continue;
    done.push_back(std::move(dims));
    for (int64_t number = 0; number < seeds; ++number) {
      uint64_t one = seed + static_cast<uint64_t>(number);
      std::mt19937_64 random(one);
      DataSet &data = dataSets.emplace_back();
      for (const auto &[symbol, extent] : choice.symbols)
        if (!known.count(symbol))
          data.name += fmt::format("{}={} ", escapeText(symbol), extent);
      data.name += fmt::format("seed {}", one);
      for (auto [position, input] : llvm::enumerate(made)) {
        Input filled = input;
        if (auto problem = makeUp(filled, model, random))
          return problem;
        if (filled.data)
          data.inputs[static_cast<int64_t>(position)] = std::move(*filled.data);
      }
    }
  }
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
