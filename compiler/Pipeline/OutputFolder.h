// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a folder of generated files, whoever writes it too and whenever it ends.

#ifndef CAMEO_PIPELINE_OUTPUTFOLDER_H
#define CAMEO_PIPELINE_OUTPUTFOLDER_H

#include "Emit/FileContent.h"
#include "Support/Diagnostic.h"

#include <optional>
#include <string>

namespace cameo {

/// Makes `files` the generated files of the folder `path`; the folders above it are made where they
/// are missing. There may be nothing, an empty folder, or one that was written by this function:
/// its list, `cameo.files`, says which files of it are replaced or removed. All others stay; where
/// one is in the way of a file to write, or the folder has no list, it is refused and nothing
/// changes. Files that are the same already are not touched. An empty folder that cannot be
/// replaced is filled, and empty again on failure.
std::optional<Diagnostic> writeFolder(const std::string &path, const EmittedFiles &files);

/// The same for a single file.
std::optional<Diagnostic> writeFile(const std::string &path, llvm::StringRef content);

} // namespace cameo

#endif // CAMEO_PIPELINE_OUTPUTFOLDER_H
