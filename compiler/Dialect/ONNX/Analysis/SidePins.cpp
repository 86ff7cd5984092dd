// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/SidePins.h"

#include "Dialect/ONNX/Analysis/ValueNames.h"
#include "Support/Diagnostic.h"
#include "Support/Unsupported.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

FailureOr<SidePins> SidePins::read(ArrayRef<std::string> texts, Operation *op) {
  SidePins pins;
  for (const std::string &text : texts)
    if (std::string error = pins.add(text); !error.empty())
      return emitUsage(op) << "--place " << quoteText(text) << ": " << escapeText(error), failure();
  return pins;
}

std::string SidePins::add(StringRef text) {
  auto [name, word] = text.rsplit('=');
  std::optional<Side> side = symbolizeSide(word);
  if (name.empty() || !side || *side == Side::Unplaced)
    return "need REGEX=host or REGEX=device";
  llvm::Regex pattern(("^(" + name + ")$").str());
  if (std::string error; !pattern.isValid(error))
    return "no regular expression: " + error;
  pins.push_back({text.str(), name.str(), std::move(pattern), *side});
  return {};
}

std::optional<Side> SidePins::lookup(Value value) const {
  if (pins.empty())
    return std::nullopt;
  StringRef name = getOnnxName(value);
  auto found = std::find_if(pins.rbegin(), pins.rend(), [&](const Pin &pin) {
    return !name.empty() && pin.pattern.match(name);
  });
  return found == pins.rend() ? std::nullopt : std::optional(found->side);
}

LogicalResult SidePins::checkNames(Operation *function) const {
  if (pins.empty())
    return success();
  SmallVector<StringRef> names = getOnnxNames(cast<func::FuncOp>(function));
  for (const Pin &pin : pins) {
    if (llvm::any_of(names, [&](StringRef name) { return pin.pattern.match(name); }))
      continue;
    InFlightDiagnostic error = emitUsage(function);
    error << "--place " << quoteText(pin.text) << " matches no value";
    if (std::string near = listNear(pin.name, names); !near.empty())
      error.attachNote() << "did you mean " << near << "?";
    return error;
  }
  return success();
}
