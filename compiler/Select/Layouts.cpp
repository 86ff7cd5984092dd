// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the layouts of trunks into the types, repacks what is made in one layout and read in
// another, and makes the members of trunks iterate by blocks.

#include "Select/Layouts.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Select/ConvVariants.h"
#include "Select/Repacks.h"
#include "Select/Templates.h"
#include "Select/Trunks.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

class LayoutAssigner {
public:
  LayoutAssigner(func::FuncOp function, double budget)
      : function(function), builder(function.getContext()), blocks(ChannelBlocks::lookup(function)),
        facts(getSymbolFacts(function)), budget(budget) {
    Trunks trunks(function);
    function.walk([&](Operation *op) {
      if (const ImageForm *form = trunks.lookup(op))
        members.push_back({op, *form});
    });
  }

  FailureOr<LayoutCounts> run() {
    detachAll();
    collectHalos();
    for (auto &[op, form] : members)
      setResults(op, form);
    int64_t room = getRoom();
    setOperands();
    if (failed(choose(room)))
      return failure();
    // Readers first: a convolution may read through a gather, while that still is one.
    for (auto &[op, form] : llvm::reverse(members))
      op = applyImageForm(op, form);
    clearHalos();
    counts.blocked = members.size();
    return counts;
  }

private:
  /// Around a value, and what is in it.
  struct Halo {
    SmallVector<int64_t, 2> widths;
    int64_t fill = 0;
  };

  /// Leaves members only what they can do by blocks.
  void detachAll();
  /// A value in blocks has the widest halo that one of its readers wants. Readers that want it
  /// filled with something else than the first get the value anew.
  void collectHalos();
  Attribute getLayout(const ImageUse &use, const Halo &halo);
  /// As all that is in the target's blocks shares it, or the reader's own.
  Halo getHalo(Value operand, const ImageUse &use) const;
  void setResults(Operation *op, const ImageForm &form);
  void setOperands();
  void setOperand(OpOperand &operand, const ImageUse *use);
  /// The value in a layout; it is repacked once, behind its definition.
  Value getIn(Value value, Attribute layout);
  /// The bytes that the budget leaves to the weights of members.
  int64_t getRoom();
  LogicalResult choose(int64_t room);
  void clearHalos();

  func::FuncOp function;
  OpBuilder builder;
  const ChannelBlocks blocks;
  const ExtentFacts facts;
  const double budget;
  std::vector<std::pair<Operation *, ImageForm>> members;
  llvm::DenseMap<Value, Halo> halos;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> repacks;
  LayoutCounts counts;
};

void LayoutAssigner::detachAll() {
  for (auto &[op, form] : members) {
    bool isCopied = llvm::any_of(form.results, [](const ImageUse &use) { return use.isCopied; });
    if (!isCopied && !form.isDetached)
      continue;
    op = detach(op, form);
    std::optional<ImageForm> own = getImageForm(op, blocks);
    assert(own && "a call that stores an image as it is has a form");
    form = std::move(*own);
  }
}

void LayoutAssigner::collectHalos() {
  for (auto &[op, form] : members)
    for (auto &[operand, use] : form.operands) {
      if (!use.isInTargetBlocks() || use.halo.empty())
        continue;
      Halo &halo = halos[getWritten(operand->get())];
      if (halo.widths.empty())
        halo.fill = use.fill;
      if (halo.fill != use.fill)
        continue;
      halo.widths.resize(std::max(halo.widths.size(), use.halo.size()));
      for (auto [widest, width] : llvm::zip(halo.widths, use.halo))
        widest = std::max(widest, width);
    }
}

Attribute LayoutAssigner::getLayout(const ImageUse &use, const Halo &halo) {
  if (use.axes.empty() && halo.widths.empty())
    return {};
  SmallVector<int64_t, 2> lengths =
      use.blocks.empty() ? SmallVector<int64_t, 2>(use.axes.size(), blocks.block) : use.blocks;
  return BlockedLayoutAttr::get(builder.getContext(), use.axes, lengths, halo.widths,
                                halo.widths.empty() ? 0 : halo.fill);
}

