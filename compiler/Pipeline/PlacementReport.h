// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `cameo explain` shows: where every value lives and why, and every crossing with what would
// remove it. Read off the placed module, reasons as the cut left them there (SideReasons.h); says
// nothing that the program does not do.

#ifndef CAMEO_PIPELINE_PLACEMENTREPORT_H
#define CAMEO_PIPELINE_PLACEMENTREPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo {

struct PlacementReport {
  /// A step from a value to what the host asks for it for.
  struct DemandStep {
    /// `operand`, `symbol` (an extent of the node's result is made of it) or `yield` (a graph of
    /// the node ends in the value).
    std::string kind;
    /// `Reshape:flatten`.
    std::string node;
    /// Of the operand as ONNX has it, of the symbol, of the graph.
    std::string name;
    /// Of an operand, as its record has it.
    std::string operandClass;
    /// What the host asks for in turn; empty at the end.
    std::string value;

    std::string str() const;
  };
  struct PlacedValue {
    /// Its ONNX name, escaped; that of its node and result where it has none.
    std::string name;
    /// `Conv:conv1`, or `input`.
    std::string producer;
    std::string type;
    /// `host`, `device` or `both`.
    std::string side;
    std::string reason;
    /// Up to the operand that decides something on the host; empty where only the device reads the
    /// value. Of a very long one the first and the last steps.
    std::vector<DemandStep> demand;
    /// Steps left out in the middle of `demand`.
    size_t stepsSkipped = 0;
    /// Where the cheapest cut decided: what it costs with the value there, in estimated
    /// nanoseconds.
    std::optional<int64_t> hostCost, deviceCost;
  };
  struct Crossing {
    /// `fetch` (device to host) or `stage` (host to device).
    std::string kind;
    std::string value, bytes, producer;
    /// Why the value is where it comes from.
    std::string reason;
    /// Who reads it on the other side, and what the host decides by that.
    std::vector<std::string> consumers;
    /// Whether the caller's thread waits for it.
    bool blocking = false;
    /// Whether it happens in every iteration of a loop.
    bool inLoop = false;
    std::string remedy;
  };

  struct Assertion {
    /// As the user wrote it, escaped.
    std::string text;
    /// What became of it: where it is checked, or why it is not.
    std::string state;
  };

  std::vector<PlacedValue> values;
  std::vector<Assertion> assertions;
  std::vector<Crossing> crossings;
  int64_t readbacks = 0, uploads = 0, blockingSyncs = 0;
  /// Extents of outputs that the device counts, in one copy behind the run.
  int64_t lateExtents = 0;
  bool hasDevice = true;

  bool hasValues() const { return !values.empty(); }
  llvm::json::Object toJson() const;
  /// For reading in a terminal.
  std::string toText() const;
};

/// Of a module behind Place that has the reasons (Options::explainPlacement). Without a device
/// there is one side, and no rule of placement is a reason for anything.
PlacementReport makePlacementReport(mlir::ModuleOp module, bool hasDevice);
/// Adds what is settled with the structure of the program: which counts leave the device, and which
/// side checks an assertion, by the same module behind Plan.
void addPlanned(PlacementReport &report, mlir::ModuleOp planned);

} // namespace cameo

#endif // CAMEO_PIPELINE_PLACEMENTREPORT_H
