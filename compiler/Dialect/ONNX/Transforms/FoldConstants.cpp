// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on constants become constants: elementwise ones by their scalar function, those that
// move elements by their copies. What would make the model larger is left to run time.

#include "Dialect/ONNX/IR/ScalarBody.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/Movement.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"
#include "Support/CheckedSize.h"
#include "Support/NodeLocation.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

//===----------------------------------------------------------------------===//
// The budget
//===----------------------------------------------------------------------===//

/// Whether `op` has constants alone and its results may take their place.
bool isWorthFolding(Operation *op, const FoldBudget &budget) {
  int64_t freed = 0;
  for (Value operand : llvm::SmallDenseSet<Value>(op->operand_begin(), op->operand_end())) {
    if (!isNumericConstant(operand) && !operand.getDefiningOp<FromExtentsOp>())
      return false;
    if (llvm::all_of(operand.getUsers(), [&](Operation *user) { return user == op; }))
      freed += getConstantBytes(operand);
  }
  CheckedSize elements = 0, bytes = 0;
  for (Value result : op->getResults()) {
    std::optional<SmallVector<int64_t>> shape = getStaticShape(result);
    if (!shape || !elementTypeOf(result).isIntOrFloat())
      return false;
    CheckedSize count = CheckedSize::product(*shape);
    elements += count;
    bytes += count * getScalarBytes(elementTypeOf(result));
  }
  return elements.isAtMost(budget.maxElements) &&
         bytes.isAtMost(budget.maxGrowth + std::min(freed, INT64_MAX - budget.maxGrowth));
}

/// Replaces `op`; the constants name the nodes that they were computed from.
void replaceByConstants(PatternRewriter &rewriter, Operation *op, ArrayRef<ElementsAttr> values) {
  SmallVector<Location> locations{op->getLoc()};
  for (Value operand : op->getOperands())
    locations.push_back(operand.getLoc());
  Location location = fuseNodes(rewriter.getContext(), locations);
  SmallVector<Value> constants;
  for (auto [value, type] : llvm::zip_equal(values, op->getResultTypes()))
    constants.push_back(ConstantOp::create(rewriter, location, type, value));
  rewriter.replaceOp(op, constants);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// The scalar function of an operator, ready to be applied to many elements.
class ScalarProgram {
public:
  /// Nothing when a step is not to be computed at compile time.
  static std::optional<ScalarProgram> make(OnnxOp op) {
    ScalarProgram program;
    DetachedBody body = buildDetachedBody(op);
    program.body = std::move(body.block);
    if (!program.compile(body.result))
      return std::nullopt;
    return program;
  }

  /// `values` has one value per operand; nothing where a step has no value.
  ScalarValue run(ArrayRef<ScalarValue> operands) {
    llvm::copy(operands, slots.begin());
    SmallVector<ScalarValue, 3> x;
    for (const Step &step : steps) {
      x.clear();
      for (unsigned slot : step.operands)
        x.push_back(slots[slot]);
      if (!(slots[step.result] = step.function(step.op, x)))
        return {};
    }
    return slots[resultSlot];
  }

private:
  struct Step {
    Operation *op;
    ScalarFunction function;
    SmallVector<unsigned, 3> operands;
    unsigned result;
  };

  bool compile(Value result) {
    DenseMap<Value, unsigned> numbers;
    auto addSlot = [&](Value value) {
      numbers[value] = slots.size();
      slots.emplace_back();
      return slots.size() - 1;
    };
    for (BlockArgument argument : body->getArguments())
      addSlot(argument);
    for (Operation &op : *body) {
      unsigned slot = addSlot(op.getResult(0));
      if (auto constant = dyn_cast<SConstantOp>(op)) {
        slots[slot] = ScalarValue::fromAttr(constant.getValue());
        continue;
      }
      Step step{&op, getScalarFunction(&op), {}, slot};
      if (!step.function)
        return false;
      for (Value operand : op.getOperands())
        step.operands.push_back(numbers.lookup(operand));
      steps.push_back(std::move(step));
    }
    resultSlot = numbers.lookup(result);
    return true;
  }

  std::unique_ptr<Block> body;
  SmallVector<Step> steps;
  SmallVector<ScalarValue> slots;
  unsigned resultSlot = 0;
};

/// The strides in which an operand is read for the elements of a result that it broadcasts to.
SmallVector<int64_t> getBroadcastStrides(ArrayRef<int64_t> shape, size_t rank) {
  SmallVector<int64_t> strides(rank, 0), own = getRowMajorStrides(shape);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    strides[rank - shape.size() + axis] = shape[axis] == 1 ? 0 : own[axis];
  return strides;
}

/// Goes to the next index in row-major order, and with it to the next element of each operand.
void advance(MutableArrayRef<int64_t> index, ArrayRef<int64_t> shape,
             ArrayRef<SmallVector<int64_t>> strides, MutableArrayRef<int64_t> positions) {
  for (size_t axis = shape.size(); axis-- > 0;) {
    bool wraps = ++index[axis] == shape[axis];
    for (auto [position, stride] : llvm::zip_equal(positions, strides))
      position += wraps ? -stride[axis] * (shape[axis] - 1) : stride[axis];
    if (!wraps)
      return;
    index[axis] = 0;
  }
}

/// The elements of an elementwise operator's result, nullopt when one of them is left to run time.
std::optional<ConstantElements> evaluate(OnnxOp op, ScalarProgram &program) {
  ConstantElements result(cast<SymTensorType>(op->getResult(0).getType()));
  SmallVector<ConstantElements> operands;
  SmallVector<SmallVector<int64_t>> strides;
  size_t rank = result.getShape().size();
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<ConstantElements> elements = ConstantElements::read(operand.get());
    if (!elements || (elements->getNumElements() == 0 && result.getNumElements() != 0))
      return std::nullopt;
    strides.push_back(readsElements(op, operand.getOperandNumber())
                          ? getBroadcastStrides(elements->getShape(), rank)
                          : SmallVector<int64_t>(rank, 0));
    operands.push_back(std::move(*elements));
  }
  SmallVector<int64_t> index(rank, 0), positions(operands.size(), 0);
  SmallVector<ScalarValue> x(operands.size());
  for (int64_t number = 0; number < result.getNumElements(); ++number) {
    for (size_t operand = 0; operand < operands.size(); ++operand)
      x[operand] = operands[operand].get(positions[operand]);
    ScalarValue value = program.run(x);
    if (!value)
      return std::nullopt;
    value.store(result.getElement(number));
    advance(index, result.getShape(), strides, positions);
  }
  return result;
}

