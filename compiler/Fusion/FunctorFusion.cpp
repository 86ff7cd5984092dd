// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk from the last op to the first. A kernel that reads a call's result in order is computed
// by the functor that stores it, and the call moves down to the kernel; else a kernel that only
// functors read may be computed by these. Epilogues come first: they cost nothing.

#include "Fusion/FunctorFusion.h"

#include "Fusion/Functors.h"
#include "Fusion/Uses.h"
#include "Support/NodeLocation.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// Where a kernel's result goes when a store functor computes it: `type` is that of the call's
/// result, of which the kernel's is a view if it has other extents.
struct Stored {
  SymTensorType type;
  IndexExprs index;
};

/// A kernel as part of the functor that stores `result`.
struct Epilogue {
  CallOp call;
  OpResult result;
  StoreOp store;
  KernelOp kernel;
  IndexSpace space;
  Evaluation evaluation;
  /// The element of the result that the kernel reads.
  Access read;
  SmallVector<Stored, 1> stored;
  /// Whether the call's result has other users.
  bool isKept = false;
};

/// A kernel as part of a functor that reads its result.
struct Prologue {
  BodyOpInterface functor;
  IndexSpace space;
  SmallVector<Evaluation, 1> evaluations;
};

class FunctorFusion {
public:
  FunctorFusion(Block &block, const ExtentFacts &facts, const FusionLimits &limits)
      : order(block), facts(facts), limits(limits) {}

  FunctorCounts run() {
    SmallVector<KernelOp> kernels(order.getBlock().getOps<KernelOp>());
    for (KernelOp kernel : llvm::reverse(kernels))
      if (fuseIntoCall(kernel))
        ++counts.epilogues;
      else if (fuseIntoReaders(kernel))
        ++counts.prologues;
    return counts;
  }

private:
  bool fuseIntoCall(KernelOp kernel);
  std::optional<Epilogue> tryEpilogue(KernelOp kernel, unsigned number);
  bool isFirstUser(Epilogue &epilogue);
  bool computeStored(Epilogue &epilogue);
  bool fits(Epilogue &epilogue);
  CallOp build(Epilogue &epilogue);
  void buildStore(Epilogue &epilogue, StoreOp store, CallOp fused);
  void replace(Epilogue &epilogue, CallOp fused);

  bool fuseIntoReaders(KernelOp kernel);
  std::optional<Prologue> tryPrologue(KernelOp kernel, BodyOpInterface functor, bool isAgain);
  bool isWorthIt(KernelOp kernel, Prologue &prologue, bool isAgain);
  void build(KernelOp kernel, Prologue &prologue);

  ProgramOrder order;
  const ExtentFacts &facts;
  const FusionLimits &limits;
  FunctorCounts counts;
};

StoreOp createStore(StoreOp like, ArrayRef<int64_t> targets) {
  OpBuilder builder(like);
  ArrayAttr none = builder.getArrayAttr({});
  return StoreOp::create(builder, like.getLoc(), ValueRange(), like.getRank(), like.getNumValues(),
                         none, none, none, targets);
}

} // namespace

//===----------------------------------------------------------------------===//
// Epilogues
//===----------------------------------------------------------------------===//

bool FunctorFusion::fuseIntoCall(KernelOp kernel) {
  // The last call is the one that all other operands stand in front of.
  SmallVector<unsigned> numbers;
  auto getResult = [&](unsigned number) {
    return dyn_cast<OpResult>(getViewed(kernel.getIns()[number]));
  };
  for (unsigned number = 0; number < kernel.getIns().size(); ++number) {
    OpResult result = getResult(number);
    if (result && isa<CallOp>(result.getOwner()) &&
        result.getOwner()->getBlock() == &order.getBlock())
      numbers.push_back(number);
  }
  llvm::stable_sort(numbers, [&](unsigned a, unsigned b) {
    return order.lookup(getResult(a).getOwner()) > order.lookup(getResult(b).getOwner());
  });
  for (unsigned number : numbers)
    if (std::optional<Epilogue> epilogue = tryEpilogue(kernel, number)) {
      replace(*epilogue, build(*epilogue));
      return true;
    }
  return false;
}

