// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the layouts of trunks into the types and puts repacks between what is made in one layout
// and read in another.

#include "Layout/Passes.h"
#include "Layout/Trunks.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "Layout/Passes.h.inc"
} // namespace cameo

namespace {

class LayoutAssigner {
public:
  explicit LayoutAssigner(func::FuncOp function)
      : function(function), builder(function.getContext()), target(getChannelBlocks(function)),
        trunks(function) {}

  void run() {
    collectHalos();
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      if (const ChannelUses *uses = trunks.lookup(op)) {
        ++numBlocked;
        setResults(op, *uses);
      }
    for (Operation *op : ops)
      setOperands(op, trunks.lookup(op));
  }

  unsigned numBlocked = 0, numRepacks = 0;

private:
  /// Around a value, and what is in it.
  struct Halo {
    SmallVector<int64_t, 2> widths;
    int64_t fill = 0;
  };

  /// A value in blocks has the widest halo that one of its readers wants. Readers that want it
  /// filled with something else than the first get the value anew.
  void collectHalos() {
    function.walk([&](Operation *op) {
      const ChannelUses *uses = trunks.lookup(op);
      if (!uses)
        return;
      for (auto [operand, use] : llvm::zip_equal(op->getOperands(), uses->operands)) {
        if (!use.isInTargetBlocks() || use.halo.empty())
          continue;
        Halo &halo = halos[operand];
        if (halo.widths.empty())
          halo.fill = use.fill;
        if (halo.fill != use.fill)
          continue;
        halo.widths.resize(std::max(halo.widths.size(), use.halo.size()));
        for (auto [widest, width] : llvm::zip(halo.widths, use.halo))
          widest = std::max(widest, width);
      }
    });
  }

  Attribute getLayout(const ChannelUse &use, const Halo &halo) {
    if (use.axes.empty() && halo.widths.empty())
      return {};
    return BlockedLayoutAttr::get(builder.getContext(), use.axes, use.getBlocks(target),
                                  halo.widths, halo.widths.empty() ? 0 : halo.fill);
  }

  /// As all that is in the target's blocks shares it, or the reader's own.
  Halo getHalo(Value operand, const ChannelUse &use) {
    Halo shared = halos.lookup(operand);
    bool isShared = use.isInTargetBlocks() && (use.halo.empty() || use.fill == shared.fill);
    return isShared ? shared : Halo{use.halo, use.fill};
  }

  void setResults(Operation *op, const ChannelUses &uses) {
    for (auto [result, use] : llvm::zip_equal(op->getResults(), uses.results))
      if (!use.axes.empty()) {
        auto type = cast<SymTensorType>(result.getType());
        result.setType(type.withLayout(getLayout(use, halos.lookup(result))));
      }
  }

  void setOperands(Operation *op, const ChannelUses *uses) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<SymTensorType>(operand.get().getType()))
        continue;
      const ChannelUse *use = uses ? &uses->operands[operand.getOperandNumber()] : nullptr;
      Attribute layout;
      if (use)
        layout = getLayout(*use, getHalo(operand.get(), *use));
      operand.set(getIn(operand.get(), layout));
    }
  }

  /// The value in a layout; it is repacked once, behind its definition.
  Value getIn(Value value, Attribute layout) {
    auto type = cast<SymTensorType>(value.getType());
    if (type.getLayout() == layout)
      return value;
    Value &repacked = repacks[{value, layout}];
    if (repacked)
      return repacked;
    // Between two layouts by way of a dense tensor.
    Value source = type.getLayout() && layout ? getIn(value, {}) : value;
    builder.setInsertionPointAfterValue(source);
    numRepacks += !source.getDefiningOp<ConstantOp>();
    Value result =
        RepackOp::create(builder, value.getLoc(), type.withLayout(layout), source).getOutput();
    return repacks[{value, layout}] = result;
  }

  func::FuncOp function;
  OpBuilder builder;
  const ChannelBlocks target;
  Trunks trunks;
  DenseMap<Value, Halo> halos;
  DenseMap<std::pair<Value, Attribute>, Value> repacks;
};

struct AssignLayoutsPass : cameo::impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  using AssignLayoutsPassBase::AssignLayoutsPassBase;

  void runOnOperation() override {
    if (getChannelBlocks(getOperation()).block == 0)
      return;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      LayoutAssigner assigner(function);
      assigner.run();
      numBlocked += assigner.numBlocked;
      numRepacks += assigner.numRepacks;
    }
  }
};

} // namespace
