// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on constants become constants: elementwise ones by their scalar function, those that
// move elements by their copies. Results that would make the model larger are left to run time.

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/ONNX/IR/ScalarBody.h"
#include "Dialect/ONNX/Transforms/ConstantElements.h"
#include "Dialect/ONNX/Transforms/Movement.h"
#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"
#include "Dialect/ONNX/Transforms/StridedRows.h"
#include "Support/CheckedSize.h"
#include "Support/NodeLocation.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cstring>
#include <vector>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

//===----------------------------------------------------------------------===//
// The budget
//===----------------------------------------------------------------------===//

/// Whether all operands of `op` but `value` are constants.
bool foldsWith(Operation *op, Value value) {
  return op->getNumResults() == 1 && llvm::all_of(op->getOperands(), [&](Value operand) {
           return operand == value || isNumericConstant(operand);
         });
}

/// Whether whoever reads `value`, or what is folded from it, finds it in memory: kernels compute
/// operands of elementwise operators as they go, but those of products are there before.
bool isReadFromMemory(Value value, unsigned depth = 8) {
  return depth > 0 && llvm::all_of(value.getUsers(), [&](Operation *user) {
           auto op = dyn_cast<OnnxOp>(user);
           if (op && foldsWith(user, value))
             return isReadFromMemory(user->getResult(0), depth - 1);
           return op && !op.hasScalarBody();
         });
}

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
    bytes += count * getElementBytes(elementTypeOf(result));
  }
  bool isWeight = llvm::all_of(op->getResults(), [](Value result) {
    return !result.use_empty() && isReadFromMemory(result);
  });
  int64_t growth = isWeight ? std::max(budget.maxGrowth, budget.maxWeightGrowth) : budget.maxGrowth;
  return elements.isAtMost(budget.maxElements) &&
         bytes.isAtMost(growth + std::min(freed, INT64_MAX - growth));
}

/// The memory of a constant that is worth freeing at once: weights are transposed one by one, and
/// otherwise would all be there twice.
DialectResourceBlobManager::BlobEntry *getLargeResource(Attribute value) {
  constexpr size_t kLargeBytes = size_t(8) << 20;
  auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(value);
  auto *entry = resource ? resource.getRawHandle().getResource() : nullptr;
  return entry && entry->getBlob() && entry->getBlob()->getData().size() >= kLargeBytes ? entry
                                                                                        : nullptr;
}

/// Frees those of `resources` that nothing in the module of `op` reads any more.
void freeUnread(Operation *op,
                SmallPtrSetImpl<DialectResourceBlobManager::BlobEntry *> &resources) {
  if (resources.empty())
    return;
  auto keep = [&](Attribute value) {
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
      resources.erase(resource.getRawHandle().getResource());
  };
  op->getParentOfType<ModuleOp>()->walk([&](Operation *reader) {
    if (isa<ConstantOp>(reader) && reader->use_empty())
      return;
    for (NamedAttribute attribute : reader->getAttrs())
      keep(attribute.getValue());
    if (auto function = dyn_cast<FunctionOpInterface>(reader))
      for (unsigned number = 0; number < function.getNumArguments(); ++number)
        for (NamedAttribute attribute : function.getArgAttrs(number))
          keep(attribute.getValue());
  });
  for (auto *resource : resources)
    resource->setBlob(AsmResourceBlob());
}

