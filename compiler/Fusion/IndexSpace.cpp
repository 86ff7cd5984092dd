// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fusion/IndexSpace.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

bool hasExtents(SymTensorType type, ArrayAttr extents) {
  return llvm::equal(type.getPhysicalExtents(), extents.getAsRange<ExtentAttr>());
}

/// The view that defines `value`, if it shows its source from the first element on, unpadded.
ViewOp getPlainView(Value value) {
  auto view = value.getDefiningOp<ViewOp>();
  bool isPlain = view && view.getOffset().isConstant(0) && !getTensor(value).getLayout() &&
                 !getTensor(view.getSource()).getLayout();
  return isPlain ? view : ViewOp();
}

} // namespace

bool cameo::isReadInOrder(KernelOp kernel, unsigned number) {
  SymTensorType type = getTensor(kernel.getIns()[number]);
  return type && hasExtents(type, kernel.getExtents()) &&
         cast<AffineMapAttr>(kernel.getInMaps()[number]).getValue().isIdentity();
}

bool cameo::isStoredInOrder(KernelOp kernel, unsigned number) {
  SymTensorType type = getTensor(kernel.getOutputs()[number]);
  return kernel.getTies()[number] < 0 && hasExtents(type, kernel.getExtents()) &&
         cast<AffineMapAttr>(kernel.getOutMaps()[number]).getValue().isIdentity();
}

bool cameo::isInlinable(KernelOp kernel) {
  return kernel.getNumResults() == 1 && isStoredInOrder(kernel, 0);
}

Value cameo::getViewed(Value value) {
  while (ViewOp view = getPlainView(value))
    value = view.getSource();
  return value;
}

//===----------------------------------------------------------------------===//
// Index expressions
//===----------------------------------------------------------------------===//

IndexExprs IndexSpace::getDims() const {
  IndexExprs dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    dims.push_back(getAffineDimExpr(dim, context));
  return dims;
}

AffineMap IndexSpace::getMap(ArrayRef<AffineExpr> index) const {
  return AffineMap::get(rank, symbols.size(), index, context);
}

AffineExpr IndexSpace::getExtent(ExtentAttr extent) {
  if (std::optional<int64_t> constant = extent.getConstant())
    return getAffineConstantExpr(*constant, context);
  auto [entry, isNew] = symbolNumbers.try_emplace(extent, symbols.size());
  if (isNew)
    symbols.push_back(extent);
  return getAffineSymbolExpr(entry->second, context);
}

std::optional<IndexExprs> IndexSpace::apply(AffineMap map, ArrayRef<Attribute> mapSymbols,
                                            ArrayRef<AffineExpr> index) {
  IndexExprs dims(index), values;
  for (auto [number, expr] : llvm::enumerate(dims)) {
    if (!expr && map.isFunctionOfDim(number))
      return std::nullopt;
    if (!expr)
      expr = getAffineConstantExpr(0, context); // not looked at
  }
  for (auto [number, symbol] : llvm::enumerate(mapSymbols)) {
    bool isUsed = map.isFunctionOfSymbol(number);
    values.push_back(isUsed ? getExtent(cast<ExtentAttr>(symbol))
                            : getAffineConstantExpr(0, context));
  }
  IndexExprs result;
  for (AffineExpr expr : map.getResults())
    result.push_back(expr.replaceDimsAndSymbols(dims, values));
  return result;
}

AffineExpr IndexSpace::linearize(ArrayRef<ExtentAttr> extents, ArrayRef<AffineExpr> index) {
  AffineExpr sum = getAffineConstantExpr(0, context);
  ExtentAttr stride = ExtentAttr::constant(context, 1);
  for (size_t axis = extents.size(); axis-- > 0;) {
    if (!extents[axis].isConstant(1)) {
      if (!index[axis])
        return {};
      sum = index[axis] * getExtent(stride) + sum;
    }
    stride = stride * extents[axis];
  }
  return sum;
}

