// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything about a model that can be checked without knowing its operators, before any operation
// is built: header, names and order, attributes' payloads, tensors, external data, types,
// functions.

#ifndef CAMEO_IMPORT_CHECKMODEL_H
#define CAMEO_IMPORT_CHECKMODEL_H

#include "Import/ImportOptions.h"
#include "Import/Model.h"
#include "Import/TensorLoader.h"

namespace cameo::importer {

/// Checks `model.proto` and fills the tables beside it.
llvm::LogicalResult checkModel(Model &model, const ImportOptions &options, TensorLoader &tensors,
                               Reporter &reporter);

/// Versions, operator sets, what the model is made of.
llvm::LogicalResult checkHeader(Model &model, Reporter &reporter);

struct NodeLimits {
  /// Limits of all nodes once functions are inlined, and of the nodes that inlining adds to the
  /// file's.
  int64_t maxNodes, maxInlined;
};
/// Finds the functions that call each other, and what inlining them all makes.
llvm::LogicalResult checkCalls(Model &model, const NodeLimits &limits, Reporter &reporter);

/// Names, order and attributes of the main graph and of every function's body.
llvm::LogicalResult checkGraphs(Model &model, TensorLoader &tensors, Reporter &reporter);

/// A type as a value_info, an attribute or a graph's input gives it.
llvm::LogicalResult checkType(const pb::TypeProto &type, const Where &where, Reporter &reporter);

/// Whether `text` is UTF-8, as ONNX wants names to be; `what` says whose text it is.
llvm::LogicalResult checkText(llvm::StringRef text, llvm::StringRef what, const Where &where,
                              Reporter &reporter);

/// Whether Cameo has an operator (domain, name) in this version of its domain.
using IsKnownOperator = llvm::function_ref<bool(llvm::StringRef, llvm::StringRef, int64_t)>;

/// Reports all nodes, also in the functions and graphs that are reached, whose operator is not
/// known.
llvm::LogicalResult checkOperators(const Model &model, IsKnownOperator isKnown, Reporter &reporter);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_CHECKMODEL_H
