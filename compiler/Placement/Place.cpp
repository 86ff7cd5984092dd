// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the sides into the types, makes every crossing explicit, and orders the program so that
// what does not depend on a fetch is queued before the wait for it.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/Analysis/Needs.h"
#include "Dialect/ONNX/Analysis/SideAnalysis.h"
#include "Dialect/ONNX/Analysis/SideReasons.h"
#include "Dialect/ONNX/Analysis/ValueNames.h"
#include "Dialect/Prog/IR/WaitOrder.h"
#include "Placement/Passes.h"
#include "Support/Diagnostic.h"
#include "Support/Unsupported.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_PLACEPASS
#include "Placement/Passes.h.inc"
} // namespace cameo

namespace {

void setSide(Value value, Side side) {
  if (auto type = dyn_cast<SymTensorType>(value.getType()))
    value.setType(type.withSide(side));
}

/// Makes and remembers the copies of values on their other side: at most one each.
class Crossings {
public:
  explicit Crossings(MLIRContext *context) : builder(context) {}

  /// `value` on `side`; a copy behind its definition when it is not there.
  Value get(Value value, Side side) {
    auto type = cast<SymTensorType>(value.getType());
    if (type.getSide() == side || isOnBothSides(value))
      return value;
    Value &copy = copies[value];
    if (copy)
      return copy;
    builder.setInsertionPointAfterValue(value);
    if (side == Side::Device) {
      ++numUploaded;
      return copy = UploadOp::create(builder, value.getLoc(), type.withSide(side), value);
    }
    // The host reads the symbols.
    if (auto extents = value.getDefiningOp<FromExtentsOp>())
      return copy = FromExtentsOp::create(builder, value.getLoc(), type.withSide(side),
                                          extents.getElements());
    ++numFetched;
    Value ticket =
        FetchOp::create(builder, value.getLoc(), TicketType::get(type.getContext(), type), value);
    return copy = AwaitOp::create(builder, value.getLoc(), type.withSide(side), ticket);
  }

  unsigned numUploaded = 0, numFetched = 0;

private:
  OpBuilder builder;
  DenseMap<Value, Value> copies;
};

/// Finds what follows from the number of things that operators on the device find.
class CountedSymbolFinder {
public:
  explicit CountedSymbolFinder(const SymbolAnalysis &symbols) : symbols(symbols) {}

  bool isCounted(Attribute extents) {
    return llvm::any_of(uses.get(extents), [&](StringRef symbol) { return isCounted(symbol); });
  }

private:
  bool isCounted(StringRef symbol) {
    auto [found, isNew] =
        known.try_emplace(symbol, false); // what a loop carries follows from itself
    if (isNew) {
      bool counted = isCountedBy(symbols.getDefiner(symbol), symbol);
      known[symbol] = counted;
      return counted;
    }
    return found->second;
  }

  bool isCountedBy(Operation *definer, StringRef symbol) {
    if (auto definition = dyn_cast_or_null<DefineOp>(definer))
      return isCounted(definition.getExtent());
    if (!isa_and_nonnull<OnnxOp>(definer))
      return false;
    if (definer->getNumRegions() == 0)
      return getSideOf(definer) == Side::Device;
    return llvm::any_of(getDecided(definer, symbol),
                        [&](Attribute extent) { return isCounted(extent); });
  }

  /// The extents that a branch or a loop gives to its symbol.
  static SmallVector<Attribute> getDecided(Operation *definer, StringRef symbol) {
    auto loop = dyn_cast<onnx::LoopOp>(definer);
    std::optional<ArrayAttr> own =
        loop ? loop.getSymbols() : cast<onnx::IfOp>(definer).getSymbols();
    SmallVector<Attribute> decided;
    for (auto [number, attribute] : llvm::enumerate(*own)) {
      if (cast<SymbolAttr>(attribute).getName() != symbol)
        continue;
      if (loop)
        decided.push_back((*loop.getInitExtents())[number]);
      for (Region &region : definer->getRegions())
        decided.push_back(getYield(region).getExtentsAttr()[number]);
    }
    return decided;
  }

  const SymbolAnalysis &symbols;
  SymbolUses uses;
  DenseMap<StringRef, bool> known;
};

struct PlacePass : cameo::impl::PlacePassBase<PlacePass> {
  using PlacePassBase::PlacePassBase;

  void runOnOperation() override {
    TargetAttr target = TargetAttr::lookup(getOperation());
    bool device = target && target.getDevice();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(device ? placeOnBoth(function) : checkHost(function)))
        return signalPassFailure();
      if (!device)
        forEachValue(function, [](Value value) { setSide(value, Side::Host); });
      SidePins::erase(function);
      updateType(function);
    }
  }

