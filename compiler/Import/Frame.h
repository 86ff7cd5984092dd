// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body that GraphBuilder is building: the main graph, a graph attribute, or an inlined function.

#ifndef CAMEO_IMPORT_FRAME_H
#define CAMEO_IMPORT_FRAME_H

#include "Import/Model.h"
#include "Import/Reporter.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace cameo::importer {

using NodeList = google::protobuf::RepeatedPtrField<pb::NodeProto>;

struct Frame {
  enum class Kind { Main, Region, Call };

  Frame(Kind kind, NodeList &nodes, const OpsetImports &opsets)
      : kind(kind), nodes(nodes), opsets(opsets) {}

  Kind kind;
  NodeList &nodes;
  const OpsetImports &opsets;
  int nextNode = 0;

  /// Where this body and the node that is being built are, for diagnostics.
  Where where, nodeWhere;
  /// The calls that this body is inlined for, as `call/inner/`.
  std::string path;

  /// The body around a Region (its names can be used here) and a Call (they cannot).
  Frame *outer = nullptr;
  llvm::DenseMap<llvm::StringRef, mlir::Value> values;
  /// The model's declared types of values.
  llvm::DenseMap<llvm::StringRef, const pb::TypeProto *> declared;
  mlir::Block *block = nullptr;

  /// The attributes of the function that this body is in, by their names there; null outside
  /// functions.
  const llvm::DenseMap<llvm::StringRef, pb::AttributeProto *> *bindings = nullptr;
  llvm::DenseMap<llvm::StringRef, pb::AttributeProto *> ownBindings;

  /// The node of `outer` that a Region or a Call is built for.
  const pb::NodeProto *node = nullptr;
  // Region: its operation, which is finished with the last of its regions.
  const pb::GraphProto *graph = nullptr;
  mlir::Operation *op = nullptr;
  bool isLastRegion = false;
  // Call.
  const Function *function = nullptr;
};

} // namespace cameo::importer

#endif // CAMEO_IMPORT_FRAME_H
