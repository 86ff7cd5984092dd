// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @dynamic_quantize_linear_gives_scale_and_zero_point
// CHECK: "onnx.DynamicQuantizeLinear"{{.*}} -> (!cameo.tensor<[N, 3], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>)
func.func @dynamic_quantize_linear_gives_scale_and_zero_point(%x: !cameo.tensor<[N, 3], f32>)
    -> (!cameo.tensor<*, ui8>, !cameo.tensor<*, f32>, !cameo.tensor<*, ui8>) {
  %0:3 = "onnx.DynamicQuantizeLinear"(%x)
      : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, ui8>, !cameo.tensor<*, f32>, !cameo.tensor<*, ui8>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, ui8>, !cameo.tensor<*, f32>, !cameo.tensor<*, ui8>
}
