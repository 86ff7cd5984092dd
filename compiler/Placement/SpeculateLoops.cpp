// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops until a condition of the device: several iterations are queued for each look at it, and
// those that should not have run change nothing.

#include "Dialect/Core/IR/SymbolRenaming.h"
#include "Dialect/ONNX/Analysis/Costs.h"
#include "Dialect/ONNX/Analysis/SideAnalysis.h"
#include "Dialect/ONNX/Analysis/Speculation.h"
#include "Placement/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace cameo {
#define GEN_PASS_DEF_SPECULATELOOPSPASS
#include "Placement/Passes.h.inc"
} // namespace cameo

namespace {

/// Writes a loop's body several times, one behind the other, in its place.
class LoopUnrolling {
public:
  LoopUnrolling(LoopOp loop, SymbolRenaming &names)
      : loop(loop), names(names), body(loop.getBody().front()), yield(getYield(loop.getBody())),
        location(yield.getOperand(0).getLoc()), builder(yield) {}

  void run() {
    for (Operation &op : body.without_terminator())
      if (!isa<ConstantOp>(op))
        original.push_back(&op);
    SmallVector<Value> state(yield->getOperands().drop_front());
    Value more = limit(yield.getOperand(0), 1);
    SmallVector<SmallVector<Operation *>> copies;
    for (int64_t number = 1; number < costs::kSpeculatedIterations; ++number) {
      IRMapping mapping;
      mapping.map(body.getArgument(1), more);
      mapping.map(body.getArguments().drop_front(2), state);
      mapIteration(mapping, number);
      copies.push_back(copy(mapping));
      for (auto [kept, yielded] : llvm::zip_equal(state, yield->getOperands().drop_front()))
        kept = WhereOp::create(builder, yielded.getLoc(), kept.getType(), more,
                               mapping.lookupOrDefault(yielded), kept);
      more = both(more, limit(mapping.lookupOrDefault(yield.getOperand(0)), number + 1));
    }
    yield->setOperand(0, more);
    for (auto [number, value] : llvm::enumerate(state))
      yield->setOperand(number + 1, value);
    // Not before all are copied: what they are copies of names the loop's own.
    for (auto [number, ops] : llvm::enumerate(copies))
      rename(ops, number + 1);
    countFrom(original, 0);
    setIterationsInOne(loop, costs::kSpeculatedIterations);
    if (BlockArgument iteration = body.getArgument(0); !iteration.use_empty()) {
      builder.setInsertionPointToStart(&body);
      iteration.replaceAllUsesWith(getNumber(0));
    }
  }

private:
  /// The symbol of the iteration, of what runs now, in what the loop will count.
  ExtentAttr getIteration(int64_t number) {
    return loop.getIterationAttr().getExtent() * costs::kSpeculatedIterations + number;
  }

  Value getNumber(int64_t number) {
    Builder attributes(loop.getContext());
    Type type = SymTensorType::get(ArrayRef<ExtentAttr>(), attributes.getI64Type());
    return prog::FromExtentsOp::create(builder, location, type,
                                       attributes.getArrayAttr(getIteration(number)));
  }

  void mapIteration(IRMapping &mapping, int64_t number) {
    if (BlockArgument iteration = body.getArgument(0); !iteration.use_empty())
      mapping.map(iteration, getNumber(number));
  }

  SmallVector<Operation *> copy(IRMapping &mapping) {
    SmallVector<Operation *> copies;
    for (Operation *op : original)
      copies.push_back(builder.clone(*op, mapping));
    return copies;
  }

  Value both(Value a, Value b) { return AndOp::create(builder, location, a.getType(), a, b); }

  /// `condition`, and whether the loop may run iteration `number` from here at all.
  Value limit(Value condition, int64_t number) {
    if (!loop.getM())
      return condition;
    return both(condition, LessOp::create(builder, location, condition.getType(), getNumber(number),
                                          loop.getM()));
  }

  void rename(ArrayRef<Operation *> ops, int64_t number) {
    names.renameDefinedIn(ops);
    countFrom(ops, number);
  }

  /// Writes the number of the iteration in which `ops` stand for that of the loop's.
  void countFrom(ArrayRef<Operation *> ops, int64_t number) {
    StringRef name = loop.getIterationAttr().getName();
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](ExtentAttr extent) -> Attribute {
      return extent.substitute(
          [&](StringRef symbol) { return symbol == name ? getIteration(number) : ExtentAttr(); });
    });
    for (Operation *op : ops)
      replacer.recursivelyReplaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                            /*replaceTypes=*/true);
  }

  LoopOp loop;
  SymbolRenaming &names;
  Block &body;
  YieldOp yield;
  /// Of the condition, for all that it is made of now.
  Location location;
  OpBuilder builder;
  SmallVector<Operation *> original;
};

struct SpeculateLoopsPass : cameo::impl::SpeculateLoopsPassBase<SpeculateLoopsPass> {
  using SpeculateLoopsPassBase::SpeculateLoopsPassBase;

  void runOnOperation() override {
    FailureOr<SidePins> sidePins = SidePins::read(pins, onHost, getOperation());
    if (failed(sidePins))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      speculateIn(function, *sidePins);
  }

private:
  void speculateIn(func::FuncOp function, const SidePins &sidePins) {
    SmallVector<LoopOp> loops;
    function.walk([&](LoopOp loop) { loops.push_back(loop); });
    if (loops.empty())
      return;
    SideAnalysis sides(function, sidePins);
    llvm::erase_if(loops, [&](LoopOp loop) {
      // Who pins the condition wants to look at it each time.
      return sidePins.lookup(getYield(loop.getBody()).getOperand(0)) ||
             !isWorthSpeculating(loop, sides);
    });
    SymbolRenaming names(function);
    for (LoopOp loop : loops)
      LoopUnrolling(loop, names).run();
    numSpeculated += loops.size();
  }
};

} // namespace
