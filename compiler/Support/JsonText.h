// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How reports are written: sorted keys, indented, one line end, in ASCII.

#ifndef CAMEO_SUPPORT_JSONTEXT_H
#define CAMEO_SUPPORT_JSONTEXT_H

#include "llvm/Support/JSON.h"

#include <string>

namespace cameo {

/// Printed JSON whose strings may hold UTF-8 as JSON of ASCII only: no byte of a model's names acts
/// on a terminal, or makes its neighbours look like other text.
std::string escapeNonAscii(std::string printed);
std::string formatJson(llvm::json::Value value);

} // namespace cameo

#endif // CAMEO_SUPPORT_JSONTEXT_H