private:
  /// Whether nothing has to be on a device, where there is none.
  static LogicalResult checkHost(func::FuncOp function) {
    bool fits = true;
    function.walk([&](OnnxOp op) {
      if (op.getOwnSide() != Side::Device)
        return;
      op->emitError() << "its operator is declared for the device, which the target does not have";
      fits = false;
    });
    return success(fits);
  }

  LogicalResult placeOnBoth(func::FuncOp function) {
    auto &analysis = getChildAnalysis<SideAnalysis>(function);
    if (failed(checkPins(analysis)))
      return failure();
    if (reasons)
      recordSideReasons(function, analysis);
    forEachValue(function, [&](Value value) { setSide(value, analysis.getSide(value)); });
    settleSymbols(function);
    Crossings crossings(&getContext());
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      cross(op, crossings);
    numUploaded += crossings.numUploaded;
    numFetched += crossings.numFetched;
    orderByWaits(function);
    return success();
  }

  static LogicalResult checkPins(const SideAnalysis &analysis) {
    for (PinConflict conflict : analysis.getConflicts()) {
      Operation *op = conflict.value.getDefiningOp();
      if (!op)
        op = conflict.value.getParentBlock()->getParentOp();
      emitRefusal(op) << "value " << quoteText(getOnnxName(conflict.value)) << " of "
                      << op->getName().stripDialect() << " cannot be on the "
                      << stringifySide(conflict.wanted) << ", where --place wants it, but on the "
                      << stringifySide(conflict.wanted == Side::Host ? Side::Device : Side::Host)
                      << ": " << conflict.why;
    }
    return failure(!analysis.getConflicts().empty());
  }

  /// Symbols are where the tensors are that they name the elements of, unless they are wanted on
  /// the host; tensors made of them where they are. So are outputs, and what is checked, of what
  /// the device counts.
  static void settleSymbols(func::FuncOp function) {
    function.walk([&](BindElementsOp bind) {
      if (bind.getTensor().getType().isHost())
        bind.setOnDevice(false);
    });
    SymbolAnalysis symbols(function);
    CountedSymbolFinder counted(symbols);
    function.walk([&](FromExtentsOp op) {
      bool isTold = llvm::all_of(op->getUsers(), llvm::IsaPred<func::ReturnOp, AssertOp>);
      auto elements = op.getElements().getAsRange<ExtentAttr>();
      if (llvm::any_of(elements, [&](ExtentAttr element) {
            return symbols.isOnDevice(element) || (isTold && counted.isCounted(element));
          }))
        setSide(op.getOutput(), Side::Device);
    });
  }

  /// Gives an op its operands on the side where it reads them.
  void cross(Operation *op, Crossings &crossings) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<SymTensorType>(operand.get().getType()))
        continue;
      switch (getNeed(operand)) {
      case Need::Host:
        operand.set(crossings.get(operand.get(), Side::Host));
        break;
      case Need::SameSide: {
        Side side = getSideOf(op);
        if (side == Side::Host || !isKernelArgument(operand.get()))
          operand.set(crossings.get(operand.get(), side));
        break;
      }
      case Need::Nothing:
        break;
      }
    }
    if (isa<onnx::YieldOp>(op))
      crossYield(op, crossings);
    if (auto loop = dyn_cast<onnx::LoopOp>(op))
      for (auto [init, argument] : llvm::zip_equal(
               loop.getVInitialMutable(), loop.getBody().front().getArguments().drop_front(2)))
        if (auto type = dyn_cast<SymTensorType>(argument.getType()))
          init.set(crossings.get(init.get(), type.getSide()));
  }

  /// Moves what a region yields to where its operator's result is.
  void crossYield(Operation *yield, Crossings &crossings) {
    Operation *parent = yield->getParentOp();
    unsigned skipped = isa<onnx::LoopOp>(parent) ? 1 : 0;
    if (skipped)
      yield->setOperand(0, crossings.get(yield->getOperand(0), Side::Host));
    for (OpResult result : parent->getResults()) {
      OpOperand &operand = yield->getOpOperand(result.getResultNumber() + skipped);
      if (auto type = dyn_cast<SymTensorType>(result.getType()))
        operand.set(crossings.get(operand.get(), type.getSide()));
    }
  }

  void updateType(func::FuncOp function) {
    Operation *terminator = function.getBody().front().getTerminator();
    function.setFunctionType(FunctionType::get(&getContext(),
                                               function.getBody().front().getArgumentTypes(),
                                               terminator->getOperandTypes()));
  }
};

} // namespace
