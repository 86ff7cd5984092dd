// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Finish/WideAccess.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace {

/// An expression within a chunk: what it grows by from one value to the next, and whether it is a
/// multiple of the chunk where the chunk begins.
struct Progress {
  int64_t stride;
  bool isMultiple;
};

/// Whether an extent is a multiple of `chunk`, whatever its symbols are.
bool isMultipleOf(ExtentAttr extent, int64_t chunk) {
  return !extent.isUnknown() && llvm::all_of(extent.getTerms(), [&](const ExtentTerm &term) {
    return term.coefficient % chunk == 0;
  });
}

class ChunkWalker {
public:
  ChunkWalker(unsigned last, int64_t chunk, ArrayRef<Attribute> symbols)
      : last(last), chunk(chunk), symbols(symbols) {}

  /// None where no one stride tells how it goes on.
  std::optional<Progress> follow(AffineExpr expr) const;
  std::optional<Progress> scale(std::optional<Progress> progress, ExtentAttr by) const;
  static std::optional<Progress> add(std::optional<Progress> a, std::optional<Progress> b) {
    if (!a || !b)
      return std::nullopt;
    return Progress{a->stride + b->stride, a->isMultiple && b->isMultiple};
  }

private:
  std::optional<Progress> followBinary(AffineBinaryOpExpr expr) const;

  unsigned last;
  int64_t chunk;
  ArrayRef<Attribute> symbols;
};

std::optional<Progress> ChunkWalker::scale(std::optional<Progress> progress, ExtentAttr by) const {
  if (!progress)
    return std::nullopt;
  bool isMultiple = progress->isMultiple || isMultipleOf(by, chunk);
  if (progress->stride == 0)
    return Progress{0, isMultiple};
  std::optional<int64_t> factor = by.getConstant();
  // A stride of more than one is as bad as any other.
  if (!factor || progress->stride != 1 || *factor != 1)
    return std::nullopt;
  return Progress{1, isMultiple};
}

std::optional<Progress> ChunkWalker::followBinary(AffineBinaryOpExpr expr) const {
  std::optional<Progress> lhs = follow(expr.getLHS());
  if (expr.getKind() == AffineExprKind::Add)
    return add(lhs, follow(expr.getRHS()));
  if (!expr.getRHS().isSymbolicOrConstant() || !lhs)
    return std::nullopt;
  ExtentAttr by = prog::evaluate(expr.getRHS(), symbols);
  if (expr.getKind() == AffineExprKind::Mul)
    return scale(lhs, by);
  bool isWhole = isMultipleOf(by, chunk) && lhs->isMultiple;
  if (lhs->stride == 0)
    return Progress{0, expr.getKind() == AffineExprKind::Mod && isWhole};
  // No multiple of the divisor lies within a chunk.
  if (lhs->stride != 1 || !isWhole || expr.getKind() == AffineExprKind::CeilDiv)
    return std::nullopt;
  return expr.getKind() == AffineExprKind::Mod ? Progress{1, true} : Progress{0, false};
}

std::optional<Progress> ChunkWalker::follow(AffineExpr expr) const {
  if (!expr.isFunctionOfDim(last)) {
    bool isMultiple =
        expr.isSymbolicOrConstant() && isMultipleOf(prog::evaluate(expr, symbols), chunk);
    return Progress{0, isMultiple};
  }
  if (isa<AffineDimExpr>(expr))
    return Progress{1, true};
  return followBinary(cast<AffineBinaryOpExpr>(expr));
}

} // namespace

Walk cameo::getWalk(const prog::ElementOffset &offset, unsigned last, int64_t chunk,
                    ArrayRef<Attribute> symbols) {
  ChunkWalker walker(last, chunk, symbols);
  std::optional<Progress> all = Progress{0, isMultipleOf(offset.constant, chunk)};
  for (const prog::ElementOffset::Term &term : offset.terms)
    all = walker.add(all, walker.scale(walker.follow(term.atom), term.scale));
  if (!all || all->stride > 1 || (all->stride == 1 && !all->isMultiple))
    return Walk::Otherwise;
  return all->stride == 0 ? Walk::Stays : Walk::ToNeighbour;
}
