// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nearly every source that knows the onnx dialect reads, for cameo_precompile(); nobody
// includes it. The generated operator classes alone are 2.8 MB.

#ifndef CAMEO_DIALECT_ONNX_IR_PRECOMPILED_H
#define CAMEO_DIALECT_ONNX_IR_PRECOMPILED_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/Precompiled.h"

#endif
