// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a folder so that it is there whole or not at all, whoever writes it too and whenever it
// ends.

#ifndef CAMEO_PIPELINE_OUTPUTFOLDER_H
#define CAMEO_PIPELINE_OUTPUTFOLDER_H

#include "Emit/Emit.h"
#include "Support/Diagnostic.h"

#include <optional>
#include <string>

namespace cameo {

/// Makes `files` the contents of the folder `path`. Its parent must exist. What is at `path`
/// already is replaced when it is an empty folder or one that was written by this function, and
/// refused otherwise. On failure nothing has changed.
std::optional<Diagnostic> writeFolder(const std::string &path, const EmittedFiles &files);

/// The same for a single file.
std::optional<Diagnostic> writeFile(const std::string &path, llvm::StringRef content);

} // namespace cameo

#endif // CAMEO_PIPELINE_OUTPUTFOLDER_H
