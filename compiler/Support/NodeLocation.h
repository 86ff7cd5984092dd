// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a location says which ONNX node an operation comes from:
// `loc("Relu:relu1"(fused<["y"]>[...]))`, the operator and the node's name, and under it the ONNX
// names of the results ("" for one that the model does not name). A node inlined from a function
// has its callers before its name: `call/relu1`. Passes fuse the locations of operations that they
// merge, `loc(fused<["h", "y"]>[...])` with the names of the results; no other record of provenance
// is needed.

#ifndef CAMEO_SUPPORT_NODELOCATION_H
#define CAMEO_SUPPORT_NODELOCATION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace cameo {

/// Stands in place of an operator in the location of an initializer.
inline constexpr llvm::StringLiteral kInitializerOpType = "Initializer";
/// And that of what checks an assertion of the user's; the name is its text.
inline constexpr llvm::StringLiteral kAssertionOpType = "Assertion";

struct NodeLocation {
  llvm::StringRef opType;
  /// The node's name, that of its first output where it has none.
  llvm::StringRef name;
  /// The ONNX names of its results; may be shorter than the results.
  mlir::ArrayAttr outputs;

  /// The name of a result; "" for one that has none.
  llvm::StringRef getOutput(unsigned number) const;
};

mlir::Location makeNodeLocation(mlir::MLIRContext *context, llvm::StringRef opType,
                                llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> outputs);

/// Appends the nodes that `location` names, each once, in the order in which it names them.
void collectNodes(mlir::Location location, llvm::SmallVectorImpl<NodeLocation> &nodes);
/// The location of an op that others became: theirs, and the ONNX names of its results.
mlir::Location fuseLocations(mlir::MLIRContext *context, llvm::ArrayRef<mlir::Location> locations,
                             llvm::ArrayRef<llvm::StringRef> outputs);
/// The name of the first of them; "" when there is none.
llvm::StringRef getNodeName(mlir::Location location);
/// The first of them for a report, `Conv:conv1`, escaped; "" when there is none.
std::string describeNode(mlir::Location location);
/// The ONNX name of result `number` of the first of them; "" when there is none.
llvm::StringRef getOutputName(mlir::Location location, unsigned number);
/// The name of result `number` of an op with `count` results: its ONNX name, that of the node that
/// makes it if it has none; "" when no node is named.
llvm::StringRef getValueName(mlir::Location location, unsigned number, unsigned count);
/// The location of the node that makes this result; `location` itself where none names it.
mlir::Location getMakerLocation(mlir::Location location, unsigned number, unsigned count);
/// The location that an op had before others became part of it, whose results it makes instead.
mlir::Location getOwnLocation(mlir::Location location);

} // namespace cameo

#endif // CAMEO_SUPPORT_NODELOCATION_H