/// Replaces `op`; the constants name the nodes that they were computed from.
void replaceByConstants(PatternRewriter &rewriter, Operation *op, ArrayRef<ElementsAttr> values,
                        const FoldBudget &budget) {
  SmallPtrSet<DialectResourceBlobManager::BlobEntry *, 2> read;
  for (Value operand : op->getOperands())
    if (auto constant = operand.getDefiningOp<ConstantOp>(); constant && budget.freesConstants)
      if (auto *resource = getLargeResource(constant.getValueAttr()))
        read.insert(resource);
  Operation *function = op->getParentOp();
  SmallVector<Location> locations{op->getLoc()};
  for (Value operand : op->getOperands())
    locations.push_back(operand.getLoc());
  Location location = fuseNodes(rewriter.getContext(), locations);
  SmallVector<Value> constants;
  for (auto [value, type] : llvm::zip_equal(values, op->getResultTypes()))
    constants.push_back(ConstantOp::create(rewriter, location, type, value));
  rewriter.replaceOp(op, constants);
  freeUnread(function, read);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// How many elements are computed at once: few enough for what lies between two steps to stay in
/// the cache.
constexpr int64_t kTile = 1024;

/// The scalar function of an operator, ready to be applied to many elements.
class ArrayProgram {
public:
  /// Nothing when a step is not to be computed at compile time.
  static std::optional<ArrayProgram> make(OnnxOp op) {
    DetachedBody body = buildDetachedBody(op);
    ArrayProgram program;
    for (BlockArgument argument : body.block->getArguments())
      program.addTile(argument);
    for (Operation &scalar : *body.block)
      if (!program.append(scalar))
        return std::nullopt;
    program.result = program.numbers.lookup(body.result);
    return program;
  }

  /// Memory for a tile of operand `number`.
  char *getOperandTile(unsigned number) { return tiles[number].data(); }

  /// The elements of the function on `count` elements of each operand, at most a tile; until the
  /// next call.
  const char *run(ArrayRef<const char *> operands, int64_t count) {
    SmallVector<const char *> arrays(operands);
    for (const std::vector<char> &tile : llvm::drop_begin(tiles, operands.size()))
      arrays.push_back(tile.data());
    SmallVector<const char *, 3> x;
    for (const Step &step : steps) {
      x.clear();
      for (unsigned operand : step.operands)
        x.push_back(arrays[operand]);
      step.function(x.data(), tiles[step.result].data(), count);
    }
    return arrays[result];
  }

private:
  struct Step {
    ArrayFunction function;
    SmallVector<unsigned, 3> operands;
    unsigned result;
  };

  std::vector<char> &addTile(Value value) {
    numbers[value] = tiles.size();
    return tiles.emplace_back(kTile * getElementBytes(value.getType()));
  }

  bool append(Operation &op) {
    std::vector<char> &tile = addTile(op.getResult(0));
    if (auto constant = dyn_cast<SConstantOp>(op)) {
      unsigned bytes = tile.size() / kTile;
      bool isWritten = writeElement(constant.getValue(), tile.data());
      copyRow(bytes, tile.data(), 0, tile.data(), 1, kTile);
      return isWritten;
    }
    auto scalar = dyn_cast<ScalarOpInterface>(op);
    Step step{scalar ? scalar.getArrayFunction() : nullptr, {}, numbers.lookup(op.getResult(0))};
    for (Value operand : op.getOperands())
      step.operands.push_back(numbers.lookup(operand));
    steps.push_back(std::move(step));
    return steps.back().function;
  }

  DenseMap<Value, unsigned> numbers;
  SmallVector<std::vector<char>> tiles;
  SmallVector<Step> steps;
  unsigned result = 0;
};

/// The strides in which an operand is read for the elements of a result that it broadcasts to.
Strides getBroadcastStrides(const ConstantElements &elements, size_t rank) {
  ArrayRef<int64_t> shape = elements.getShape();
  Strides strides(rank, 0), own = getRowMajorStrides(shape);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    strides[rank - shape.size() + axis] = shape[axis] == 1 ? 0 : own[axis] * elements.getStep();
  return strides;
}

/// `count` elements of `elements`, at most a tile, `step` apart from `start` on: there, or in
/// `tile`.
const char *readTile(const ConstantElements &elements, int64_t start, int64_t step, int64_t count,
                     char *tile) {
  if (step == 1)
    return elements.getElement(start);
  copyRow(elements.getElementBytes(), elements.getElement(start), step, tile, 1, count);
  return tile;
}

/// The elements of an elementwise operator's result; nullopt where an operand has none.
std::optional<ConstantWriter> evaluate(OnnxOp op, ArrayProgram &program) {
  ConstantWriter result(cast<SymTensorType>(op->getResult(0).getType()));
  SmallVector<ConstantElements> operands;
  SmallVector<Strides> strides;
  size_t rank = result.getShape().size();
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<ConstantElements> elements = ConstantElements::read(operand.get());
    if (!elements || (elements->getNumElements() == 0 && result.getNumElements() != 0))
      return std::nullopt;
    strides.push_back(readsElements(op, operand.getOperandNumber())
                          ? getBroadcastStrides(*elements, rank)
                          : Strides(rank, 0));
    operands.push_back(std::move(*elements));
  }
  char *next = result.getElement(0);
  SmallVector<const char *> tiles(operands.size());
  forEachRow(result.getShape(), strides, [&](const StridedRow &row) {
    for (int64_t done = 0; done < row.count; done += kTile) {
      int64_t count = std::min(kTile, row.count - done);
      for (auto [number, operand] : llvm::enumerate(operands))
        tiles[number] = readTile(operand, row.starts[number] + done * row.steps[number],
                                 row.steps[number], count, program.getOperandTile(number));
      size_t bytes = static_cast<size_t>(count) * result.getElementBytes();
      std::memcpy(next, program.run(tiles, count), bytes);
      next += bytes;
    }
  });
  return result;
}

struct FoldElementwise : OpInterfaceRewritePattern<OnnxOp> {
  FoldElementwise(MLIRContext *context, FoldBudget budget)
      : OpInterfaceRewritePattern(context), budget(budget) {}

  LogicalResult matchAndRewrite(OnnxOp op, PatternRewriter &rewriter) const override {
    if (!op.hasScalarBody() || !isWorthFolding(op, budget))
      return failure();
    std::optional<ArrayProgram> program = ArrayProgram::make(op);
    if (!program)
      return rewriter.notifyMatchFailure(op, "differs from one machine to the next");
    std::optional<ConstantWriter> result = evaluate(op, *program);
    if (!result)
      return failure();
    replaceByConstants(rewriter, op, result->finish(getOutputName(op->getLoc(), 0)), budget);
    return success();
  }

private:
  FoldBudget budget;
};

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

void run(const StridedCopy &copy, const ConstantElements &source, ConstantWriter &target) {
  const Strides strides[] = {copy.fromStrides, copy.toStrides};
  forEachRow(copy.extents, strides, [&](const StridedRow &row) {
    copyRow(target.getElementBytes(), source.getElement(copy.from + row.starts[0]),
            row.steps[0] * source.getStep(), target.getElement(copy.to + row.starts[1]),
            row.steps[1], row.count);
  });
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
      ConstantWriter elements(cast<SymTensorType>(result.getType()));
      for (const StridedCopy &copy : *copies) {
        std::optional<ConstantElements> source =
            ConstantElements::read(op->getOperand(copy.operand));
        if (!source)
          return failure();
        run(copy, *source, elements);
      }
      values.push_back(elements.finish(getOutputName(op->getLoc(), result.getResultNumber())));
    }
    replaceByConstants(rewriter, op, values, budget);
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
    value = reshapeElements(value, type.getStaticType().getShape());
    replaceByConstants(rewriter, op, value, budget);
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
