// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/IR/Einsum.h"

#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <array>

using namespace llvm;
using namespace cameo::onnx;

namespace {

/// One term: its letters, and where among them the ellipsis stands.
struct Term {
  std::string letters;
  std::optional<size_t> ellipsis;
};

std::optional<Term> readTerm(StringRef text, std::string &error) {
  Term term;
  while (!text.empty()) {
    if (text.consume_front("...")) {
      if (term.ellipsis) {
        error = "a term has two ellipses (C1)";
        return std::nullopt;
      }
      term.ellipsis = term.letters.size();
    } else if (isAlpha(text.front())) {
      term.letters += text.front();
      text = text.drop_front();
    } else {
      error = "a term holds something else than letters and an ellipsis (C1)";
      return std::nullopt;
    }
  }
  return term;
}

} // namespace

std::optional<EinsumLabels> cameo::onnx::readEinsum(StringRef equation, ArrayRef<int64_t> ranks,
                                                    std::string &error) {
  std::string dense;
  for (char c : equation)
    if (c != ' ')
      dense += c;
  auto [left, right] = StringRef(dense).split("->");
  bool explicitResult = left.size() != dense.size();
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != ranks.size()) {
    error = "there are " + std::to_string(parts.size()) + " terms for " +
            std::to_string(ranks.size()) + " operands (C2)";
    return std::nullopt;
  }

  SmallVector<Term> terms;
  std::optional<int64_t> broadcast;
  for (auto [part, rank] : zip_equal(parts, ranks)) {
    std::optional<Term> term = readTerm(part, error);
    if (!term)
      return std::nullopt;
    int64_t rest = rank - static_cast<int64_t>(term->letters.size());
    if (term->ellipsis ? rest < 0 || rest != broadcast.value_or(rest) : rest != 0) {
      error = "a term does not fit an operand of rank " + std::to_string(rank) + " (C2)";
      return std::nullopt;
    }
    if (term->ellipsis)
      broadcast = rest;
    terms.push_back(std::move(*term));
  }

  EinsumLabels labels;
  labels.count = labels.broadcast = broadcast.value_or(0);
  std::array<int64_t, 128> numbers, uses{};
  numbers.fill(-1);
  auto label = [&](const Term &term) {
    SmallVector<int64_t> axes;
    for (size_t place = 0; place <= term.letters.size(); ++place) {
      if (term.ellipsis == place)
        append_range(axes, seq<int64_t>(0, labels.broadcast));
      if (place < term.letters.size())
        axes.push_back(numbers[static_cast<unsigned char>(term.letters[place])]);
    }
    return axes;
  };
  for (const Term &term : terms) {
    for (unsigned char letter : term.letters) {
      ++uses[letter];
      if (numbers[letter] < 0)
        numbers[letter] = labels.count++;
    }
    labels.operands.push_back(label(term));
  }

  Term result;
  if (explicitResult) {
    std::optional<Term> term = readTerm(right, error);
    if (!term)
      return std::nullopt;
    result = std::move(*term);
    if (labels.broadcast > 0 && !result.ellipsis) {
      error = "the result's term lacks the ellipsis (C3)";
      return std::nullopt;
    }
    for (unsigned char letter : result.letters) {
      if (numbers[letter] < 0 ||
          std::count(result.letters.begin(), result.letters.end(), letter) > 1) {
        error = "the result's term holds a letter twice, or one that no operand has (C3)";
        return std::nullopt;
      }
    }
  } else {
    // Letters that occur once, in the order of the alphabet, behind the broadcast axes.
    result.ellipsis = 0;
    for (size_t letter = 0; letter < uses.size(); ++letter)
      if (uses[letter] == 1)
        result.letters += static_cast<char>(letter);
  }
  labels.result = label(result);
  return labels;
}
