// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manual page, from the table of verbs and flags that --help prints.

#ifndef CAMEO_TOOLS_MANPAGE_H
#define CAMEO_TOOLS_MANPAGE_H

#include "Common.h"

namespace cameo::cli {

/// The page for man(1). Flags that all verbs have stand in a section of their own.
std::string formatManPage(const CLI::App &app, llvm::StringRef version);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_MANPAGE_H
