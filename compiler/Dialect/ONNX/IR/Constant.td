// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants.

#ifndef CAMEO_DIALECT_ONNX_IR_CONSTANT_TD
#define CAMEO_DIALECT_ONNX_IR_CONSTANT_TD

include "Dialect/ONNX/IR/OnnxBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

def ONNX_ConstantOp : ONNX_Op<"Constant", 25, [Pure, ConstantLike]> {
  let summary = "A tensor known at compile time";
  let description = [{
    Initializers too. The importer turns ONNX's other forms (`value_ints`,
    `sparse_value` and so on) into `value`, whose type is the builtin tensor of
    the same extents and elements.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs ONNX_AnyTensor:$output);
  let hasFolder = 1;
}

#endif // CAMEO_DIALECT_ONNX_IR_CONSTANT_TD
