// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How every generated file begins.

#ifndef CAMEO_EMIT_FILECOMMENT_H
#define CAMEO_EMIT_FILECOMMENT_H

#include "Emit/CppWriter.h"
#include "Emit/EmitOptions.h"

namespace cameo {

/// Who wrote it, by which command, and `purpose`.
inline void printFileComment(CppWriter &writer, const EmitOptions &options, const Code &purpose) {
  writer.comment("Written by cameo " + comment(options.version) + ": " + comment(options.command));
  writer.line("//");
  writer.comment(purpose);
}

} // namespace cameo

#endif // CAMEO_EMIT_FILECOMMENT_H
