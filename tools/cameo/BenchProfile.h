// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile by what the model calls things: kernels of the fastest run with the nodes that they are
// of, by plan.json; as rows of a report, as a trace, and as node data of a viewer of graphs.

#ifndef CAMEO_TOOLS_BENCHPROFILE_H
#define CAMEO_TOOLS_BENCHPROFILE_H

#include "Driver.h"

#include <string>
#include <vector>

namespace cameo::cli {

/// All calls, in the fastest run, of a kernel for the same nodes.
struct NodeProfile {
  struct Node {
    std::string name, op;
  };
  /// The nodes that are fused into the kernel. They belong to several steps where one kernel
  /// function serves these within branches or loops, so that nothing tells whose a call is.
  std::vector<Node> nodes;
  std::string kernel;
  int64_t calls = 0, nanoseconds = 0, bytes = 0, operations = 0;

  /// `Conv:conv1, Relu:relu1`; of more than `most`, how many more.
  std::string describeNodes(size_t most) const;
};

class BenchProfile {
public:
  /// Takes the run's result, and the plan from which the program was built.
  BenchProfile(const RunResult &result, llvm::StringRef planJson);

  /// In the order of their first calls.
  llvm::ArrayRef<NodeProfile> getRows() const { return rows; }
  llvm::json::Array toJson() const;
  /// The most expensive rows, for people.
  std::string toText() const;
  /// Chrome's trace format; `about` goes into it.
  llvm::json::Object makeTrace(llvm::json::Object about) const;
  /// Data for Model Explorer: `time` (milliseconds), `bytes` or `flops` of each node. A node that
  /// is fused with others has the sum of all of them.
  llvm::json::Object makeNodeData(llvm::StringRef what) const;

private:
  const RunResult &result;
  std::vector<NodeProfile> rows;
  /// The row of each call.
  std::vector<size_t> rowOf;
};

/// True for the words that `BenchProfile::makeNodeData` takes.
bool isNodeDataKind(llvm::StringRef what);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_BENCHPROFILE_H
