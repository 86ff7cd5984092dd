// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an element lies in memory: the index map of a body's operand as a sum of strides. Strides
// are extents, so they fold when dims are known and stay polynomials when they are not.

#ifndef CAMEO_DIALECT_PROG_IR_ELEMENTOFFSET_H
#define CAMEO_DIALECT_PROG_IR_ELEMENTOFFSET_H

#include "Dialect/Prog/IR/ProgDialect.h"
#include "mlir/IR/AffineMap.h"

namespace cameo::prog {

/// The unit attribute of a body whose maps have one result, the element's offset in memory: what
/// the Finish stage makes of maps to indices.
inline constexpr llvm::StringLiteral kOffsets = "prog.offsets";

/// An offset in elements: the sum of `scale * atom` over its terms, plus `constant`.
struct ElementOffset {
  struct Term {
    /// A dim of the iteration, or a quotient, remainder or product that is not linear in them.
    mlir::AffineExpr atom;
    core::ExtentAttr scale;
  };
  llvm::SmallVector<Term, 4> terms;
  core::ExtentAttr constant;
};

/// The value of an expression without dims.
core::ExtentAttr evaluate(mlir::AffineExpr expr, llvm::ArrayRef<mlir::Attribute> symbols);

/// The offset of the element at `map(index)[symbols]` where the dims of the map's results lie at
/// these strides.
ElementOffset getStridedOffset(mlir::AffineMap map, llvm::ArrayRef<mlir::Attribute> symbols,
                               llvm::ArrayRef<core::ExtentAttr> strides);
/// The same of a dense array of extents `physical`.
ElementOffset getElementOffset(mlir::AffineMap map, llvm::ArrayRef<mlir::Attribute> symbols,
                               llvm::ArrayRef<core::ExtentAttr> physical);
/// The offset that a map of one result is, of a body with `prog.offsets`.
ElementOffset getOffset(mlir::AffineMap map, llvm::ArrayRef<mlir::Attribute> symbols);

/// The offsets of a body with `prog.offsets`: of its operands, host scalars included, then of the
/// results that it stores.
llvm::SmallVector<ElementOffset> getOffsets(BodyOpInterface body);
/// Gives a body over an index of `rank` these, in the same order.
void setOffsets(BodyOpInterface body, llvm::ArrayRef<ElementOffset> offsets, unsigned rank);

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_ELEMENTOFFSET_H