struct FoldElementwise : OpInterfaceRewritePattern<OnnxOp> {
  FoldElementwise(MLIRContext *context, FoldBudget budget)
      : OpInterfaceRewritePattern(context), budget(budget) {}

  LogicalResult matchAndRewrite(OnnxOp op, PatternRewriter &rewriter) const override {
    if (!op.hasScalarBody() || !isWorthFolding(op, budget))
      return failure();
    std::optional<ScalarProgram> program = ScalarProgram::make(op);
    std::optional<ConstantElements> result = program ? evaluate(op, *program) : std::nullopt;
    if (!result)
      return rewriter.notifyMatchFailure(op, "differs from one machine to the next");
    replaceByConstants(rewriter, op, result->toAttr(getOutputName(op->getLoc(), 0)));
    return success();
  }

private:
  FoldBudget budget;
};

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

void run(const StridedCopy &copy, const ConstantElements &source, ConstantElements &target) {
  if (llvm::is_contained(copy.extents, 0))
    return;
  SmallVector<int64_t> index(copy.extents.size(), 0), positions{copy.from, copy.to};
  const SmallVector<int64_t> strides[] = {copy.fromStrides, copy.toStrides};
  int64_t count = *CheckedSize::product(copy.extents).get();
  for (int64_t number = 0; number < count; ++number) {
    std::memcpy(target.getElement(positions[1]), source.getElement(positions[0]),
                target.getElementBytes());
    advance(index, copy.extents, strides, positions);
  }
}

template <class Op> struct FoldMovement : OpRewritePattern<Op> {
  FoldMovement(MLIRContext *context, FoldBudget budget)
      : OpRewritePattern<Op>(context), budget(budget) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isWorthFolding(op, budget))
      return failure();
    SmallVector<ElementsAttr> values;
    for (OpResult result : op->getResults()) {
      std::optional<StridedCopies> copies = getCopies(op, result.getResultNumber());
      if (!copies)
        return failure();
      ConstantElements elements(cast<SymTensorType>(result.getType()));
      for (const StridedCopy &copy : *copies) {
        std::optional<ConstantElements> source =
            ConstantElements::read(op->getOperand(copy.operand));
        if (!source)
          return failure();
        run(copy, *source, elements);
      }
      values.push_back(elements.toAttr(getOutputName(op->getLoc(), result.getResultNumber())));
    }
    replaceByConstants(rewriter, op, values);
    return success();
  }

private:
  FoldBudget budget;
};

/// The same elements under other extents: the same bytes.
template <class Op> struct FoldView : OpRewritePattern<Op> {
  FoldView(MLIRContext *context, FoldBudget budget)
      : OpRewritePattern<Op>(context), budget(budget) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto type = cast<SymTensorType>(op->getResult(0).getType());
    auto constant = op->getOperand(0).template getDefiningOp<ConstantOp>();
    if (!constant || !isWorthFolding(op, budget))
      return failure();
    ElementsAttr value = constant.getValue();
    if (value.getNumElements() != type.getStaticType().getNumElements())
      return failure(); // an error that the run reports
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
      value = DenseResourceElementsAttr::get(type.getStaticType(), resource.getRawHandle());
    else
      value = cast<DenseElementsAttr>(value).reshape(type.getStaticType());
    replaceByConstants(rewriter, op, value);
    return success();
  }

private:
  FoldBudget budget;
};

} // namespace

void cameo::populateFoldPatterns(RewritePatternSet &patterns, FoldBudget budget) {
  patterns.add<FoldElementwise, FoldMovement<ConcatOp>, FoldMovement<ExpandOp>,
               FoldMovement<GatherOp>, FoldMovement<SliceOp>, FoldMovement<SplitOp>,
               FoldMovement<TileOp>, FoldMovement<TransposeOp>, FoldView<FlattenOp>,
               FoldView<ReshapeOp>, FoldView<SqueezeOp>, FoldView<UnsqueezeOp>>(
      patterns.getContext(), budget);
}
