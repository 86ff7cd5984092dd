// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scan as Loop: the trip count is the extent of the scan axis, slice i of an input is a Gather with
// the iteration's number (counted from the end for a reversed one). One with a batch is a Scan in a
// Scan over the batch.

#include "Dialect/ONNX/IR/UntypedBuilder.h"
#include "Dialect/ONNX/Transforms/Passes.h"
#include "Support/Unsupported.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace cameo {
#define GEN_PASS_DEF_EXPANDSCANPASS
#include "Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace cameo

namespace {

class ScanExpander {
public:
  explicit ScanExpander(ScanOp scan) : scan(scan), builder(scan) {}

  LogicalResult run() {
    if (failed(requireRanks()))
      return failure();
    ValueRange states = scan.getStates(), inputs = scan.getScanInputs();
    Value trip =
        builder.extent(inputs.front(), getAxis(scan.getScanInputAxes(), 0, inputs.front()));
    SmallVector<Type> types;
    for (OpResult result : scan->getResults())
      types.push_back(isArranged(result) ? SymTensorType::get(elementTypeOf(result))
                                         : result.getType());
    auto loop = LoopOp::create(builder, scan.getLoc(), types, trip, Value(), states, SymbolAttr(),
                               ExtentAttr(), SymbolAttr(), ArrayAttr(), ArrayAttr());
    buildBody(loop, trip);
    builder.setInsertionPointAfter(loop);
    SmallVector<Value> results;
    for (auto [old, fresh] : llvm::zip_equal(scan->getResults(), loop->getResults()))
      results.push_back(isArranged(old) ? arrange(fresh, old, trip) : Value(fresh));
    scan->replaceAllUsesWith(results);
    scan.erase();
    return success();
  }

private:
  /// An axis that is counted from the back needs the tensor's rank, and so does a scan output that
  /// is arranged.
  LogicalResult requireRanks() {
    auto isRanked = [](Value value) { return cast<SymTensorType>(value.getType()).hasRank(); };
    for (auto [number, input] : llvm::enumerate(scan.getScanInputs()))
      if (getGivenAxis(scan.getScanInputAxes(), number) < 0 && !isRanked(input))
        return emitUnsupported(scan) << "counts an axis of scan input " << number
                                     << ", whose rank is not known, from the back";
    for (OpResult result : scan->getResults().drop_front(scan.getNumStates()))
      if (!isRanked(result) && isArranged(result))
        return emitUnsupported(scan)
               << "stacks scan output " << result.getResultNumber() - scan.getNumStates()
               << ", whose rank is not known, in another order or along another axis than the "
                  "first";
    return success();
  }

  /// Whether a result is a scan output that a Loop would stack in another way.
  bool isArranged(OpResult result) {
    if (result.getResultNumber() < scan.getNumStates())
      return false;
    size_t number = result.getResultNumber() - scan.getNumStates();
    std::optional<ArrayRef<int64_t>> directions = scan.getScanOutputDirections();
    return (directions && (*directions)[number] != 0) ||
           getAxis(scan.getScanOutputAxes(), number, result) != 0;
  }

  static int64_t getGivenAxis(std::optional<ArrayRef<int64_t>> axes, size_t number) {
    return axes ? (*axes)[number] : 0;
  }

  /// Entry `number` of a list of axes, counted from the front of a tensor of the value's rank.
  static int64_t getAxis(std::optional<ArrayRef<int64_t>> axes, size_t number, Value tensor) {
    int64_t axis = getGivenAxis(axes, number);
    return axis < 0 ? axis + cast<SymTensorType>(tensor.getType()).getRank() : axis;
  }

  Type scalarType() { return SymTensorType::get({}, builder.getI64Type()); }

