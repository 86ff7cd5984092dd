// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fusion/JoinBounds.h"

#include "Dialect/Prog/IR/ProgDialect.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::prog;

namespace {

/// The unbounded operand of a maximum or a minimum, and the constant that bounds it.
struct Bounded {
  Value x, bound;
  double number = 0;
};

template <class Op> std::optional<Bounded> matchBound(Value value) {
  auto op = value.getDefiningOp<Op>();
  auto constant = op ? op.getB().template getDefiningOp<SConstantOp>() : SConstantOp();
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  if (!number || number.getValue().isNaN())
    return std::nullopt;
  return Bounded{op.getA(), op.getB(), number.getValueAsDouble()};
}

/// The clamp that `Outer` around `Inner` is.
template <class Outer, class Inner> void joinInto(Outer outer) {
  std::optional<Bounded> last = matchBound<Outer>(outer.getOutput());
  if (!last || !last->x.hasOneUse())
    return;
  std::optional<Bounded> first = matchBound<Inner>(last->x);
  if (!first)
    return;
  bool endsBelow = std::is_same_v<Outer, SMinOp>;
  const Bounded &low = endsBelow ? *first : *last, &high = endsBelow ? *last : *first;
  if (low.number > high.number)
    return;
  OpBuilder builder(outer);
  Value clamp = SClampOp::create(builder, outer.getLoc(), first->x, low.bound, high.bound);
  outer.getOutput().replaceAllUsesWith(clamp);
  Operation *inner = last->x.getDefiningOp();
  outer.erase();
  inner->erase();
}

} // namespace

void cameo::joinBounds(func::FuncOp function) {
  function.walk([](BodyOpInterface body) {
    for (Operation &op : llvm::make_early_inc_range(*body.getBodyBlock())) {
      if (auto minimum = dyn_cast<SMinOp>(op))
        joinInto<SMinOp, SMaxOp>(minimum);
      else if (auto maximum = dyn_cast<SMaxOp>(op))
        joinInto<SMaxOp, SMinOp>(maximum);
    }
  });
}
