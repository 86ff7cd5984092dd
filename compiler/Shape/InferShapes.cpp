// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: facts from the user and the model, inference, then integer tensors that are known
// become extents or constants, and a check that no extent is left unknown.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/Analysis/Needs.h"
#include "Dialect/ONNX/Analysis/SideAnalysis.h"
#include "Shape/Assertions.h"
#include "Shape/Passes.h"
#include "Shape/ShapeInference.h"

#include "Support/Unsupported.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

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

/// `value` as a tensor of its elements.
Value makeElements(Value value, ArrayRef<ExtentAttr> elements) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  // Behind the ops that check and name the elements, where there are any.
  Operation *last = nullptr;
  for (Operation *user : value.getUsers()) {
    // A demand of the model may stand anywhere, and reads the value itself.
    auto assertion = dyn_cast<AssertOp>(user);
    if (((assertion && !assertion.getDemanded()) || isa<BindElementsOp>(user)) &&
        (!last || last->isBeforeInBlock(user)))
      last = user;
  }
  if (last)
    builder.setInsertionPointAfter(last);
  SmallVector<Attribute> attributes(elements.begin(), elements.end());
  return FromExtentsOp::create(builder, value.getLoc(), value.getType(),
                               builder.getArrayAttr(attributes));
}

/// Operators that make extents of elements on the device read them as extents; for all others the
/// tensor is as near.
void replaceSymbolic(Value value, ArrayRef<ExtentAttr> elements) {
  Value replacement = makeElements(value, elements);
  value.replaceUsesWithIf(
      replacement, [](OpOperand &use) { return isa<OnnxOp>(use.getOwner()) && isSymbolic(use); });
}

/// Whether an operator reads nothing but dims and tensors made of extents: Shape, and what computes
/// with its results. A region may read whatever is outside it.
bool readsExtentsAlone(Operation *op) {
  return op && op->getNumRegions() == 0 && llvm::all_of(op->getOpOperands(), [](OpOperand &use) {
           return isa_and_nonnull<ConstantOp, FromExtentsOp>(use.get().getDefiningOp()) ||
                  !readsElements(use.getOwner(), use.getOperandNumber());
         });
}

/// Replaces a known integer tensor by its elements, unless it is read for its type only.
bool materialize(Value value, const ShapeInference &inference) {
  Operation *op = value.getDefiningOp();
  bool isSource = isa_and_nonnull<ConstantOp, FromExtentsOp>(op);
  const KnownValues &known = inference.getKnownValues();
  std::optional<ExtentValues> elements = known.lookup(value);
  if (isSource || value.use_empty() || !elements || !known.isComplete(value))
    return false;
  auto isOnDevice = [&](ExtentAttr element) { return inference.isOnDevice(element); };
  if (!readsExtentsAlone(op) && llvm::any_of(*elements, isOnDevice)) {
    replaceSymbolic(value, *elements);
    return false;
  }
  Value replacement = makeElements(value, *elements);
  value.replaceUsesWithIf(replacement, [](OpOperand &use) {
    return !isa<BindElementsOp, AssertOp, func::ReturnOp>(use.getOwner());
  });
  // A result that follows from dims leaves the program as extents too; one that is an input does
  // not.
  if (op && llvm::none_of(value.getUsers(), llvm::IsaPred<BindElementsOp, AssertOp>))
    value.replaceAllUsesWith(replacement);
  return true;
}

bool hasExtents(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  return !tensor || (tensor.hasRank() &&
                     llvm::none_of(tensor.getExtents(), [](auto e) { return e.isUnknown(); }));
}

/// The ops that only ops of this kind use, and that may go.
class UnneededOps {
public:
  explicit UnneededOps(func::FuncOp function) {
    function.walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
      if (!op->hasTrait<OpTrait::IsTerminator>() && wouldOpBeTriviallyDead(op) &&
          llvm::none_of(op->getResults(), [&](Value result) { return isNeeded(result); }))
        ops.insert(op);
    });
  }

  bool contains(Operation *op) const { return ops.contains(op); }
  bool isNeeded(Value value) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) { return !contains(user); });
  }

private:
  llvm::DenseSet<Operation *> ops;
};

/// Keeps an operator of which only the extents are needed that it alone can tell: as far as its
/// elements go, nobody reads it. Returns whether there was one.
FailureOr<bool> keepCounted(func::FuncOp function) {
  UnneededOps unneeded(function);
  SymbolUses uses;
  llvm::DenseSet<StringRef> named;
  SmallVector<SymbolDefiningOp> kept;
  function.walk([&](Operation *op) {
    if (!unneeded.contains(op))
      uses.forEach(op, [&](StringRef symbol) { named.insert(symbol); });
  });
  function.walk([&](SymbolDefiningOp op) {
    bool isNamed = false;
    op.visitSymbols([&](const SymbolDefinition &definition) {
      isNamed |= named.contains(definition.symbol.getName());
    });
    if (isNamed && unneeded.contains(op) && !unneeded.contains(op->getParentOp()))
      kept.push_back(op);
  });
  for (SymbolDefiningOp op : kept) {
    auto tensor = llvm::find_if(op->getResults(), [](Value result) {
      return isa<SymTensorType>(result.getType()) && hasExtents(result.getType());
    });
    if (tensor == op->result_end())
      return emitUnsupported(op)
                 << "is needed for the extents of its result only, which is not supported",
             failure();
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    prog::KeepOp::create(builder, op.getLoc(), *tensor);
  }
  return !kept.empty();
}

