// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as its file has it, to be copied with changes: more outputs, or one node alone. For tools
// that look for a fault; the compiler itself goes by the module. A copy is one file, with the
// weights that lay beside the model.

#ifndef CAMEO_IMPORT_MODELGRAPH_H
#define CAMEO_IMPORT_MODELGRAPH_H

#include "Import/Import.h"
#include "Import/TensorData.h"

#include <map>
#include <memory>

namespace cameo {

/// A node of the main graph.
struct GraphNode {
  /// Its own name, or that of its first output.
  std::string name;
  std::string opType;
  /// What it reads of the graph, also from within its own graphs; what it makes, without empty
  /// names.
  std::vector<std::string> reads, outputs;
};

class ModelGraph {
public:
  ModelGraph();
  ModelGraph(ModelGraph &&other) noexcept;
  ModelGraph &operator=(ModelGraph &&other) noexcept;
  ~ModelGraph();

  /// Reads a model that can be imported, within the limits of an import.
  static std::optional<Diagnostic> read(llvm::StringRef path, const ImportOptions &options,
                                        ModelGraph &graph);

  /// Every node behind those that it reads from.
  const std::vector<GraphNode> &getNodes() const { return nodes; }
  /// Of the graph.
  const std::vector<std::string> &getOutputs() const { return outputs; }

  /// The file of a copy with more outputs, behind its own.
  std::optional<Diagnostic> formatWithOutputs(llvm::ArrayRef<std::string> more,
                                              std::string &file) const;
  /// The file of a model of one node. Its inputs are those that have a value in `values`, in their
  /// order; its outputs are the node's.
  std::optional<Diagnostic> formatNode(size_t number,
                                       const std::map<std::string, TensorData> &values,
                                       std::string &file) const;

private:
  struct State;
  std::unique_ptr<State> state;
  std::vector<GraphNode> nodes;
  std::vector<std::string> outputs;
};

} // namespace cameo

#endif // CAMEO_IMPORT_MODELGRAPH_H
