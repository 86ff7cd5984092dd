// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fusion/Functors.h"

#include "Support/NodeLocation.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::prog;

StoreOp cameo::findStore(CallOp call, unsigned result) {
  for (StoreOp store : call.getStores())
    if (llvm::is_contained(store.getTargets(), static_cast<int64_t>(result)))
      return store;
  return {};
}

/// Erases the views of `value` that nothing reads any more; appends their locations.
static void eraseUnusedViews(Value value, SmallVectorImpl<Location> &locations) {
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    if (!isa<ViewOp>(user))
      continue;
    eraseUnusedViews(user->getResult(0), locations);
    if (!user->use_empty())
      continue;
    locations.push_back(user->getLoc());
    user->erase();
  }
}

void cameo::eraseWithViews(Operation *op, SmallVectorImpl<Location> &locations) {
  for (Value result : op->getResults())
    eraseUnusedViews(result, locations);
  llvm::SmallSetVector<Operation *, 4> views;
  op->walk([&](Operation *reader) {
    for (Value operand : reader->getOperands())
      while (auto view = operand.getDefiningOp<ViewOp>()) {
        views.insert(view);
        operand = view.getSource();
      }
  });
  Location own = op->getLoc();
  op->erase();
  for (Operation *view : views)
    if (view->use_empty()) {
      locations.push_back(view->getLoc());
      view->erase();
    }
  locations.push_back(own);
}

void cameo::collectNames(Operation *op, SmallVectorImpl<StringRef> &names) {
  for (OpResult result : op->getResults())
    names.push_back(getValueName(op->getLoc(), result.getResultNumber(), op->getNumResults()));
}

Block *cameo::createBody(BodyOpInterface functor, BodyOpInterface like) {
  Block *block = new Block();
  functor->getRegion(0).push_back(block);
  for (BlockArgument value :
       like.getBodyBlock()->getArguments().take_front(like.getNumTemplateValues()))
    block->addArgument(value.getType(), value.getLoc());
  return block;
}

SmallVector<Value> cameo::appendFunctor(FusedBody &body, Block *block, IndexSpace &space,
                                        BodyOpInterface functor, ArrayRef<AffineExpr> index) {
  SmallVector<Value> arguments(block->args_begin(),
                               block->args_begin() + functor.getNumTemplateValues());
  for (unsigned number = 0; number < functor.getBodyInputs().size(); ++number)
    arguments.push_back(body.get(space.read(functor, number, index)));
  return body.append(*functor.getBodyBlock(), arguments, index);
}

IndexExprs cameo::getStoredIndex(StoreOp store, unsigned number, IndexSpace &space,
                                 ArrayRef<AffineExpr> index) {
  return *space.apply(store.getOutputMaps()[number], store.getMapSymbolExtents(), index);
}