/// The axes of these extents that were joined to a sum; null where it was not made so.
const Point *IndexSpace::findJoined(AffineExpr sum, ArrayRef<ExtentAttr> extents) const {
  auto found = joined.find(sum);
  bool isMade = found != joined.end() && ArrayRef(found->second.extents) == extents;
  return isMade ? &found->second : nullptr;
}

/// Axes of the same number of elements: many to one is a sum, one to many would be divisions,
/// unless the one is such a sum.
void IndexSpace::regroup(ArrayRef<ExtentAttr> from, ArrayRef<AffineExpr> index,
                         ArrayRef<ExtentAttr> to, MutableArrayRef<AffineExpr> result) {
  AffineExpr zero = getAffineConstantExpr(0, context), whole = linearize(from, index);
  auto isOne = [](ExtentAttr extent) { return extent.isConstant(1); };
  auto own = llvm::to_vector<6>(llvm::make_filter_range(to, std::not_fn(isOne)));
  if (own.size() == 1 && whole)
    joined.try_emplace(whole, Point{llvm::to_vector<6>(from), llvm::to_vector<6>(index)});
  const Point *parts = whole && own.size() > 1 ? findJoined(whole, own) : nullptr;
  size_t part = 0;
  for (auto [extent, expr] : llvm::zip_equal(to, result)) {
    if (isOne(extent))
      expr = zero;
    else if (parts)
      expr = parts->index[part++];
    else
      expr = own.size() == 1 || whole == zero ? whole : AffineExpr();
  }
}

/// How many axes at the back of each make up the same number of elements, as few as possible.
static std::optional<std::pair<size_t, size_t>>
matchBack(ArrayRef<ExtentAttr> a, ArrayRef<ExtentAttr> b, const ExtentFacts &facts) {
  if (a.empty() || b.empty())
    return std::nullopt;
  ExtentAttr one = ExtentAttr::constant(a.front().getContext(), 1), size = one;
  for (size_t count = 1; count <= a.size(); ++count) {
    size = size * a[a.size() - count];
    ExtentAttr other = one;
    for (size_t otherCount = 1; otherCount <= b.size(); ++otherCount) {
      other = other * b[b.size() - otherCount];
      if (provablyEqual(size, other, facts))
        return std::make_pair(count, otherCount);
    }
  }
  return std::nullopt;
}

std::optional<IndexExprs> IndexSpace::reindex(const Point &point, ArrayRef<ExtentAttr> to) {
  ArrayRef<ExtentAttr> from = point.extents;
  if (from == to)
    return point.index;
  ArrayRef<AffineExpr> index = point.index;
  IndexExprs result(to.size(), getAffineConstantExpr(0, context));
  while (true) {
    while (!from.empty() && from.back().isConstant(1)) {
      from = from.drop_back();
      index = index.drop_back();
    }
    while (!to.empty() && to.back().isConstant(1))
      to = to.drop_back();
    if (from.empty() && to.empty())
      return result;
    auto group = matchBack(from, to, facts);
    if (!group)
      return std::nullopt;
    auto [count, toCount] = *group;
    regroup(from.take_back(count), index.take_back(count), to.take_back(toCount),
            MutableArrayRef(result).slice(to.size() - toCount, toCount));
    from = from.drop_back(count);
    index = index.drop_back(count);
    to = to.drop_back(toCount);
  }
}

//===----------------------------------------------------------------------===//
// Evaluations and reads
//===----------------------------------------------------------------------===//

std::optional<Evaluation> IndexSpace::evaluate(KernelOp kernel, const Point &at) {
  SmallVector<ExtentAttr> extents(kernel.getExtents().getAsRange<ExtentAttr>());
  std::optional<IndexExprs> own = reindex(at, extents);
  if (!own)
    return std::nullopt;
  for (auto coordinate : kernel.getBodyBlock()->getOps<SIndexOp>())
    if (!(*own)[coordinate.getDim()])
      return std::nullopt;
  return Evaluation{at, *own};
}

