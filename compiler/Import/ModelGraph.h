// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as its file has it, to be copied with changes: more outputs, fewer nodes, smaller
// extents. For tools that look for a fault; the compiler itself goes by the module. A copy is one
// file, with the weights that lay beside the model.

#ifndef CAMEO_IMPORT_MODELGRAPH_H
#define CAMEO_IMPORT_MODELGRAPH_H

#include "Import/ImportOptions.h"
#include "Support/Diagnostic.h"

#include <map>
#include <memory>
#include <variant>

namespace cameo {

/// A node of the main graph.
struct GraphNode {
  /// Its own name, or that of its first output.
  std::string name;
  std::string opType;
  /// Values of the graph that it reads, also from within its own graphs, and values that it makes,
  /// without empty names.
  std::vector<std::string> reads, outputs;
};

/// An extent: a number, or a name, empty where nothing is known.
using GraphDim = std::variant<int64_t, std::string>;

/// Known facts of a tensor.
struct GraphType {
  /// ONNX's TensorProto.DataType.
  int32_t elementType = 0;
  bool hasRank = true;
  std::vector<GraphDim> dims = {};
};

class ModelGraph {
public:
  ModelGraph();
  ModelGraph(const ModelGraph &other);
  ModelGraph(ModelGraph &&other) noexcept;
  ModelGraph &operator=(ModelGraph other) noexcept;
  ~ModelGraph();

  /// Reads a model, within the limits of an import, and does not check its contents.
  static std::optional<Diagnostic> read(llvm::StringRef path, const ImportOptions &options,
                                        ModelGraph &graph);

  /// Every node behind those that it reads from.
  const std::vector<GraphNode> &getNodes() const { return nodes; }
  /// The node that makes a value.
  std::optional<size_t> findMaker(llvm::StringRef value) const;
  std::vector<std::string> getInputs() const;
  std::vector<std::string> getOutputs() const;
  /// Initializers of floats that are not all zero.
  std::vector<std::string> getWeights() const;
  /// The extents of inputs and weights, each once: names, and numbers beyond 1.
  std::vector<GraphDim> getExtents() const;

  /// Says what a value is, so that it can become an input, also in place of an initializer.
  void declare(const std::string &value, const GraphType &type);

  /// These nodes alone, in ascending order. Values of other nodes that they read become inputs; a
  /// node that reads a value of unknown type, which cannot become one, goes too. Outputs are those
  /// of the graph, and values that only the others read.
  ModelGraph extract(llvm::ArrayRef<size_t> kept) const;
  /// More outputs, behind its own, of which none is one already.
  ModelGraph withOutputs(llvm::ArrayRef<std::string> more) const;
  ModelGraph withoutOutput(size_t number) const;
  /// One input less: others read in its place the first one of the same type. None if there is no
  /// such input.
  std::optional<ModelGraph> withoutInput(size_t number) const;
  /// Another number wherever the extent stands: in inputs and weights, which are cut, and in
  /// short lists of integers, which may say shapes. Types of all else are forgotten.
  ModelGraph withExtent(const GraphDim &extent, int64_t number) const;
  ModelGraph withZeros(llvm::ArrayRef<std::string> weights) const;

  /// The bytes of its file.
  std::optional<Diagnostic> format(std::string &file) const;

private:
  struct State;
  class Extraction;
  void listNodes();

  std::unique_ptr<State> state;
  std::vector<GraphNode> nodes;
};

} // namespace cameo

#endif // CAMEO_IMPORT_MODELGRAPH_H
