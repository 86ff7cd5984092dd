// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/SidePins.h"

#include "Dialect/ONNX/Analysis/ValueNames.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

/// By name: a side that the user wants, or the cause NoKernel.
static constexpr StringLiteral kPins = "cameo.pins";

SidePins::SidePins(func::FuncOp function) {
  auto named = function->getAttrOfType<DictionaryAttr>(kPins);
  if (!named)
    return;
  for (NamedAttribute pin : named) {
    auto word = dyn_cast<StringAttr>(pin.getValue());
    std::optional<Side> side = word ? symbolizeSide(word) : std::nullopt;
    if (side && *side != Side::Unplaced)
      add(pin.getName(), {*side, SideCause::Pinned});
    else if (word == stringifySideCause(SideCause::NoKernel))
      add(pin.getName(), {Side::Host, SideCause::NoKernel});
  }
}

void SidePins::write(func::FuncOp function) const {
  if (isEmpty())
    return erase(function);
  Builder builder(function.getContext());
  SmallVector<NamedAttribute> named;
  for (const auto &pin : pins) {
    bool isWanted = pin.second.cause == SideCause::Pinned;
    named.push_back(builder.getNamedAttr(
        pin.first(), builder.getStringAttr(isWanted ? stringifySide(pin.second.side)
                                                    : stringifySideCause(pin.second.cause))));
  }
  function->setAttr(kPins, builder.getDictionaryAttr(named));
}

void SidePins::erase(func::FuncOp function) { function->removeAttr(kPins); }

std::optional<SidePins::Pin> SidePins::lookup(Value value) const {
  if (isEmpty())
    return std::nullopt;
  auto found = pins.find(getOnnxName(value));
  return found == pins.end() ? std::nullopt : std::optional(found->second);
}
