// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, loops, symbols bound to values, and what is left of constants and extents.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"
#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// A value that leaves a region or the program must be memory, where `target`, its type there, is.
/// Ops made for that belong to the value's node.
Value asMemory(Lowering &lower, Value value, Type target) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<ConstantOp, FromExtentsOp>(op))
    return value;
  return Lowering(lower.getRewriter(), op).onSide(value, cast<SymTensorType>(target).getSide());
}

struct BindElementsLowering : OpRewritePattern<BindElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BindElementsOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    if (op.getOnDevice()) {
      lower.bindElements(op.getSymbols(), op.getTensor());
      rewriter.eraseOp(op);
      return success();
    }
    ScalarBuilder b(rewriter, op.getLoc());
    for (auto [number, symbol] : llvm::enumerate(op.getSymbols().getAsRange<SymbolAttr>())) {
      Value element = lower.scalar(op.getTensor(), number);
      // An operator has stated the part that its type does not say.
      bool isChecked = symbol.getRange() != op.getElementRange();
      BindOp::create(rewriter, op.getLoc(), symbol, b.cast(element, rewriter.getI64Type()),
                     isChecked);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// An assertion or a demand is checked where its tensor is. On the host before anything follows
/// from it; a kernel raises an error and goes on, so that nobody waits.
struct AssertLowering : OpRewritePattern<AssertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AssertOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    if (op.getTensor().getType().isDevice())
      raiseOnDevice(lower, op, rewriter);
    else
      checkOnHost(lower, op, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void checkOnHost(Lowering &lower, AssertOp op, PatternRewriter &rewriter) {
    ScalarBuilder b(rewriter, op.getLoc());
    for (auto [number, limits] : llvm::enumerate(llvm::zip_equal(
             op.getLeast().getAsRange<ExtentAttr>(), op.getMost().getAsRange<ExtentAttr>()))) {
      auto [least, most] = limits;
      if (least.isUnknown() && most.isUnknown())
        continue;
      Value element = lower.scalar(op.getTensor(), static_cast<int64_t>(number));
      SymbolFact any;
      any.min = INT64_MIN, any.max = INT64_MAX;
      SymbolAttr symbol = addSymbol(op, "asserted", any);
      BindOp::create(rewriter, op.getLoc(), symbol, b.cast(element, rewriter.getI64Type()),
                     /*checked=*/false);
      check(rewriter, op, symbol.getExtent(), least, most);
    }
  }

  static void check(PatternRewriter &rewriter, AssertOp op, ExtentAttr got, ExtentAttr least,
                    ExtentAttr most) {
    auto hold = [&](StringRef relation, ExtentAttr limit) {
      CheckOp::create(rewriter, op.getLoc(), relation, got, limit,
                      op.getDemanded() ? "invalid_argument" : "assertion", "");
    };
    if (least == most)
      return hold("eq", most);
    if (!least.isUnknown())
      hold("ge", least);
    if (!most.isUnknown())
      hold("le", most);
  }

  static void raiseOnDevice(Lowering &lower, AssertOp op, PatternRewriter &rewriter) {
    ExtentAttr one = lower.inference().constant(1);
    SymTensorType type = op.getTensor().getType();
    auto count = static_cast<int64_t>(op.getLeast().size());
    Value flat = lower.view(op.getTensor(), type.withExtents({lower.inference().constant(count)}));
    Type i64 = rewriter.getI64Type();
    Value broken = ExpectCall(lower)
                       .code(op.getDemanded() ? "CAMEO_INVALID_ARGUMENT" : "CAMEO_OUT_OF_RANGE")
                       .count(count)
                       .y(SymTensorType::get({one}, i64, Side::Device))
                       .value({{flat, lower.dims(1)}},
                              [&](ScalarBuilder &b, ValueRange x) {
                                return SmallVector<Value>{b.cast(x[0], i64)};
                              })
                       .least({}, chooseLimit(op.getLeast(), INT64_MIN))
                       .most({}, chooseLimit(op.getMost(), INT64_MAX))
                       .build()
                       .getResult(0);
    KeepOp::create(rewriter, op.getLoc(), broken);
  }

  /// A functor that gives each element's limit; `none` where nothing was said.
  static BodyFunction chooseLimit(ArrayAttr limits, int64_t none) {
    return [=](ScalarBuilder &b, ValueRange) {
      auto get = [&](ExtentAttr limit) {
        return limit.isUnknown() ? b.integer(none) : b.extent(limit);
      };
      SmallVector<Value> values;
      for (auto limit : limits.getAsRange<ExtentAttr>())
        values.push_back(values.empty() || limit != limits[0] ? get(limit) : values.front());
      return SmallVector<Value>{b.choose(b.index(0), values)};
    };
  }
};

struct ReturnLowering : OpRewritePattern<func::ReturnOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(func::ReturnOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    rewriter.modifyOpInPlace(op, [&] {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(asMemory(lower, operand.get(), operand.get().getType()));
    });
    return success();
  }
};

