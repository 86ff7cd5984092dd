// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers, scatters and selections by rank.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"
#include "Dialect/Core/IR/ElementBytes.h"

#include <cstring>
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

/// Stores of plain elements over the whole result.
template <class Call> Value buildPlain(Lowering &lower, Call &call, SymTensorType result) {
  return call.store(result, lower.dims(result.getRank())).build().getResult(0);
}

int64_t countFromFront(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

bool isString(Type type) { return isa<StringType>(type); }

/// The data that a result is written over, with its extents: what is known of dims may have made
/// these constants.
Value getOverwritten(Lowering &lower, Value data, SymTensorType result) {
  Value own = lower.onSide(data, result.getSide());
  return own.getType() == result ? own : lower.view(own, result);
}

/// Along all axes but one an element is read or written at its own position, which is to be there.
void checkPositions(Lowering &lower, ArrayRef<ExtentAttr> indices, ArrayRef<ExtentAttr> data,
                    int64_t axis) {
  for (auto [number, extent, limit] : llvm::enumerate(indices, data))
    if (static_cast<int64_t>(number) != axis)
      lower.check("le", extent, limit, "invalid_argument", "indices are longer than the data");
}

struct GatherLowering : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    ArrayRef<ExtentAttr> data = tensorOf(op.getData()).getExtents();
    int64_t axis = countFromFront(op.getAxis(), data.size());
    SymTensorType result = tensorOf(op.getOutput());
    if (Value slice = takeKnown(op, lower, axis, result)) {
      rewriter.replaceOp(op, slice);
      return success();
    }
    GatherCall call(lower);
    call.outer(data.take_front(axis))
        .index(tensorOf(op.getIndices()).getExtents())
        .inner(data.drop_front(axis + 1))
        .axisExtent(data[axis])
        .data(op.getData())
        .indices(op.getIndices());
    rewriter.replaceOp(op, buildPlain(lower, call, result));
    return success();
  }

private:
  /// A single index that is known (a constant, an iteration) needs no indirection.
  static Value takeKnown(GatherOp op, Lowering &lower, int64_t axis, SymTensorType result) {
    std::optional<ExtentValues> indices = lower.values(op.getIndices());
    if (!indices || indices->size() != 1 || indices->front().isUnknown())
      return {};
    ExtentAttr index = indices->front(), extent = tensorOf(op.getData()).getExtents()[axis];
    if (range(index, lower.getFacts()).atMost(-1))
      index = index + extent;
    if (!range(index, lower.getFacts()).atLeast(0))
      return {};
    // Where no tensor reaches so far the template raises the error.
    ExtentAttr end = index + 1;
    for (ExtentAttr inner : tensorOf(op.getData()).getExtents().drop_front(axis + 1))
      end = end * inner; // checked: `unknown` when it does not fit
    if (end.isUnknown())
      return {};
    lower.check("le", index + 1, extent, "out_of_range", "an index is out of range");
    unsigned indexRank = tensorOf(op.getIndices()).getRank();
    Index source;
    for (int64_t dim = 0; dim < tensorOf(op.getData()).getRank(); ++dim)
      source.push_back(dim < axis    ? lower.dim(dim)
                       : dim == axis ? lower.extent(index)
                                     : lower.dim(dim - 1 + indexRank));
    return lower.copy(op.getData(), source, result);
  }
};

struct GatherElementsLowering : OpRewritePattern<GatherElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherElementsOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType data = tensorOf(op.getData());
    ArrayRef<ExtentAttr> indices = tensorOf(op.getIndices()).getExtents();
    int64_t axis = countFromFront(op.getAxis(), data.getRank());
    checkPositions(lower, indices, data.getExtents(), axis);
    GatherElementsCall call(lower);
    call.rank(data.getRank())
        .dataDims(data.getExtents())
        .indexDims(indices)
        .axis(axis)
        .data(op.getData())
        .indices(op.getIndices());
    rewriter.replaceOp(op, buildPlain(lower, call, tensorOf(op.getOutput())));
    return success();
  }
};

struct GatherNDLowering : OpRewritePattern<GatherNDOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherNDOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    ArrayRef<ExtentAttr> data = tensorOf(op.getData()).getExtents();
    ArrayRef<ExtentAttr> indices = tensorOf(op.getIndices()).getExtents();
    std::optional<int64_t> tuple = op.getTupleLength();
    if (!tuple)
      return rewriter.notifyMatchFailure(op, "the length of index tuples is not constant");
    size_t batch = op.getBatchDims();
    GatherNdCall call(lower);
    call.batch(data.take_front(batch))
        .index(indices.drop_front(batch).drop_back())
        .inner(data.drop_front(batch + *tuple))
        .tuple(*tuple)
        .axes(data.slice(batch, *tuple))
        .data(op.getData())
        .indices(op.getIndices());
    rewriter.replaceOp(op, buildPlain(lower, call, tensorOf(op.getOutput())));
    return success();
  }
};

