// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Select/MarkRows.h"

#include "Dialect/Prog/IR/CallMembers.h"
#include "Dialect/Prog/IR/KernelTemplates.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

constexpr StringLiteral kMember = "across_rows";

/// Whether neighbours along `dim` are neighbours in what a map reads: its last coordinate goes one
/// on, no other changes.
bool isAdjacent(AffineMap map, unsigned dim) {
  if (map.getNumResults() == 0)
    return false;
  auto isFunction = [&](AffineExpr expr) { return expr.isFunctionOfDim(dim); };
  AffineExpr last = map.getResults().back();
  AffineExpr rest = simplifyAffineExpr(last - getAffineDimExpr(dim, map.getContext()),
                                       map.getNumDims(), map.getNumSymbols());
  return isFunction(last) && !isFunction(rest) &&
         llvm::none_of(map.getResults().drop_back(), isFunction);
}

bool isRowsAcross(CallOp call, int64_t outerRank) {
  bool isAcross = false;
  for (LoadOp load : call.getLoads()) {
    auto functor = cast<BodyOpInterface>(*load);
    for (auto [input, map] : llvm::zip_equal(functor.getBodyInputs(), functor.getInputMaps())) {
      if (!getTensor(input))
        continue;
      if (isAdjacent(map, map.getNumDims() - 1))
        return false;
      isAcross |= isAdjacent(map, outerRank - 1);
    }
  }
  return isAcross;
}

} // namespace

void cameo::markRows(func::FuncOp function) {
  function.walk([](CallOp call) {
    const KernelTemplate *callee = findTemplate(call.getCallee());
    auto rank = call.getParams().getAs<IntegerAttr>("outer_rank");
    if (!callee || !callee->findParam(kMember) || !rank || rank.getInt() == 0 ||
        call.getParams().contains(kMember) || !isRowsAcross(call, rank.getInt()))
      return;
    NamedAttrList params(call.getParams());
    params.set(kMember, BoolAttr::get(call.getContext(), true));
    call.setParamsAttr(params.getDictionary(call.getContext()));
  });
}
