// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of the user's own: the functions that the program calls, and their header.

#ifndef CAMEO_EMIT_EMITEXTERNAL_H
#define CAMEO_EMIT_EMITEXTERNAL_H

#include "Emit/CppNames.h"
#include "Emit/CppWriter.h"
#include "Emit/Program.h"

namespace cameo {

/// The calls of functions of the user's that the program makes, the first one of each function.
llvm::SmallVector<host::ExternalOp> findExternalCalls(const Program &program);

/// NAME_external.h, which declares them; not among the files where there is none.
void emitExternalHeader(const Program &program, EmittedFiles &files);

/// The attributes that a call is given, as an array; `nullptr` where it has none.
Code printAttributes(host::ExternalOp op, CppWriter &writer, CppScope &scope);

} // namespace cameo

#endif // CAMEO_EMIT_EMITEXTERNAL_H