/// The kernel as what follows the call whose result is its operand `number`.
std::optional<Epilogue> FunctorFusion::tryEpilogue(KernelOp kernel, unsigned number) {
  auto result = cast<OpResult>(getViewed(kernel.getIns()[number]));
  auto call = cast<CallOp>(result.getOwner());
  StoreOp store = findStore(call, result.getResultNumber());
  SymTensorType type = getTensor(result);
  if (!store || call.getTies()[result.getResultNumber()] >= 0 ||
      type.getSide() != getTensor(kernel.getResult(0)).getSide())
    return std::nullopt;
  Epilogue epilogue{
      call, result, store, kernel, IndexSpace(kernel.getContext(), store.getIndexRank(), facts),
      {},   {},     {}};
  unsigned target =
      llvm::find(store.getTargets(), result.getResultNumber()) - store.getTargets().begin();
  Point at{llvm::to_vector<6>(type.getPhysicalExtents()),
           getStoredIndex(store, target, epilogue.space, epilogue.space.getDims())};
  std::optional<Evaluation> evaluation = epilogue.space.evaluateReader(kernel, number, at);
  std::optional<Access> own;
  if (evaluation)
    own = epilogue.space.read(kernel, number, *evaluation);
  if (!own)
    return std::nullopt;
  epilogue.evaluation = std::move(*evaluation);
  epilogue.read = std::move(*own);
  for (auto [other, input] : llvm::enumerate(kernel.getIns())) {
    std::optional<Access> read = epilogue.space.read(kernel, other, epilogue.evaluation);
    // The only element of the call's results that is there when it is stored.
    bool isOwn = getViewed(input).getDefiningOp() == call;
    if (!read || (isOwn && !(*read == epilogue.read)))
      return std::nullopt;
  }
  if (!computeStored(epilogue) || !isFirstUser(epilogue) || !fits(epilogue))
    return std::nullopt;
  return epilogue;
}

bool FunctorFusion::computeStored(Epilogue &epilogue) {
  KernelOp kernel = epilogue.kernel;
  const Evaluation &evaluation = epilogue.evaluation;
  bool isWhole = llvm::all_of(evaluation.own, [](AffineExpr expr) { return bool(expr); });
  for (unsigned number = 0; number < kernel.getNumResults(); ++number) {
    SymTensorType type = getTensor(kernel.getResult(number));
    if (!isWhole && isStoredInOrder(kernel, number)) {
      epilogue.stored.push_back({type.withExtents(evaluation.at.extents), evaluation.at.index});
      continue;
    }
    std::optional<IndexExprs> index = epilogue.space.apply(
        kernel.getOutputMaps()[number], kernel.getMapSymbolExtents(), evaluation.own);
    if (!index)
      return false;
    epilogue.stored.push_back({type, *index});
  }
  return true;
}

/// Whether the call can stand where the kernel does.
bool FunctorFusion::isFirstUser(Epilogue &epilogue) {
  unsigned position = order.lookup(epilogue.kernel);
  bool isFirst = true;
  for (OpResult result : epilogue.call->getResults())
    forEachUse(result, order.getBlock(), [&](OpOperand &use) {
      if (use.getOwner() == epilogue.kernel) {
        isFirst &= use.getOperandNumber() < epilogue.kernel.getIns().size();
        return;
      }
      isFirst &= order.lookup(use.getOwner()) > position;
      epilogue.isKept |= result == epilogue.result;
    });
  return isFirst;
}

bool FunctorFusion::fits(Epilogue &epilogue) {
  StoreOp store = epilogue.store;
  KernelOp kernel = epilogue.kernel;
  size_t operands = store.getIns().size() + store.getTargets().size() + kernel.getIns().size() +
                    kernel.getNumResults();
  return countOps(store) + countOps(kernel) <= limits.maxOps && operands <= limits.maxOperands;
}

