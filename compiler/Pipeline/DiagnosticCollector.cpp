// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/DiagnosticCollector.h"

#include "Support/NodeLocation.h"
#include "Support/Unsupported.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace cameo;

namespace {

/// A model with 100,000 nodes at fault still gets one line: no more are kept.
constexpr size_t kMaxEntries = 10'000;
/// A problem that more nodes share names so many of them.
constexpr size_t kMaxNamedNodes = 8;

/// `'onnx.Conv' op has ...` is how MLIR begins; users know Conv.
std::string getProblem(const mlir::Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  StringRef rest = text;
  if (rest.consume_front("'onnx.")) {
    auto [op, problem] = rest.split("' op ");
    if (!problem.empty())
      return (op + " " + problem).str();
  }
  if (rest.consume_front("'func.func' op "))
    return ("the graph " + rest).str();
  return text;
}

std::string getHint(mlir::Diagnostic &diagnostic) {
  auto notes = diagnostic.getNotes();
  return notes.empty() ? "" : notes.begin()->str();
}

std::optional<ExitClass> getExitClass(mlir::Diagnostic &diagnostic) {
  if (isUnsupported(diagnostic))
    return ExitClass::Unsupported;
  if (isLimit(diagnostic))
    return ExitClass::Limit;
  if (isUsage(diagnostic))
    return ExitClass::Usage;
  if (isRefusal(diagnostic))
    return ExitClass::CheckFailed;
  return std::nullopt;
}

} // namespace

DiagnosticCollector::DiagnosticCollector(MLIRContext *context)
    : handler(context, [this](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error && entries.size() < kMaxEntries)
          entries.push_back({escapeText(getNodeName(diagnostic.getLocation())),
                             getProblem(diagnostic), getHint(diagnostic),
                             getExitClass(diagnostic)});
        return success();
      }) {}

ExitClass DiagnosticCollector::classify(ExitClass otherwise) const {
  for (const Entry &entry : entries)
    if (entry.exitClass)
      return *entry.exitClass;
  return otherwise;
}

cameo::Diagnostic DiagnosticCollector::merge(ExitClass exitClass, StringRef file,
                                             ModuleOp module) const {
  cameo::Diagnostic merged;
  merged.exitClass = exitClass;
  merged.file = file.str();
  llvm::MapVector<StringRef, SmallVector<StringRef>> nodesOf;
  for (const Entry &entry : entries)
    nodesOf[entry.problem].push_back(entry.node);
  if (nodesOf.empty()) {
    merged.problem = "a pass failed without saying why";
    return merged;
  }

  auto graph = module ? module->getAttrOfType<StringAttr>("onnx.graph") : StringAttr();
  std::string prefix = graph && !graph.empty() ? escapeText(graph) + "/" : "";
  if (entries.size() == 1) {
    const Entry &only = entries.front();
    merged.where = only.node.empty() ? "" : prefix + only.node;
    merged.problem = only.problem;
    merged.hint = only.hint;
    return merged;
  }
  merged.where = prefix.empty() ? "" : StringRef(prefix).drop_back().str();
  for (auto &[problem, nodes] : nodesOf) {
    merged.problem += (merged.problem.empty() ? "" : "; ") + problem.str() + " (";
    for (auto [number, node] : llvm::enumerate(ArrayRef(nodes).take_front(kMaxNamedNodes)))
      merged.problem += (number ? ", " : "") + (node.empty() ? "no node" : node.str());
    if (nodes.size() > kMaxNamedNodes)
      merged.problem += " and " + std::to_string(nodes.size() - kMaxNamedNodes) + " more";
    merged.problem += ")";
  }
  return merged;
}
