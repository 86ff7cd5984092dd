// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Analysis/PinExpressions.h"
#include "Dialect/ONNX/Analysis/SidePins.h"
#include "Dialect/ONNX/Analysis/ValueNames.h"
#include "Placement/Passes.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace cameo {
#define GEN_PASS_DEF_PINSIDESPASS
#include "Placement/Passes.h.inc"
} // namespace cameo

namespace {

struct PinSidesPass : cameo::impl::PinSidesPassBase<PinSidesPass> {
  using PinSidesPassBase::PinSidesPassBase;

  void runOnOperation() override {
    FailureOr<PinExpressions> wanted = PinExpressions::read(pins, getOperation());
    if (failed(wanted))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(pin(function, *wanted)))
        return signalPassFailure();
  }

private:
  LogicalResult pin(func::FuncOp function, const PinExpressions &wanted) {
    SidePins found;
    if (!wanted.isEmpty()) {
      SmallVector<StringRef> names = getOnnxNames(function);
      if (failed(wanted.checkNames(function, names)))
        return failure();
      for (StringRef name : names)
        if (std::optional<Side> side = wanted.lookup(name))
          found.add(name, {*side, onnx::SideCause::Pinned});
    }
    for (StringRef name : onHost)
      found.add(name, {Side::Host, onnx::SideCause::NoKernel});
    found.write(function);
    return success();
  }
};

} // namespace
