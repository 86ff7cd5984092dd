// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/ShapeProgram.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

ShapeProgram::ShapeProgram(func::FuncOp main) : main(main), analysis(main) {
  for (Type type : main.getArgumentTypes())
    for (ExtentAttr extent : cast<SymTensorType>(type).getExtents())
      if (extent.isSymbol())
        symbols.insert(extent.getSymbolName());
  numInputSymbols = symbols.size();
  findOps();
}

bool ShapeProgram::isKnown(ExtentAttr extent) const {
  SetVector<StringRef> named;
  extent.collectSymbols(named);
  return llvm::all_of(named, [&](StringRef symbol) { return isKnown(symbol); });
}

namespace {

/// Calls `visit` with the symbols that have their values behind `op`.
void forEachSymbolBehind(Operation *op, llvm::function_ref<void(StringRef)> visit) {
  if (auto definer = dyn_cast<SymbolDefiningOp>(op))
    definer.visitSymbols([&](const SymbolDefinition &definition) {
      if (definition.scope != SymbolScope::Inside)
        visit(definition.symbol.getName());
    });
}

/// The input whose elements a host tensor is; null when it is no input.
BlockArgument getInputOf(Value tensor) {
  while (auto view = tensor.getDefiningOp<ViewOp>())
    tensor = view.getSource();
  auto argument = dyn_cast<BlockArgument>(tensor);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? argument
                                                                           : BlockArgument();
}

} // namespace

bool ShapeProgram::isKnownValue(Value value, Operation *scope) const {
  Operation *definition = value.getDefiningOp();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return scope->isProperAncestor(argument.getOwner()->getParentOp()) ||
           scope == argument.getOwner()->getParentOp();
  return scope->isProperAncestor(definition) || ops.contains(definition);
}

bool ShapeProgram::isComputable(Operation *op, Operation *scope) const {
  if (auto element = dyn_cast<ElementOp>(op)) {
    BlockArgument input = getInputOf(element.getTensor());
    if (!input)
      return false;
  } else if (!isa<ScalarOpInterface, SConstantOp, SExtentOp, BindOp, DefineOp, CheckOp, IfOp,
                  LoopOp, YieldOp>(op)) {
    return false;
  } else if (!llvm::all_of(op->getOperands(),
                           [&](Value operand) { return isKnownValue(operand, scope); })) {
    return false;
  }
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<SymTensorType>))
    return false;
  // Symbols that it names must be known: at entry, or defined inside.
  llvm::DenseSet<StringRef> defined;
  scope->walk([&](SymbolDefiningOp definer) {
    definer.visitSymbols(
        [&](const SymbolDefinition &definition) { defined.insert(definition.symbol.getName()); });
  });
  bool known = true;
  AttrTypeWalker walker;
  walker.addWalk([&](ExtentAttr extent) {
    SetVector<StringRef> named;
    extent.collectSymbols(named);
    for (StringRef symbol : named)
      known &= isKnown(symbol) || defined.contains(symbol);
  });
  walker.walk(op->getAttrDictionary());
  if (!known)
    return false;
  for (Region &region : op->getRegions())
    for (Operation &nested : region.getOps())
      if (!isComputable(&nested, scope))
        return false;
  return true;
}

void ShapeProgram::findOps() {
  // Forward: what can be computed from inputs alone. Symbols become known in program order.
  for (Operation &op : main.getBody().front()) {
    if (!isComputable(&op, &op))
      continue;
    ops.insert(&op);
    forEachSymbolBehind(&op, [&](StringRef symbol) { symbols.insert(symbol); });
  }
  // Backward: of that, what defines symbols or checks, and what they need.
  llvm::DenseSet<Operation *> needed;
  for (Operation &op : llvm::reverse(main.getBody().front())) {
    if (!ops.contains(&op))
      continue;
    bool isRoot = op.getNumResults() == 0 && !isMemoryEffectFree(&op);
    forEachSymbolBehind(&op, [&](StringRef) { isRoot = true; });
    bool isUsed = llvm::any_of(op.getUsers(), [&](Operation *user) {
      return needed.contains(main.getBody().front().findAncestorOpInBlock(*user));
    });
    if (isRoot || isUsed)
      needed.insert(&op);
  }
  ops = std::move(needed);
}

ExtentAttr ShapeProgram::getCapacity(ExtentAttr extent) const {
  if (isKnown(extent))
    return extent;
  ExtentAttr bound = analysis.getBound(
      extent, [&](StringRef name) { return isKnown(name); }, bounds);
  if (isKnown(bound))
    return bound;
  if (std::optional<int64_t> most = range(extent, getFacts()).hi();
      most && *most < kMaxSymbolExtent)
    return ExtentAttr::constant(extent.getContext(), *most);
  return ExtentAttr::unknown(extent.getContext());
}

SmallVector<ExtentAttr>
ShapeProgram::getCapacities(ArrayRef<ExtentAttr> extents,
                            llvm::function_ref<ExtentAttr(ExtentAttr)> getMost) const {
  SmallVector<ExtentAttr> most = llvm::map_to_vector(extents, getMost);
  if (!analysis.areBoundedTogether(extents))
    return most;
  ExtentAttr product = extents.front(), before = most.front();
  for (size_t axis = 1; axis < extents.size(); ++axis) {
    product = product * extents[axis];
    ExtentAttr behind = getMost(product);
    // The others have to make room for what those in front do not.
    if (most[axis] != extents[axis])
      most[axis] = behind == before ? ExtentAttr::constant(behind.getContext(), 1)
                                    : simplify(behind.ceilDiv(before.max(1)), getFacts());
    before = behind;
  }
  return most;
}
