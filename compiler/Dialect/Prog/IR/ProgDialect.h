// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prog dialect: kernels, calls, views, host scalars and transfers, as Emit prints them.

#ifndef CAMEO_DIALECT_PROG_IR_PROGDIALECT_H
#define CAMEO_DIALECT_PROG_IR_PROGDIALECT_H

#include "Dialect/Core/IR/SymbolDefiningOp.h"
#include "Dialect/Prog/IR/NumberBound.h"
#include "Dialect/Prog/IR/NumberRange.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace cameo::prog {

/// a / b rounded to zero, as ONNX divides integers; null unless that is known to be a floor
/// division.
core::ExtentAttr truncatingDiv(core::ExtentAttr a, core::ExtentAttr b,
                               const core::ExtentFacts &facts);
/// a mod b with b's sign; null unless b is known not to be 0.
core::ExtentAttr flooringMod(core::ExtentAttr a, core::ExtentAttr b,
                             const core::ExtentFacts &facts);

/// a = b, a < b, a != b as the extents 0 or 1; null unless the facts decide it.
core::ExtentAttr decideEqual(core::ExtentAttr a, core::ExtentAttr b,
                             const core::ExtentFacts &facts);
core::ExtentAttr decideNotEqual(core::ExtentAttr a, core::ExtentAttr b,
                                const core::ExtentFacts &facts);
core::ExtentAttr decideLess(core::ExtentAttr a, core::ExtentAttr b, const core::ExtentFacts &facts);

/// Computes `count` elements of a scalar function: from arrays of its operands' elements, which lie
/// as getElementBytes() has it, in any alignment.
using ArrayFunction = void (*)(const char *const *operands, char *result, int64_t count);

/// Writes a scalar as an element of its type, of eight bytes at most; false for an attribute that
/// is no integer or float of 64 bits or fewer.
bool writeElement(mlir::Attribute scalar, char *element);

/// Folds a scalar op whose operands are constants; null when it cannot be folded.
mlir::OpFoldResult foldScalar(mlir::Operation *op, llvm::ArrayRef<mlir::Attribute> operands);

} // namespace cameo::prog

#include "Dialect/Prog/IR/ProgDialect.h.inc"
#include "Dialect/Prog/IR/ProgInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/Prog/IR/ProgAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Dialect/Prog/IR/ProgTypes.h.inc"

#define GET_OP_CLASSES
#include "Dialect/Prog/IR/ProgOps.h.inc"

namespace cameo::prog {

/// Whether a float of 32 or 64 bits becomes an integer of 8 or 16.
bool isNarrowing(SCastOp cast);

} // namespace cameo::prog

namespace cameo::prog {

/// The copy of a count which the host has to know for the op at `reader`.
void setCountReader(FetchOp fetch, mlir::LocationAttr reader);
/// Null for a copy that Place has made.
mlir::LocationAttr getCountReader(FetchOp fetch);
/// The copy of a list that a kernel makes of its inputs: who reads each, null where Place has
/// asked.
void setCountReaders(FetchOp fetch, llvm::ArrayRef<mlir::LocationAttr> readers);
/// The counts that are copied, alone or in a list.
void forEachCountRead(FetchOp fetch,
                      llvm::function_ref<void(mlir::Value count, mlir::LocationAttr reader)> visit);

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_PROGDIALECT_H
