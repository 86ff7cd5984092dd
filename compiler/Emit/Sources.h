// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime, the kernel templates and the frames of whole files, which this library carries as
// bytes.

#ifndef CAMEO_EMIT_SOURCES_H
#define CAMEO_EMIT_SOURCES_H

#include "Emit/CppCode.h"
#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cameo {

/// A function template of codegen_templates, as its header has it.
struct KernelTemplate {
  /// As it is included: `cameo/cpu/gemm.h`.
  std::string header;
  /// Whether it can raise an error, by itself or through a functor of its own.
  bool mayRaise;
  /// What CALLEE_scratch, which says how much scratch memory the template takes, is a template of,
  /// its params apart; none where there is no such function.
  std::optional<std::vector<std::string>> scratchTypes;
};

/// The template `callee` of a target (`cpu`, `cuda`); null when there is none.
const KernelTemplate *findTemplate(llvm::StringRef target, llvm::StringRef callee);

/// A frame of codegen_templates/skeleton with each `{{key}}` replaced. What is between the lines
/// `{{#key}}` and `{{/key}}` stays where the value is not empty.
std::string fillSkeleton(llvm::StringRef name, const std::map<std::string, std::string> &values);

/// All that `texts` include and the runtime's `folders` (`host`, `cuda`, `emu`), with what these
/// include; contents by the path they are included by.
std::map<std::string, llvm::StringRef> collectSources(llvm::ArrayRef<llvm::StringRef> texts,
                                                      llvm::ArrayRef<llvm::StringRef> folders);

/// Tells these sources from those of another version.
std::string getSourcesId();

/// The functions that the headers define which `texts` include: a source that includes them too can
/// call each, unless it gives the name to something else.
std::set<std::string> collectFunctions(llvm::ArrayRef<llvm::StringRef> texts);

} // namespace cameo

#endif // CAMEO_EMIT_SOURCES_H
