// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @hann_window_of_a_size
// CHECK: "onnx.HannWindow"{{.*}} -> !cameo.tensor<[10], f16>
func.func @hann_window_of_a_size() -> !cameo.tensor<*, f16> {
  %s = "onnx.Constant"() <{value = dense<10> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.HannWindow"(%s) <{output_datatype = 10 : i64}> : (!cameo.tensor<[], i64>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}

// -----

func.func @hann_window_c1() -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<-1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{has a negative size (C1) (got -1)}}
  %0 = "onnx.HannWindow"(%s) : (!cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