/// Moves a region into a new op.
void takeRegion(PatternRewriter &rewriter, Region &from, Region &to) {
  to.getBlocks().clear();
  rewriter.inlineRegionBefore(from, to, to.end());
}

/// An If of which both branches are computed. Its calls that may raise an error do so where the
/// branch is taken that they stand in.
class SelectBuilder {
public:
  SelectBuilder(onnx::IfOp op, PatternRewriter &rewriter)
      : op(op), rewriter(rewriter), lower(rewriter, op) {}

  LogicalResult run() {
    for (Region &region : op->getRegions())
      if (llvm::any_of(region.front(), isOfHost))
        return rewriter.notifyMatchFailure(op, "the host would fail for a branch not taken");
    condition = lower.onSide(op.getCond(), Side::Device);
    SmallVector<Value> then = compute(op.getThenBranch(), /*takenIf=*/true);
    SmallVector<Value> other = compute(op.getElseBranch(), /*takenIf=*/false);
    SmallVector<Value> results;
    for (auto [a, b, result] : llvm::zip_equal(then, other, op->getResults()))
      results.push_back(choose(a, b, tensorOf(result)));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static bool mayRaise(Operation &op) {
    auto call = dyn_cast<CallOp>(op);
    return call && findTemplate(call.getCallee())->mayRaise;
  }

  /// Whether the host ends the run by it, or computes what may raise an error.
  static bool isOfHost(Operation &op) {
    return isa<CheckOp, BindOp>(op) || (mayRaise(op) && tensorOf(op.getResult(0)).isHost());
  }

  /// All of a branch in front of the If, with its errors masked; gives what it yields.
  SmallVector<Value> compute(Region &region, bool takenIf) {
    Block &block = region.front();
    Value taken;
    for (Operation &operation : block) {
      if (!mayRaise(operation))
        continue;
      auto call = cast<CallOp>(operation);
      if (!taken)
        taken = takenIf ? condition : makeMask({condition}, [](ScalarBuilder &b, ValueRange x) {
          return SmallVector<Value>{b.logicalNot(x[0])};
        });
      Value mask = call.getMask();
      if (mask) {
        rewriter.setInsertionPoint(call);
        mask = makeMask({taken, mask}, [](ScalarBuilder &b, ValueRange x) {
          return SmallVector<Value>{b.logicalAnd(x[0], x[1])};
        });
        rewriter.setInsertionPoint(op);
      }
      rewriter.modifyOpInPlace(call, [&] { call.getMaskMutable().assign(mask ? mask : taken); });
    }
    Operation *yield = block.getTerminator();
    SmallVector<Value> yielded(yield->getOperands());
    rewriter.eraseOp(yield);
    rewriter.inlineBlockBefore(&block, op);
    return yielded;
  }

  /// A bool made of bools of one element.
  Value makeMask(ArrayRef<Value> bools, BodyBuilder body) {
    auto reads = llvm::map_to_vector(bools, [&](Value tensor) { return readFirst(tensor); });
    auto type = SymTensorType::get({}, rewriter.getI1Type(), Side::Device);
    return lower.kernel({}, reads, type, {}, body);
  }

  Read readFirst(Value tensor) {
    return {tensor, Index(tensorOf(tensor).getRank(), lower.constant(0))};
  }

  Value choose(Value then, Value other, SymTensorType result) {
    Index index = lower.dims(result.getRank());
    return lower.kernel(result.getExtents(), {readFirst(condition), {then, index}, {other, index}},
                        result, index, [](ScalarBuilder &b, ValueRange x) {
                          return SmallVector<Value>{b.select(x[0], x[1], x[2])};
                        });
  }

  onnx::IfOp op;
  PatternRewriter &rewriter;
  Lowering lower;
  Value condition;
};

struct IfLowering : OpRewritePattern<onnx::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(onnx::IfOp op, PatternRewriter &rewriter) const override {
    if (op.getSelectsAttr())
      return SelectBuilder(op, rewriter).run();
    Lowering lower(rewriter, op);
    Value condition = lower.scalar(op.getCond(), 0);
    if (!condition)
      return rewriter.notifyMatchFailure(op, "the condition is not on the host");
    ArrayAttr symbols = op.getSymbols().value_or(rewriter.getArrayAttr({}));
    auto branch =
        prog::IfOp::create(rewriter, op.getLoc(), op->getResultTypes(), condition, symbols);
    takeRegion(rewriter, op.getThenBranch(), branch.getThenRegion());
    takeRegion(rewriter, op.getElseBranch(), branch.getElseRegion());
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      finishBranch(lower, cast<onnx::YieldOp>(region->front().getTerminator()));
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }

private:
  static void finishBranch(Lowering &lower, onnx::YieldOp yield) {
    lower.getRewriter().setInsertionPoint(yield);
    SmallVector<Value> values;
    for (auto [value, result] :
         llvm::zip_equal(yield->getOperands(), yield->getParentOp()->getResults()))
      values.push_back(asMemory(lower, value, result.getType()));
    lower.getRewriter().replaceOpWithNewOp<prog::YieldOp>(yield, values, yield.getExtentsAttr());
  }
};

