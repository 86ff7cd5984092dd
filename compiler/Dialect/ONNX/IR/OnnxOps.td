// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All operators: one include per family.

#ifndef CAMEO_DIALECT_ONNX_IR_ONNXOPS_TD
#define CAMEO_DIALECT_ONNX_IR_ONNXOPS_TD

include "Dialect/ONNX/IR/Activation.td"
include "Dialect/ONNX/IR/Attention.td"
include "Dialect/ONNX/IR/Constant.td"
include "Dialect/ONNX/IR/Contrib.td"
include "Dialect/ONNX/IR/Control.td"
include "Dialect/ONNX/IR/Conv.td"
include "Dialect/ONNX/IR/Elementwise.td"
include "Dialect/ONNX/IR/External.td"
include "Dialect/ONNX/IR/Indexing.td"
include "Dialect/ONNX/IR/Linear.td"
include "Dialect/ONNX/IR/Loss.td"
include "Dialect/ONNX/IR/Ml.td"
include "Dialect/ONNX/IR/Movement.td"
include "Dialect/ONNX/IR/Normalization.td"
include "Dialect/ONNX/IR/Pool.td"
include "Dialect/ONNX/IR/Quant.td"
include "Dialect/ONNX/IR/Random.td"
include "Dialect/ONNX/IR/Recurrent.td"
include "Dialect/ONNX/IR/Reduce.td"
include "Dialect/ONNX/IR/Sequence.td"
include "Dialect/ONNX/IR/Shape.td"
include "Dialect/ONNX/IR/Signal.td"
include "Dialect/ONNX/IR/Text.td"
include "Dialect/ONNX/IR/Training.td"
include "Dialect/ONNX/IR/TreeEnsemble.td"
include "Dialect/ONNX/IR/Vision.td"

#endif // CAMEO_DIALECT_ONNX_IR_ONNXOPS_TD
