// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file | FileCheck %s
//
// Extents that dims do not tell: integers that are inputs or computed get a symbol, counts a bound.

// CHECK-LABEL: func.func @an_input_is_a_size(
// CHECK: prog.bind_elements [#cameo.symbol<"n" in [*, *]>] = %arg1
// CHECK: "onnx.Expand"{{.*}} -> !cameo.tensor<[n, 3], f32>
func.func @an_input_is_a_size(%x: !cameo.tensor<[1, 3], f32>, %n: !cameo.tensor<[1], i64> {onnx.name = "n"})
    -> !cameo.tensor<*, f32> {
  %m = "onnx.Constant"() <{value = dense<3> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %s = "onnx.Concat"(%n, %m) <{axis = 0 : i64}>
      : (!cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, i64>
  %0 = "onnx.Expand"(%x, %s) : (!cameo.tensor<[1, 3], f32>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// What is computed from a bound value is followed: one symbol serves both uses.
// CHECK-LABEL: func.func @one_symbol_for_all_uses(
// CHECK-COUNT-1: prog.bind_elements
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[k], f32>
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[k + 1], f32>
func.func @one_symbol_for_all_uses(%k: !cameo.tensor<[1], i64> {onnx.name = "k"})
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %one = "onnx.Constant"() <{value = dense<1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %n = "onnx.Add"(%k, %one) : (!cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1], i64>
  %0 = "onnx.ConstantOfShape"(%k) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  %1 = "onnx.ConstantOfShape"(%n) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0, %1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: func.func @a_maximum_is_a_size(
// CHECK: "onnx.ReduceMax"
// CHECK: prog.bind_elements
// CHECK: "onnx.Range"{{.*}} -> !cameo.tensor<[max(v, 0)], i64>
func.func @a_maximum_is_a_size(%x: !cameo.tensor<[A], i64>) -> !cameo.tensor<*, i64> {
  %m = "onnx.ReduceMax"(%x) <{keepdims = 0 : i64}> : (!cameo.tensor<[A], i64>) -> !cameo.tensor<*, i64>
  %z = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %o = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.Range"(%z, %m, %o) : (!cameo.tensor<[], i64>, !cameo.tensor<*, i64>, !cameo.tensor<[], i64>)
      -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

// The number of non-zero elements is at most that of all.
// CHECK-LABEL: func.func @a_count_has_a_bound(
// CHECK-SAME: cameo.symbols = [#cameo.symbol<"A">]
// CHECK: "onnx.NonZero"{{.*}} {cameo.counts = [#cameo.symbol<"[[COUNT:[a-z_]+]]" bound A>]}{{.*}} -> !cameo.tensor<[1, [[COUNT]]], i64>
// CHECK: "onnx.Transpose"{{.*}} -> !cameo.tensor<{{\[}}[[COUNT]], 1], i64>
func.func @a_count_has_a_bound(%x: !cameo.tensor<[A], f32>) -> !cameo.tensor<*, i64> {
  %n = "onnx.NonZero"(%x) : (!cameo.tensor<[A], f32>) -> !cameo.tensor<*, i64>
  %0 = "onnx.Transpose"(%n) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
