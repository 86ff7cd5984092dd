// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there is to do about operators that Cameo does not have.

#ifndef CAMEO_IMPORT_REMEDIES_H
#define CAMEO_IMPORT_REMEDIES_H

#include "Import/DeclaredTypes.h"
#include "Import/Import.h"

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

/// What of a model's refusal removes it: by what each of its unknown operators is removed.
std::string joinRemedies(llvm::ArrayRef<UnsupportedNode> nodes);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_REMEDIES_H
