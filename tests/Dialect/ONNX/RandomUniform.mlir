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

// -----

func.func @random_uniform_c3() -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{draws from an interval that is none (C3, got [1.000000e+00, 5.000000e-01))}}
  %0 = "onnx.RandomUniform"() <{shape = array<i64: 2>, low = 1.0 : f32, high = 0.5 : f32}> : () -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @random_uniform_c3_infinite() -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{draws from an interval that is none (C3}}
  %0 = "onnx.RandomUniform"() <{shape = array<i64: 2>, high = 0x7F800000 : f32}> : () -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
