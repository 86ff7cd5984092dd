// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/Lowering.h"

#include "Dialect/Core/IR/CountedSymbols.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

LogicalResult StatementLowering::lowerBlock(Block &block) { return lowerFrom(&block.front()); }

LogicalResult StatementLowering::lowerFrom(Operation *op) {
  while (!op->hasTrait<OpTrait::IsTerminator>()) {
    Operation *next = op->getNextNode();
    builder.setInsertionPoint(op);
    if (failed(lower(op)))
      return failure();
    op = next;
  }
  builder.setInsertionPoint(op);
  return success();
}

void StatementLowering::defineSymbols(ArrayRef<StringRef> names, Location location) {
  for (StringRef name : names)
    symbols.define(name, host::SymbolOp::create(builder, location, name));
}

LogicalResult StatementLowering::lower(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ElementOp element) { return lowerElement(element); })
      .Case([&](BindOp bind) { return lowerBind(bind); })
      .Case([&](DefineOp define) { return lowerDefine(define); })
      .Case([&](CheckOp check) { return lowerCheck(check); })
      .Case([&](ViewOp view) { return lowerView(view); })
      .Case([&](IfOp branch) { return lowerIf(branch); })
      .Case([&](LoopOp loop) { return lowerLoop(loop); })
      .Case([&](SExtentOp value) {
        value.replaceAllUsesWith(evaluate(value.getLoc(), value.getExtent()));
        value.erase();
        return success();
      })
      .Case([&](KeepOp keep) {
        keep.erase();
        return success();
      })
      .Default([&](Operation *op) {
        // Scalars and weights stay as they are.
        if (isOpTriviallyDead(op))
          op->erase();
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

LogicalResult StatementLowering::lowerElement(ElementOp op) {
  if (!op.use_empty()) {
    Value tensor = op.getTensor();
    Value element = host::ElementOp::create(builder, op.getLoc(), op.getType(), tensor,
                                            evaluate(op.getLoc(), op.getOffset()));
    // A local array stays; other memory may be somebody else's later.
    if (!tensor.getDefiningOp<host::LocalOp>()) {
      StringRef name = host::getName(tensor);
      element = host::BindOp::create(builder, op.getLoc(), name.empty() ? "value" : name, element);
    }
    op.replaceAllUsesWith(element);
  }
  op.erase();
  return success();
}

void StatementLowering::check(host::Relation relation, Value got, Value expected, StringRef code,
                              Location location) {
  host::CheckOp::create(builder, location, relation, got, expected, code);
}

void StatementLowering::checkRange(SymbolAttr symbol, StringRef code, Location location) {
  Value value = symbols.lookup(symbol.getName());
  auto checkLimit = [&](host::Relation relation, std::optional<int64_t> limit) {
    if (limit)
      check(relation, value, evaluate(location, ExtentAttr::constant(symbol.getContext(), *limit)),
            code, location);
  };
  checkLimit(host::Relation::AtLeast, symbol.getRange().lo());
  checkLimit(host::Relation::AtMost, symbol.getRange().hi());
}

LogicalResult StatementLowering::lowerBind(BindOp op) {
  StringRef symbol = op.getSymbol().getName();
  bool isEntry = computesEntry && shape.isKnown(symbol);
  symbols.define(symbol,
                 host::BindOp::create(builder, op.getLoc(), symbol, op.getValue(), isEntry));
  if (op.getChecked())
    checkRange(op.getSymbol(), op.getCode(), op.getLoc());
  learn(symbol);
  op.erase();
  return success();
}

LogicalResult StatementLowering::lowerDefine(DefineOp op) {
  StringRef symbol = op.getSymbol().getName();
  bool isEntry = computesEntry && shape.isKnown(symbol);
  Value value = evaluate(op.getLoc(), op.getExtent());
  symbols.define(symbol, host::DefineOp::create(builder, op.getLoc(), symbol, value, isEntry));
  if (op.getChecked())
    checkRange(op.getSymbol(), "invalid_argument", op.getLoc());
  learn(symbol);
  op.erase();
  return success();
}

LogicalResult StatementLowering::lowerCheck(CheckOp op) {
  std::optional<host::Relation> relation = host::symbolizeRelation(op.getRelation());
  if (!relation)
    return op.emitError("relation '") << op.getRelation() << "' has no C++";
  check(*relation, evaluate(op.getLoc(), op.getGot()), evaluate(op.getLoc(), op.getExpected()),
        op.getCode(), op.getLoc());
  op.erase();
  return success();
}

LogicalResult StatementLowering::lowerView(ViewOp op) {
  Value offset;
  if (!op.getOffset().isConstant(0))
    offset = evaluate(op.getLoc(), op.getOffset());
  Value view =
      host::ViewOp::create(builder, op.getLoc(), op.getOutput().getType(), op.getSource(), offset);
  op.replaceAllUsesWith(view);
  op.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void StatementLowering::define(StringRef symbol, Value value, Location location) {
  if (computesEntry && shape.isKnown(symbol))
    value = host::BindOp::create(builder, location, symbol, value, /*entry=*/true);
  symbols.define(symbol, value);
}

/// The entries of a list of a branch's or a loop's, one for each of its symbols, for those that the
/// device has, or for the others.
template <class T>
static SmallVector<T> takeDecided(Operation *op, ArrayRef<Attribute> list, bool areCounted) {
  SmallVector<T> taken;
  for (auto [number, attribute] : llvm::enumerate(list))
    if (isCountedSymbol(op, number) == areCounted)
      taken.push_back(cast<T>(attribute));
  return taken;
}

/// The names of those of the symbols that the host has.
static SmallVector<StringRef> getHostNames(Operation *op, ArrayAttr symbols) {
  return llvm::map_to_vector(takeDecided<SymbolAttr>(op, symbols.getValue(), /*areCounted=*/false),
                             [](SymbolAttr symbol) { return symbol.getName(); });
}

/// Ends a block with what it leaves.
void StatementLowering::yield(Block &block, ArrayRef<Value> values) {
  Operation *old = block.getTerminator();
  builder.setInsertionPoint(old);
  host::YieldOp::create(builder, old->getLoc(), values);
  old->erase();
}

FailureOr<Value> StatementLowering::getBranchResult(OpResult result) {
  return result.getOwner()->emitError("has a tensor before the first step"), failure();
}

LogicalResult StatementLowering::takeBranchResults(ArrayRef<OpResult> tensors) {
  for (OpResult result : tensors) {
    if (result.use_empty())
      continue;
    FailureOr<Value> memory = getBranchResult(result);
    if (failed(memory))
      return failure();
    result.replaceAllUsesWith(*memory);
  }
  return success();
}

LogicalResult StatementLowering::lowerBranch(Region &from, Region &to,
                                             ArrayRef<ExtentAttr> extents) {
  SymbolValues::Scope scope(symbols);
  to.takeBody(from);
  Block &block = to.front();
  if (failed(lowerBlock(block)))
    return failure();
  // Tensors are in the memory that the plan has for both branches.
  SmallVector<Value> values;
  for (Value value : block.getTerminator()->getOperands())
    if (!isa<SymTensorType>(value.getType()))
      values.push_back(value);
  for (ExtentAttr extent : extents)
    values.push_back(evaluate(block.getTerminator()->getLoc(), extent));
  yield(block, values);
  return success();
}

LogicalResult StatementLowering::lowerIf(IfOp op) {
  startStep(op);
  SmallVector<Type> types;
  SmallVector<StringRef> names, defined = getHostNames(op, op.getSymbols());
  auto onHost = [&](ArrayRef<Attribute> extents) {
    return takeDecided<ExtentAttr>(op, extents, /*areCounted=*/false);
  };
  SmallVector<OpResult> scalars, tensors;
  for (OpResult result : op->getResults()) {
    if (isa<SymTensorType>(result.getType())) {
      tensors.push_back(result);
      continue;
    }
    scalars.push_back(result);
    types.push_back(result.getType());
    names.push_back(host::getName(result));
  }
  types.append(defined.size(), builder.getI64Type());
  names.append(defined);
  auto lowered = host::IfOp::create(builder, op.getLoc(), types, op.getCondition(),
                                    builder.getStrArrayAttr(names));
  SmallVector<ExtentAttr> onThen = onHost(op.getThenExtents()),
                          onElse = onHost(op.getElseExtents());
  if (failed(lowerBranch(op.getThenRegion(), lowered.getThenRegion(), onThen)) ||
      failed(lowerBranch(op.getElseRegion(), lowered.getElseRegion(), onElse)))
    return failure();
  builder.setInsertionPoint(op);
  for (auto [number, result] : llvm::enumerate(scalars))
    result.replaceAllUsesWith(lowered.getResult(number));
  for (auto [symbol, value] :
       llvm::zip_equal(defined, lowered.getResults().drop_front(scalars.size())))
    define(symbol, value, op.getLoc());
  if (failed(takeBranchResults(tensors)) || failed(countDecided(op)))
    return failure();
  learn(defined);
  op.erase();
  return success();
}

LogicalResult StatementLowering::countDecided(IfOp op) {
  if (getCountedSymbols(op).empty())
    return success();
  FailureOr<Value> list = getBranchResult(op->getResult(0));
  if (failed(list))
    return failure();
  countSymbols(takeDecided<SymbolAttr>(op, op.getSymbols().getValue(), /*areCounted=*/true), *list);
  return success();
}

LogicalResult StatementLowering::lowerLoop(LoopOp op) {
  startStep(op);
  Location location = op.getLoc();
  unsigned carried = op.getInits().size();
  SmallVector<Value> inits(op.getInits());
  SmallVector<std::string> names;
  for (OpResult result : op->getResults())
    names.push_back(host::getName(result).str());
  FailureOr<SmallVector<NextBuffer>> nexts = getNextBuffers(op);
  if (failed(nexts))
    return failure();
  for (const NextBuffer &next : *nexts) {
    inits.push_back(next.memory);
    names.push_back(next.name);
  }
  SmallVector<StringRef> defined = getHostNames(op, op.getSymbols());
  auto counted = takeDecided<SymbolAttr>(op, op.getSymbols().getValue(), /*areCounted=*/true);
  auto onHost = [&](ArrayRef<Attribute> extents) {
    return takeDecided<ExtentAttr>(op, extents, /*areCounted=*/false);
  };
  StringRef iv = op.getIv().getName();
  for (auto [symbol, extent] : llvm::zip_equal(defined, onHost(op.getInitExtents().getValue()))) {
    inits.push_back(evaluate(location, extent));
    names.push_back(symbol.str());
  }
  SmallVector<StringRef> nameRefs(names.begin(), names.end());
  auto lowered = host::LoopOp::create(builder, location, ValueRange(inits).getTypes(),
                                      builder.getI64Type(), op.getTripCount(), op.getCondition(),
                                      inits, iv, builder.getStrArrayAttr(nameRefs), countsTrips());
  SmallVector<ExtentAttr> next = onHost(op.getNextExtents());
  lowered.getBody().takeBody(op.getBody());
  Block &body = lowered.getBody().front();
  Value iteration = body.insertArgument(0U, builder.getI64Type(), location);
  for (Value init : ArrayRef(inits).drop_front(carried))
    body.addArgument(init.getType(), location);
  {
    SymbolValues::Scope scope(symbols);
    symbols.define(iv, iteration);
    unsigned firstSymbol = 1 + carried + nexts->size();
    for (auto [number, symbol] : llvm::enumerate(defined))
      symbols.define(symbol, body.getArgument(firstSymbol + number));
    builder.setInsertionPointToStart(&body);
    if (!counted.empty())
      countSymbols(counted, body.getArgument(1));
    SmallVector<StringRef> inside(defined);
    inside.push_back(iv);
    learn(inside);
    if (failed(lowerBody(op, body, *nexts, 1 + carried)))
      return failure();
    SmallVector<Value> values(body.getTerminator()->getOperands());
    for (const NextBuffer &next : *nexts)
      values.push_back(body.getArgument(1 + next.number));
    for (ExtentAttr extent : next)
      values.push_back(evaluate(location, extent));
    yield(body, values);
  }
  builder.setInsertionPoint(op);
  for (auto [result, value] : llvm::zip(op->getResults(), lowered.getOutputs()))
    result.replaceAllUsesWith(value);
  for (auto [symbol, value] :
       llvm::zip_equal(defined, lowered.getOutputs().drop_front(carried + nexts->size())))
    define(symbol, value, location);
  if (!counted.empty())
    countSymbols(counted, lowered.getOutputs().front());
  if (op.getCount()) {
    defined.push_back(op.getCount()->getName());
    define(defined.back(), lowered.getCount(), location);
  }
  learn(defined);
  op.erase();
  return success();
}