LayoutAssigner::Halo LayoutAssigner::getHalo(Value operand, const ImageUse &use) const {
  Halo shared = halos.lookup(getWritten(operand));
  bool isShared = use.isInTargetBlocks() && (use.halo.empty() || use.fill == shared.fill);
  return isShared ? shared : Halo{use.halo, use.fill};
}

void LayoutAssigner::setResults(Operation *op, const ImageForm &form) {
  for (auto [result, use] : llvm::zip_equal(op->getResults(), form.results)) {
    if (use.axes.empty())
      continue;
    Value written = getWritten(result);
    Attribute layout = getLayout(use, halos.lookup(written));
    for (Value value : {Value(result), written})
      value.setType(cast<SymTensorType>(value.getType()).withLayout(layout));
  }
}

void LayoutAssigner::setOperands() {
  llvm::DenseMap<OpOperand *, const ImageUse *> uses;
  for (auto &[op, form] : members)
    for (auto &[operand, use] : form.operands)
      uses[operand] = &use;
  SmallVector<OpOperand *> operands;
  function.walk([&](Operation *op) {
    if (op != function)
      for (OpOperand &operand : op->getOpOperands())
        if (isa<SymTensorType>(operand.get().getType()) && !isDestination(operand))
          operands.push_back(&operand);
  });
  for (OpOperand *operand : operands)
    setOperand(*operand, uses.lookup(operand));
}

void LayoutAssigner::setOperand(OpOperand &operand, const ImageUse *use) {
  // Packed elements are a matter of ports.
  if (cast<SymTensorType>(operand.get().getType()).isPacked())
    return;
  Attribute layout;
  if (use)
    layout = getLayout(*use, getHalo(operand.get(), *use));
  operand.set(getIn(operand.get(), layout));
}

Value LayoutAssigner::getIn(Value value, Attribute layout) {
  auto type = cast<SymTensorType>(value.getType());
  if (type.getLayout() == layout)
    return value;
  Value &repacked = repacks[{value, layout}];
  if (repacked)
    return repacked;
  // Between two layouts by way of a dense tensor.
  Value source = type.getLayout() && layout ? getIn(value, {}) : value;
  builder.setInsertionPointAfterValue(source);
  Value result = repack(builder, source, layout);
  counts.repacks += !result.getDefiningOp<WeightOp>();
  return repacks[{value, layout}] = result;
}

/// The convolution of floats that `op` is, or null.
static CallOp getConvolution(Operation *op) {
  auto call = dyn_cast<CallOp>(op);
  return call && call.getCallee() == kConv ? call : CallOp();
}

int64_t LayoutAssigner::getRoom() {
  auto getBytes = [](Value weight) {
    return getStorageBytes(getTensor(weight)).getConstant().value_or(0);
  };
  double all = 0, own = 0;
  llvm::SmallPtrSet<const void *, 16> seen;
  function.walk([&](WeightOp weight) {
    if (seen.insert(weight.getValue().getAsOpaquePointer()).second)
      all += getBytes(weight);
  });
  for (auto &[op, form] : members)
    if (CallOp call = getConvolution(op))
      own += getBytes(call.getIns()[1]);
  constexpr double kFree = 16 << 20;
  double room = own + (budget == 0 ? std::max(all, kFree) : (budget - 1) * all);
  return room < 1e18 ? static_cast<int64_t>(room) : std::numeric_limits<int64_t>::max();
}

LogicalResult LayoutAssigner::choose(int64_t room) {
  SmallVector<ConvMember> convolutions;
  for (auto &[op, form] : members)
    if (CallOp call = getConvolution(op))
      convolutions.push_back({call, &form});
  return chooseConvolutions(convolutions, facts, room);
}

/// The last of the ops that write a value in part clears its halo.
void LayoutAssigner::clearHalos() {
  for (auto &[op, form] : members)
    for (auto [value, use] : llvm::zip_equal(op->getResults(), form.results)) {
      bool isRead =
          llvm::any_of(value.getUses(), [](OpOperand &reader) { return !isDestination(reader); });
      if (!use.axes.empty() && isRead)
        clearHalo(builder, value);
    }
}

} // namespace

FailureOr<LayoutCounts> cameo::assignLayouts(func::FuncOp function, double budget) {
  return LayoutAssigner(function, budget).run();
}
