// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @random_uniform_takes_shape
// CHECK: "onnx.RandomUniform"{{.*}} -> !cameo.tensor<[2, 3], f32>
func.func @random_uniform_takes_shape() -> !cameo.tensor<*, f32> {
  %0 = "onnx.RandomUniform"() <{shape = array<i64: 2, 3>}> : () -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @random_uniform_c2() -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a negative element in shape (C2, got -5)}}
  %0 = "onnx.RandomUniform"() <{shape = array<i64: 2, -5>}> : () -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