/// onnx.Loop becomes prog.loop. Scan outputs are carried destinations: iteration i writes slice i.
class LoopBuilder {
public:
  LoopBuilder(onnx::LoopOp op, PatternRewriter &rewriter)
      : op(op), rewriter(rewriter), lower(rewriter, op), body(op.getBody().front()),
        iv(op.getIterationAttr().getExtent()) {}

  LogicalResult run() {
    Value trip = op.getM() ? lower.scalar(op.getM(), 0) : Value();
    if (op.getM() && !trip)
      return rewriter.notifyMatchFailure(op, "the trip count is not on the host");
    bool conditional = op.getCount().has_value();
    Value condition;
    if (conditional)
      condition = op.getCond() ? lower.scalar(op.getCond(), 0) : makeTrue();
    if (conditional && !condition)
      return rewriter.notifyMatchFailure(op, "the condition is not on the host");

    SmallVector<Value> inits;
    for (auto [init, argument] :
         llvm::zip_equal(op.getVInitial(), body.getArguments().drop_front(2)))
      inits.push_back(asMemory(lower, init, argument.getType()));
    for (OpResult result : getScanResults()) {
      std::optional<SymTensorType> type = getStackType(result, conditional);
      if (!type)
        return rewriter.notifyMatchFailure(
            op, hasBoundedSlices(result)
                    ? "it stacks an unlimited number of elements"
                    : "it stacks results whose extents may change from one iteration to the next, "
                      "without a bound");
      inits.push_back(lower.empty(*type));
    }
    auto loop =
        prog::LoopOp::create(rewriter, op.getLoc(), TypeRange(ValueRange(inits)), trip, condition,
                             inits, op.getIterationAttr(), op.getTripAttr(), op.getCountAttr(),
                             op.getSymbolsAttr(), op.getInitExtentsAttr());
    setRepeated(loop, isRepeated(op));
    if (failed(finishBody(conditional, inits)))
      return failure();
    takeRegion(rewriter, op.getBody(), loop.getBody());
    finishResults(loop);
    return success();
  }

private:
  ResultRange getScanResults() { return op->getResults().drop_front(op.getNumCarried()); }

  Value makeTrue() {
    return SConstantOp::create(rewriter, op.getLoc(), rewriter.getBoolAttr(true));
  }

  bool hasBoundedSlices(OpResult result) {
    SmallVector<ExtentAttr> extents(tensorOf(result).getExtents());
    return llvm::all_of(llvm::drop_begin(extents),
                        [&](ExtentAttr &extent) { return boundOutside(extent); });
  }

  /// The destination of a scan output: as many slices as the loop may run.
  std::optional<SymTensorType> getStackType(OpResult result, bool conditional) {
    SymTensorType type = tensorOf(result);
    SmallVector<ExtentAttr> extents(type.getExtents());
    for (ExtentAttr &extent : llvm::drop_begin(extents))
      if (!boundOutside(extent))
        return std::nullopt;
    if (!conditional)
      return type.withExtents(extents);
    if (!op.getM())
      return std::nullopt;
    ExtentAttr bound = op.getTripAttr();
    if (!bound || extents[0] != op.getCountAttr().getExtent())
      return std::nullopt;
    extents[0] = simplify(bound.max(0), lower.getFacts());
    return type.withExtents(extents);
  }

