// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of n-grams: windows of tokens are followed through a table for each of their lengths, all
// at once, and what they end at is counted.

#include "Dialect/ONNX/Transforms/OnnxBuilder.h"
#include "Dialect/ONNX/Transforms/Patterns.h"

#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

/// How many windows are followed, and how many columns are counted, at most.
constexpr int64_t kMaxWindows = 256, kMaxColumns = int64_t{1} << 26;

ElementsAttr integersOf(MLIRContext *context, ArrayRef<int64_t> values) {
  auto type =
      RankedTensorType::get(static_cast<int64_t>(values.size()), IntegerType::get(context, 64));
  return DenseElementsAttr::get(type, values);
}

/// The tokens of a pool by their numbers, in the order in which they first come.
struct Vocabulary {
  explicit Vocabulary(TfIdfVectorizerOp op) {
    MLIRContext *context = op.getContext();
    if (std::optional<ArrayRef<int64_t>> given = op.getPoolInt64s()) {
      std::map<int64_t, int64_t> numbers;
      SmallVector<int64_t> distinct;
      for (int64_t token : *given)
        if (add(numbers.try_emplace(token, count)))
          distinct.push_back(token);
      tokens = integersOf(context, distinct);
      return;
    }
    llvm::StringMap<int64_t> numbers;
    SmallVector<StringRef> distinct;
    for (StringRef token : op.getPoolStringsAttr().getAsValueRange<StringAttr>())
      if (add(numbers.try_emplace(token, count)))
        distinct.push_back(token);
    auto type = RankedTensorType::get(count, StringType::get(context));
    tokens = DenseStringElementsAttr::get(type, distinct);
  }

  /// Each token of the pool by its number.
  SmallVector<int64_t> pool;
  int64_t count = 0;
  ElementsAttr tokens;

private:
  /// Whether a token came for the first time.
  template <class Inserted> bool add(const Inserted &inserted) {
    pool.push_back(inserted.first->second);
    count += inserted.second ? 1 : 0;
    return inserted.second;
  }
};

/// The beginnings of n-grams that have one length.
struct Prefixes {
  /// The number of each, by that of the beginning that is a token shorter, and its last token.
  std::map<std::pair<int64_t, int64_t>, int64_t> numbers;
  /// Where each is counted, if it is an n-gram.
  SmallVector<int64_t> columns;
};

/// The n-grams of the wanted lengths, and the weights of columns.
class Ngrams {
public:
  Ngrams(TfIdfVectorizerOp op, const Vocabulary &vocabulary, int64_t columns) : columns(columns) {
    ArrayRef<int64_t> starts = op.getNgramCounts(), pool = vocabulary.pool;
    int64_t number = 0;
    for (size_t length = 1; length <= starts.size(); ++length) {
      size_t begin = starts[length - 1];
      size_t end = length < starts.size() ? starts[length] : pool.size();
      bool isWanted = static_cast<int64_t>(length) >= op.getMinGramLength() &&
                      static_cast<int64_t>(length) <= op.getMaxGramLength();
      for (; begin + length <= end; begin += length, ++number)
        if (isWanted)
          add(pool.slice(begin, length), op.getNgramIndexes()[number]);
    }
  }

  const Prefixes *ofLength(size_t length) const {
    return length <= levels.size() ? &levels[length - 1] : nullptr;
  }

private:
  void add(ArrayRef<int64_t> tokens, int64_t column) {
    int64_t prefix = 0;
    for (auto [place, token] : llvm::enumerate(tokens)) {
      if (levels.size() <= place)
        levels.emplace_back();
      Prefixes &level = levels[place];
      auto [found, isNew] =
          level.numbers.try_emplace({prefix, token}, static_cast<int64_t>(level.numbers.size()));
      if (isNew)
        level.columns.push_back(columns);
      prefix = found->second;
    }
    levels[tokens.size() - 1].columns[prefix] = column;
  }

  SmallVector<Prefixes> levels;
  /// How many there are: what is counted nowhere is counted behind them.
  int64_t columns;
};

/// The columns of all windows of a TfIdfVectorizer, a row for each row of tokens.
class NgramWindows {
public:
  NgramWindows(OnnxBuilder &b, TfIdfVectorizerOp op, Value rows, int64_t columns)
      : b(b), op(op), vocabulary(op), ngrams(op, vocabulary, columns), columns(columns),
        length(getExtents(rows)->back()) {
    tokens = b.lookUp(rows, vocabulary.tokens, countTo(vocabulary.count), number(vocabulary.count));
  }

  /// None where there is nothing to find.
  SmallVector<Value> build() {
    SmallVector<Value> found;
    for (int64_t distance = 1; distance <= op.getMaxSkipCount() + 1; ++distance) {
      std::optional<int64_t> known = length.getConstant();
      if (distance > 1 && known && distance >= *known)
        break;
      follow(distance, found);
    }
    return found;
  }

private:
  ElementsAttr countTo(int64_t count) {
    return integersOf(op.getContext(), llvm::to_vector(llvm::seq<int64_t>(0, count)));
  }
  ElementsAttr number(int64_t value) { return integersOf(op.getContext(), value); }

