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
    if (!hasResultPerRow())
      return;
    for (unsigned number = reduced.size(); number-- > 1;)
      tryJoin(number - 1);
  }

private:
  /// Whether stores are at the index of a row.
  bool hasResultPerRow() {
    return call.getParams().contains("reduced_rank") && !call.getStores().empty() &&
           llvm::all_of(call.getStores(),
                        [&](StoreOp store) { return store.getRank() == outerRank; });
  }

  void tryJoin(unsigned number) {
    RowPair pair{outerRank + number, reduced[number + 1]};
    for (LoadOp load : call.getLoads())
      if (!isJoined(load, pair))
        return;
    for (LoadOp load : call.getLoads())
      join(load, pair);
    reduced[number] = reduced[number] * reduced[number + 1];
    reduced.erase(reduced.begin() + number + 1);
    NamedAttrList params(call.getParams());
    Builder builder(call.getContext());
    params.set("reduced", getList(call.getContext(), reduced));
    params.set("reduced_rank", builder.getI64IntegerAttr(reduced.size()));
    call.setParamsAttr(params.getDictionary(call.getContext()));
  }

  static bool isJoined(LoadOp load, const RowPair &pair) {
    auto functor = cast<BodyOpInterface>(*load);
    return !asksForIndex(functor) &&
           llvm::all_of(llvm::zip_equal(load.getIns(), functor.getInputMaps()), [&](auto read) {
             auto [input, map] = read;
             return isJoined(getTensor(input), map, pair);
           });
  }
  static bool isJoined(SymTensorType tensor, AffineMap map, const RowPair &pair) {
    if (!tensor)
      return true;
    std::optional<unsigned> axis = findJoinedAxis(map, tensor.getPhysicalExtents(), pair);
    return axis && (*axis == map.getNumResults() || !tensor.getLayout());
  }

  void join(LoadOp load, const RowPair &pair) {
    SmallVector<AffineMap> maps = cast<BodyOpInterface>(*load).getInputMaps();
    for (auto [operand, map] : llvm::zip_equal(load.getInsMutable(), maps)) {
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
    OpBuilder builder(load);
    load.setInMapsAttr(builder.getAffineMapArrayAttr(maps));
    load.setRank(load.getRank() - 1);
  }
  Value viewJoined(Value tensor, unsigned axis) {
    SmallVector<ExtentAttr> extents(getTensor(tensor).getExtents());
    extents[axis] = extents[axis] * extents[axis + 1];
    extents.erase(extents.begin() + axis + 1);
    OpBuilder builder(call);
    return ViewOp::create(builder, call.getLoc(), getTensor(tensor).withExtents(extents), tensor,
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
