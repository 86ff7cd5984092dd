// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NAME.cdx.json: what a generated folder is made of, as a CycloneDX 1.6 bill of materials: the
// model, the weights, every file with its hash, the licences that files name, the compiler. The
// same folder has the same bill: no time, no path, a serial number made of the rest.

#ifndef CAMEO_PIPELINE_PARTSLIST_H
#define CAMEO_PIPELINE_PARTSLIST_H

#include "Emit/EmitOptions.h"
#include "Emit/FileContent.h"

namespace cameo {

/// `files` are all others; `model` is called `modelName` and has the SHA-256 `modelHash`.
std::string makePartsList(const EmittedFiles &files, const EmitOptions &options,
                          llvm::StringRef modelName, llvm::StringRef modelHash);

} // namespace cameo

#endif // CAMEO_PIPELINE_PARTSLIST_H
