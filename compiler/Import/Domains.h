// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The domains of operators that Cameo has: the one list of them.

#ifndef CAMEO_IMPORT_DOMAINS_H
#define CAMEO_IMPORT_DOMAINS_H

#include "llvm/ADT/StringRef.h"

namespace cameo::importer {

struct Domain {
  /// As a model imports it; ai.onnx is "".
  llvm::StringLiteral name;
  /// The beginning of its operators' names in the dialect.
  llvm::StringLiteral prefix;
  /// The newest version of its operator set.
  int64_t newest;
};

/// Null for a domain that Cameo does not have.
const Domain *findDomain(llvm::StringRef name);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_DOMAINS_H
