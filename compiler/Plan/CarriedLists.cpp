// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/CarriedLists.h"

#include "Dialect/Prog/IR/ExtentKernel.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

static SymTensorType getListType(MLIRContext *context, size_t length) {
  auto extent = ExtentAttr::constant(context, static_cast<int64_t>(length));
  return SymTensorType::get({extent}, IntegerType::get(context, 64), Side::Device);
}

/// Puts `fresh`, whose first result is new, in the place of `old`.
static void replaceBehindFirst(Operation *old, Operation *fresh) {
  fresh->setDiscardableAttrs(old->getDiscardableAttrDictionary());
  for (auto [result, before] : llvm::zip_equal(fresh->getResults().drop_front(), old->getResults()))
    result.setType(before.getType());
  for (auto [region, before] : llvm::zip_equal(fresh->getRegions(), old->getRegions()))
    region.takeBody(before);
  old->replaceAllUsesWith(fresh->getResults().drop_front());
  old->erase();
}

/// Has `yield` leave the values of `extents` as operand `number`.
static void yieldExtents(Operation *yield, unsigned number, ArrayRef<ExtentAttr> extents) {
  OpBuilder builder(yield);
  SymTensorType type = getListType(yield->getContext(), extents.size());
  yield->insertOperands(number,
                        storeExtents(builder, yield->getParentOp()->getLoc(), extents, type));
}

LoopOp cameo::carryList(LoopOp loop, ArrayRef<ExtentAttr> first, ArrayRef<ExtentAttr> next) {
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  SymTensorType type = getListType(loop.getContext(), first.size());
  SmallVector<Value> inits{storeExtents(builder, location, first, type)};
  llvm::append_range(inits, loop.getInits());
  auto carrying =
      LoopOp::create(builder, location, TypeRange(ValueRange(inits)), loop.getTripCount(),
                     loop.getCondition(), inits, loop.getIv(), loop.getTripAttr(),
                     loop.getCountAttr(), loop.getSymbolsAttr(), loop.getInitExtentsAttr());
  replaceBehindFirst(loop, carrying);
  Block &body = carrying.getBody().front();
  body.insertArgument(0U, type, location);
  yieldExtents(body.getTerminator(), carrying.getCondition() ? 1 : 0, next);
  return carrying;
}

IfOp cameo::yieldList(IfOp branch, ArrayRef<ExtentAttr> onThen, ArrayRef<ExtentAttr> onElse) {
  OpBuilder builder(branch);
  SmallVector<Type> types{getListType(branch.getContext(), onThen.size())};
  llvm::append_range(types, branch->getResultTypes());
  auto yielding =
      IfOp::create(builder, branch.getLoc(), types, branch.getCondition(), branch.getSymbolsAttr());
  replaceBehindFirst(branch, yielding);
  yieldExtents(yielding.getThenRegion().front().getTerminator(), 0, onThen);
  yieldExtents(yielding.getElseRegion().front().getTerminator(), 0, onElse);
  return yielding;
}
