// RUN: cameo-opt %s --cameo-simplify="max-growth=0" --split-input-file | FileCheck %s

!table = !cameo.tensor<[6, 4], i8>
!floats = !cameo.tensor<[6, 4], f32>
!rows = !cameo.tensor<[n, t, 4], f32>

// A scale for each column stays, along an axis that has moved.
// CHECK-LABEL: @dequantised
// CHECK: %[[ROWS:.*]] = "onnx.Gather"(%{{.*}}, %arg0) <{axis = 0 : i64}> : (!cameo.tensor<[6, 4], i8>
// CHECK-NOT: !cameo.tensor<[6, 4], f32>
// CHECK: return
func.func @dequantised(%ids: !cameo.tensor<[n, t], i64>) -> !rows {
  %q = "onnx.Constant"() <{value = dense<"0x000102030405060708090a0b0c0d0e0f1011121314151617"> : tensor<6x4xi8>}> : () -> !table
  %s = "onnx.Constant"() <{value = dense<[0.5, 0.25, 1.0, 2.0]> : tensor<4xf32>}> : () -> !cameo.tensor<[4], f32>
  %x = "onnx.DequantizeLinear"(%q, %s) <{axis = 1 : i64}> : (!table, !cameo.tensor<[4], f32>) -> !floats
  %y = "onnx.Gather"(%x, %ids) <{axis = 0 : i64}> : (!floats, !cameo.tensor<[n, t], i64>) -> !rows
  return %y : !rows
}

// -----

!table = !cameo.tensor<[6, 4], i8>
!floats = !cameo.tensor<[6, 4], f32>
!rows = !cameo.tensor<[n, t, 4], f32>

// What each row has for itself is gathered too.
// CHECK-LABEL: @scaled_rows
// CHECK-DAG: %[[NUMBERS:.*]] = "onnx.Gather"(%{{.*}}, %arg0) <{axis = 0 : i64}> : (!cameo.tensor<[6, 4],
// CHECK-DAG: %[[SCALES:.*]] = "onnx.Gather"(%{{.*}}, %arg0) <{axis = 0 : i64}> : (!cameo.tensor<[6, 1], f32>
// CHECK: %[[Y:.*]] = "onnx.Mul"(%[[NUMBERS]], %[[SCALES]])
// CHECK: return %[[Y]]
func.func @scaled_rows(%ids: !cameo.tensor<[n, t], i64>) -> !rows {
  %q = "onnx.Constant"() <{value = dense<"0x000102030405060708090a0b0c0d0e0f1011121314151617"> : tensor<6x4xi8>}> : () -> !table
  %s = "onnx.Constant"() <{value = dense<[[0.5], [0.25], [1.0], [2.0], [3.0], [4.0]]> : tensor<6x1xf32>}> : () -> !cameo.tensor<[6, 1], f32>
  %f = "onnx.Cast"(%q) <{to = 1 : i64}> : (!table) -> !floats
  %x = "onnx.Mul"(%f, %s) : (!floats, !cameo.tensor<[6, 1], f32>) -> !floats
  %y = "onnx.Gather"(%x, %ids) <{axis = 0 : i64}> : (!floats, !cameo.tensor<[n, t], i64>) -> !rows
  return %y : !rows
}

// -----

!table = !cameo.tensor<[6, 4], i8>
!floats = !cameo.tensor<[6, 4], f32>

// What something else reads as well is computed anyway.
// CHECK-LABEL: @read_whole
// CHECK: !cameo.tensor<[6, 4], f32>
// CHECK: return
func.func @read_whole(%ids: !cameo.tensor<[n], i64>) -> (!cameo.tensor<[n, 4], f32>, !floats) {
  %q = "onnx.Constant"() <{value = dense<"0x000102030405060708090a0b0c0d0e0f1011121314151617"> : tensor<6x4xi8>}> : () -> !table
  %x = "onnx.Cast"(%q) <{to = 1 : i64}> : (!table) -> !floats
  %y = "onnx.Gather"(%x, %ids) <{axis = 0 : i64}> : (!floats, !cameo.tensor<[n], i64>) -> !cameo.tensor<[n, 4], f32>
  return %y, %x : !cameo.tensor<[n, 4], f32>, !floats
}
