// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that hold their kernels become launches of functions.

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Finish/KernelLikeness.h"
#include "Finish/Passes.h"
#include "Finish/TargetOf.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "Finish/Passes.h.inc"
} // namespace cameo

namespace {

/// The argument of a launch for a value that its kernel reads, or for a result; null for none.
Value getArgument(host::LaunchOp launch, Value value) {
  if (value.getDefiningOp() == launch.getKernel())
    return launch.getDestination(cast<OpResult>(value));
  return value.getDefiningOp<NullOp>() ? Value() : value;
}

/// Bytes from the first to the last element, gaps between rows at `strides` included.
ExtentAttr getSpan(SymTensorType tensor, ArrayRef<ExtentAttr> strides) {
  if (strides.empty())
    return getStorageBytes(tensor);
  ExtentAttr one = ExtentAttr::constant(tensor.getContext(), 1), span = one;
  for (auto [extent, stride] : llvm::zip_equal(tensor.getExtents(), strides))
    span = span + (extent - one) * stride;
  return span * ExtentAttr::constant(tensor.getContext(), getElementBytes(tensor.getElementType()));
}

/// The symbols whose values only the device has.
SmallVector<StringRef> getCounted(host::LaunchOp launch) {
  SmallVector<StringRef> counted;
  for (auto [symbol, value] :
       llvm::zip_equal(launch.getSymbols().getAsValueRange<StringAttr>(), launch.getValues()))
    if (isa<host::CountedType>(value.getType()))
      counted.push_back(symbol);
  return counted;
}

/// The function of the first launch of a class.
class KernelMaker {
public:
  KernelMaker(host::LaunchOp launch, const LaunchMemory &memory)
      : launch(launch), memory(memory), builder(launch.getContext()) {}

  /// Adds the argument for a value that the kernel reads, or a result.
  LogicalResult add(Value value);
  host::KernelOp make(OpBuilder &at, StringRef name);

private:
  void fill(Block &block);

  host::LaunchOp launch;
  const LaunchMemory &memory;
  Builder builder;
  SmallVector<Value> values;
  SmallVector<Attribute> names, spans, memories;
};

class Outliner {
public:
  Outliner(func::FuncOp main, const LaunchMemory &memory, OpBuilder &builder)
      : memory(memory), likeness(main, memory), builder(builder) {}

  LogicalResult outline(host::LaunchOp launch);

private:
  FailureOr<host::KernelOp> makeKernel(host::LaunchOp launch, ArrayRef<Value> values);

  const LaunchMemory &memory;
  KernelLikeness likeness;
  /// Behind all functions.
  OpBuilder &builder;
  /// By class.
  SmallVector<host::KernelOp> kernels;
};

} // namespace

LogicalResult KernelMaker::add(Value value) {
  Value argument = getArgument(launch, value);
  bool isResult = value.getDefiningOp() == launch.getKernel();
  ExtentAttr span = ExtentAttr::constant(builder.getContext(), 0);
  if (auto tensor = dyn_cast<SymTensorType>(value.getType())) {
    span = getSpan(tensor, isResult ? launch.getStridesOf(cast<OpResult>(value))
                                    : SmallVector<ExtentAttr>());
    if (isResult && span.isUnknown())
      return launch.getKernel()->emitError("result of type ") << tensor << " has no C++";
  }
  if (!argument)
    return success();
  auto computed = cast<SymTensorType>(launch.getKernel()->getResult(0).getType());
  host::Memory known =
      memory.matters(computed.getSide()) ? memory.get(argument) : host::Memory::Any;
  values.push_back(value);
  names.push_back(builder.getStringAttr(host::getName(value)));
  spans.push_back(span);
  memories.push_back(host::MemoryAttr::get(builder.getContext(), known));
  return success();
}

/// Copies the kernel, which reads and writes the block's arguments there.
void KernelMaker::fill(Block &block) {
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  Operation *kernel = launch.getKernel();
  IRMapping mapping;
  SmallVector<std::pair<OpResult, Value>> written;
  for (Value value : values) {
    BlockArgument argument = block.addArgument(value.getType(), value.getLoc());
    if (value.getDefiningOp() == kernel)
      written.emplace_back(cast<OpResult>(value), argument);
    else
      mapping.map(value, argument);
  }
  kernel->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto null = operand.getDefiningOp<NullOp>(); null && !mapping.contains(operand))
        inside.clone(*null, mapping);
  });
  Operation *copy = inside.clone(*kernel, mapping);
  copy->removeAttr("buffers");
  for (auto [result, argument] : written)
    host::getDestinations(copy)[host::getTies(copy)[result.getResultNumber()]].set(argument);
}

host::KernelOp KernelMaker::make(OpBuilder &at, StringRef name) {
  auto kernel = host::KernelOp::create(
      at, launch.getLoc(), name, launch.getSymbols(), builder.getStrArrayAttr(getCounted(launch)),
      /*numbers=*/builder.getStrArrayAttr({}), builder.getArrayAttr(names),
      builder.getArrayAttr(spans), builder.getArrayAttr(memories), launch.getStridesAttr(),
      /*called=*/StringAttr(), /*file=*/IntegerAttr(), /*called_template=*/host::TemplateAttr());
  fill(kernel.getBody().emplaceBlock());
  return kernel;
}

FailureOr<host::KernelOp> Outliner::makeKernel(host::LaunchOp launch, ArrayRef<Value> values) {
  KernelMaker maker(launch, memory);
  for (Value value : values)
    if (failed(maker.add(value)))
      return failure();
  return maker.make(builder, "kernel_" + std::to_string(kernels.size()));
}

LogicalResult Outliner::outline(host::LaunchOp launch) {
  Operation *kernel = launch.getKernel();
  if (kernel->getNumResults() == 0)
    return kernel->emitError("computes nothing");
  LaunchNames names;
  size_t number = likeness.classify(launch, names);
  if (number == kernels.size()) {
    FailureOr<host::KernelOp> made = makeKernel(launch, names.values);
    if (failed(made))
      return failure();
    kernels.push_back(*made);
  }
  SmallVector<Value> arguments;
  for (Value value : names.values)
    if (Value argument = getArgument(launch, value))
      arguments.push_back(argument);
  OpBuilder before(launch);
  host::LaunchKernelOp::create(before, launch.getLoc(), kernels[number].getSymName(), arguments,
                               launch.getValues(), before.getArrayAttr({}),
                               before.getTypeArrayAttr(SmallVector<Type>(kernel->getResultTypes())),
                               kernel->getAttrOfType<DenseI64ArrayAttr>("buffers"));
  launch.erase();
  return success();
}

namespace {

struct OutlineKernelsPass : cameo::impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    const Target *target = findTargetOf(getOperation());
    if (!main || !target) {
      getOperation().emitError("has no function @main, or no target");
      return signalPassFailure();
    }
    LaunchMemory memory(main, *target);
    OpBuilder builder = OpBuilder::atBlockEnd(getOperation().getBody());
    Outliner outliner(main, memory, builder);
    SmallVector<host::LaunchOp> launches;
    walkOutsideKernels(main, [&](host::LaunchOp launch) { launches.push_back(launch); });
    for (host::LaunchOp launch : launches)
      if (failed(outliner.outline(launch)))
        return signalPassFailure();
  }
};

} // namespace
