// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/PinExpressions.h"

#include "Dialect/ONNX/Analysis/ValueNames.h"
#include "Support/Diagnostic.h"
#include "Support/NearNames.h"
#include "Support/Unsupported.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

/// The only name that an expression matches, where it has no operators.
static std::optional<std::string> getLiteral(StringRef expression) {
  std::string name;
  for (size_t position = 0; position < expression.size(); ++position) {
    bool isEscape = expression[position] == '\\' && position + 1 < expression.size();
    if (!isEscape && StringRef("()^$|*+?.[]\\{}").contains(expression[position]))
      return std::nullopt;
    position += isEscape;
    if (isEscape && llvm::isAlnum(expression[position]))
      return std::nullopt;
    name += expression[position];
  }
  return name;
}

//===----------------------------------------------------------------------===//
// The size of an expression, before it is compiled
//===----------------------------------------------------------------------===//

namespace {

/// The states of one expression and of all together, and how deep parentheses nest. Plans travel
/// with models, compiling is recursive and copies what is repeated, and matching takes a step a
/// state and letter.
constexpr uint64_t kMaxStates = 4096, kMaxStatesOfAll = 8192;
constexpr size_t kMaxNesting = 64;

/// Counts the states that an extended regular expression becomes. A text that is none is left to
/// the compiler to refuse.
class StateCounter {
public:
  /// Counts the states of `expression`; says why it cannot be taken, "" where it can.
  std::string count(StringRef expression);
  uint64_t getStates() const { return groups.front().states; }

private:
  /// A parenthesis that is open, or the whole; `last` is what a repetition repeats.
  struct Group {
    uint64_t states = 0, last = 0;
    void add(uint64_t more) { states += last = more; }
    /// Caps what is beyond the limit, so that nothing overflows.
    void repeat(uint64_t times) {
      states = std::min(states - last + last * times, kMaxStates + 1);
      last = std::min(last * times, states);
    }
  };

  static StringRef skipBracket(StringRef rest);
  static std::optional<uint64_t> consumeBound(StringRef &rest);

  SmallVector<Group> groups{Group()};
};

/// The text behind a bracket expression, whose `[` has been read.
StringRef StateCounter::skipBracket(StringRef rest) {
  rest.consume_front("^");
  rest.consume_front("]");
  while (!rest.empty() && !rest.consume_front("]")) {
    char kind = rest.size() > 1 && rest.front() == '[' ? rest[1] : ' ';
    size_t end = StringRef(".:=").contains(kind) ? rest.find(std::string{kind, ']'}, 2) : 0;
    rest = end == StringRef::npos ? "" : rest.drop_front(end == 0 ? 1 : end + 2);
  }
  return rest;
}

/// How often what precedes a bound, `3}`, `3,}` or `3,7}`, is copied.
std::optional<uint64_t> StateCounter::consumeBound(StringRef &rest) {
  StringRef bound = rest.take_until([](char c) { return c == '}'; });
  auto [low, high] = bound.split(',');
  uint64_t least = 0, most = 0;
  if (low.getAsInteger(10, least) || (!high.empty() && high.getAsInteger(10, most)))
    return std::nullopt;
  rest = rest.drop_front(std::min(rest.size(), bound.size() + 1));
  return std::clamp<uint64_t>(std::max(least, most), 1, kMaxStates + 1);
}

std::string StateCounter::count(StringRef rest) {
  while (!rest.empty()) {
    char c = rest.front();
    rest = rest.drop_front();
    if (c == '\\' && !rest.empty()) {
      // These take exponential time.
      if (rest.front() >= '1' && rest.front() <= '9')
        return "has a back-reference, which is not supported";
      rest = rest.drop_front();
      groups.back().add(1);
    } else if (c == '[') {
      rest = skipBracket(rest);
      groups.back().add(1);
    } else if (c == '(') {
      if (groups.size() > kMaxNesting)
        return "is nested too deep (need at most " + std::to_string(kMaxNesting) + " parentheses)";
      groups.emplace_back();
    } else if (c == ')' && groups.size() > 1) {
      uint64_t states = groups.pop_back_val().states;
      groups.back().add(states + 2);
    } else if (c == '{') {
      if (std::optional<uint64_t> times = consumeBound(rest))
        groups.back().repeat(*times);
      else
        groups.back().add(1);
    } else {
      groups.back().add(1);
    }
    if (groups.back().states > kMaxStates)
      return "is too large (need at most " + std::to_string(kMaxStates) +
             " characters, repetitions written out)";
  }
  return "";
}

} // namespace

//===----------------------------------------------------------------------===//
// Pins
//===----------------------------------------------------------------------===//

FailureOr<PinExpressions> PinExpressions::read(ArrayRef<std::string> texts, Operation *op) {
  PinExpressions pins;
  for (const std::string &text : texts)
    if (std::string error = pins.add(text); !error.empty()) {
      emitUsage(op) << "--place " << quoteText(text) << ": " << escapeText(error);
      return failure();
    }
  return pins;
}

std::string PinExpressions::format(StringRef name, Side side) {
  return llvm::Regex::escape(name) + "=" + stringifySide(side).str();
}

std::string PinExpressions::add(StringRef text) {
  auto [name, word] = text.rsplit('=');
  std::optional<Side> side = symbolizeSide(word);
  if (name.empty() || !side || *side == Side::Unplaced)
    return "need REGEX=host or REGEX=device";
  Numbered pin{count++, *side};
  if (std::optional<std::string> literal = getLiteral(name)) {
    literals[*literal] = pin;
    return {};
  }
  StateCounter counter;
  if (std::string problem = counter.count(name); !problem.empty())
    return "the regular expression " + problem;
  if ((states += counter.getStates()) > kMaxStatesOfAll)
    return "the regular expressions are too large together (need at most " +
           std::to_string(kMaxStatesOfAll) + " characters, repetitions written out)";
  llvm::Regex expression(("^(" + name + ")$").str());
  if (std::string error; !expression.isValid(error))
    return "no regular expression: " + error;
  patterns.push_back({name.str(), std::move(expression), pin});
  return {};
}

std::optional<Side> PinExpressions::lookup(StringRef name) const {
  std::optional<Numbered> last;
  if (auto found = literals.find(name); found != literals.end())
    last = found->second;
  for (const Pattern &pattern : patterns)
    if ((!last || pattern.pin.number > last->number) && pattern.expression.match(name))
      last = pattern.pin;
  return last ? std::optional(last->side) : std::nullopt;
}

bool PinExpressions::matchesAny(ArrayRef<StringRef> names) const {
  return llvm::any_of(names, [&](StringRef name) { return lookup(name).has_value(); });
}

LogicalResult PinExpressions::checkNames(func::FuncOp function, ArrayRef<StringRef> names) const {
  llvm::StringSet<> known;
  known.insert_range(names);
  auto refuse = [&](StringRef name) -> LogicalResult {
    InFlightDiagnostic error = emitUsage(function);
    error << "--place: no value is called " << quoteText(name);
    if (std::string near = listNear(name, names); !near.empty())
      error.attachNote() << "did you mean " << near << "?";
    return error;
  };
  for (const auto &literal : literals)
    if (!known.contains(literal.first()))
      return refuse(literal.first());
  for (const Pattern &pattern : patterns)
    if (llvm::none_of(names, [&](StringRef name) { return pattern.expression.match(name); }))
      return refuse(pattern.name);
  return success();
}