bool IndexSpace::isInOrder(KernelOp kernel, unsigned number) {
  if (isReadInOrder(kernel, number))
    return true;
  SymTensorType type = getTensor(kernel.getIns()[number]);
  if (!type)
    return false;
  IndexSpace own(context, kernel.getRank(), facts);
  Point at{llvm::to_vector<6>(kernel.getExtents().getAsRange<ExtentAttr>()), own.getDims()};
  std::optional<IndexExprs> inOrder = own.reindex(at, type.getPhysicalExtents());
  std::optional<IndexExprs> read =
      own.apply(cast<AffineMapAttr>(kernel.getInMaps()[number]).getValue(),
                kernel.getMapSymbolExtents(), own.getDims());
  return inOrder && inOrder == read;
}

std::optional<Evaluation> IndexSpace::evaluateReader(KernelOp kernel, unsigned number,
                                                     const Point &at) {
  if (isInOrder(kernel, number))
    return evaluate(kernel, at);
  SymTensorType type = getTensor(kernel.getIns()[number]);
  std::optional<IndexExprs> index;
  if (type)
    index = reindex(at, type.getPhysicalExtents());
  AffineMap map = kernel.getInputMaps()[number];
  SmallVector<ExtentAttr> extents(kernel.getExtents().getAsRange<ExtentAttr>());
  if (!index || extents.empty() || map.getNumResults() != extents.size() ||
      map.getResults().back() != getAffineDimExpr(extents.size() - 1, context))
    return std::nullopt;
  IndexExprs own(extents.size());
  for (auto [expr, coordinate, extent] :
       llvm::zip_equal(map.getResults(), *index, type.getPhysicalExtents())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !coordinate || own[dim.getPosition()] || extents[dim.getPosition()] != extent)
      return std::nullopt;
    own[dim.getPosition()] = coordinate;
  }
  return Evaluation{{llvm::to_vector<6>(extents), own}, own};
}

/// Where an element of `operand` is in the tensor that the operand is a view of.
Access IndexSpace::seeThroughViews(Value operand, Point at) {
  Access read{getViewed(operand), std::move(at), operand};
  SmallVector<ExtentAttr> extents = getTensor(read.source).getPhysicalExtents();
  if (ArrayRef(read.at.extents) == ArrayRef(extents))
    return read;
  std::optional<IndexExprs> index = reindex(read.at, extents);
  if (index && llvm::all_of(*index, [](AffineExpr expr) { return bool(expr); }))
    read.at = {llvm::to_vector<6>(ArrayRef(extents)), *index};
  return read;
}

std::optional<Access> IndexSpace::read(KernelOp kernel, unsigned number,
                                       const Evaluation &evaluation) {
  Value operand = kernel.getIns()[number];
  SymTensorType type = getTensor(operand);
  if (!type)
    return Access{operand, {}, operand};
  // Elements in the order of the iteration lie as those of the point do.
  if (isInOrder(kernel, number))
    return seeThroughViews(operand, evaluation.at);
  std::optional<IndexExprs> index =
      apply(cast<AffineMapAttr>(kernel.getInMaps()[number]).getValue(),
            kernel.getMapSymbolExtents(), evaluation.own);
  if (!index)
    return std::nullopt;
  Point at{llvm::to_vector<6>(type.getPhysicalExtents()), *index};
  return seeThroughViews(operand, at);
}

Access IndexSpace::read(BodyOpInterface functor, unsigned number, ArrayRef<AffineExpr> called) {
  Value operand = functor.getBodyInputs()[number];
  SymTensorType type = getTensor(operand);
  if (!type)
    return {operand, {}, operand};
  std::optional<IndexExprs> index =
      apply(functor.getInputMaps()[number], functor.getMapSymbolExtents(), called);
  Point at{llvm::to_vector<6>(type.getPhysicalExtents()), *index};
  return seeThroughViews(operand, at);
}