/// The call with its new results, those of the kernel last, in front of the kernel.
CallOp FunctorFusion::build(Epilogue &epilogue) {
  CallOp call = epilogue.call;
  KernelOp kernel = epilogue.kernel;
  SmallVector<Type> types;
  SmallVector<int64_t> ties, numbers;
  for (OpResult result : call->getResults()) {
    bool isGone = result == epilogue.result && !epilogue.isKept;
    numbers.push_back(isGone ? -1 : static_cast<int64_t>(types.size()));
    if (isGone)
      continue;
    types.push_back(result.getType());
    ties.push_back(call.getTies()[result.getResultNumber()]);
  }
  SmallVector<int64_t> own;
  for (auto [stored, tie] : llvm::zip_equal(epilogue.stored, kernel.getTies())) {
    own.push_back(types.size());
    types.push_back(stored.type);
    ties.push_back(tie < 0 ? tie : tie + static_cast<int64_t>(call.getDests().size()));
  }
  SmallVector<Value> dests(call.getDests());
  llvm::append_range(dests, kernel.getDests());
  OpBuilder builder(kernel);
  auto fused = CallOp::create(builder, call.getLoc(), types, call.getCallee(), call.getParams(),
                              call.getTypes(), call.getIns(), dests, call.getScalars(),
                              call.getMask(), call.getScalarNames(), ties);
  fused->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  fused.getFunctors().takeBody(call.getFunctors());
  for (StoreOp store : fused.getStores()) {
    SmallVector<int64_t> targets;
    for (int64_t target : store.getTargets())
      if (numbers[target] >= 0)
        targets.push_back(numbers[target]);
    if (store != epilogue.store) {
      store.setTargets(targets);
      continue;
    }
    llvm::append_range(targets, own);
    buildStore(epilogue, createStore(store, targets), fused);
  }
  return fused;
}

/// The store's own values, then those of the kernel.
void FunctorFusion::buildStore(Epilogue &epilogue, StoreOp store, CallOp fused) {
  IndexSpace &space = epilogue.space;
  Block *block = createBody(store, epilogue.store);
  FusedBody body(block, space);
  SmallVector<Value> values = appendFunctor(body, block, space, epilogue.store, space.getDims()),
                     yielded;
  SmallVector<IndexExprs> stored;
  for (auto [number, target] : llvm::enumerate(epilogue.store.getTargets())) {
    bool isRead = target == epilogue.result.getResultNumber();
    if (isRead)
      body.define(epilogue.read.source, epilogue.read.at, values[number]);
    if (isRead && !epilogue.isKept)
      continue;
    yielded.push_back(values[number]);
    stored.push_back(getStoredIndex(epilogue.store, number, space, space.getDims()));
  }
  llvm::append_range(yielded, body.append(epilogue.kernel, epilogue.evaluation));
  for (const Stored &own : epilogue.stored)
    stored.push_back(own.index);
  body.finish(store, yielded, stored, fused);
  epilogue.store->erase();
}

void FunctorFusion::replace(Epilogue &epilogue, CallOp fused) {
  CallOp call = epilogue.call;
  KernelOp kernel = epilogue.kernel;
  SmallVector<StringRef> callNames, names, kernelNames;
  collectNames(call, callNames);
  collectNames(kernel, kernelNames);
  size_t next = 0;
  for (OpResult result : call->getResults()) {
    if (result == epilogue.result && !epilogue.isKept)
      continue;
    names.push_back(callNames[result.getResultNumber()]);
    result.replaceAllUsesWith(fused.getResult(next));
    sinkViews(fused.getResult(next++), fused);
  }
  llvm::append_range(names, kernelNames);
  OpBuilder builder(kernel);
  for (OpResult result : kernel->getResults()) {
    ArrayRef<ExtentAttr> extents = getTensor(result).getExtents();
    result.replaceAllUsesWith(viewAs(builder, kernel.getLoc(), fused.getResult(next++), extents));
  }
  order.set(fused, order.lookup(kernel));
  SmallVector<Location> locations{call.getLoc()};
  eraseWithViews(kernel, locations);
  call.erase();
  fused->setLoc(fuseLocations(fused.getContext(), locations, names));
}

//===----------------------------------------------------------------------===//
// Prologues
//===----------------------------------------------------------------------===//

bool FunctorFusion::fuseIntoReaders(KernelOp kernel) {
  if (kernel.use_empty() || !isInlinable(kernel))
    return false;
  llvm::SmallSetVector<Operation *, 4> functors;
  bool areFunctors = true;
  forEachUse(kernel.getResult(0), order.getBlock(), [&](OpOperand &use) {
    Operation *owner = use.getOwner();
    areFunctors &=
        isa<LoadOp, StoreOp>(owner) && owner->getParentOp()->getBlock() == &order.getBlock();
    functors.insert(owner);
  });
  if (!areFunctors || functors.size() > kMostRecomputations)
    return false;
  SmallVector<Prologue, 1> prologues;
  for (Operation *functor : functors) {
    std::optional<Prologue> prologue =
        tryPrologue(kernel, cast<BodyOpInterface>(functor), /*isAgain=*/!prologues.empty());
    if (!prologue)
      return false;
    prologues.push_back(std::move(*prologue));
  }
  llvm::SmallSetVector<Operation *, 4> calls;
  for (Prologue &prologue : prologues) {
    calls.insert(prologue.functor->getParentOp());
    build(kernel, prologue);
  }
  SmallVector<Location> locations;
  eraseWithViews(kernel, locations);
  for (Operation *call : calls) {
    SmallVector<StringRef> names;
    collectNames(call, names);
    SmallVector<Location> all{call->getLoc()};
    llvm::append_range(all, locations);
    call->setLoc(fuseLocations(call->getContext(), all, names));
  }
  return true;
}

