// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The check that ends the Layout stage.

#include "Layout/Passes.h"

#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace cameo {
#define GEN_PASS_DEF_VERIFYLAYOUTSPASS
#include "Layout/Passes.h.inc"
} // namespace cameo

namespace {

Attribute getLayout(Value value) {
  auto type = dyn_cast<SymTensorType>(value.getType());
  return type ? type.getLayout() : Attribute();
}

/// Whether a layout has the axes of `use` in its blocks, and a halo as wide around them.
bool isAccepted(Attribute layout, const ChannelUse &use, const ChannelBlocks &target) {
  if (!layout)
    return use.axes.empty() && use.halo.empty();
  auto blocked = dyn_cast<BlockedLayoutAttr>(layout);
  if (!blocked || blocked.getAxes() != ArrayRef<int64_t>(use.axes) ||
      blocked.getBlocks() != ArrayRef<int64_t>(use.getBlocks(target)) ||
      blocked.getHalo().size() < use.halo.size() ||
      (!use.halo.empty() && blocked.getFill() != use.fill))
    return false;
  return llvm::all_of(llvm::zip(llvm::reverse(blocked.getHalo()), llvm::reverse(use.halo)),
                      [](auto pair) { return std::get<0>(pair) >= std::get<1>(pair); });
}

struct VerifyLayoutsPass : cameo::impl::VerifyLayoutsPassBase<VerifyLayoutsPass> {
  using VerifyLayoutsPassBase::VerifyLayoutsPassBase;

  void runOnOperation() override {
    bool correct = true;
    blocks = getChannelBlocks(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      ExtentFacts facts = getSymbolFacts(function);
      correct &= succeeded(verifyPorts(function));
      function.walk([&](Operation *op) { correct &= succeeded(verify(op, facts)); });
    }
    if (!correct)
      signalPassFailure();
  }

private:
  static LogicalResult verifyPorts(func::FuncOp function) {
    FunctionType type = function.getFunctionType();
    for (Type port : llvm::concat<const Type>(type.getInputs(), type.getResults()))
      if (auto tensor = dyn_cast<SymTensorType>(port))
        if (tensor.isPacked() != isPackedElement(tensor.getElementType()))
          return function.emitError("has an input or output of type ")
                 << port << ", which is not how a caller has it";
    return success();
  }

  LogicalResult verify(Operation *op, const ExtentFacts &facts) {
    auto values = llvm::concat<const Value>(llvm::to_vector_of<Value>(op->getOperands()),
                                            llvm::to_vector_of<Value>(op->getResults()));
    if (isa<prog::RepackOp>(op) || llvm::none_of(values, getLayout))
      return success();
    std::optional<ChannelUses> uses;
    if (auto onnxOp = dyn_cast<OnnxOp>(op); onnxOp && blocks.block > 0) {
      LocalInference infer(op, facts);
      uses = onnxOp.getChannelUses(infer, blocks);
    }
    for (OpOperand &operand : op->getOpOperands())
      if (failed(check(op, "operand", operand.getOperandNumber(), operand.get(),
                       uses ? uses->operands[operand.getOperandNumber()] : ChannelUse())))
        return failure();
    for (OpResult result : op->getResults())
      if (failed(check(op, "result", result.getResultNumber(), result,
                       uses ? uses->results[result.getResultNumber()] : ChannelUse())))
        return failure();
    return success();
  }

  LogicalResult check(Operation *op, StringRef kind, unsigned number, Value value,
                      const ChannelUse &use) {
    Attribute layout = getLayout(value);
    // Results of the function are the caller's business: verifyPorts has seen them.
    bool isPort = isa<func::ReturnOp>(op) && isa_and_nonnull<PackedLayoutAttr>(layout);
    if (isPort || isAccepted(layout, use, blocks))
      return success();
    InFlightDiagnostic diagnostic = op->emitOpError()
                                    << "has " << kind << " " << number
                                    << " in a layout that it does not work on (got ";
    if (layout)
      diagnostic << layout;
    else
      diagnostic << "dense";
    return diagnostic << ")";
  }

  ChannelBlocks blocks = {};
};

} // namespace
