// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The onnx dialect: every operator under its ONNX name, with the facts of its record.

#ifndef CAMEO_DIALECT_ONNX_IR_ONNXDIALECT_H
#define CAMEO_DIALECT_ONNX_IR_ONNXDIALECT_H

#include "Dialect/Core/IR/SymbolDefiningOp.h"
#include "Dialect/ONNX/IR/AxisList.h"
#include "Dialect/ONNX/IR/ExtentInference.h"
#include "Dialect/ONNX/IR/External.h"
#include "Dialect/ONNX/IR/Window.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "Dialect/Prog/IR/ScalarBuilder.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

// OperandClass, among others; see OnnxBase.td.
#include "Dialect/ONNX/IR/OnnxEnums.h.inc"

namespace cameo::onnx {

enum class OperandArity { Required, Optional, Variadic };

struct OperandInfo {
  llvm::StringLiteral name;
  OperandArity arity;
  OperandClass operandClass;
  /// ONNX's type variable (`T`), empty when the operand can have one type only.
  llvm::StringLiteral variable;
  bool isTensor;
};

/// The symbols of extents that only an operator's data decide (ExtentInference::counted), in its
/// attribute `cameo.counts`.
void addCount(mlir::Operation *op, core::SymbolAttr symbol);
void removeCounts(mlir::Operation *op);
void visitCounts(mlir::Operation *op, core::SymbolVisitor visit);

/// The operands of class Bounded that are treated as Symbolic, in its attribute `cameo.ranged`.
void setBoundedOperands(mlir::Operation *op, llvm::ArrayRef<int64_t> operands);

/// Whether tensors stand where the record has tensors, and operands and results of one type
/// variable have one element type; with a diagnostic. inferExtents may rely on that.
llvm::LogicalResult verifyElementTypes(mlir::Operation *op);

/// That an operator takes time in proportion to what it reads and writes. One with a scalar
/// function does without saying so.
template <typename ConcreteOp>
class LinearTime : public mlir::OpTrait::TraitBase<ConcreteOp, LinearTime> {};
/// An operator that nothing but integers that it reads makes fail: on the device its kernel raises
/// an error, suppresses the access and goes on. The host looks at integers that are known.
template <typename ConcreteOp>
class RaisesInKernel : public mlir::OpTrait::TraitBase<ConcreteOp, RaisesInKernel> {};

/// That the operator only selects among the elements of its operands of class Data, by their places
/// or as the greatest: it commutes with every function of elements that never decreases.
template <typename ConcreteOp>
class SelectsElements : public mlir::OpTrait::TraitBase<ConcreteOp, SelectsElements> {};

/// That a node may lack any of the operator's graphs, whose region then has no block.
template <typename ConcreteOp>
class OptionalGraphs : public mlir::OpTrait::TraitBase<ConcreteOp, OptionalGraphs> {};

} // namespace cameo::onnx

#include "Dialect/ONNX/IR/OnnxDialect.h.inc"
#include "Dialect/ONNX/IR/OnnxInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Dialect/ONNX/IR/OnnxAttributes.h.inc"

#define GET_OP_CLASSES
#include "Dialect/ONNX/IR/OnnxOps.h.inc"

namespace cameo::onnx {

/// The class of operand `number` (an operand of the operation, not a position of the record: absent
/// optional operands have none, a variadic one has many). An operand of class Bounded is Symbolic
/// or Host.
OperandClass getOperandClass(mlir::Operation *op, unsigned number);
/// Whether the record says Bounded.
bool isBoundedByRecord(mlir::Operation *op, unsigned number);
/// The record's name of operand `number`.
llvm::StringRef getOperandName(mlir::Operation *op, unsigned number);

/// Whether the operator reads the elements of operand `number`, and not its type or extents alone.
/// A scalar function is applied to such operands; the others neither broadcast nor have to be
/// known.
bool readsElements(mlir::Operation *op, unsigned number);

/// The terminator of a graph attribute; null while it is not built.
YieldOp getYield(mlir::Region &region);
/// The effects of an operator with graphs, apart from those in the graphs: its results are its own.
void getGraphEffects(
    mlir::Operation *op,
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);
/// Whether a graph attribute ends in onnx.Yield and has the right numbers of inputs and outputs;
/// with a diagnostic that names the constraints.
llvm::LogicalResult verifyGraph(mlir::Operation *op, mlir::Region &region, llvm::StringRef name,
                                size_t arguments, size_t yielded, llvm::StringRef argumentTag,
                                llvm::StringRef yieldTag);

/// `perOperand`, which has a value per operand of `op`, with a null one for each optional operand
/// that is absent: what buildScalar takes.
llvm::SmallVector<mlir::Value> alignWithRecord(mlir::Operation *op, mlir::ValueRange perOperand);

} // namespace cameo::onnx

#endif // CAMEO_DIALECT_ONNX_IR_ONNXDIALECT_H
