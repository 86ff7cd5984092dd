// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types in bodies that run many times. A carried value has its initial type in the first iteration
// only: what is kept of it is the rank, and not even that where the body changes it. The Shape
// stage, which can name extents that change, says more.

#include "Import/Frame.h"
#include "Import/GraphBuilder.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::importer;

LogicalResult GraphBuilder::addBodyArguments(Frame &frame, const pb::GraphProto &graph) {
  SmallVector<Type> known = operations.getBodyArgumentTypes(frame.op);
  for (auto [number, input] : llvm::enumerate(graph.input())) {
    Where where{&frame.where, input.name(), "input", static_cast<int64_t>(number)};
    FailureOr<Type> declared = types.convertDeclared(input.type(), where);
    if (failed(declared))
      return failure();
    Type type = number < known.size() ? types.relax(known[number]) : Type();
    if (!type && !*declared)
      return reporter.malformed(&where, "is an input whose type nothing says");
    FailureOr<Type> merged =
        type ? types.merge(type, types.relax(*declared), TypeConverter::OnShape::Warn, where)
             : FailureOr<Type>(types.relax(*declared));
    if (failed(merged))
      return failure();
    Location location = getLocation(frame, "Input", input.name(), StringRef(input.name()));
    frame.values[input.name()] = frame.block->addArgument(*merged, location);
  }
  return success();
}

/// Makes the types of body arguments hold for what the body yields for its next iteration.
LogicalResult GraphBuilder::settleBodies(Operation *op, const Where &where) {
  for (Region &region : op->getRegions()) {
    if (region.getNumArguments() == 0)
      continue;
    // A value that loses its rank may take others with it; each round, one does at least.
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto [argument, type] :
           llvm::zip(region.getArguments(), operations.getBodyArgumentTypes(op))) {
        auto before = dyn_cast<SymTensorType>(argument.getType());
        auto after = dyn_cast_or_null<SymTensorType>(type);
        if (!before || !after || !before.hasRank() || after.hasRank())
          continue;
        argument.setType(SymTensorType::get(before.getElementType()));
        changed = true;
      }
      if (changed && failed(reinfer(region.front(), where)))
        return failure();
    }
  }
  return success();
}

LogicalResult GraphBuilder::reinfer(Block &body, const Where &where) {
  // Graphs nest at most kMaxNesting deep (WireScan.h), but may settle one by one for each outer
  // round.
  for (Operation &op : body) {
    auto onnxOp = dyn_cast<cameo::onnx::OnnxOp>(op);
    if (!onnxOp)
      continue;
    int64_t limit = 4 * options.maxNodes.value_or(kMaxNodes);
    if (++numReinferred > limit)
      return reporter.limit(
          &where, "has loops whose types take too long to infer (limit " + Twine(limit) + " steps)",
          "--max-nodes");
    for (Region &region : op.getRegions())
      if (failed(reinfer(region.front(), where)))
        return failure();
    if (failed(settleBodies(&op, where)) || failed(operations.finish(&op, where)))
      return failure();
  }
  return success();
}
