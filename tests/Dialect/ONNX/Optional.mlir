// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @optional_of_a_tensor
// CHECK: "onnx.Optional"{{.*}} -> !cameo.optional<!cameo.tensor<[N, 3], f32>>
func.func @optional_of_a_tensor(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.optional<!cameo.tensor<*, f32>> {
  %0 = "onnx.Optional"(%x) : (!cameo.tensor<[N, 3], f32>) -> !cameo.optional<!cameo.tensor<*, f32>>
  func.return %0 : !cameo.optional<!cameo.tensor<*, f32>>
}

// -----

func.func @optional_c1() -> !cameo.optional<!cameo.tensor<*, f32>> {
  // expected-error @+1 {{needs an input or a type (C1)}}
  %0 = "onnx.Optional"() : () -> !cameo.optional<!cameo.tensor<*, f32>>
  func.return %0 : !cameo.optional<!cameo.tensor<*, f32>>
}
