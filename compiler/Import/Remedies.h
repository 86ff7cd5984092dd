// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The remedies for operators that Cameo does not have.

#ifndef CAMEO_IMPORT_REMEDIES_H
#define CAMEO_IMPORT_REMEDIES_H

#include "Import/DeclaredTypes.h"
#include "Import/UnsupportedNode.h"

namespace cameo::importer {

struct Remedy {
  RemedyKind kind;
  /// How, or what is in the way.
  llvm::StringRef text;
};

/// For a node whose operator, of the normalised `domain`, is not known.
Remedy findRemedy(const pb::NodeProto &node, llvm::StringRef domain, const DeclaredTypes &types);

/// `domain.Name`, as diagnostics and remedies name an operator.
std::string describeOperator(llvm::StringRef domain, llvm::StringRef opType);

/// The remedies of a refused model, operator by operator.
std::string joinRemedies(llvm::ArrayRef<UnsupportedNode> nodes);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_REMEDIES_H
