// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @squeeze_axes
// CHECK: "onnx.Squeeze"{{.*}} -> !cameo.tensor<[N], f32>
func.func @squeeze_axes(%x: !cameo.tensor<[1, N, 1], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<[0, -1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Squeeze"(%x, %a) : (!cameo.tensor<[1, N, 1], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @squeeze_all
// CHECK: "onnx.Squeeze"{{.*}} -> !cameo.tensor<[3], f32>
func.func @squeeze_all(%x: !cameo.tensor<[1, 3, 1], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Squeeze"(%x) : (!cameo.tensor<[1, 3, 1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @squeeze_c1(%x: !cameo.tensor<[1, 3], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<[2]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{axes (C1) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.Squeeze"(%x, %a) : (!cameo.tensor<[1, 3], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @squeeze_c1_twice(%x: !cameo.tensor<[1, 3], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<[0, -2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{axes (C1) holds an axis twice (got -2)}}
  %0 = "onnx.Squeeze"(%x, %a) : (!cameo.tensor<[1, 3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @squeeze_c2(%x: !cameo.tensor<[1, 3], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<[1]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{removes axis 1, whose extent is not 1 (C2, got 3)}}
  %0 = "onnx.Squeeze"(%x, %a) : (!cameo.tensor<[1, 3], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @squeeze_by_runtime_axes
// CHECK: prog.bind_elements [#cameo.symbol<"a" in [-2, 1]>]
// CHECK: prog.define <"[[LEFT:[^"]*]]" {{.*}}> = #cameo.extent<max(N * min(a mod 2 + (a + 1) mod 2, 1) - N * (a mod 2) + a mod 2, 0)>
// CHECK: "onnx.Squeeze"{{.*}} -> !cameo.tensor<{{\[}}[[LEFT]]], f32>
func.func @squeeze_by_runtime_axes(%x: !cameo.tensor<[1, N], f32>, %a: !cameo.tensor<[1], i64> {onnx.name = "a"})
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Squeeze"(%x, %a) : (!cameo.tensor<[1, N], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @squeeze_c1_runtime(%x: !cameo.tensor<[N], f32>, %a: !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has more axes (C1) than its input (got 2, need at most 1)}}
  %0 = "onnx.Squeeze"(%x, %a) : (!cameo.tensor<[N], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
