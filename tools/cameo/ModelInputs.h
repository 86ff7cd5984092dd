// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model is run on by the verbs that need no data set: the inputs that the command line
// gives, and made-up data for the others.

#ifndef CAMEO_TOOLS_MODELINPUTS_H
#define CAMEO_TOOLS_MODELINPUTS_H

#include "Common.h"
#include "DataSets.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace cameo::cli {

class ModelInputs {
public:
  /// --in and --seed.
  void addTo(CLI::App &verb);
  bool isGiven() const { return !given.empty() || seed != 0; }
  /// Takes the inputs' types; `main` as it is behind Stage::Shape.
  void readSignature(mlir::func::FuncOp main);
  /// Gives every input data, or none where it has a default; what had to be guessed is a warning.
  std::optional<Diagnostic> fill(const std::string &model);
  /// By position; behind fill().
  std::vector<std::optional<TensorData>> getData() const;
  /// The extents of dims that are one symbol, by its name; behind fill().
  std::map<std::string, int64_t> getSymbolValues() const;
  /// In place of fill(): data sets without outputs, `seeds` of them for each choice of extents.
  /// Open dims are 1, 2, 3 and a prime, all the same and each another one, within their bounds.
  std::optional<Diagnostic> makeDataSets(const std::string &model, int64_t seeds,
                                         std::vector<DataSet> &dataSets);

private:
  /// A dim that is no number: its text, and whether that is a symbol. An open one has no value yet,
  /// but perhaps a likely one.
  struct NamedDim {
    size_t axis = 0;
    std::string text;
    bool isSymbol = false, isOpen = false, isLikely = false;
  };
  struct Input {
    std::string name;
    ValueKindList kinds;
    int32_t elementType = 0;
    bool hasRank = false;
    std::vector<int64_t> dims;
    std::vector<NamedDim> named;
    bool hasDefault = false;
    std::optional<TensorData> data;
  };

  /// Extents of the open dims, which decide the dims of every input.
  struct Choice {
    std::vector<std::pair<std::string, int64_t>> symbols;
    std::vector<std::vector<int64_t>> dims;
  };

  void listChoices(mlir::func::FuncOp main);
  std::optional<Diagnostic> readGiven();
  void chooseDims();
  std::optional<Diagnostic> makeUp(Input &input, const std::string &model,
                                   std::mt19937_64 &random) const;

  std::vector<std::string> given;
  uint64_t seed = 0;
  std::vector<Input> inputs;
  std::vector<Choice> choices;
};

} // namespace cameo::cli

#endif // CAMEO_TOOLS_MODELINPUTS_H
