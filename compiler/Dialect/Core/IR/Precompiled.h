// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nearly every source of this folder reads, for cameo_precompile(); nobody includes it.

#ifndef CAMEO_DIALECT_CORE_IR_PRECOMPILED_H
#define CAMEO_DIALECT_CORE_IR_PRECOMPILED_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"

#endif
