// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Select/JoinRows.h"

#include "Dialect/Prog/IR/CallMembers.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// Dims `first` and `first + 1` of a call's rows, of which the second has `inner` points.
struct RowPair {
  unsigned first;
  ExtentAttr inner;
};

/// The axis of a tensor that the first dim of a pair walks, where the second walks the next one,
/// whole; its rank where neither is walked. nullopt where they do not lie as one.
std::optional<unsigned> findJoinedAxis(AffineMap map, ArrayRef<ExtentAttr> extents,
                                       const RowPair &pair) {
  auto usesPair = [&](AffineExpr expr) {
    return expr.isFunctionOfDim(pair.first) || expr.isFunctionOfDim(pair.first + 1);
  };
  unsigned rank = map.getNumResults(), uses = llvm::count_if(map.getResults(), usesPair);
  if (uses == 0)
    return rank;
  MLIRContext *context = map.getContext();
  for (unsigned axis = 0; axis + 1 < rank; ++axis)
    if (map.getResult(axis) == getAffineDimExpr(pair.first, context) &&
        map.getResult(axis + 1) == getAffineDimExpr(pair.first + 1, context))
      return uses == 2 && extents[axis + 1] == pair.inner ? std::optional(axis) : std::nullopt;
  return std::nullopt;
}

/// `map` of one dim less, and of one result less where `axis` and the next one are joined.
AffineMap joinMap(AffineMap map, unsigned axis, unsigned first) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims;
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
    dims.push_back(getAffineDimExpr(dim > first ? dim - 1 : dim, context));
  SmallVector<AffineExpr> results;
  for (auto [number, expr] : llvm::enumerate(map.getResults()))
    if (axis == map.getNumResults() || number != axis + 1)
      results.push_back(expr.replaceDimsAndSymbols(dims, {}));
  return AffineMap::get(map.getNumDims() - 1, map.getNumSymbols(), results, context);
}

class RowJoiner {
public:
  explicit RowJoiner(CallOp call) : call(call) {
    outerRank = getNumber(call, "outer_rank").value_or(0);
    reduced = getExtents(call, "reduced");
  }

  void run() {
    if (!hasRows())
      return;
    for (unsigned number = reduced.size(); number-- > 1;)
      tryJoin(number - 1);
  }

private:
  /// Whether stores are at the index of a row, or of an element of it.
  bool hasRows() {
    return call.getParams().contains("reduced_rank") && !call.getStores().empty() &&
           llvm::all_of(call.getStores(), [&](StoreOp store) {
             return store.getRank() == outerRank || isOfElements(store);
           });
  }
  bool isOfElements(StoreOp store) { return store.getRank() == outerRank + reduced.size(); }

  void tryJoin(unsigned number) {
    RowPair pair{outerRank + number, reduced[number + 1]};
    for (LoadOp load : call.getLoads())
      if (!isJoined(load, pair))
        return;
    for (StoreOp store : call.getStores())
      if (isOfElements(store) && !isJoined(store, pair))
        return;
    for (LoadOp load : call.getLoads())
      join(load, pair);
    for (StoreOp store : call.getStores())
      if (isOfElements(store))
        join(store, pair);
    reduced[number] = reduced[number] * reduced[number + 1];
    reduced.erase(reduced.begin() + number + 1);
    NamedAttrList params(call.getParams());
    Builder builder(call.getContext());
    params.set("reduced", getList(call.getContext(), reduced));
    params.set("reduced_rank", builder.getI64IntegerAttr(reduced.size()));
    call.setParamsAttr(params.getDictionary(call.getContext()));
  }

  bool isJoined(BodyOpInterface functor, const RowPair &pair) {
    return !asksForIndex(functor) &&
           llvm::all_of(llvm::zip_equal(functor.getBodyInputs(), functor.getInputMaps()),
                        [&](auto read) {
                          auto [input, map] = read;
                          return isJoined(getTensor(input), map, pair);
                        }) &&
           llvm::all_of(llvm::zip_equal(functor.getStoredResults(), functor.getOutputMaps()),
                        [&](auto written) {
                          auto [result, map] = written;
                          return call.getTies()[cast<OpResult>(result).getResultNumber()] < 0 &&
                                 isJoined(getTensor(result), map, pair);
                        });
  }
  static bool isJoined(SymTensorType tensor, AffineMap map, const RowPair &pair) {
    if (!tensor)
      return true;
    std::optional<unsigned> axis = findJoinedAxis(map, tensor.getPhysicalExtents(), pair);
    return axis && (*axis == map.getNumResults() || !tensor.getLayout());
  }

  template <class Functor> void join(Functor functor, const RowPair &pair) {
    Builder builder(functor.getContext());
    SmallVector<AffineMap> maps = functor.getInputMaps();
    for (auto [operand, map] : llvm::zip_equal(functor.getInsMutable(), maps)) {
      SymTensorType tensor = getTensor(operand.get());
      if (!tensor) {
        map = joinMap(map, map.getNumResults(), pair.first);
        continue;
      }
      unsigned axis = *findJoinedAxis(map, tensor.getPhysicalExtents(), pair);
      map = joinMap(map, axis, pair.first);
      if (axis < tensor.getRank())
        operand.set(viewJoined(operand.get(), axis));
    }
    functor.setInMapsAttr(builder.getAffineMapArrayAttr(maps));
    if constexpr (std::is_same_v<Functor, StoreOp>)
      joinResults(functor, pair);
    functor.setRank(functor.getRank() - 1);
  }
  /// Results that a store writes along joined axes, and what the others see of them.
  void joinResults(StoreOp store, const RowPair &pair) {
    SmallVector<AffineMap> maps = store.getOutputMaps();
    for (auto [result, map] : llvm::zip_equal(store.getStoredResults(), maps)) {
      SymTensorType tensor = getTensor(result);
      unsigned axis = *findJoinedAxis(map, tensor.getPhysicalExtents(), pair);
      map = joinMap(map, axis, pair.first);
      result.setType(joinExtents(tensor, axis));
      OpBuilder builder(call->getContext());
      builder.setInsertionPointAfter(call);
      auto view = ViewOp::create(builder, call.getLoc(), tensor, result,
                                 ExtentAttr::constant(call.getContext(), 0));
      result.replaceAllUsesExcept(view, view);
    }
    store.setOutMapsAttr(Builder(call.getContext()).getAffineMapArrayAttr(maps));
  }
  static SymTensorType joinExtents(SymTensorType tensor, unsigned axis) {
    SmallVector<ExtentAttr> extents(tensor.getExtents());
    extents[axis] = extents[axis] * extents[axis + 1];
    extents.erase(extents.begin() + axis + 1);
    return tensor.withExtents(extents);
  }
  Value viewJoined(Value tensor, unsigned axis) {
    OpBuilder builder(call);
    return ViewOp::create(builder, call.getLoc(), joinExtents(getTensor(tensor), axis), tensor,
                          ExtentAttr::constant(call.getContext(), 0));
  }

  CallOp call;
  unsigned outerRank;
  SmallVector<ExtentAttr> reduced;
};

} // namespace

void cameo::joinRows(func::FuncOp function) {
  SmallVector<CallOp> calls;
  function.walk([&](CallOp call) { calls.push_back(call); });
  for (CallOp call : calls)
    RowJoiner(call).run();
}
