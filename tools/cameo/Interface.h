// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What verify knows of a compiled model: its inputs and outputs, and what these are held to.

#ifndef CAMEO_TOOLS_INTERFACE_H
#define CAMEO_TOOLS_INTERFACE_H

#include "Common.h"
#include "Compare.h"
#include "DataSets.h"
#include "Quantisation.h"

#include "mlir/IR/BuiltinOps.h"

namespace cameo::cli {

/// A model's inputs and outputs.
struct Interface {
  Signature signature;
  std::vector<std::string> inputs, outputs;
  /// -1 for a rank that only a run knows, and for what is no tensor.
  std::vector<int64_t> inputRanks, outputRanks;
  /// By axis: the name of an extent that is a dim of its own, "1", else "".
  std::vector<std::vector<std::string>> inputDims;
  /// Extents of outputs that the device counts, with what is equal of them.
  struct Counted {
    size_t output, axis;
    std::string extent;
  };
  std::vector<Counted> counted;
  /// Whether an input may be left out.
  std::vector<bool> hasDefault;
  std::vector<Rounding> roundings;
};

/// That of an imported module.
Interface readInterface(mlir::ModuleOp module);
/// Extents of outputs that the device counts, in a module behind Plan.
std::vector<Interface::Counted> readCounted(mlir::ModuleOp module);

/// --rtol and those beside it.
struct ToleranceFlags {
  std::optional<double> relative, absolute, largest;
  double steps = 1, norm = 0.05;

  void addTo(CLI::App &verb);
  Allowance getAllowance(const Rounding &rounding) const;
};

} // namespace cameo::cli

#endif // CAMEO_TOOLS_INTERFACE_H
