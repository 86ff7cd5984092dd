// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds prepared functions against what README.md lets Emit rely on, whatever made them.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Prepare/Passes.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace cameo {
#define GEN_PASS_DEF_VERIFYHOSTPASS
#include "Prepare/Passes.h.inc"
} // namespace cameo

namespace {

class HostVerifier {
public:
  explicit HostVerifier(func::FuncOp function) : function(function), dominance(function) {}

  LogicalResult run();

private:
  LogicalResult checkStatements(Block &block);
  LogicalResult checkReady(Block &block);
  LogicalResult checkLaunch(host::LaunchOp launch);
  LogicalResult checkRun();
  LogicalResult checkMemory(host::AtOp memory);
  LogicalResult checkOutputs();
  LogicalResult checkWrites(host::LaunchOp launch);

  func::FuncOp function;
  DominanceInfo dominance;
  SymbolUses uses;
  /// The plan of a run: where rows get their places.
  host::PlanOp plan;
  SmallVector<host::ReplanOp> replans;
  /// The symbols that have their values before the first step.
  llvm::DenseSet<StringRef> knownSymbols;
};

} // namespace

LogicalResult HostVerifier::run() {
  if (failed(checkStatements(function.getBody().front())))
    return failure();
  return function.getSymName() == "main" ? checkRun() : success();
}

LogicalResult HostVerifier::checkStatements(Block &block) {
  if (failed(checkReady(block)))
    return failure();
  for (Operation &op : block) {
    if (auto launch = dyn_cast<host::LaunchOp>(op)) {
      if (failed(checkLaunch(launch)))
        return failure();
      continue;
    }
    if (!isa<host::HostDialect>(op.getDialect()) && !op.hasTrait<OpTrait::IsTerminator>() &&
        !isa<prog::ScalarOpInterface, prog::SConstantOp, prog::WeightOp, prog::NullOp>(op))
      return op.emitOpError("is no statement");
    for (Region &region : op.getRegions())
      if (failed(checkStatements(region.front())))
        return failure();
  }
  return success();
}

/// A binding that failed ends the run before anything reads or writes it.
LogicalResult HostVerifier::checkReady(Block &block) {
  Operation *binding = nullptr;
  for (Operation &op : block) {
    if (isa<host::BindInputOp, host::BindOutputOp>(op))
      binding = &op;
    else if (isa<host::ReadyOp>(op))
      binding = nullptr;
    else if (binding &&
             (op.getNumRegions() != 0 || isa<host::FetchOp, host::AskOp, host::UploadOp>(op)))
      return op.emitOpError("stands between a binding and host.ready");
  }
  if (binding)
    return binding->emitOpError("is never followed by host.ready");
  return success();
}

/// A kernel has a value for each symbol that it names, and memory for each result that it stores.
LogicalResult HostVerifier::checkLaunch(host::LaunchOp launch) {
  llvm::DenseSet<StringRef> given;
  for (StringRef symbol : launch.getSymbols().getAsValueRange<StringAttr>())
    if (!given.insert(symbol).second)
      return launch.emitOpError("gives symbol '") << symbol << "' twice";
  Operation *kernel = launch.getKernel();
  StringRef missing;
  kernel->walk([&](Operation *op) {
    uses.forEach(op,
                 [&](StringRef symbol) { missing = given.contains(symbol) ? missing : symbol; });
  });
  if (!missing.empty())
    return launch.emitOpError("gives no value of symbol '") << missing << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// A run
//===----------------------------------------------------------------------===//

template <class Op> static Op getOnly(func::FuncOp function) {
  auto ops = function.getBody().getOps<Op>();
  return llvm::hasSingleElement(ops) ? *ops.begin() : Op();
}

LogicalResult HostVerifier::checkRun() {
  plan = getOnly<host::PlanOp>(function);
  auto done = getOnly<host::DoneOp>(function);
  if (!plan || !done)
    return function.emitOpError("does not plan once and end once");
  if (Operation *next = done->getNextNode(); !next->hasTrait<OpTrait::IsTerminator>())
    return next->emitOpError("stands behind host.done");
  prog::walkOutsideKernels(function, [&](host::ReplanOp replan) { replans.push_back(replan); });
  auto known = function->getAttrOfType<ArrayAttr>("host.symbols").getAsValueRange<StringAttr>();
  knownSymbols.insert_range(known);

  WalkResult result = prog::walkOutsideKernels(function, [&](Operation *op) {
    if (auto memory = dyn_cast<host::AtOp>(op))
      return WalkResult(checkMemory(memory));
    if (auto launch = dyn_cast<host::LaunchOp>(op))
      return WalkResult(checkWrites(launch));
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? failure() : checkOutputs();
}

/// A row has its place before its memory is asked for.
LogicalResult HostVerifier::checkMemory(host::AtOp memory) {
  auto table = function->getAttrOfType<ArrayAttr>("prog.buffers");
  int64_t number = memory.getRow();
  if (!table || number < 0 || number >= static_cast<int64_t>(table.size()))
    return memory.emitOpError("asks for row ") << number << ", which there is not";
  auto row = cast<prog::BufferAttr>(table[number]);
  if (row.isOutput())
    return memory.emitOpError("asks for row ") << number << ", which is an output's";
  llvm::SetVector<StringRef> named;
  row.getBytes().collectSymbols(named);
  bool isLate =
      llvm::any_of(named, [&](StringRef symbol) { return !knownSymbols.contains(symbol); });
  bool isPlaced = isLate ? llvm::any_of(replans,
                                        [&](host::ReplanOp replan) {
                                          return llvm::is_contained(replan.getRows(), number) &&
                                                 dominance.dominates(replan, memory);
                                        })
                         : dominance.dominates(plan, memory);
  if (!isPlaced)
    return memory.emitOpError("asks for row ") << number << " before it has a place";
  return success();
}

/// Memory that a kernel writes is memory that this run may write.
LogicalResult HostVerifier::checkWrites(host::LaunchOp launch) {
  for (OpResult result : launch.getKernel()->getResults()) {
    Value memory = launch.getDestination(result);
    while (auto view = memory ? memory.getDefiningOp<host::ViewOp>() : host::ViewOp())
      memory = view.getSource();
    if (memory && isa_and_nonnull<host::BindInputOp, prog::WeightOp>(memory.getDefiningOp()))
      return launch.emitOpError("writes an input or a constant");
  }
  return success();
}

/// Every output is bound before the run ends, and delivered after it was bound.
LogicalResult HostVerifier::checkOutputs() {
  SmallVector<SmallVector<Operation *>> bound(function.getNumResults());
  LogicalResult valid = success();
  prog::walkOutsideKernels(function, [&](host::BindOutputOp binding) {
    if (binding.getNumber() >= static_cast<int64_t>(bound.size()))
      valid = binding.emitOpError("binds an output that there is not");
    else
      bound[binding.getNumber()].push_back(binding);
  });
  if (failed(valid))
    return failure();
  for (auto [number, bindings] : llvm::enumerate(bound))
    if (bindings.empty())
      return function.emitOpError("never binds output ") << number;
  WalkResult result = prog::walkOutsideKernels(function, [&](host::DeliverOp deliver) {
    auto isBefore = [&](Operation *binding) { return dominance.dominates(binding, deliver); };
    if (!llvm::any_of(bound[deliver.getOutput()], isBefore))
      return deliver.emitOpError("delivers an output that is not bound here"),
             WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

struct VerifyHostPass : cameo::impl::VerifyHostPassBase<VerifyHostPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(HostVerifier(function).run()))
        return signalPassFailure();
  }
};

} // namespace