  void buildBody(LoopOp loop, Value trip) {
    Block &old = scan.getBody().front();
    Location location = scan.getLoc();
    Block *body = builder.createBlock(&loop.getBody());
    Value iteration = body->addArgument(scalarType(), location);
    Value keepGoing = body->addArgument(SymTensorType::get({}, builder.getI1Type()), location);
    unsigned numStates = scan.getNumStates();
    SmallVector<Value> arguments;
    for (BlockArgument state : old.getArguments().take_front(numStates))
      arguments.push_back(body->addArgument(state.getType(), location));
    Value backward;
    for (auto [number, input] : llvm::enumerate(scan.getScanInputs())) {
      std::optional<ArrayRef<int64_t>> directions = scan.getScanInputDirections();
      bool reversed = directions && (*directions)[number] != 0;
      if (reversed && !backward) {
        Value last = SubOp::create(builder, location, scalarType(), trip, builder.number(1));
        backward = SubOp::create(builder, location, scalarType(), last, iteration);
      }
      arguments.push_back(GatherOp::create(
          builder, location, old.getArgument(numStates + number).getType(), input,
          reversed ? backward : iteration,
          builder.getI64IntegerAttr(getAxis(scan.getScanInputAxes(), number, input))));
    }
    for (auto [argument, replacement] : llvm::zip_equal(old.getArguments(), arguments))
      argument.replaceAllUsesWith(replacement);
    body->getOperations().splice(body->end(), old.getOperations());
    body->getTerminator()->insertOperands(0, keepGoing);
  }

  /// A stack along the first axis as the scan output wants it.
  Value arrange(Value stack, OpResult result, Value trip) {
    size_t number = result.getResultNumber() - scan.getNumStates();
    std::optional<ArrayRef<int64_t>> directions = scan.getScanOutputDirections();
    Type any = stack.getType();
    int64_t axis = getAxis(scan.getScanOutputAxes(), number, result);
    if (directions && (*directions)[number] != 0) {
      Value last = SubOp::create(builder, scan.getLoc(), scalarType(), trip, builder.number(1));
      Type list = SymTensorType::get(builder.getI64Type());
      Value backward = RangeOp::create(builder, scan.getLoc(), list, last, builder.number(-1),
                                       builder.number(-1));
      stack = GatherOp::create(builder, scan.getLoc(), axis == 0 ? result.getType() : any, stack,
                               backward, builder.getI64IntegerAttr(0));
    }
    if (axis == 0)
      return stack;
    int64_t rank = cast<SymTensorType>(result.getType()).getRank();
    SmallVector<int64_t> perm;
    for (int64_t dim = 1; dim < rank; ++dim)
      perm.push_back(dim);
    perm.insert(perm.begin() + axis, 0);
    return TransposeOp::create(builder, scan.getLoc(), result.getType(), stack,
                               builder.getDenseI64ArrayAttr(perm));
  }

  ScanOp scan;
  UntypedBuilder builder;
};

/// A Scan over the batch, around one over the sequence of each entry: what that has is what the
/// outer one scans and stacks.
void nest(ScanOp scan) {
  UntypedBuilder builder(scan);
  Location location = scan.getLoc();
  auto create = [&](TypeRange types, ValueRange operands, int64_t inputs, DenseI64ArrayAttr from) {
    DenseI64ArrayAttr none;
    return ScanOp::create(builder, location, types, operands, UnitAttr(),
                          builder.getI64IntegerAttr(inputs), none, from, none, none);
  };
  auto outer = create(scan.getResultTypes(), scan.getOperands(), scan.getNumOperands(), {});
  Block *body = builder.createBlock(&outer.getBody());
  auto untyped = [](ValueRange values) {
    return llvm::map_to_vector(
        values, [](Value value) -> Type { return SymTensorType::get(elementTypeOf(value)); });
  };
  SmallVector<Type> arguments = untyped(scan.getOperands());
  body->addArguments(arguments, SmallVector<Location>(arguments.size(), location));
  auto inner = create(untyped(scan.getResults()), body->getArguments(), scan.getNumScanInputs(),
                      scan.getScanInputDirectionsAttr());
  inner.getBody().takeBody(scan.getBody());
  YieldOp::create(builder, location, inner.getResults());
  scan.replaceAllUsesWith(outer.getResults());
  scan.erase();
}

struct ExpandScanPass : cameo::impl::ExpandScanPassBase<ExpandScanPass> {
  using ExpandScanPassBase::ExpandScanPassBase;

  void runOnOperation() override {
    SmallVector<ScanOp> batched;
    getOperation().walk([&](ScanOp scan) {
      if (scan.getBatched())
        batched.push_back(scan);
    });
    llvm::for_each(batched, nest);
    // Inner scans first, so that bodies are whole when they move.
    WalkResult done = getOperation().walk<WalkOrder::PostOrder>(
        [](ScanOp scan) -> WalkResult { return ScanExpander(scan).run(); });
    if (done.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
