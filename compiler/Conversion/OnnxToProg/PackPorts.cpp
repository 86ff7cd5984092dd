// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives inputs and outputs of elements below a byte the form that callers have them in.

#include "Conversion/OnnxToProg/Passes.h"

#include "Dialect/Core/IR/ElementTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_PACKPORTSPASS
#include "Conversion/OnnxToProg/Passes.h.inc"
} // namespace cameo

namespace {

/// The type as a caller has it.
SymTensorType getPacked(Type type) {
  auto tensor = cast<SymTensorType>(type);
  return tensor.withLayout(PackedLayoutAttr::get(tensor.getContext()));
}

bool isPackedAtPorts(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  return tensor && isPackedElement(tensor.getElementType());
}

struct PackPortsPass : cameo::impl::PackPortsPassBase<PackPortsPass> {
  using PackPortsPassBase::PackPortsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Block &body = function.getBody().front();
      unpackInputs(body);
      packOutputs(body);
      function.setType(FunctionType::get(&getContext(), body.getArgumentTypes(),
                                         body.getTerminator()->getOperandTypes()));
    }
  }

private:
  void unpackInputs(Block &body) {
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    for (BlockArgument input : body.getArguments()) {
      if (!isPackedAtPorts(input.getType()))
        continue;
      Type whole = input.getType();
      input.setType(getPacked(whole));
      if (input.use_empty())
        continue;
      auto unpacked = RepackOp::create(builder, input.getLoc(), whole, input);
      input.replaceAllUsesExcept(unpacked.getOutput(), unpacked);
      ++numRepacks;
    }
  }

  /// Behind everything else, where every dim is known; one for each output, whose memory is its
  /// own.
  void packOutputs(Block &body) {
    OpBuilder builder(body.getTerminator());
    for (OpOperand &output : body.getTerminator()->getOpOperands()) {
      if (!isPackedAtPorts(output.get().getType()))
        continue;
      Value value = output.get();
      output.set(
          RepackOp::create(builder, value.getLoc(), getPacked(value.getType()), value).getOutput());
      ++numRepacks;
    }
  }
};

} // namespace
