// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs and outputs of a run.

#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Prepare/Lowering.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

/// Drops the parts of the shape program that nothing else in the run needs.
void RunLowering::dropShapeProgram() {
  SmallVector<Operation *> ops;
  for (Operation &op : body)
    if (shape.contains(&op))
      ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty())
      op->erase();
}

/// Adds the constants of each side that uses any with elements: one without elements has no place.
void RunLowering::addConstants() {
  bool isUsed[getMaxEnumValForSide() + 1] = {};
  walkOutsideKernels(main, [&](WeightOp weight) {
    bool isEmpty = weight.getType().getNumElements().isConstant(0);
    isUsed[static_cast<unsigned>(weight.getType().getSide())] |= !weight.use_empty() && !isEmpty;
  });
  for (Side side : {Side::Device, Side::Host})
    if (isUsed[static_cast<unsigned>(side)])
      host::ConstantsOp::create(builder, main.getLoc(), side);
}

void RunLowering::bindInputs() {
  for (BlockArgument argument : body.getArguments()) {
    if (argument.use_empty())
      continue;
    Value input = host::BindInputOp::create(builder, main.getLoc(), argument.getType(),
                                            argument.getArgNumber(),
                                            host::getInputName(main, argument.getArgNumber()));
    argument.replaceAllUsesWith(input);
  }
}

SymTensorType RunLowering::getOutputType(int64_t number) {
  return cast<SymTensorType>(main.getResultTypes()[number]);
}

Value RunLowering::bindOutput(int64_t number, ArrayRef<ExtentAttr> dims) {
  outputs[number] = host::BindOutputOp::create(builder, main.getLoc(), getOutputType(number),
                                               number, host::getOutputName(main, number),
                                               symbols.evaluate(builder, main.getLoc(), dims));
  return outputs[number];
}

/// Binds outputs whose dims, or the most that these can be, are known now.
void RunLowering::bindKnownOutputs() {
  for (int64_t number = 0; number < static_cast<int64_t>(outputs.size()); ++number) {
    SmallVector<ExtentAttr> dims = shape.getCapacities(getOutputType(number).getExtents());
    if (llvm::none_of(dims, [](ExtentAttr dim) { return dim.isUnknown(); }))
      bindOutput(number, dims);
  }
}

FailureOr<Value> RunLowering::getOutput(int64_t number, Operation *user) {
  if (outputs[number])
    return outputs[number];
  SmallVector<ExtentAttr> dims = shape.getCapacities(
      getOutputType(number).getExtents(), [&](ExtentAttr extent) { return getMost(extent); });
  for (ExtentAttr extent : dims)
    if (!symbols.areKnown(extent, &body))
      return user->emitError("output '") << host::getOutputName(main, number)
                                         << "' has extents that are not known where it is written",
             failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(before);
  bindOutput(number, dims);
  before = host::ReadyOp::create(builder, main.getLoc());
  return outputs[number];
}

/// Copies to the host start where the device's part of an output is complete.
void RunLowering::findLastWriters() {
  SmallVector<Operation *> last(outputs.size());
  for (Operation &op : body)
    walkOutsideKernels(&op, [&](Operation *nested) {
      auto rows = nested->getAttrOfType<DenseI64ArrayAttr>("buffers");
      for (int64_t row : rows ? rows.asArrayRef() : ArrayRef<int64_t>())
        if (row >= 0 && getBuffer(row).isOutput())
          last[getBuffer(row).getOutput()] = &op;
    });
  for (auto [number, op] : llvm::enumerate(last))
    if (op && getOutputType(number).isDevice())
      lastWriters[op].push_back(number);
}

LogicalResult RunLowering::finish() {
  for (int64_t number = 0; number < static_cast<int64_t>(outputs.size()); ++number) {
    std::string name = host::getOutputName(main, number);
    if (!outputs[number])
      return main.emitError("output '") << name << "' is never written";
    ArrayRef<ExtentAttr> extents = getOutputType(number).getExtents();
    // Extents that the device has counted are told behind the run.
    SmallVector<ExtentAttr> dims =
        shape.getCapacities(extents, [&](ExtentAttr dim) { return getMost(dim); });
    Value rank = ranks.lookup(number);
    if (!rank && llvm::all_of(dims, [&](ExtentAttr dim) { return shape.getCapacity(dim) == dim; }))
      continue;
    for (ExtentAttr dim : dims)
      if (!symbols.areKnown(dim))
        return main.emitError("output '") << name << "' has an extent that is not known";
    host::ShrinkOp::create(builder, main.getLoc(), number,
                           symbols.evaluate(builder, main.getLoc(), dims), rank);
  }
  host::DoneOp::create(builder, main.getLoc());
  return success();
}
