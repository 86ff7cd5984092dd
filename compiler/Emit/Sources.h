// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime, the kernel templates and the frames of whole files, which this library carries as
// bytes.

#ifndef CAMEO_EMIT_SOURCES_H
#define CAMEO_EMIT_SOURCES_H

#include "Emit/CppCode.h"
#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace cameo {

/// A frame of codegen_templates/skeleton with each `{{key}}` replaced. Text between the lines
/// `{{#key}}` and `{{/key}}` stays where the value is not empty.
std::string fillSkeleton(llvm::StringRef name, const std::map<std::string, std::string> &values);

/// All that `texts` include and the runtime's `folders` (`host`, ...), with what these include;
/// contents by the path they are included by.
std::map<std::string, llvm::StringRef> collectSources(llvm::ArrayRef<llvm::StringRef> texts,
                                                      llvm::ArrayRef<llvm::StringLiteral> folders);

/// Tells these sources from those of another version.
std::string getSourcesId();

/// The functions that the headers define which `texts` include: a source that includes them too can
/// call each, unless it gives the name to something else.
std::set<std::string> collectFunctions(llvm::ArrayRef<llvm::StringRef> texts);

} // namespace cameo

#endif // CAMEO_EMIT_SOURCES_H
