// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decisions as a file that is reviewed, compared, and fed back to a later compilation
// (--emit-plan, --plan): sides by ONNX names, variants of calls by nodes, and what the user said to
// get there. A model that has changed keeps what of it still fits.

#ifndef CAMEO_PIPELINE_PLACEMENTPLAN_H
#define CAMEO_PIPELINE_PLACEMENTPLAN_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "Kernels/Kept.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <utility>
#include <vector>

namespace cameo {

struct PlacementPlan {
  /// As the flags have them: --assert, --value, --place.
  std::vector<std::string> asserts, values, pins;
  /// By ONNX name; none of what is on both.
  std::vector<std::pair<std::string, core::Side>> sides;
  /// By node.
  KeptVariants variants;

  /// Reads what addTo() has written, from whatever text; on failure `error` says what is wrong.
  /// Depth and numbers of members are bounded before anything is parsed.
  static llvm::FailureOr<PlacementPlan> read(llvm::StringRef text, std::string &error);
  /// Drops what names values, nodes or dims that the imported model does not have; a warning for
  /// each kind of it.
  void keepWhatFits(mlir::ModuleOp module, std::vector<std::string> &warnings);
  /// The sides as pins, then the pins.
  std::vector<std::string> getPins() const;
  /// Adds its members to a report.
  void addTo(llvm::json::Object &report) const;
};

/// The sides of a module behind Place.
std::vector<std::pair<std::string, core::Side>> getSides(mlir::ModuleOp placed);

} // namespace cameo

#endif // CAMEO_PIPELINE_PLACEMENTPLAN_H