struct ScatterElementsLowering : OpRewritePattern<ScatterElementsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterElementsOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType data = tensorOf(op.getData());
    ArrayRef<ExtentAttr> indices = tensorOf(op.getIndices()).getExtents();
    int64_t axis = countFromFront(op.getAxis(), data.getRank());
    checkPositions(lower, indices, data.getExtents(), axis);
    auto call = ScatterElementsCall(lower)
                    .red(op.getReduction())
                    .rank(data.getRank())
                    .dataDims(data.getExtents())
                    .indexDims(indices)
                    .axis(axis)
                    .indices(op.getIndices())
                    .updates(op.getUpdates())
                    .out(getOverwritten(lower, op.getData(), tensorOf(op.getOutput())))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }
};

struct ScatterNDLowering : OpRewritePattern<ScatterNDOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScatterNDOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    ArrayRef<ExtentAttr> data = tensorOf(op.getData()).getExtents();
    ArrayRef<ExtentAttr> indices = tensorOf(op.getIndices()).getExtents();
    std::optional<int64_t> tuple = op.getTupleLength();
    if (!tuple)
      return rewriter.notifyMatchFailure(op, "the length of index tuples is not constant");
    ExtentAttr inner = lower.inference().constant(1);
    for (ExtentAttr extent : data.drop_front(*tuple))
      inner = inner * extent;
    auto call = ScatterNdCall(lower)
                    .red(op.getReduction())
                    .index(indices.drop_back())
                    .tuple(*tuple)
                    .axes(data.take_front(*tuple))
                    .inner(inner)
                    .indices(op.getIndices())
                    .updates(op.getUpdates())
                    .out(getOverwritten(lower, op.getData(), tensorOf(op.getOutput())))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }
};

struct TensorScatterLowering : OpRewritePattern<TensorScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TensorScatterOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    ArrayRef<ExtentAttr> cache = tensorOf(op.getPastCache()).getExtents();
    ArrayRef<ExtentAttr> update = tensorOf(op.getUpdate()).getExtents();
    int64_t rank = cache.size(), axis = countFromFront(op.getAxis(), rank);
    lower.check("le", update[axis], cache[axis], "invalid_argument",
                "the update is longer than the cache");
    auto call = TensorScatterCall(lower)
                    .mode(op.getMode())
                    .rank(rank)
                    .dataDims(cache)
                    .shape(update)
                    .axis(axis)
                    .begin(op.getWriteIndices())
                    .out(getOverwritten(lower, op.getPastCache(), tensorOf(op.getPresentCache())))
                    .load(op.getUpdate(), lower.dims(rank))
                    .build();
    rewriter.replaceOp(op, call.getResult(0));
    return success();
  }
};

struct TopKLowering : OpRewritePattern<TopKOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TopKOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    Rows rows = Rows::alongAxis(op.getX(), op.getAxis());
    SymTensorType values = tensorOf(op.getValues()), indices = tensorOf(op.getIndices());
    ExtentAttr k = values.getExtents()[countFromFront(op.getAxis(), values.getRank())];
    if (lower.isOwnCount(k)) {
      lower.bindCount(k, op.getK(), "out_of_range");
    } else {
      lower.check("le", lower.inference().constant(0), k, "out_of_range", "K is negative");
      lower.check("le", k, rows.reduced[0], "out_of_range", "K exceeds the extent of the axis");
    }
    auto call = TopkCall(lower)
                    .rows(rows)
                    .k(k)
                    .largest(op.getLargest() != 0)
                    .sorted(op.getSorted() != 0)
                    .load(op.getX(), rows.getSource(lower))
                    .storeValue(values, rows.getSource(lower))
                    .storeIndex(indices, rows.getSource(lower))
                    .build();
    rewriter.replaceOp(op, call.getResults());
    return success();
  }
};

