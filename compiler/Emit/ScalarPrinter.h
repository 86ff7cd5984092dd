// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar ops as calls of the functions of scalar.h: nested while they fit and are used once, else
// named. Serves the bodies of functors and the host's own arithmetic; knows no op but the leaves
// and conversions.

#ifndef CAMEO_EMIT_SCALARPRINTER_H
#define CAMEO_EMIT_SCALARPRINTER_H

#include "Dialect/Host/IR/HostDialect.h"
#include "Emit/CppNames.h"
#include "Emit/CppWriter.h"
#include "llvm/ADT/StringSet.h"

#include <functional>

namespace cameo {

class ScalarPrinter {
public:
  /// Statements go to `writer`, names into `scope`; `extent` spells the value of an s_extent;
  /// what stands for a constant is `constant`'s, of the op and literal, or the literal if there is
  /// none.
  ScalarPrinter(CppWriter &writer, CppScope &scope, std::function<Code(core::ExtentAttr)> extent,
                std::function<Code(prog::SConstantOp, const Code &)> constant = nullptr)
      : writer(writer), scope(scope), extent(std::move(extent)), constant(std::move(constant)) {}

  /// Keeps names of the model from hiding the function that `op` is printed as, if it is a scalar
  /// op.
  static void reserveFunction(mlir::Operation *op, CppScope &scope);

  /// Defines the text of a value. `reads` says that evaluating it reads memory.
  void define(mlir::Value value, const Code &code, bool reads = false);
  /// Coordinates are those of the index `name`; `i` without this.
  void setIndex(const Code &name) { indexName = name; }
  /// Prints a scalar op; fails for one that has no C++.
  mlir::LogicalResult print(mlir::Operation *op);
  /// The expression of a value.
  Code get(mlir::Value value) const { return values.lookup(value).code; }
  /// Gives a value a name, so that later writes cannot change it, and reads it once. `base` is what
  /// the model calls it; "" for a temporary.
  Code name(mlir::Value value, llvm::StringRef base = "");
  /// As name(), if the value reads memory.
  Code nameIfRead(mlir::Value value);
  /// Whether an index was asked for.
  bool usesIndex() const { return indexUsed; }

private:
  struct Expression {
    Code code;
    /// A name or a literal: cannot be made shorter by naming it.
    bool isLeaf = false;
    bool reads = false;
  };
  static bool isLeaf(const Code &code);
  Code getHeldType(mlir::Value value);
  mlir::FailureOr<Expression> express(mlir::Operation *op);
  Expression call(const Code &function, mlir::OperandRange operands);

  CppWriter &writer;
  CppScope &scope;
  std::function<Code(core::ExtentAttr)> extent;
  std::function<Code(prog::SConstantOp, const Code &)> constant;
  llvm::DenseMap<mlir::Value, Expression> values;
  Code indexName = "i";
  unsigned temporaries = 0;
  bool indexUsed = false;
};

} // namespace cameo

#endif // CAMEO_EMIT_SCALARPRINTER_H