/// The end of the stage: refuses results whose rank or extents are still open, unless nothing needs
/// them. The first of them is the one that the others follow from.
class KnownExtentsCheck {
public:
  KnownExtentsCheck(func::FuncOp function, const KnownValues &known)
      : function(function), known(known), unneeded(function) {}

  LogicalResult run() {
    for (BlockArgument argument : function.getArguments())
      if (!hasExtents(argument.getType()))
        return emitUnsupported(function) << "has an input " << argument.getArgNumber()
                                         << " without a shape, which is not supported";
    WalkResult walked = function.walk<WalkOrder::PreOrder>([&](OnnxOp op) {
      if (unneeded.contains(op))
        return WalkResult::skip();
      for (OpResult result : op->getResults())
        if (!hasExtents(result.getType()) && unneeded.isNeeded(result))
          return refuse(op, result), WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

private:
  void refuse(OnnxOp op, OpResult result) {
    InFlightDiagnostic error = emitUnsupported(op);
    if (OpenBranches::isOpen(result)) {
      error << "result " << result.getResultNumber()
            << " has another rank in each branch, which is not supported where it is read";
      return;
    }
    error << "makes result " << result.getResultNumber() << " with extents that are first known "
          << "when it runs";
    for (OpOperand &operand : op->getOpOperands()) {
      if (decidesExtents(operand) && !isConstant(operand.get())) {
        error << ", by " << getOperandName(op, operand.getOperandNumber());
        break;
      }
    }
    error << ", which is not supported";
  }

  bool isConstant(Value value) const {
    std::optional<ExtentValues> elements = known.lookup(value);
    return value.getDefiningOp<onnx::ConstantOp>() ||
           (elements &&
            llvm::all_of(*elements, [](ExtentAttr element) { return element.isConstant(); }));
  }

  func::FuncOp function;
  const KnownValues &known;
  UnneededOps unneeded;
};

struct InferShapesPass : cameo::impl::InferShapesPassBase<InferShapesPass> {
  using InferShapesPassBase::InferShapesPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(inferFunction(function)))
        return signalPassFailure();
  }

private:
  LogicalResult inferFunction(func::FuncOp function) {
    ExtentFacts facts;
    for (Attribute symbol : getInputSymbols(function))
      facts.set(cast<SymbolAttr>(symbol));
    for (const std::string &dim : dims)
      if (std::string error = addUserDim(dim, facts); !error.empty())
        return function.emitError() << "--dim " << error;
    core::TargetAttr target = core::TargetAttr::lookup(function);
    bool device = target && target.getDevice();
    Assertions assertions(function, device);
    if (failed(assertions.add(asserts, values)) || failed(assertions.stateDims(facts)))
      return failure();
    ShapeInference::Options options{maxBranchGrowth, algebra};
    ShapeInference inference(function, facts, options, assertions);
    if (failed(inference.run()))
      return failure();
    // Where reading back costs least is known only now that everything has a type. An input that is
    // bound could be the device's by a pin only.
    if (device && algebra)
      inference.markBoundedOperands();
    bool needsSides = device && (!SidePins(function).isEmpty() || bindsComputedValues(function));
    // An operator that went into branches decides in them, and what it follows from was no reason
    // for a symbol.
    if (!needsSides && !inference.hasCopied())
      return finish(function, inference);
    inference.forgetInside(function);
    setInputSymbols(function, inference.getInputSymbols());
    std::optional<SideAnalysis> sides;
    if (needsSides)
      sides.emplace(function);
    ShapeInference again(function, std::move(facts), options, assertions,
                         sides ? &*sides : nullptr);
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
    if (failed(inference.closeOutputs()) ||
        failed(KnownExtentsCheck(function, inference.getKnownValues()).run()))
      return failure();
    numBound += inference.getNumBound();
    replaceKnown(function, inference);
    checkStacks(function);
    setInputSymbols(function, inference.getInputSymbols());
    inference.getAssertions().record();
    eraseUnusedSymbols(function);
    // An operator that is kept reads others.
    FailureOr<bool> kept = true;
    while (succeeded(kept) && *kept)
      kept = keepCounted(function);
    if (failed(kept))
      return failure();
    auto returned = cast<func::ReturnOp>(function.getBody().front().getTerminator());
    function.setFunctionType(
        FunctionType::get(&getContext(), function.getArgumentTypes(), returned.getOperandTypes()));
    return success();
  }

  void replaceKnown(func::FuncOp function, const ShapeInference &inference) {
    SmallVector<Value> values;
    function.walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::append_range(values, block.getArguments());
      llvm::append_range(values, op->getResults());
    });
    for (Value value : values)
      numFolded += materialize(value, inference);
    for (auto &[value, elements] : inference.getSymbolsOnDevice())
      replaceSymbolic(value, elements);
  }
};

} // namespace
