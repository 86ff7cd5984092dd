// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @unsqueeze_in_any_order
// CHECK: "onnx.Unsqueeze"{{.*}} -> !cameo.tensor<[1, N, M, 1], f32>
func.func @unsqueeze_in_any_order(%x: !cameo.tensor<[N, M], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<[-1, 0]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Unsqueeze"(%x, %a) : (!cameo.tensor<[N, M], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @unsqueeze_c1(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<[2]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{axes (C1) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.Unsqueeze"(%x, %a) : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @unsqueeze_c1_least(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<[-9223372036854775808]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{axes (C1) is out of range (got -9223372036854775808, need [-2, 2))}}
  %0 = "onnx.Unsqueeze"(%x, %a) : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// The rank follows from how many axes there are, the extents from which.
// CHECK-LABEL: @unsqueeze_by_runtime_axes
// CHECK: prog.bind_elements [#cameo.symbol<"a_0" in [-4, 3]>, #cameo.symbol<"a_1" in [-4, 3]>]
// CHECK: prog.define <"[[LAST:[a-z_0-9]*]]"
// CHECK: "onnx.Unsqueeze"{{.*}} -> !cameo.tensor<[{{[^?]*}}, [[LAST]]], f32>
func.func @unsqueeze_by_runtime_axes(%x: !cameo.tensor<[N, M], f32>, %a: !cameo.tensor<[2], i64> {onnx.name = "a"})
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Unsqueeze"(%x, %a) : (!cameo.tensor<[N, M], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
