// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Select/RangedCalls.h"

#include "Dialect/Prog/IR/ScalarBuilder.h"
#include "Kernels/Explained.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::prog;

static void explain(CallOp call, llvm::StringRef contract, const RangedChoice &choice,
                    size_t number) {
  const Range &range = choice.ranges[number];
  ArrayAttr weighed = weighVariants(contract, range.problem, range.candidate);
  if (!weighed)
    return;
  call->setAttr(kWeighed, weighed);
  call->setAttr(kChosenFor, StringAttr::get(call.getContext(), range.problem.getNode()));
  if (!choice.measure)
    return;
  Builder builder(call.getContext());
  NamedAttrList where;
  where.set("measure", choice.measure);
  if (number > 0)
    where.set("above", builder.getI64IntegerAttr(*choice.ranges[number - 1].most));
  if (range.most)
    where.set("most", builder.getI64IntegerAttr(*range.most));
  if (number == choice.usual)
    where.set("usual", builder.getUnitAttr());
  call->setAttr(kWhere, where.getDictionary(call.getContext()));
}

/// A branch in front of `call` with a copy of it that is taken where the measure is at most a
/// number.
static IfOp branch(CallOp call, core::ExtentAttr measure, int64_t most) {
  OpBuilder builder(call);
  ScalarBuilder scalars(builder, call.getLoc());
  Value isWithin = scalars.lessEqual(scalars.extent(measure), scalars.integer(most));
  auto branch = IfOp::create(builder, call.getLoc(), call->getResultTypes(), isWithin,
                             builder.getArrayAttr({}));
  for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
    region->emplaceBlock();
  return branch;
}

/// Moves what makes `results` to the end of a branch, which yields them.
static void finish(Region &region, Operation *made) {
  Block &block = region.front();
  made->moveBefore(&block, block.end());
  auto builder = OpBuilder::atBlockEnd(&block);
  YieldOp::create(builder, made->getLoc(), made->getResults());
}

RangedCalls cameo::branchByRanges(CallOp call, llvm::StringRef contract, RangedChoice &choice) {
  if (choice.ranges.size() > 1 && !call.getDests().empty()) {
    Range usual = choice.ranges[choice.usual];
    usual.most = std::nullopt;
    choice = {{}, {std::move(usual)}, 0};
  }
  RangedCalls calls{{}, call};
  for (const Range &range : choice.ranges) {
    explain(call, contract, choice, calls.copies.size());
    calls.copies.push_back(call);
    if (!range.most)
      continue;
    IfOp inner = branch(call, choice.measure, *range.most);
    OpBuilder builder(call);
    auto next = cast<CallOp>(builder.clone(*call));
    call->replaceAllUsesWith(inner);
    finish(inner.getThenRegion(), call);
    finish(inner.getElseRegion(), next);
    if (calls.whole == call)
      calls.whole = inner;
    call = next;
  }
  return calls;
}