  /// Makes of an extent that first an iteration knows the most that it can be; false where that is
  /// not known either.
  bool boundOutside(ExtentAttr &extent) {
    llvm::SetVector<StringRef> named;
    extent.collectSymbols(named);
    if (named.empty())
      return true;
    SymbolAnalysis symbols(op->getParentOfType<func::FuncOp>());
    auto isOutside = [&](StringRef name) {
      Operation *definer = symbols.getDefiner(name);
      return !definer || !op->isAncestor(definer);
    };
    SymbolBounds known;
    extent = symbols.getBound(extent, isOutside, known);
    named.clear();
    extent.collectSymbols(named);
    return llvm::all_of(named, isOutside);
  }

  /// Turns the body's arguments and yield into those of prog.loop.
  LogicalResult finishBody(bool conditional, ArrayRef<Value> inits) {
    rewriter.setInsertionPointToStart(&body);
    Value iteration = FromExtentsOp::create(rewriter, op.getLoc(), body.getArgument(0).getType(),
                                            rewriter.getArrayAttr({iv}));
    rewriter.replaceAllUsesWith(body.getArgument(0), iteration);
    // While the body runs, the condition holds.
    if (!body.getArgument(1).use_empty()) {
      Type type = tensorOf(body.getArgument(1)).withSide(Side::Host);
      Value holds = FromElementsOp::create(rewriter, op.getLoc(), type, ValueRange{makeTrue()});
      rewriter.replaceAllUsesWith(body.getArgument(1), holds);
    }
    body.eraseArguments(0, 2);
    SmallVector<BlockArgument> stacks;
    for (Value init : inits.drop_front(op.getNumCarried()))
      stacks.push_back(body.addArgument(init.getType(), op.getLoc()));

    auto yield = cast<onnx::YieldOp>(body.getTerminator());
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> next;
    if (conditional)
      next.push_back(lower.scalar(yield.getOperand(0), 0));
    if (conditional && !next.front())
      return rewriter.notifyMatchFailure(op, "the next condition is not on the host");
    OperandRange yielded = yield.getOperands().drop_front();
    for (auto [value, init] : llvm::zip_equal(yielded.take_front(op.getNumCarried()),
                                              inits.take_front(op.getNumCarried())))
      next.push_back(asMemory(lower, value, init.getType()));
    for (auto [stack, element] : llvm::zip_equal(stacks, yielded.drop_front(op.getNumCarried())))
      next.push_back(writeSlice(stack, element));
    rewriter.replaceOpWithNewOp<prog::YieldOp>(yield, next, yield.getExtentsAttr());
    return success();
  }

  Value writeSlice(Value stack, Value element) {
    SymTensorType type = tensorOf(element);
    Lowering slice(rewriter, op);
    Index stored{slice.extent(iv)};
    llvm::append_range(stored, slice.dims(type.getRank()));
    return slice.kernelInto(stack, type.getExtents(), {{element, slice.dims(type.getRank())}},
                            stored,
                            [](ScalarBuilder &, ValueRange x) { return SmallVector<Value>{x[0]}; });
  }

  /// A stack that was made for the most iterations is cut to those that ran, and taken together
  /// where it was made for larger slices.
  void finishResults(prog::LoopOp loop) {
    rewriter.setInsertionPointAfter(loop);
    SmallVector<Value> results;
    for (auto [old, fresh] : llvm::zip_equal(op->getResults(), loop.getResults()))
      results.push_back(finishResult(old, fresh));
    rewriter.replaceOp(op, results);
  }

  Value finishResult(OpResult old, Value fresh) {
    if (old.getType() == fresh.getType())
      return fresh;
    SymTensorType type = tensorOf(old), made = tensorOf(fresh);
    bool isCarried = old.getResultNumber() < op.getNumCarried();
    if (isCarried || type.getExtents().drop_front() == made.getExtents().drop_front())
      return lower.view(fresh, type);
    Index index = lower.dims(type.getRank());
    return lower.kernel(type.getExtents(), {{fresh, index}}, type, index,
                        [](ScalarBuilder &, ValueRange x) { return SmallVector<Value>{x[0]}; });
  }

  onnx::LoopOp op;
  PatternRewriter &rewriter;
  Lowering lower;
  Block &body;
  ExtentAttr iv;
};

struct LoopLowering : OpRewritePattern<onnx::LoopOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(onnx::LoopOp op, PatternRewriter &rewriter) const override {
    return LoopBuilder(op, rewriter).run();
  }
};

} // namespace

void cameo::populateControlPatterns(RewritePatternSet &patterns) {
  patterns.add<BindElementsLowering, AssertLowering, ReturnLowering, IfLowering, LoopLowering>(
      patterns.getContext());
}
