// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @flatten_multiplies
// CHECK: "onnx.Flatten"{{.*}} -> !cameo.tensor<[N, 3 * H], f32>
func.func @flatten_multiplies(%x: !cameo.tensor<[N, 3, H], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Flatten"(%x) : (!cameo.tensor<[N, 3, H], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @flatten_at_the_end
// CHECK: "onnx.Flatten"{{.*}} -> !cameo.tensor<[3 * N, 1], f32>
func.func @flatten_at_the_end(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Flatten"(%x) <{axis = 2 : i64}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @flatten_c1(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{axis is out of range (C1, got 3, need [-2, 2])}}
  %0 = "onnx.Flatten"(%x) <{axis = 3 : i64}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
