// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What JSON that others wrote may be like, since the parser recurses and takes memory for each
// value.

#ifndef CAMEO_SUPPORT_JSONLIMITS_H
#define CAMEO_SUPPORT_JSONLIMITS_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace cameo {

/// The limit that a JSON text exceeds, or "": it nests deeper than `maxDepth`, or has more values
/// than a report of a model with a million of them.
std::string checkJsonSize(llvm::StringRef text, unsigned maxDepth);

} // namespace cameo

#endif // CAMEO_SUPPORT_JSONLIMITS_H
