// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlexAttention: the steps of its definition, with its graphs in their places.

#include "Import/Expansion/Expansion.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;
using namespace cameo::onnx;

namespace {

/// Queries whose heads share keys stand one behind the other in one product, so that keys are not
/// repeated.
class SharedHeads {
public:
  SharedHeads(Expansion &b, Value query, Value key) : b(b) {
    std::optional<int64_t> queries = b.getExtent(query, 1), keys = b.getExtent(key, 1);
    if (queries && queries == keys)
      return;
    Value batch = b.extentOf(query, 0), heads = b.extentOf(query, 1), length = b.extentOf(query, 2);
    Value shared = b.make("Max", {b.extentOf(key, 1), b.integers({1})});
    joined = {batch, shared, b.make("Div", {b.mul(heads, length), shared})};
    apart = {batch, heads, length};
  }

  Value join(Value x) { return arrange(x, joined); }
  Value split(Value x) { return arrange(x, apart); }

private:
  Value arrange(Value x, Values extents) {
    if (extents.empty())
      return x;
    extents.push_back(b.extentOf(x, 3));
    return b.make("Reshape", {x, b.concat(extents, 0)});
  }

  Expansion &b;
  /// The extents of both forms but the last; none where no heads are shared.
  Values joined, apart;
};

/// Queries and keys are both multiplied by the root of the scale, lest a half overflows.
Value buildRootOfScale(Expansion &b, FlexAttentionOp op) {
  std::optional<int64_t> size = b.getExtent(op.getQ(), 3);
  if (std::optional<llvm::APFloat> scale = op.getScale())
    return b.number(std::sqrt(scale->convertToFloat()), op.getQ());
  if (size)
    return b.number(std::sqrt(static_cast<float>(1 / std::sqrt(static_cast<double>(*size)))),
                    op.getQ());
  Value known = b.cast(b.extentOf(op.getQ(), 3), b.getBuilder().getF64Type());
  Value scale = b.make("Reciprocal", {b.make("Sqrt", {known})});
  Value root = b.make("Sqrt", {b.cast(scale, b.getBuilder().getF32Type())});
  return b.cast(root, b.getElementType(op.getQ()));
}

bool isOfOneValue(Region &graph) {
  return graph.empty() ||
         (graph.getNumArguments() == 1 && graph.front().getTerminator()->getNumOperands() == 1);
}

/// The scores, or the probabilities, as a graph changes them.
Value modify(Expansion &b, Region &graph, Value x) {
  Value result = b.inlineGraph(graph, x);
  if (!b.hasFailed() && (!b.getType(result) || b.getElementType(result) != b.getElementType(x)))
    (void)b.malformed("has a graph whose result is of another type than its argument");
  return result;
}

Values expandFlexAttention(Expansion &b, FlexAttentionOp op) {
  Value query = op.getQ(), key = op.getK(), value = op.getV();
  for (auto [operand, name] : {std::pair(query, "Q"), std::pair(key, "K"), std::pair(value, "V")})
    if (int64_t rank = b.getRank(operand, name); !b.hasFailed() && rank != 4)
      return b.malformed("needs operands of rank 4 (C1, got " + Twine(rank) + " of " + name + ")");
  Type precise = op.getPreciseType(), element = b.getElementType(query);
  if (!precise)
    return b.malformed("has a softmax_precision that is no float type (C2)");
  if (!isOfOneValue(op.getScoreMod()) || !isOfOneValue(op.getProbMod()))
    return b.malformed("has a graph that does not make one value of one");
  std::optional<int64_t> heads = b.getExtent(query, 1), shared = b.getExtent(key, 1);
  if (heads && shared && (*shared < 1 || *heads % *shared != 0))
    return b.malformed("has heads that cannot be shared (got " + Twine(*heads) + " and " +
                       Twine(*shared) + ")");

  Value root = buildRootOfScale(b, op);
  SharedHeads rows(b, query, key);
  Value keys = b.transpose(b.mul(key, root), {0, 1, 3, 2});
  Value scores = rows.split(b.make("MatMul", {rows.join(b.mul(query, root)), keys}));
  scores = modify(b, op.getScoreMod(), b.cast(scores, precise));
  Value probabilities = b.make("Softmax", {scores}, {b.attribute("axis", int64_t{-1})});
  probabilities = modify(b, op.getProbMod(), probabilities);
  Value sums = b.make("MatMul", {rows.join(probabilities), b.cast(value, precise)});
  return {b.cast(rows.split(sums), element)};
}

constexpr ExpansionRow kRows[] = {expansion<FlexAttentionOp, expandFlexAttention>()};

} // namespace

ArrayRef<ExpansionRow> cameo::importer::getFlexAttentionExpansions() { return kRows; }
