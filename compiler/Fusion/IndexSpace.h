// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where fused bodies read. Indices are affine expressions over the dims of one iteration, that of
// the op that is fused into, and over extents; views are undone by regrouping extents, as far as
// that takes no division.

#ifndef CAMEO_FUSION_INDEXSPACE_H
#define CAMEO_FUSION_INDEXSPACE_H

#include "Dialect/Prog/IR/CallMembers.h"
#include "mlir/IR/AffineMap.h"

namespace cameo {

using IndexExprs = llvm::SmallVector<mlir::AffineExpr, 6>;

/// An element of a dense array: the one at `index` when the array is seen under `extents`. A tensor
/// in blocks has physical ones, as in the maps.
struct Point {
  llvm::SmallVector<core::ExtentAttr, 6> extents;
  IndexExprs index;

  bool operator==(const Point &other) const {
    return extents == other.extents && index == other.index;
  }
};

/// A body's operand: an element of a tensor, or a host scalar, which has no point.
struct Access {
  mlir::Value source;
  Point at;
  /// The view of the source that the program reads; the source itself when there is none.
  mlir::Value view;

  bool operator==(const Access &other) const { return source == other.source && at == other.at; }
};

/// A kernel evaluated at a point of its result: where that is in its own iteration. Null entries of
/// `own` are coordinates that would take a division.
struct Evaluation {
  Point at;
  IndexExprs own;
};

class IndexSpace {
public:
  IndexSpace(mlir::MLIRContext *context, unsigned rank, const core::ExtentFacts &facts)
      : context(context), rank(rank), facts(facts) {}

  /// The dims themselves.
  IndexExprs getDims() const;
  const core::ExtentFacts &getFacts() const { return facts; }

  /// `map` at an index, its symbols being `symbols`; nullopt if it needs a coordinate that is null.
  std::optional<IndexExprs> apply(mlir::AffineMap map, llvm::ArrayRef<mlir::Attribute> symbols,
                                  llvm::ArrayRef<mlir::AffineExpr> index);
  /// The index of a point under other extents; null where it would take a division, nullopt where
  /// the extents cannot be matched.
  std::optional<IndexExprs> reindex(const Point &point, llvm::ArrayRef<core::ExtentAttr> extents);

  /// `kernel` at a point of a tensor with as many elements as it iterates over; nullopt when the
  /// body needs a coordinate that would take a division.
  std::optional<Evaluation> evaluate(prog::KernelOp kernel, const Point &at);
  /// `kernel` where it reads operand `number` at a point of it: all of a tensor, in the order of
  /// the iteration or with axes in front of the last one exchanged; nullopt for other reads.
  std::optional<Evaluation> evaluateReader(prog::KernelOp kernel, unsigned number, const Point &at);
  /// The access of `kernel` to operand `number` in this evaluation.
  std::optional<Access> read(prog::KernelOp kernel, unsigned number, const Evaluation &evaluation);
  /// Whether `kernel` reads an operand in the order of its iteration, be it under other extents: as
  /// what a view of the operand showed, through which it was read before it was fused.
  bool isInOrder(prog::KernelOp kernel, unsigned number);
  /// The access of a functor to operand `number`, called at an index.
  Access read(prog::BodyOpInterface functor, unsigned number,
              llvm::ArrayRef<mlir::AffineExpr> index);
  /// The same of a functor of this index space.
  Access read(prog::BodyOpInterface functor, unsigned number) {
    return read(functor, number, getDims());
  }

  mlir::AffineMap getMap(llvm::ArrayRef<mlir::AffineExpr> index) const;
  llvm::ArrayRef<mlir::Attribute> getSymbols() const { return symbols; }

private:
  mlir::AffineExpr getExtent(core::ExtentAttr extent);
  mlir::AffineExpr linearize(llvm::ArrayRef<core::ExtentAttr> extents,
                             llvm::ArrayRef<mlir::AffineExpr> index);
  void regroup(llvm::ArrayRef<core::ExtentAttr> from, llvm::ArrayRef<mlir::AffineExpr> index,
               llvm::ArrayRef<core::ExtentAttr> to, llvm::MutableArrayRef<mlir::AffineExpr> result);
  const Point *findJoined(mlir::AffineExpr sum, llvm::ArrayRef<core::ExtentAttr> extents) const;
  Access seeThroughViews(mlir::Value operand, Point at);

  mlir::MLIRContext *context;
  unsigned rank;
  const core::ExtentFacts &facts;
  /// The extents that affine symbols stand for, and their numbers.
  llvm::SmallVector<mlir::Attribute> symbols;
  llvm::DenseMap<mlir::Attribute, unsigned> symbolNumbers;
  /// Axes that were joined to a sum, which takes no division to take apart again.
  llvm::DenseMap<mlir::AffineExpr, Point> joined;
};

/// Whether an operand of `kernel` is read, element for element, in the order of the iteration.
bool isReadInOrder(prog::KernelOp kernel, unsigned number);
/// The same of a result: a new tensor of which each point of the iteration is one element.
bool isStoredInOrder(prog::KernelOp kernel, unsigned number);
/// Whether a kernel's result can be computed where it is read: all of one new tensor.
bool isInlinable(prog::KernelOp kernel);
/// The tensor that a view, or a view of a view, shows from its first element on.
mlir::Value getViewed(mlir::Value value);

} // namespace cameo

#endif // CAMEO_FUSION_INDEXSPACE_H
