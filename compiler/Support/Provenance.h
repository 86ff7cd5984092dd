// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What became of every node of a model. Locations name the nodes that an op was made of; a node
// that no op of the finished program names was folded into those that read it: a Shape that
// became an extent of its reader, one of two equal nodes, a node between constants.

#ifndef CAMEO_SUPPORT_PROVENANCE_H
#define CAMEO_SUPPORT_PROVENANCE_H

#include "Support/NodeLocation.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <optional>
#include <vector>

namespace cameo {

/// The nodes of the model that an op, which may be null, is made of; initializers are none.
llvm::SmallVector<NodeLocation> getNodes(mlir::Operation *op);

/// A node that no op of the program names.
struct FoldedNode {
  NodeLocation node;
  /// The node of the program that it was folded into; `Output`, without a name, where only the
  /// program's outputs read it. None for a node that nobody read.
  std::optional<NodeLocation> into;
};

/// The nodes of a model and who reads whom, as they were imported.
class Provenance {
public:
  Provenance() = default;
  /// Names refer to text of the module's context.
  explicit Provenance(mlir::ModuleOp imported);

  /// The nodes that none of `ops` is made of, in the model's order. Linear in the model.
  std::vector<FoldedNode> findFolded(llvm::ArrayRef<mlir::Operation *> ops) const;

private:
  struct Node {
    NodeLocation location;
    llvm::SmallVector<unsigned, 2> producers;
  };

  unsigned add(const NodeLocation &location);
  void addOperands(mlir::Operation *op);

  /// The first stands for the outputs of the program.
  std::vector<Node> nodes{{{"Output", "", {}}, {}}};
  llvm::DenseMap<std::pair<llvm::StringRef, llvm::StringRef>, unsigned> numbers;
};

} // namespace cameo

#endif // CAMEO_SUPPORT_PROVENANCE_H
