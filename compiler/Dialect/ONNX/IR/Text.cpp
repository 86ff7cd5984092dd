// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of the operators on strings.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Support/Diagnostic.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

LogicalResult StringSplitOp::inferExtents(ExtentInference &infer) {
  ExtentAttr most = infer.unknown();
  if (getMaxsplit()) {
    if (*getMaxsplit() < 0)
      return infer.emitError() << "has a negative maxsplit (C1, got " << *getMaxsplit() << ")";
    most = infer.constant(*getMaxsplit()) + 1;
  }
  SymTensorType input = infer.type(getX());
  infer.setType(1, input.withElementType(infer.int64Type()));
  if (!input.hasRank()) {
    infer.setType(0, input);
    return success();
  }
  SmallVector<ExtentAttr> result(input.getExtents());
  result.push_back(infer.counted("substrings", most));
  infer.setResult(0, input.getElementType(), result);
  return success();
}

LogicalResult StringNormalizerOp::inferExtents(ExtentInference &infer) {
  if (!llvm::is_contained({"LOWER", "UPPER", "NONE"}, getCaseChangeAction()))
    return infer.emitError() << "has an unknown case_change_action (C2) (got "
                             << cameo::quoteText(getCaseChangeAction()) << ")";
  if (failed(infer.requireRank(getX(), "X (C1)", 1, 2)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getX());
  if (!input) {
    infer.setUnranked(0, infer.elementType(0));
    return success();
  }
  if (input->size() == 2 &&
      failed(infer.requireEqual(input->front(), infer.constant(1), "the rows of X (C1)")))
    return failure();
  // Nothing is left out without stop words; when everything is, one empty string stays.
  SmallVector<ExtentAttr> result(*input);
  ArrayAttr stopwords = getStopwordsAttr();
  if (stopwords && !stopwords.empty())
    result.back() = infer.counted("words", simplify(input->back().max(1), infer.facts()));
  infer.setResult(0, infer.elementType(0), result);
  return success();
}

LogicalResult TfIdfVectorizerOp::inferExtents(ExtentInference &infer) {
  if (!llvm::is_contained({"TF", "IDF", "TFIDF"}, getMode()))
    return infer.emitError() << "has an unknown mode (C2) (got " << cameo::quoteText(getMode())
                             << ")";
  bool words = isa<StringType>(infer.elementType(0));
  if (getPoolInt64s().has_value() == getPoolStrings().has_value() ||
      words != getPoolStrings().has_value())
    return infer.emitError() << "needs one pool, of the type of its input (C3)";
  int64_t pool = words ? getPoolStrings()->size() : getPoolInt64s()->size();
  int64_t width = 0;
  for (int64_t index : getNgramIndexes()) {
    if (index < 0 || index >= kMaxSymbolExtent)
      return infer.emitError() << "has an entry of ngram_indexes out of range (C4, got " << index
                               << ")";
    width = std::max(width, index + 1);
  }
  if (getWeights() && getWeights()->size() != getNgramIndexes().size())
    return infer.emitError() << "has a wrong number of weights (C4, got " << getWeights()->size()
                             << ", need " << getNgramIndexes().size() << ")";
  if (getMinGramLength() < 1 || getMaxGramLength() < getMinGramLength() || getMaxSkipCount() < 0)
    return infer.emitError() << "has lengths out of range (C5, got " << getMinGramLength() << " to "
                             << getMaxGramLength() << ", skipping " << getMaxSkipCount() << ")";
  ArrayRef<int64_t> counts = getNgramCounts();
  if (static_cast<int64_t>(counts.size()) < getMaxGramLength() || !llvm::is_sorted(counts) ||
      (!counts.empty() && (counts.front() < 0 || counts.back() > pool)))
    return infer.emitError() << "has ngram_counts that do not fit the pool (C6)";
  size_t ngrams = 0;
  for (size_t length = 1; length <= counts.size(); ++length)
    ngrams += ((length < counts.size() ? counts[length] : pool) - counts[length - 1]) / length;
  if (ngrams > getNgramIndexes().size())
    return infer.emitError() << "has too few ngram_indexes (C7, got " << getNgramIndexes().size()
                             << ", need " << ngrams << ")";
  if (failed(infer.requireRank(getX(), "X (C1)", 1, 2)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> input = infer.extents(getX());
  Type element = Float32Type::get(getContext());
  if (!input) {
    infer.setUnranked(0, element);
    return success();
  }
  SmallVector<ExtentAttr> result(input->drop_back());
  result.push_back(infer.constant(width));
  infer.setResult(0, element, result);
  return success();
}
