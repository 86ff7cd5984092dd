// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host dialect as statements: one op, one construct, as its record shows it. The printer keeps
// what values are called and decides nothing.

#ifndef CAMEO_EMIT_STATEMENTPRINTER_H
#define CAMEO_EMIT_STATEMENTPRINTER_H

#include "Dialect/Host/IR/HostDialect.h"
#include "Emit/HostLayout.h"
#include "Emit/ScalarPrinter.h"

namespace cameo {

class StatementPrinter {
public:
  /// Prints into `writer`, inside a function whose names are `scope`.
  StatementPrinter(const HostLayout &layout, CppWriter &writer, CppScope &scope);

  mlir::LogicalResult print(mlir::Block &block);

private:
  mlir::LogicalResult print(mlir::Operation *op);

  //===--- Numbers ---===//

  void print(host::SymbolOp op);
  void print(host::EvaluateOp op);
  void print(host::BindOp op);
  void print(host::DefineOp op);
  void print(host::ElementOp op);
  void print(host::CheckOp op);
  /// Expression of a number that decides how much memory there is: it notices an overflow.
  Code getChecked(mlir::Value number) const;
  llvm::SmallVector<Code> getChecked(mlir::ValueRange numbers) const;
  /// Expression of a number that has been checked, in index arithmetic.
  Code getPlain(mlir::Value number) const;

  //===--- The shape program ---===//

  void print(host::ReadDimsOp op);
  void print(host::InputDataOp op);
  void print(host::CheckDimOp op);
  void print(host::CheckDivisorOp op);
  void print(host::ReadSymbolsOp op);
  void print(host::SetShapeOp op);

  //===--- Memory ---===//

  void print(host::SizeRowsOp op);
  void print(host::PlanOp op);
  void print(host::ReplanOp op);
  void print(host::AtOp op);
  void print(host::LocalOp op);
  void print(host::ViewOp op);
  void print(host::DescribeArenaOp op);
  void print(host::LateSymbolsOp op);
  void print(host::ConstantsOp op);
  void print(prog::WeightOp op);
  void print(prog::NullOp op);
  Code getSizeCall(const Arena &arena) const;

  //===--- Inputs and outputs ---===//

  void print(host::BindInputOp op);
  void print(host::BindOutputOp op);
  void print(host::StridedOp op);
  void print(host::ApartOp op);
  void print(host::CopiedOp op);
  void print(host::StrideOp op);
  void print(host::ReadyOp op);
  void print(host::DeliverOp op);
  void print(host::ShrinkOp op);
  mlir::LogicalResult print(host::RestOp op);
  void print(host::DoneOp op);

  //===--- Steps ---===//

  void print(host::StepOp op);
  void print(host::LaunchKernelOp op);
  void print(host::CountOp op);
  void print(host::ExtentsOp op);
  void print(host::FromElementsOp op);
  void print(host::WriteElementsOp op);
  void print(host::FetchOp op);
  void print(host::AwaitOp op);
  void print(host::AskOp op);
  void print(host::UploadOp op);
  void print(host::CopyOp op);
  void print(host::ExternalOp op);
  /// The tensors that it is given as an array, whose extents are those of `dims` from `next` on.
  Code printTensors(host::ExternalOp op, mlir::ValueRange tensors, const Code &head,
                    llvm::StringRef name, const Code &dims, int64_t &next);

  //===--- Control flow ---===//

  mlir::LogicalResult print(host::IfOp op);
  mlir::LogicalResult print(host::ChooseOp op);
  mlir::LogicalResult print(host::LoopOp op);
  mlir::LogicalResult print(host::WhileOp op);
  void print(host::ConfirmOp op);

  /// The expression of a value, tensor or scalar.
  Code get(mlir::Value value) const;
  /// Makes a variable's name stand for a value.
  Code define(mlir::Value value, llvm::StringRef fallback = "t");
  Code getNode(mlir::Operation *op) const { return Code(program.getNode(op)); }

  const HostLayout &layout;
  const Program &program;
  CppWriter &writer;
  CppScope &scope;
  ScalarPrinter scalars;
  llvm::DenseMap<mlir::Value, Code> pointers;
  Code repetition; ///< what stands for the loop of the device that is being printed
};

} // namespace cameo

#endif // CAMEO_EMIT_STATEMENTPRINTER_H
