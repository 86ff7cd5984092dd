// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Advice on operators that Cameo leaves to the caller.

#ifndef CAMEO_IMPORT_REMEDIES_H
#define CAMEO_IMPORT_REMEDIES_H

#include "llvm/ADT/StringRef.h"

namespace cameo::importer {

/// How to do without an operator that Cameo does not have; empty where nothing general is known.
llvm::StringRef getRemedy(llvm::StringRef domain, llvm::StringRef opType);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_REMEDIES_H
