// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nearly every source of the stages behind Place reads, for cameo_precompile(); nobody
// includes it.

#ifndef CAMEO_DIALECT_PROG_IR_PRECOMPILED_H
#define CAMEO_DIALECT_PROG_IR_PRECOMPILED_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#endif
