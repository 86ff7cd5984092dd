// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CAMEO_IMPORT_EXTERNALNODE_H
#define CAMEO_IMPORT_EXTERNALNODE_H

#include "Import/ExternalOperator.h"
#include "Import/OperationBuilder.h"

namespace cameo::importer {

/// A node as an operation of the operator that the user declares; a node that does not fit the
/// declaration is malformed.
llvm::FailureOr<mlir::Operation *> buildExternal(OperationBuilder &operations,
                                                 const ExternalOperator &declared, Node &node);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_EXTERNALNODE_H
