// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @add_broadcasts
// CHECK: "onnx.Add"{{.*}} -> !cameo.tensor<[N, 4, 3], f32>
func.func @add_broadcasts(%a: !cameo.tensor<[N, 1, 3], f32>, %b: !cameo.tensor<[4, 1], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Add"(%a, %b) : (!cameo.tensor<[N, 1, 3], f32>, !cameo.tensor<[4, 1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @add_needs_one_type(%a: !cameo.tensor<[N], f32>, %b: !cameo.tensor<[N], f64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{needs one element type for T (got 'f32' and 'f64')}}
  %0 = "onnx.Add"(%a, %b) : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @add_does_not_fit(%a: !cameo.tensor<[2], f32>, %b: !cameo.tensor<[3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{operands do not broadcast (got extents 2 and 3, need equal ones or 1)}}
  %0 = "onnx.Add"(%a, %b) : (!cameo.tensor<[2], f32>, !cameo.tensor<[3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
