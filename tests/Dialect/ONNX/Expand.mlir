// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @expand_both_ways
// CHECK: "onnx.Expand"{{.*}} -> !cameo.tensor<[2, 3, 4], f32>
func.func @expand_both_ways(%x: !cameo.tensor<[3, 1], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[2, 1, 4]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64>
  %0 = "onnx.Expand"(%x, %s) : (!cameo.tensor<[3, 1], f32>, !cameo.tensor<[3], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @expand_keeps_input
// CHECK: "onnx.Expand"{{.*}} -> !cameo.tensor<[3, 4], f32>
func.func @expand_keeps_input(%x: !cameo.tensor<[3, 4], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[1, 1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Expand"(%x, %s) : (!cameo.tensor<[3, 4], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @expand_c1(%x: !cameo.tensor<[3, 4], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[-1, 4]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has a negative element in shape (C1) (got -1)}}
  %0 = "onnx.Expand"(%x, %s) : (!cameo.tensor<[3, 4], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @expand_c2(%x: !cameo.tensor<[3, 4], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[2, 4]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{operands do not broadcast (got extents 3 and 2, need equal ones or 1)}}
  %0 = "onnx.Expand"(%x, %s) : (!cameo.tensor<[3, 4], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
