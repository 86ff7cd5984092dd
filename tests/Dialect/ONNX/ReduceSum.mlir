// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @reduce_sum_keeps_dims
// CHECK: "onnx.ReduceSum"{{.*}} -> !cameo.tensor<[N, 3, 1], f32>
func.func @reduce_sum_keeps_dims(%x: !cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<[-1]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.ReduceSum"(%x, %a) : (!cameo.tensor<[N, 3, 4], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @reduce_sum_drops_dims
// CHECK: "onnx.ReduceSum"{{.*}} -> !cameo.tensor<[N], f32>
func.func @reduce_sum_drops_dims(%x: !cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<[1, 2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.ReduceSum"(%x, %a) <{keepdims = 0 : i64}>
      : (!cameo.tensor<[N, 3, 4], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @reduce_sum_of_all
// CHECK: "onnx.ReduceSum"{{.*}} -> !cameo.tensor<[1, 1], f32>
func.func @reduce_sum_of_all(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ReduceSum"(%x) : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @reduce_sum_of_none
// CHECK: "onnx.ReduceSum"{{.*}} -> !cameo.tensor<[N, 3], f32>
func.func @reduce_sum_of_none(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ReduceSum"(%x) <{noop_with_empty_axes = 1 : i64}>
      : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reduce_sum_c1(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<[2]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{axes (C1) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.ReduceSum"(%x, %a) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reduce_sum_c1_twice(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<[1, -1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{axes (C1) holds an axis twice (got -1)}}
  %0 = "onnx.ReduceSum"(%x, %a) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// Axes of the run: an extent is 1 where its axis is the one.
// CHECK-LABEL: @reduce_sum_by_a_runtime_axis
// CHECK: prog.bind_elements [#cameo.symbol<"a" in [-2, 1]>]
// CHECK: "onnx.ReduceSum"{{.*}} -> !cameo.tensor<[N * (a mod 2) - a mod 2 + 1, 2 * ((a + 1) mod 2) + 1], f32>
func.func @reduce_sum_by_a_runtime_axis(%x: !cameo.tensor<[N, 3], f32>, %a: !cameo.tensor<[1], i64> {onnx.name = "a"})
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.ReduceSum"(%x, %a) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// The rank follows from how many there are.
// CHECK-LABEL: @reduce_sum_removes_runtime_axes
// CHECK: prog.define <"[[LEFT:[^"]*]]" {{.*}}> = #cameo.extent<max({{[^?]*}}, 0)>
// CHECK: "onnx.ReduceSum"{{.*}} -> !cameo.tensor<{{\[}}[[LEFT]]], f32>
func.func @reduce_sum_removes_runtime_axes(%x: !cameo.tensor<[1, N], f32>, %a: !cameo.tensor<[1], i64> {onnx.name = "a"})
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.ReduceSum"(%x, %a) <{keepdims = 0 : i64}>
      : (!cameo.tensor<[1, N], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reduce_sum_of_uncounted_axes(%x: !cameo.tensor<[N, 3], f32>, %a: !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{makes result 0 with extents that are first known when it runs, by axes, which is not supported}}
  %0 = "onnx.ReduceSum"(%x, %a) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
