// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an operator does where only the run knows the extents of its operands: for its inference and
// for its lowering.

#ifndef CAMEO_DIALECT_ONNX_IR_OPENOPERANDS_H
#define CAMEO_DIALECT_ONNX_IR_OPENOPERANDS_H

#include "Dialect/ONNX/IR/OnnxDialect.h"

namespace cameo::onnx {

/// How many positions a tuple of indices has: their last extent or, where only the run knows that,
/// what the ranks leave, that of the result among them where the model declares it.
std::optional<int64_t> getTupleLength(GatherNDOp op);
std::optional<int64_t> getTupleLength(ScatterNDOp op);

/// Whether scales that may be one for all are for places along `axis` of `data`: otherwise they are
/// one, whatever its extents are called.
bool hasScalesAlong(llvm::ArrayRef<core::ExtentAttr> scales, llvm::ArrayRef<core::ExtentAttr> data,
                    int64_t axis);

/// Whether the last axis of `signal` holds the parts of numbers: 1, or 2 of complex ones.
bool hasParts(STFTOp op);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_OPENOPERANDS_H
