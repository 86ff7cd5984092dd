// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/Overwrite.h"

#include "Dialect/Prog/IR/Choices.h"
#include "Plan/Aliases.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// The body that stores a result, and which of its values that is.
struct Writer {
  BodyOpInterface body;
  unsigned number = 0;
};

/// No body when the op itself writes the result, in an order of its own, or several bodies do.
Writer getWriter(OpResult result) {
  Writer writer;
  auto call = dyn_cast<CallOp>(result.getOwner());
  if (!call)
    return {dyn_cast<BodyOpInterface>(result.getOwner()), result.getResultNumber()};
  for (StoreOp store : call.getStores())
    for (auto [number, target] : llvm::enumerate(store.getTargets())) {
      if (target != static_cast<int64_t>(result.getResultNumber()))
        continue;
      if (writer.body)
        return {};
      writer = {cast<BodyOpInterface>(store.getOperation()), static_cast<unsigned>(number)};
    }
  return writer;
}

/// Whether `index` is 0 wherever a kernel's body runs.
bool isZero(AffineExpr index, KernelOp kernel) {
  if (auto constant = dyn_cast<AffineConstantExpr>(index))
    return constant.getValue() == 0;
  auto dim = dyn_cast<AffineDimExpr>(index);
  return dim && cast<ExtentAttr>(kernel.getExtents()[dim.getPosition()]).isConstant(1);
}

/// Whether a kernel puts each element of a whole operand of type `x` where that has it, in a result
/// that is as long or longer along each axis: where both have equal bytes they have equal extents.
bool beginsAs(KernelOp kernel, AffineMap map, SymTensorType x) {
  SmallVector<ExtentAttr> extents = x.getPhysicalExtents();
  return map.isIdentity() && llvm::equal(kernel.getExtents().getAsRange<ExtentAttr>(), extents);
}

/// Whether what `map` names is at equal addresses in tensors of both types, wherever the body runs.
/// Tensors may differ in extents: the first part of a concatenation lies as the whole does.
bool isLaidOutAlike(Operation *body, AffineMap map, Type a, Type b, bool ofEqualBytes) {
  auto x = dyn_cast<SymTensorType>(a), y = dyn_cast<SymTensorType>(b);
  if (!x || !y || !x.hasRank() || !y.hasRank() || x.getElementType() != y.getElementType() ||
      x.isPacked() != y.isPacked())
    return false;
  if (x.getExtents() == y.getExtents() && x.getLayout() == y.getLayout())
    return true;
  auto kernel = dyn_cast<KernelOp>(body);
  SmallVector<ExtentAttr> ofX = x.getPhysicalExtents(), ofY = y.getPhysicalExtents();
  if (!kernel || x.isPacked() || ofX.size() != ofY.size())
    return false;
  if (ofEqualBytes && beginsAs(kernel, map, x))
    return true;
  ExtentAttr one = ExtentAttr::constant(body->getContext(), 1), strideX = one, strideY = one;
  for (auto [index, extentX, extentY] :
       llvm::reverse(llvm::zip_equal(map.getResults(), ofX, ofY))) {
    if (strideX != strideY && !isZero(index, kernel))
      return false;
    strideX = strideX * extentX;
    strideY = strideY * extentY;
  }
  return true;
}

} // namespace

SmallVector<Value> cameo::getTensorOperands(Operation *op) {
  SmallVector<Value> tensors;
  auto add = [&](Operation *reader) {
    for (Value operand : reader->getOperands())
      if (isa<SymTensorType>(operand.getType()))
        tensors.push_back(operand);
  };
  add(op);
  if (auto call = dyn_cast<CallOp>(op))
    for (Operation &functor : call.getFunctors().front())
      add(&functor);
  return tensors;
}

// A kernel's body and a store functor run once per index, in any order and side by side (README of
// codegen_templates): each may replace what it alone reads. A load functor, or a pointer that the
// template gets, is read at any time.
bool cameo::mayOverwrite(OpResult result, llvm::function_ref<bool(Value)> isOverwritten,
                         bool ofEqualBytes) {
  Writer writer = getWriter(result);
  if (!writer.body)
    return false;
  AffineMap written = writer.body.getOutputMaps()[writer.number];
  int64_t safe = 0;
  for (auto [input, map] : llvm::zip_equal(writer.body.getBodyInputs(), writer.body.getInputMaps()))
    safe += isa<SymTensorType>(input.getType()) && isOverwritten(input) && map == written &&
            isLaidOutAlike(writer.body, map, input.getType(), result.getType(), ofEqualBytes);
  return safe == llvm::count_if(getTensorOperands(result.getOwner()), isOverwritten);
}

/// Whether no op behind `op`, which is in the body of the loop whose argument `value` is, needs it.
static bool isLastUse(Value value, Operation *op) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (auto fetch = dyn_cast<FetchOp>(user))
      for (Operation *reader : getLastReaders(fetch))
        if (!op->getBlock()->findAncestorOpInBlock(*reader)->isBeforeInBlock(op))
          return false;
    bool isBefore = ancestor == op || ancestor->isBeforeInBlock(op);
    return isBefore && llvm::all_of(user->getResults(), [&](Value alias) {
             return getMemoryRoot(alias) != value || isLastUse(alias, op);
           });
  });
}

/// How often a block's end yields `value`, as itself or under another name.
static int64_t countYields(Value value) {
  int64_t count = 0;
  for (Operation *user : value.getUsers()) {
    count += user->hasTrait<OpTrait::IsTerminator>();
    for (Value alias : user->getResults())
      if (isa<SymTensorType>(alias.getType()) && !isMemoryRoot(alias) &&
          getMemoryRoot(alias) == getMemoryRoot(value))
        count += countYields(alias);
  }
  return count;
}

bool cameo::isUpdatedInPlace(LoopOp loop, unsigned number) {
  Value next = getNextValue(loop, number).get(), current = loop.getBody().getArgument(number);
  if (!isa<SymTensorType>(next.getType()))
    return false;
  Value root = getMemoryRoot(next);
  if (root == current)
    return isWhole(next, current);
  // A Concat writes its other parts behind the first, which stays where it is.
  auto result = dyn_cast<OpResult>(root);
  auto isCurrent = [&](Value operand) {
    return isa<SymTensorType>(operand.getType()) && getMemoryRoot(operand) == current;
  };
  return result && isWhole(next, root) && countYields(root) == 1 &&
         result.getParentBlock() == current.getParentBlock() &&
         llvm::any_of(getTensorOperands(result.getOwner()), isCurrent) &&
         mayOverwrite(result, isCurrent) && isLastUse(current, result.getOwner());
}