/// 1 at the index along a new axis, 0 elsewhere, or whatever two values are given.
struct OneHotLowering : OpRewritePattern<OneHotOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(OneHotOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType result = tensorOf(op.getOutput());
    if (isString(result.getElementType()))
      return rewriter.notifyMatchFailure(op, "strings are not supported");
    unsigned rank = result.getRank();
    unsigned axis = countFromFront(op.getAxis(), rank);
    Index source = lower.dims(rank);
    source.erase(source.begin() + axis);
    ExtentAttr depth = result.getExtents()[axis];
    if (!lower.values(op.getDepth()) && !depth.isConstant()) {
      Value real = lower.scalar(op.getDepth(), 0);
      if (!real)
        return rewriter.notifyMatchFailure(op, "the depth is not on the host");
      lower.bindCount(depth, real);
    }
    SmallVector<Read> reads{{op.getIndices(), source},
                            {op.getValues(), {lower.constant(0)}},
                            {op.getValues(), {lower.constant(1)}}};
    Value hot = lower.kernel(
        result.getExtents(), reads, result, lower.dims(rank), [&](ScalarBuilder &b, ValueRange x) {
          Type i64 = rewriter.getI64Type();
          Value index = b.cast(x[0], i64);
          Value wrapped =
              b.select(b.less(index, b.constant(i64, 0)), b.add(index, b.extent(depth)), index);
          return SmallVector<Value>{b.select(b.equal(wrapped, b.index(axis)), x[2], x[1])};
        });
    rewriter.replaceOp(op, hot);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

/// A number that may be a key, in the order of keys: NaN last, -0 as 0.
using Key = std::tuple<bool, double, int64_t>;

std::vector<char> getBytes(ElementsAttr elements) {
  std::vector<char> bytes(
      static_cast<size_t>(elements.getNumElements() * getElementBytes(elements.getElementType())));
  [[maybe_unused]] bool isCopied = copyElements(elements, bytes);
  assert(isCopied && "what the importer made of a tensor has bytes");
  return bytes;
}

std::vector<Key> readKeys(ElementsAttr elements) {
  std::vector<char> bytes = getBytes(elements);
  Type type = elements.getElementType();
  auto width = static_cast<size_t>(getElementBytes(type));
  std::vector<Key> keys;
  for (size_t offset = 0; offset < bytes.size(); offset += width) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[offset], width);
    APInt code(8 * width, bits);
    if (auto real = dyn_cast<FloatType>(type)) {
      double value = APFloat(real.getFloatSemantics(), code).convertToDouble();
      keys.emplace_back(value != value, value != value ? 0 : value, 0);
    } else {
      keys.emplace_back(false, 0, code.getSExtValue());
    }
  }
  return keys;
}

/// The elements at `positions`.
std::vector<char> takeBytes(const std::vector<char> &bytes, ArrayRef<size_t> positions,
                            Type element) {
  auto width = static_cast<ptrdiff_t>(getElementBytes(element));
  std::vector<char> taken;
  for (size_t position : positions) {
    auto first = bytes.begin() + static_cast<ptrdiff_t>(position) * width;
    taken.insert(taken.end(), first, first + width);
  }
  return taken;
}

std::vector<StringRef> readStrings(ElementsAttr elements) {
  auto texts = elements.getValues<StringRef>();
  return {texts.begin(), texts.end()};
}

/// The positions of the keys, ascending; of equal ones the last.
template <class Key> std::vector<size_t> sortKeys(const std::vector<Key> &keys) {
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  std::vector<size_t> kept;
  for (size_t position : order) {
    if (!kept.empty() && keys[kept.back()] == keys[position])
      kept.pop_back();
    kept.push_back(position);
  }
  return kept;
}

/// Keys that differ, ascending, and their values, with that of all other keys behind them. Strings
/// are looked up by what their places in a table of strings are, which constants of numbers hold.
struct LabelEncoderLowering : OpRewritePattern<LabelEncoderOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LabelEncoderOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    Tables tables{rewriter, op};
    ElementsAttr keys = op.getKeys(), values = op.getValues();
    bool hasStringKeys = isString(keys.getElementType());
    std::vector<size_t> order =
        hasStringKeys ? sortKeys(readStrings(keys)) : sortKeys(readKeys(keys));
    std::vector<size_t> positions = order;
    positions.push_back(static_cast<size_t>(values.getNumElements()));
    SymTensorType result = tensorOf(op.getY()), found = result;
    Value beside;
    if (isString(values.getElementType())) {
      found = result.withElementType(rewriter.getI64Type());
      beside = tables.places(positions);
    } else {
      beside = tables.values(values, positions);
    }
    Value y = hasStringKeys ? lookUpStrings(lower, tables, order, beside, found)
                            : lookUp(lower, tables, order, beside, found);
    rewriter.replaceOp(op, found == result ? y : takeStrings(lower, tables, y, result));
    return success();
  }

