// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bugs of the compiler itself end in exit 1 and one line, whatever finds them: an assertion, one of
// the standard library's, an error that LLVM calls fatal, a signal.

#ifndef CAMEO_TOOLS_INTERNALERRORS_H
#define CAMEO_TOOLS_INTERNALERRORS_H

namespace cameo::cli {

/// Failed assertions need no handler: they call functions that this file defines. A signal that
/// something else handles already, as a sanitizer does, is left to it.
void installInternalErrorHandlers();

} // namespace cameo::cli

#endif // CAMEO_TOOLS_INTERNALERRORS_H
