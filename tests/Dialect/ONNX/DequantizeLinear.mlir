// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @dequantize_linear_takes_the_type_of_the_scale
// CHECK: "onnx.DequantizeLinear"{{.*}} -> !cameo.tensor<[N, 3], f16>
func.func @dequantize_linear_takes_the_type_of_the_scale(%x: !cameo.tensor<[N, 3], i8>, %s: !cameo.tensor<[], f16>)
    -> !cameo.tensor<*, f16> {
  %0 = "onnx.DequantizeLinear"(%x, %s)
      : (!cameo.tensor<[N, 3], i8>, !cameo.tensor<[], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}
