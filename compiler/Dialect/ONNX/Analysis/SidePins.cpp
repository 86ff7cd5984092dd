// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/SidePins.h"

#include "Dialect/ONNX/Analysis/ValueNames.h"
#include "Support/Diagnostic.h"
#include "Support/NearNames.h"
#include "Support/Unsupported.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

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

FailureOr<SidePins> SidePins::read(ArrayRef<std::string> texts, ArrayRef<std::string> onHost,
                                   Operation *op) {
  SidePins pins;
  for (const std::string &text : texts)
    if (std::string error = pins.add(text); !error.empty()) {
      emitUsage(op) << "--place " << quoteText(text) << ": " << escapeText(error);
      return failure();
    }
  for (const std::string &name : onHost)
    pins.literals[name] = {SIZE_MAX, {Side::Host, SideCause::NoKernel}};
  return pins;
}

std::string SidePins::format(StringRef name, Side side) {
  return llvm::Regex::escape(name) + "=" + stringifySide(side).str();
}

std::string SidePins::add(StringRef text) {
  auto [name, word] = text.rsplit('=');
  std::optional<Side> side = symbolizeSide(word);
  if (name.empty() || !side || *side == Side::Unplaced)
    return "need REGEX=host or REGEX=device";
  Numbered pin{count++, {*side, SideCause::Pinned}};
  if (std::optional<std::string> literal = getLiteral(name)) {
    literals[*literal] = pin;
    return {};
  }
  llvm::Regex expression(("^(" + name + ")$").str());
  if (std::string error; !expression.isValid(error))
    return "no regular expression: " + error;
  patterns.push_back({text.str(), name.str(), std::move(expression), pin});
  return {};
}

std::optional<SidePins::Pin> SidePins::lookup(Value value) const {
  if (isEmpty())
    return std::nullopt;
  StringRef name = getOnnxName(value);
  if (name.empty())
    return std::nullopt;
  std::optional<Numbered> last;
  if (auto found = literals.find(name); found != literals.end())
    last = found->second;
  for (const Pattern &pattern : patterns)
    if ((!last || pattern.pin.number > last->number) && pattern.expression.match(name))
      last = pattern.pin;
  return last ? std::optional(last->pin) : std::nullopt;
}

bool SidePins::matchesAny(ArrayRef<StringRef> names) const {
  return llvm::any_of(names, [&](StringRef name) {
    return literals.contains(name) || llvm::any_of(patterns, [&](const Pattern &pattern) {
             return pattern.expression.match(name);
           });
  });
}

LogicalResult SidePins::checkNames(Operation *function) const {
  if (isEmpty())
    return success();
  SmallVector<StringRef> names = getOnnxNames(cast<func::FuncOp>(function));
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