  /// Windows whose tokens are so far from each other. Windows of one token are the same in all.
  void follow(int64_t distance, SmallVectorImpl<Value> &found) {
    Value prefixes;
    for (size_t count = 1; const Prefixes *level = ngrams.ofLength(count); ++count) {
      prefixes = find(*level, extend(prefixes, count, distance));
      auto tokensOfOne = static_cast<int64_t>(count);
      if (tokensOfOne < op.getMinGramLength() || (count == 1 && distance > 1))
        continue;
      SmallVector<int64_t> table(level->columns);
      table.push_back(columns); // of the number -1
      found.push_back(b.make<GatherOp>(b.integers(table), prefixes, 0));
    }
  }

  /// Windows by the number of their beginning and their last token, as one number.
  Value extend(Value prefixes, size_t count, int64_t distance) {
    if (!prefixes)
      return tokens;
    ExtentAttr skipped = b.extent(static_cast<int64_t>(count - 1) * distance);
    ExtentAttr windows = (length - skipped).max(0);
    Value begins = b.slice(prefixes, 1, b.extent(0), windows);
    Value ends = b.slice(tokens, 1, skipped, skipped + windows);
    return b.add(b.mul(begins, b.number(b.extent(vocabulary.count + 1))), ends);
  }

  /// The numbers of beginnings, -1 for those that no n-gram has.
  Value find(const Prefixes &level, Value windows) {
    SmallVector<int64_t> keys, numbers;
    for (auto [prefix, number] : level.numbers) {
      keys.push_back(prefix.first * (vocabulary.count + 1) + prefix.second);
      numbers.push_back(number);
    }
    return b.lookUp(windows, integersOf(op.getContext(), keys),
                    integersOf(op.getContext(), numbers), number(-1));
  }

  OnnxBuilder &b;
  TfIdfVectorizerOp op;
  Vocabulary vocabulary;
  Ngrams ngrams;
  int64_t columns;
  ExtentAttr length;
  Value tokens;
};

/// How often each number below `columns` is in each row.
Value countColumns(OnnxBuilder &b, ArrayRef<Value> found, ExtentAttr rows, int64_t columns) {
  Type element = b.getInteger();
  Value all = found.size() == 1 ? found.front() : b.make<ConcatOp>(found, 1);
  Value none = b.make<ExpandOp>(b.constant(element, 0), b.extents({rows, b.extent(columns + 1)}));
  Value each = b.make<ExpandOp>(b.constant(element, 1), b.extents(*getExtents(all)));
  Value counts = b.make<ScatterElementsOp>(none, all, each, 1, "add");
  return b.slice(counts, 1, b.extent(0), b.extent(columns));
}

/// The weights of columns; of n-grams that share a column the last one's.
SmallVector<float> getWeights(TfIdfVectorizerOp op, int64_t columns) {
  SmallVector<float> weights(static_cast<size_t>(columns), 1);
  if (op.getWeights())
    for (auto [column, weight] : llvm::zip_equal(op.getNgramIndexes(), *op.getWeights()))
      weights[static_cast<size_t>(column)] = weight;
  return weights;
}

SmallVector<Value> decomposeTfIdf(OnnxBuilder &b, TfIdfVectorizerOp op) {
  std::optional<ArrayRef<ExtentAttr>> x = getExtents(op.getX()), y = getExtents(op.getY());
  std::optional<int64_t> columns = y ? y->back().getConstant() : std::nullopt;
  if (!x || !columns || *columns > kMaxColumns ||
      op.getMaxSkipCount() >= kMaxWindows / op.getMaxGramLength())
    return {};
  Type f32 = Float32Type::get(op.getContext());
  ExtentAttr rows = x->size() == 1 ? b.extent(1) : x->front();
  Value tokens = b.reshape(op.getX(), {rows, x->back()});
  if (!isa<StringType>(elementTypeOf(tokens)))
    tokens = b.cast(tokens, b.getInteger());
  SmallVector<Value> found = NgramWindows(b, op, tokens, *columns).build();
  Value zero = b.constant(f32, 0);
  if (found.empty())
    return {b.make<ExpandOp>(zero, b.extents(*y))};
  Value counts = b.cast(countColumns(b, found, rows, *columns), f32);
  if (op.getMode() != "TF") {
    Value weights = b.floats(getWeights(op, *columns));
    Value isThere = b.make<GreaterOp>(counts, zero);
    counts = op.getMode() == "IDF" ? b.where(isThere, weights, zero) : b.mul(counts, weights);
  }
  return {b.reshape(counts, *y)};
}

} // namespace

void cameo::populateTextDecompositions(RewritePatternSet &patterns) {
  patterns.add<Decomposition<TfIdfVectorizerOp>>(patterns.getContext(), decomposeTfIdf);
}
