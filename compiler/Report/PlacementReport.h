// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `cameo explain` shows: where every value lives and why, and every crossing with what would
// remove it. Read off the placed module, reasons as the cut left them there (SideReasons.h); says
// nothing that the program does not do. PlacementJson.cpp and PlacementText.cpp print it.

#ifndef CAMEO_REPORT_PLACEMENTREPORT_H
#define CAMEO_REPORT_PLACEMENTREPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo {

struct PlacementReport {
  /// Most steps of a demand, whose middle is left out: every value of a chain has one.
  static constexpr size_t kMaxSteps = 16;

  /// A step from a value to what the host asks for it for.
  struct DemandStep {
    /// `operand`, `symbol` (an extent of the node's result is made of it) or `yield` (a graph of
    /// the node ends in the value).
    std::string kind;
    /// `Reshape:flatten`.
    std::string node;
    /// Name of the operand as ONNX has it, of the symbol, of the graph.
    std::string name;
    /// Class of an operand, as its record has it.
    std::string operandClass;
    /// The value that the host asks for in turn; empty at the end.
    std::string value;

    std::string str() const;
  };
  struct PlacedValue {
    /// Its ONNX name, escaped; that of its node and result where it has none.
    std::string name;
    /// `Conv:conv1`, or `input`.
    std::string producer;
    /// As Dialect/Core/IR/TypeReport.h has them.
    llvm::json::Object type;
    llvm::json::Value bytes = nullptr;
    /// `host`, `device` or `both`.
    std::string side;
    std::string reason;
    /// Up to the operand that decides something on the host; empty where only the device reads the
    /// value. A very long one keeps the first and the last kMaxSteps / 2 steps.
    std::vector<DemandStep> demand;
    /// Steps left out in the middle of `demand`.
    size_t stepsSkipped = 0;
    /// Where the cheapest cut decided: what it costs with the value there, in estimated
    /// nanoseconds.
    std::optional<int64_t> hostCost, deviceCost;
  };
  struct Crossing {
    /// `fetch` (device to host) or `upload` (host to device).
    std::string kind;
    std::string value, producer;
    llvm::json::Value bytes = nullptr;
    /// Number of the value in `values`; none for a count that no value of the model stands for.
    std::optional<size_t> number;
    /// Where it happens, in `graphs`; none where `number` is none.
    std::optional<size_t> graph;
    /// Why the value is where it comes from.
    std::string reason;
    /// Who reads it on the other side, and what the host decides by that.
    std::vector<std::string> consumers;
    /// Whether the caller's thread waits for it.
    bool blocking = false;
    /// Whether a kernel of the device looks at the value instead; the host does only where drivers
    /// lack conditional nodes.
    bool isLeftToDevice = false;
    /// Iterations of a loop in which it happens once; 0 outside of loops.
    int64_t perIterations = 0;
    std::string remedy;
  };

  struct Assertion {
    /// As the user wrote it, escaped.
    std::string text;
    /// Its state: where it is checked, or why it is not.
    std::string state;
  };

  /// A value as a node or the end of a graph reads it.
  struct Read {
    /// The operand as ONNX has it; empty at the end of a graph.
    std::string name;
    /// In `values`.
    size_t value = 0;
    /// In `crossings`, where it reads a copy.
    std::optional<size_t> crossing;
    /// A host scalar that goes to a kernel with its launch.
    bool isKernelArgument = false;
  };
  struct Node {
    /// `Conv:conv1`; `extents: n, k` where the elements of a tensor become extents.
    std::string name;
    /// In `graphs`.
    size_t graph = 0;
    bool isConstant = false;
    std::vector<Read> operands;
    /// In `values`.
    std::vector<size_t> results;
  };
  /// The model's, a branch or a body.
  struct Graph {
    std::string name;
    /// The node that it is of; none for the model's.
    std::optional<size_t> node;
    /// In `values`.
    std::vector<size_t> arguments;
    std::vector<Read> results;
  };
  /// An extent of an output that the device counts, told behind the run.
  struct LateExtent {
    /// In `values`.
    size_t value = 0;
    int64_t axis = 0;
  };

  /// Whether a run can be captured as a graph.
  struct Capture {
    /// The first value that the host waits for, who makes it, and what would remove the wait; none
    /// if the host waits for nothing.
    std::string awaited, producer, remedy;
    /// Inputs of which the host reads elements: a graph has those of its capture, as it has the
    /// dims of all inputs.
    std::vector<std::string> keptInputs;
    /// Nodes whose branches are chosen on the device there, while a plain run waits for the choice.
    std::vector<std::string> choices;

    bool isPossible() const { return awaited.empty(); }
  };

  std::vector<PlacedValue> values;
  std::vector<Assertion> assertions;
  /// Who reads and makes them. Graphs stand behind those that they are in.
  std::vector<Node> nodes;
  std::vector<Graph> graphs;
  std::vector<Crossing> crossings;
  int64_t uploads = 0;
  /// Copies and waits of the planned program: fewer than what crosses where one is for several
  /// values.
  int64_t readbacks = 0, blockingSyncs = 0;
  /// In one copy behind the run.
  std::vector<LateExtent> lateExtents;
  /// None before the program is planned, and without a device.
  std::optional<Capture> capture;
  bool hasDevice = true;

  bool hasValues() const { return !values.empty(); }
  llvm::json::Object toJson() const;
  /// For reading in a terminal.
  std::string toText() const;
};

/// The report of a module behind Place that has the reasons (Options::explainPlacement). Without a
/// device there is one side, and no rule of placement is a reason for anything.
PlacementReport makePlacementReport(mlir::ModuleOp module, bool hasDevice);
/// Adds what is settled with the structure of the program: which counts leave the device, which
/// side checks an assertion, and what a capture would meet, by the same module behind Plan.
void addPlanned(PlacementReport &report, mlir::ModuleOp planned);

} // namespace cameo

#endif // CAMEO_REPORT_PLACEMENTREPORT_H