std::optional<Prologue> FunctorFusion::tryPrologue(KernelOp kernel, BodyOpInterface functor,
                                                   bool isAgain) {
  Prologue prologue{functor, IndexSpace(kernel.getContext(), functor.getIndexRank(), facts), {}};
  size_t numInputs = functor.getBodyInputs().size();
  for (unsigned number = 0; number < numInputs; ++number) {
    Access read = prologue.space.read(functor, number);
    bool isSeen = llvm::any_of(prologue.evaluations, [&](const Evaluation &evaluation) {
      return evaluation.at == read.at;
    });
    if (read.source != kernel.getResult(0) || isSeen)
      continue;
    std::optional<Evaluation> evaluation = prologue.space.evaluate(kernel, read.at);
    if (!evaluation)
      return std::nullopt;
    for (unsigned own = 0; own < kernel.getIns().size(); ++own)
      if (!prologue.space.read(kernel, own, *evaluation))
        return std::nullopt;
    prologue.evaluations.push_back(std::move(*evaluation));
  }
  size_t times = prologue.evaluations.size();
  size_t operands = numInputs + times * kernel.getIns().size() + functor.getStoredResults().size();
  if (countOps(functor) + times * countOps(kernel) > limits.maxOps ||
      operands > limits.maxOperands || !isWorthIt(kernel, prologue, isAgain))
    return std::nullopt;
  return prologue;
}

/// Whether what is computed more often than before is cheap.
bool FunctorFusion::isWorthIt(KernelOp kernel, Prologue &prologue, bool isAgain) {
  auto load = dyn_cast<LoadOp>(prologue.functor.getOperation());
  std::optional<int64_t> times = load ? load.getTimes() : 1;
  if (!times)
    return false;
  ArrayRef<Evaluation> evaluations = prologue.evaluations;
  unsigned rank = prologue.functor.getIndexRank();
  bool isSpread = !isInjective(evaluations.front().at.index, llvm::SmallBitVector(rank));
  uint64_t again = *times * evaluations.size() - 1 + isAgain + isSpread;
  if (getEvaluationCost(kernel, limits) * again > limits.recompute)
    return false;
  return countFullReads(kernel) <= 1 ||
         llvm::none_of(evaluations, [&](const Evaluation &evaluation) {
           return isStrided(evaluation.at.index, rank);
         });
}

void FunctorFusion::build(KernelOp kernel, Prologue &prologue) {
  BodyOpInterface functor = prologue.functor;
  IndexSpace &space = prologue.space;
  Operation *op = functor;
  auto store = dyn_cast<StoreOp>(op);
  BodyOpInterface fused;
  if (store) {
    fused = cast<BodyOpInterface>(*createStore(store, store.getTargets()));
  } else {
    auto load = cast<LoadOp>(op);
    OpBuilder builder(load);
    ArrayAttr none = builder.getArrayAttr({});
    fused = cast<BodyOpInterface>(*LoadOp::create(builder, load.getLoc(), ValueRange(),
                                                  load.getRank(), load.getNumValues(), none, none));
  }
  Block *block = createBody(fused, functor);
  FusedBody body(block, space);
  for (const Evaluation &evaluation : prologue.evaluations)
    body.define(kernel.getResult(0), evaluation.at, body.append(kernel, evaluation).front());
  SmallVector<Value> yielded = appendFunctor(body, block, space, functor, space.getDims());
  SmallVector<IndexExprs> stored;
  for (unsigned number = 0; store && number < store.getTargets().size(); ++number)
    stored.push_back(getStoredIndex(store, number, space, space.getDims()));
  body.finish(fused, yielded, stored, op->getParentOp());
  op->erase();
}

FunctorCounts cameo::fuseFunctors(Block &block, const ExtentFacts &facts,
                                  const FusionLimits &limits) {
  return FunctorFusion(block, facts, limits).run();
}
