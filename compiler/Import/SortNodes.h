// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of nodes. ONNX wants every node behind those whose outputs it reads; some writers do
// not keep to it, and other tools read their files all the same.

#ifndef CAMEO_IMPORT_SORTNODES_H
#define CAMEO_IMPORT_SORTNODES_H

#include "Import/Proto.h"
#include "Import/Reporter.h"
#include "llvm/ADT/SmallVector.h"

namespace cameo::importer {

using NodeList = google::protobuf::RepeatedPtrField<pb::NodeProto>;

/// Puts the nodes of the main graph, of all graphs in it and of all functions into topological
/// order, with a warning for each list that is not; others stay as they are, and so does one with a
/// cycle: checkGraphs says where it is.
void sortNodes(pb::ModelProto &model, Reporter &reporter);

/// Appends the names that `node` reads from the graph that it is in, or from one around that, also
/// within its own graphs; empty ones and repetitions as they come.
void collectReads(const pb::NodeProto &node, llvm::SmallVectorImpl<llvm::StringRef> &names);

/// A cycle of `nodes`: the values on it in the order of the data, beginning with those of the node
/// that comes first in the list. Empty if there is none.
llvm::SmallVector<llvm::StringRef> findCycle(const NodeList &nodes);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_SORTNODES_H
