// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/SideReasons.h"

#include "Dialect/ONNX/Analysis/Needs.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace {

/// One per result; one per argument of the regions, in order; of a prog.bind_elements.
constexpr StringLiteral kResults = "cameo.reasons", kArguments = "cameo.argument_reasons",
                        kSymbols = "cameo.demands";

SmallVector<Value> getArguments(Operation *op) {
  SmallVector<Value> arguments;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      llvm::append_range(arguments, block.getArguments());
  return arguments;
}

class Recorder {
public:
  Recorder(func::FuncOp function, const SideAnalysis &sides)
      : function(function), context(function.getContext()), sides(sides),
        comparison(sides.getCut()) {}

  void run() {
    forEachValue(function, [&](Value value) {
      numbers.try_emplace(value, static_cast<int64_t>(numbers.size()));
    });
    function->walk([&](Operation *op) {
      record(op, kResults, op->getResults());
      record(op, kArguments, getArguments(op));
      if (auto bind = dyn_cast<BindElementsOp>(op))
        bind->setDiscardableAttr(kSymbols, getDemands(sides.getCandidates().getDemands(bind)));
    });
  }

private:
  void record(Operation *op, StringRef name, ValueRange values) {
    if (values.empty())
      return;
    SmallVector<Attribute> reasons;
    for (Value value : values)
      reasons.push_back(getReason(value));
    op->setDiscardableAttr(name, ArrayAttr::get(context, reasons));
  }

  SideReasonAttr getReason(Value value) const {
    SideReason reason = sides.getReason(value, comparison);
    std::optional<int64_t> hostCost, deviceCost;
    if (reason.costs)
      std::tie(hostCost, deviceCost) = std::tuple(reason.costs->onSource, reason.costs->onSink);
    return SideReasonAttr::get(context, numbers.at(value), reason.cause, getNumber(reason.because),
                               hostCost, deviceCost, getDemands(sides.getDemands(value)));
  }

  /// Null for none.
  ArrayAttr getDemands(ArrayRef<Demand> demands) const {
    SmallVector<Attribute> attributes;
    for (const Demand &demand : demands)
      attributes.push_back(getDemand(demand));
    return attributes.empty() ? ArrayAttr() : ArrayAttr::get(context, attributes);
  }

  DemandAttr getDemand(const Demand &demand) const {
    return DemandAttr::get(context, demand.kind, demand.reader->getLoc(),
                           StringAttr::get(context, demand.name), demand.operandClass,
                           getNumber(demand.next));
  }

  std::optional<int64_t> getNumber(Value value) const {
    return value ? std::optional(numbers.at(value)) : std::nullopt;
  }

  func::FuncOp function;
  MLIRContext *context;
  const SideAnalysis &sides;
  CutComparison comparison;
  DenseMap<Value, int64_t> numbers;
};

} // namespace

void cameo::recordSideReasons(func::FuncOp function, const SideAnalysis &sides) {
  Recorder(function, sides).run();
}

void cameo::dropSideReasons(Operation *op) {
  op->walk([](Operation *inner) {
    for (StringRef name : {kResults, kArguments, kSymbols})
      inner->removeDiscardableAttr(name);
  });
}

SideReasonAttr cameo::getSideReason(Value value) {
  auto result = dyn_cast<OpResult>(value);
  Operation *op = result ? result.getOwner() : cast<BlockArgument>(value).getOwner()->getParentOp();
  auto reasons =
      dyn_cast_or_null<ArrayAttr>(op->getDiscardableAttr(result ? kResults : kArguments));
  if (!reasons)
    return {};
  SmallVector<Value> values = result ? SmallVector<Value>(op->getResults()) : getArguments(op);
  return cast<SideReasonAttr>(reasons[std::distance(values.begin(), llvm::find(values, value))]);
}

ArrayAttr cameo::getSymbolDemands(BindElementsOp bind) {
  return dyn_cast_or_null<ArrayAttr>(bind->getDiscardableAttr(kSymbols));
}
