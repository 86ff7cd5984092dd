// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences of maps, which classifiers have as outputs: all maps have the keys that ZipMap says, so
// that a tensor is all of their values. The output's keys are an attribute of the module's
// function.

#include "Dialect/ONNX/IR/Ml.h"
#include "Import/Frame.h"
#include "Import/GraphBuilder.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;

namespace {
/// Where such outputs come from, and how to do without.
constexpr StringLiteral kHint =
    "export without ZipMap (skl2onnx: options={\"zipmap\": False}), which leaves the tensor";
} // namespace

LogicalResult GraphBuilder::checkDeclaredMaps(Operation *maps, const pb::TypeProto &said,
                                              const Where &where) {
  bool areStrings = cameo::onnx::ClassLabels::of(cast<cameo::onnx::ZipMapOp>(maps)).areStrings();
  int32_t key = areStrings ? pb::TensorProto::STRING : pb::TensorProto::INT64;
  // Types of which one part says nothing have no part in it.
  const pb::TypeProto::Map &map = said.sequence_type().elem_type().map_type();
  if (said.value_case() == pb::TypeProto::VALUE_NOT_SET ||
      (map.key_type() == key &&
       map.value_type().tensor_type().elem_type() == pb::TensorProto::FLOAT))
    return success();
  return reporter.malformed(&where, Twine("is not declared as a sequence of maps from ") +
                                        (areStrings ? "string" : "int64") +
                                        " to float, which it is");
}

LogicalResult GraphBuilder::refuseMapOperands(ArrayRef<Value> operands, const Where &where) {
  for (Value operand : operands)
    if (operand && operand.getDefiningOp<cameo::onnx::ZipMapOp>())
      return reporter.unsupported(
          &where, "reads a sequence of maps, which Cameo has as an output only", kHint);
  return success();
}

LogicalResult GraphBuilder::announceMaps(Value output, const Where &where) {
  if (!output.getDefiningOp<cameo::onnx::ZipMapOp>())
    return success();
  if (options.refusesMaps)
    return reporter.unsupported(&where, "is a sequence of maps, which --zipmap refuses", kHint);
  reporter.warn(&where, "is a sequence of maps; here it is the tensor of their values, a row for "
                        "each map and a column for each key");
  return success();
}

Attribute GraphBuilder::getKeys(Value output) {
  auto maps = output.getDefiningOp<cameo::onnx::ZipMapOp>();
  if (!maps)
    return {};
  cameo::onnx::ClassLabels labels = cameo::onnx::ClassLabels::of(maps);
  if (labels.areStrings())
    return labels.strings;
  return builder.getDenseI64ArrayAttr(labels.integers);
}
