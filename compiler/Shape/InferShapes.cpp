// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: facts from the user and the model, inference, then integer tensors that are known
// become extents or constants, and a check that no extent is left unknown.

#include "Placement/SideAnalysis.h"
#include "Shape/Passes.h"
#include "Shape/ShapeInference.h"
#include "Shape/SymbolFacts.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_INFERSHAPESPASS
#include "Shape/Passes.h.inc"
} // namespace cameo

namespace {

/// Parses `name=4` or `name=1..64` into the facts; returns what is wrong with it, or nothing.
std::string addUserDim(StringRef text, ExtentFacts &facts) {
  auto [name, value] = text.split('=');
  auto [low, high] = value.split("..");
  int64_t min = 0, max = 0;
  if (name.empty() || low.getAsInteger(10, min) ||
      (value.contains("..") ? high.getAsInteger(10, max) : (max = min, false)) || min < 0)
    return "expected name=4 or name=1..64, got '" + text.str() + "'";
  if (failed(facts.restrictRange(name, min, max)))
    return "leaves no value for " + name.str();
  return {};
}

/// Replaces a known integer tensor by its elements, unless it is read for its type only.
bool materialize(Value value, const KnownValues &known) {
  Operation *op = value.getDefiningOp();
  bool isSource = isa_and_nonnull<ConstantOp, FromExtentsOp>(op);
  std::optional<ExtentValues> elements = known.lookup(value);
  if (isSource || value.use_empty() || !elements || !known.isComplete(value))
    return false;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  // Behind the op that names the elements, where there is one.
  for (Operation *user : value.getUsers())
    if (isa<BindElementsOp>(user))
      builder.setInsertionPointAfter(user);
  SmallVector<Attribute> attributes(elements->begin(), elements->end());
  Value replacement = FromExtentsOp::create(builder, value.getLoc(), value.getType(),
                                            builder.getArrayAttr(attributes));
  value.replaceUsesWithIf(replacement, [](OpOperand &use) {
    return !isa<BindElementsOp, func::ReturnOp>(use.getOwner());
  });
  // A result that follows from dims leaves the program as extents too; one that is an input does
  // not.
  if (op && llvm::none_of(value.getUsers(), llvm::IsaPred<BindElementsOp>))
    value.replaceAllUsesWith(replacement);
  return true;
}

struct InferShapesPass : cameo::impl::InferShapesPassBase<InferShapesPass> {
  using InferShapesPassBase::InferShapesPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(inferFunction(function)))
        return signalPassFailure();
  }

private:
  LogicalResult inferFunction(func::FuncOp function) {
    ExtentFacts facts = readSymbolFacts(function);
    for (const std::string &dim : dims)
      if (std::string error = addUserDim(dim, facts); !error.empty())
        return function.emitError() << "--dim " << error;

    ShapeInference inference(function, facts);
    if (failed(inference.run()))
      return failure();
    if (!device || !bindsComputedValues(function))
      return finish(function, inference);
    // Where reading back costs least is known only now that everything has a type.
    function.walk([](BindElementsOp bind) { bind.erase(); });
    SideAnalysis sides(function);
    ShapeInference again(function, std::move(facts), &sides);
    return failure(failed(again.run()) || failed(finish(function, again)));
  }

  static bool bindsComputedValues(func::FuncOp function) {
    WalkResult walked = function.walk([&](BindElementsOp bind) {
      bool isInput = bind.getTensor().getParentRegion() == &function.getBody() &&
                     isa<BlockArgument>(bind.getTensor());
      return isInput ? WalkResult::advance() : WalkResult::interrupt();
    });
    return walked.wasInterrupted();
  }

  LogicalResult finish(func::FuncOp function, ShapeInference &inference) {
    numBound += inference.getNumBound();
    replaceKnown(function, inference.getKnownValues());
    writeSymbolFacts(function, inference.getFacts(), inference.getSymbols());
    auto returned = cast<func::ReturnOp>(function.getBody().front().getTerminator());
    function.setFunctionType(
        FunctionType::get(&getContext(), function.getArgumentTypes(), returned.getOperandTypes()));
    return success();
  }

  void replaceKnown(func::FuncOp function, const KnownValues &known) {
    SmallVector<Value> values;
    function.walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::append_range(values, block.getArguments());
      llvm::append_range(values, op->getResults());
    });
    for (Value value : values)
      numFolded += materialize(value, known);
  }
};

} // namespace