private:
  /// Constants of what the operator has as attributes.
  struct Tables {
    PatternRewriter &rewriter;
    LabelEncoderOp op;

    Value constant(Type element, ArrayRef<char> bytes) {
      auto count = static_cast<int64_t>(bytes.size()) / getElementBytes(element);
      auto value =
          DenseElementsAttr::getFromRawBuffer(RankedTensorType::get({count}, element), bytes);
      return ConstantOp::create(rewriter, op.getLoc(), getTypeOf(value, {}), value);
    }

    Value integers(ArrayRef<int64_t> elements) {
      return constant(rewriter.getI64Type(),
                      ArrayRef(reinterpret_cast<const char *>(elements.data()),
                               elements.size() * sizeof(int64_t)));
    }

    Value places(ArrayRef<size_t> positions) {
      return integers(SmallVector<int64_t>(positions.begin(), positions.end()));
    }

    Value values(ElementsAttr values, ArrayRef<size_t> positions) {
      std::vector<char> bytes = getBytes(values), last = getBytes(getDefault(values));
      bytes.insert(bytes.end(), last.begin(), last.end());
      return constant(values.getElementType(),
                      takeBytes(bytes, positions, values.getElementType()));
    }

    ElementsAttr getDefault(ElementsAttr values) {
      if (ElementsAttr given = op.getDefaultTensorAttr())
        return given;
      Type type = values.getElementType();
      auto one = RankedTensorType::get({1}, type);
      if (isString(type))
        return DenseStringElementsAttr::get(one, op.getDefaultString());
      if (isa<FloatType>(type))
        return DenseElementsAttr::get(
            one, Attribute(FloatAttr::get(type, op.getDefaultFloat().convertToDouble())));
      return DenseElementsAttr::get(one, Attribute(IntegerAttr::get(type, op.getDefaultInt64())));
    }

    /// The characters of strings, one behind the other, and where each ends.
    std::pair<Value, Value> strings(ArrayRef<StringRef> texts) {
      std::vector<char> characters;
      SmallVector<int64_t> ends;
      for (StringRef text : texts) {
        characters.insert(characters.end(), text.begin(), text.end());
        ends.push_back(static_cast<int64_t>(characters.size()));
      }
      Type byte = rewriter.getIntegerType(8, /*isSigned=*/false);
      return {constant(byte, characters), integers(ends)};
    }
  };

  static Value lookUp(Lowering &lower, Tables &tables, ArrayRef<size_t> order, Value beside,
                      SymTensorType result) {
    ElementsAttr keys = tables.op.getKeys();
    Type element = keys.getElementType();
    LookupCall call(lower);
    call.outer(result.getExtents())
        .count(static_cast<int64_t>(order.size()))
        .keys(tables.constant(element, takeBytes(getBytes(keys), order, element)))
        .values(beside)
        .load(tables.op.getX(), lower.dims(result.getRank()));
    return buildPlain(lower, call, result);
  }

  static Value lookUpStrings(Lowering &lower, Tables &tables, ArrayRef<size_t> order, Value beside,
                             SymTensorType result) {
    std::vector<StringRef> keys = readStrings(tables.op.getKeys()), sorted;
    for (size_t position : order)
      sorted.push_back(keys[position]);
    auto [characters, ends] = tables.strings(sorted);
    return LookupStringsCall(lower)
        .elements(result.getNumElements())
        .count(static_cast<int64_t>(order.size()))
        .x(tables.op.getX())
        .chars(characters)
        .ends(ends)
        .values(beside)
        .y(result)
        .build()
        .getResult(0);
  }

  /// The values, strings of a table, at the places that were found; the last one is the default.
  static Value takeStrings(Lowering &lower, Tables &tables, Value places, SymTensorType result) {
    ElementsAttr values = tables.op.getValues(), last = tables.getDefault(values);
    std::vector<StringRef> texts = readStrings(values);
    texts.push_back(*last.getValues<StringRef>().begin());
    auto [characters, ends] = tables.strings(texts);
    return StringsAtCall(lower)
        .elements(result.getNumElements())
        .chars(characters)
        .ends(ends)
        .places(places)
        .y(result)
        .build()
        .getResult(0);
  }
};

} // namespace

void cameo::populateIndexingPatterns(RewritePatternSet &patterns) {
  patterns.add<GatherElementsLowering, GatherLowering, GatherNDLowering, LabelEncoderLowering,
               OneHotLowering, ScatterElementsLowering, ScatterNDLowering, TensorScatterLowering,
               TopKLowering>(patterns.getContext());
}
