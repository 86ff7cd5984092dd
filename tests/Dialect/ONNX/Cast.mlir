// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @cast_takes_the_type_from_to
// CHECK: "onnx.Cast"{{.*}} -> !cameo.tensor<[N], f16>
func.func @cast_takes_the_type_from_to(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f16> {
  %0 = "onnx.Cast"(%x) <{to = 10 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}

// -----

func.func @cast_c1(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{asks for an element type that ONNX does not have (got }}
  %0 = "onnx.Cast"(%x) <{to = 999 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
