// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dims of inputs that the device counts (--counted-dim): the count is an input of its own, which
// the host need not know, and the dim that the caller binds is the most that it can be.

#ifndef CAMEO_IMPORT_COUNTEDDIMS_H
#define CAMEO_IMPORT_COUNTEDDIMS_H

#include "Import/Model.h"
#include "Import/OperationBuilder.h"

namespace cameo::importer {

/// An axis of an input, and the input that counts it.
struct CountedAxis {
  std::string input;
  int64_t axis;
  std::string count;
};

/// Adds an int64 of rank 0 for each of `dims`, behind the inputs and by the dim's name where that
/// is free, and gives the dim of the inputs another one, `<dim>_most`. Refuses a dim that no input
/// has, and one behind others: what is counted is dense.
llvm::LogicalResult countDims(pb::GraphProto &graph, llvm::ArrayRef<std::string> dims,
                              std::vector<CountedAxis> &counted, Reporter &reporter);

/// Demands that `count` is an extent, and `most` at most.
void limitCount(mlir::OpBuilder &builder, mlir::Location location, mlir::Value count,
                core::ExtentAttr most);

/// The front of `input` that there is, whatever the count.
mlir::Value takeCounted(OperationBuilder &operations, mlir::Location location, const Where &where,
                        mlir::Value input, int64_t axis, mlir::Value count);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_COUNTEDDIMS_H
