// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of a run: those of the host, and those that the device repeats.

#include "Dialect/Core/IR/ElementBytes.h"
#include "Prepare/Lowering.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

FailureOr<SmallVector<StatementLowering::NextBuffer>> RunLowering::getNextBuffers(LoopOp loop) {
  SmallVector<NextBuffer> nexts;
  auto rows = loop->getAttrOfType<DenseI64ArrayAttr>("buffers");
  for (unsigned number = 0; rows && number < loop.getInits().size(); ++number) {
    int64_t current = rows[2 * number], next = rows[2 * number + 1];
    if (next < 0)
      continue;
    std::string name = host::getName(loop.getResult(number)).str() + "_next";
    // A variable of the loop's takes its place.
    Value memory = host::AtOp::create(builder, loop.getLoc(), loop.getInits()[number].getType(),
                                      next, StringAttr());
    nexts.push_back({number, current, next, memory, name});
  }
  return nexts;
}

void RunLowering::countSymbols(ArrayRef<SymbolAttr> listed, Value list) {
  Location location = list.getLoc();
  auto one = ExtentAttr::constant(list.getContext(), 1);
  auto type = cast<SymTensorType>(list.getType()).withExtents({one});
  for (auto [number, symbol] : llvm::enumerate(listed)) {
    ExtentAttr most = getMost(symbol.getExtent());
    // Only bodies of kernels name what nothing bounds.
    Value known = evaluate(
        location,
        symbols.areKnown(most) ? most : ExtentAttr::constant(list.getContext(), kMaxSymbolExtent));
    Value offset = number == 0 ? Value() : evaluate(location, one * static_cast<int64_t>(number));
    Value place = host::ViewOp::create(builder, location, type, list, offset);
    symbols.define(symbol.getName(), host::CountOp::create(builder, location, place, known, Value(),
                                                           symbol.getNameAttr()));
  }
}

/// Takes what the host would ask for; leaves the bool itself as the first of what is yielded.
static void leaveToDevice(LoopOp op, AwaitOp chooser) {
  Operation *yield = op.getBody().front().getTerminator();
  Operation *asking[] = {yield->getOperand(0).getDefiningOp(), chooser,
                         chooser.getTicket().getDefiningOp()};
  yield->setOperand(0, chooser.getAwaited());
  for (Operation *gone : asking)
    gone->erase();
}

/// The first op of the body that must not run in vain: it writes to a carried value, has its errors
/// masked already, or holds other ops, for which the host may ask the device.
static Operation *findFirstToStay(LoopOp op) {
  llvm::SmallDenseSet<int64_t> carried;
  auto rows = op->getAttrOfType<DenseI64ArrayAttr>("buffers");
  for (unsigned number = 0; rows && number < op.getInits().size(); ++number)
    carried.insert(rows[2 * number]);
  Block &body = op.getBody().front();
  for (Operation &inner : body) {
    auto call = dyn_cast<CallOp>(inner);
    auto written = inner.getAttrOfType<DenseI64ArrayAttr>("buffers");
    if ((call && call.getMask()) || isa<IfOp, LoopOp>(inner) ||
        (written &&
         llvm::any_of(written.asArrayRef(), [&](int64_t row) { return carried.contains(row); })))
      return &inner;
  }
  return body.getTerminator();
}

/// A graph has the addresses of its capture, so the loop keeps its rows: what the next value is
/// made in is copied to the current one's.
LogicalResult RunLowering::lowerRepetition(LoopOp op, AwaitOp chooser) {
  startStep(op);
  leaveToDevice(op, chooser);
  FailureOr<SmallVector<NextBuffer>> nexts = getNextBuffers(op);
  if (failed(nexts))
    return failure();
  Operation *firstToStay = findFirstToStay(op);
  SmallVector<Value> inits(op.getInits());
  SmallVector<SymbolAttr> listed{op.getIv()};
  llvm::append_range(listed, op.getSymbols().getAsRange<SymbolAttr>());
  countSymbols(listed, inits.front());
  if (op.getCount())
    countSymbols(*op.getCount(), inits.front());
  Block &body = op.getBody().front();
  // As far as the host knows, each may be as long as the last.
  auto nextTypes =
      llvm::map_to_vector(body.getTerminator()->getOperands().drop_front(),
                          [](Value next) { return cast<SymTensorType>(next.getType()); });
  for (auto [argument, result, init] :
       llvm::zip_equal(body.getArguments(), op->getResults(), inits)) {
    argument.replaceAllUsesWith(castTo(init, argument.getType()));
    result.replaceAllUsesWith(castTo(init, result.getType()));
  }
  body.eraseArguments(0, body.getNumArguments());
  auto repetition = host::WhileOp::create(builder, op.getLoc(), inits.front(), op.getCondition(),
                                          op.getTripCount());
  repetition.getBody().takeBody(op.getBody());
  builder.setInsertionPoint(firstToStay);
  host::ConfirmOp::create(builder, op.getLoc());
  {
    SymbolValues::Scope scope(symbols);
    if (failed(lowerBlock(body)))
      return failure();
    for (const NextBuffer &next : *nexts) {
      Value current = inits[next.number];
      ExtentAttr bytes = getMost(getStorageBytes(nextTypes[next.number]));
      host::CopyOp::create(builder, op.getLoc(), next.memory, current,
                           evaluate(op.getLoc(), bytes));
    }
    yield(body, body.getTerminator()->getOperand(0));
  }
  builder.setInsertionPoint(op);
  op.erase();
  return success();
}

LogicalResult RunLowering::lowerBody(LoopOp loop, Block &block, ArrayRef<NextBuffer> nexts,
                                     unsigned firstNext) {
  SmallVector<std::pair<int64_t, Value>> outer;
  auto set = [&](int64_t row, Value value) {
    outer.emplace_back(row, carried.lookup(row));
    carried[row] = value;
  };
  for (auto [number, next] : llvm::enumerate(nexts)) {
    set(next.current, block.getArgument(1 + next.number));
    set(next.next, block.getArgument(firstNext + number));
  }
  // A value in the row of the one before is seen to lie where that does.
  auto rows = loop->getAttrOfType<DenseI64ArrayAttr>("buffers");
  for (unsigned number = 0; rows && number < loop.getInits().size(); ++number)
    if (rows[2 * number] >= 0 && rows[2 * number + 1] < 0)
      set(rows[2 * number], block.getArgument(1 + number));
  LogicalResult result = lowerBlock(block);
  for (auto [row, value] : llvm::reverse(outer))
    carried[row] = value;
  return result;
}
