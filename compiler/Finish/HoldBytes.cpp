// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of 8 and 16 bits are held in 32 while kernels and the host compute with them.

#include "Finish/Passes.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_HOLDBYTESPASS
#include "Finish/Passes.h.inc"
} // namespace cameo

namespace {

/// Whether all users convert back to the type of its operand.
bool becomesOperand(Operation *op) {
  Type type = op->getOperand(0).getType();
  return llvm::all_of(op->getUsers(),
                      [&](Operation *user) { return user->getResult(0).getType() == type; });
}

/// Whether it is the one value of a store that narrows, and nobody else's.
bool isPutApart(Operation *op) {
  if (!op->hasOneUse())
    return false;
  Operation *yield = *op->user_begin();
  return isa<YieldOp>(yield) && yield->getParentOp()->hasAttr("host.apart");
}

/// Nothing for what is held as its type says.
std::optional<host::Held> getHeld(Operation *op) {
  if (isPutApart(op))
    return host::Held::LowBits;
  if (!llvm::all_of(op->getUsers(), llvm::IsaPred<SCastOp>))
    return std::nullopt;
  // A signed integer, which is not rounded here, has no -0.
  auto cast = dyn_cast<SCastOp>(op);
  bool isFloat = !cast || (cast.getWhole() && cast.getType().isUnsignedInteger());
  return isFloat && becomesOperand(op) ? host::Held::Float : host::Held::Wide;
}

/// Whether all that reads a float is a function of another one and a bound.
bool isBound(SConstantOp constant) {
  auto number = dyn_cast<FloatAttr>(constant.getValue());
  bool isPlain = constant.getType().isF32() || constant.getType().isF64();
  return number && isPlain && !number.getValue().isNaN() &&
         llvm::all_of(constant->getUses(), [](OpOperand &use) {
           return isa<SMaxOp, SMinOp, SClampOp>(use.getOwner()) && use.getOperandNumber() != 0;
         });
}

/// Whether a byte is computed of something else and stored: kernels may compute many at once.
bool isNarrowing(StoreOp store) {
  Block *block = &store.getBody().front();
  OperandRange values = block->getTerminator()->getOperands();
  return store.getNumValues() == 1 && !block->getArgument(0).use_empty() && values.size() == 1 &&
         !isa<BlockArgument>(values.front()) && values.front().getType().isInteger(8);
}

/// The operands that are bytes, and of which only conversions are made.
SmallVector<int64_t> findReadApart(StoreOp store) {
  SmallVector<int64_t> apart;
  for (auto [number, argument] :
       llvm::enumerate(store.getBody().getArguments().drop_front(store.getNumValues())))
    if (argument.getType().isInteger(8) &&
        llvm::all_of(argument.getUsers(), llvm::IsaPred<SCastOp>))
      apart.push_back(static_cast<int64_t>(number));
  return apart;
}

struct HoldBytesPass : cameo::impl::HoldBytesPassBase<HoldBytesPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    getOperation().walk([&](StoreOp store) {
      if (isNarrowing(store))
        store->setAttr("host.apart", DenseI64ArrayAttr::get(context, findReadApart(store)));
    });
    getOperation().walk([&](Operation *op) {
      if (!host::isNarrowed(op))
        return;
      if (std::optional<host::Held> held = getHeld(op))
        op->setAttr("host.held", host::HeldAttr::get(context, *held));
    });
    for (auto kernel : getOperation().getOps<host::KernelOp>())
      if (kernel.getSide() == Side::Host)
        kernel.walk([&](SConstantOp constant) {
          if (isBound(constant))
            constant->setAttr("host.opaque", UnitAttr::get(context));
        });
  }
};

} // namespace
