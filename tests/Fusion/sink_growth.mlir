// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --cameo-fuse --split-input-file | FileCheck %s

// An Expand stands in front of the product that reads it, whatever stands between.
// CHECK-LABEL: @expand_late
// CHECK: prog.call "softmax"
// CHECK: prog.kernel
// CHECK: prog.call "gemm
func.func @expand_late(%x: !cameo.tensor<[2, 1, 64], f32, host>, %s: !cameo.tensor<[2, 16, 256], f32, host>)
    -> !cameo.tensor<[2, 16, 64], f32, host> {
  %shape = "onnx.Constant"() <{value = dense<[2, 256, 64]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64, host>
  %0 = "onnx.Expand"(%x, %shape) : (!cameo.tensor<[2, 1, 64], f32, host>, !cameo.tensor<[3], i64, host>) -> !cameo.tensor<[2, 256, 64], f32, host>
  %1 = "onnx.Softmax"(%s) <{axis = 2 : i64}> : (!cameo.tensor<[2, 16, 256], f32, host>) -> !cameo.tensor<[2, 16, 256], f32, host>
  %2 = "onnx.MatMul"(%1, %0) : (!cameo.tensor<[2, 16, 256], f32, host>, !cameo.tensor<[2, 256, 64], f32, host>) -> !cameo.tensor<[2, 16, 64], f32, host>
  func.return %2 : !cameo.tensor<[2, 16, 64], f32, host>
}

// -----

// Both of two that one product reads.
// CHECK-LABEL: @expand_both
// CHECK: prog.call "softmax"
// CHECK: prog.call "softmax"
// CHECK: prog.kernel
// CHECK: prog.kernel
// CHECK: prog.call "gemm
func.func @expand_both(%a: !cameo.tensor<[2, 16, 1], f32, host>, %b: !cameo.tensor<[2, 1, 64], f32, host>, %s: !cameo.tensor<[2, 64], f32, host>)
    -> (!cameo.tensor<[2, 16, 64], f32, host>, !cameo.tensor<[2, 64], f32, host>) {
  %left = "onnx.Constant"() <{value = dense<[2, 16, 256]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64, host>
  %right = "onnx.Constant"() <{value = dense<[2, 256, 64]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64, host>
  %0 = "onnx.Expand"(%a, %left) : (!cameo.tensor<[2, 16, 1], f32, host>, !cameo.tensor<[3], i64, host>) -> !cameo.tensor<[2, 16, 256], f32, host>
  %1 = "onnx.Expand"(%b, %right) : (!cameo.tensor<[2, 1, 64], f32, host>, !cameo.tensor<[3], i64, host>) -> !cameo.tensor<[2, 256, 64], f32, host>
  %2 = "onnx.Softmax"(%s) <{axis = 1 : i64}> : (!cameo.tensor<[2, 64], f32, host>) -> !cameo.tensor<[2, 64], f32, host>
  %3 = "onnx.Softmax"(%2) <{axis = 1 : i64}> : (!cameo.tensor<[2, 64], f32, host>) -> !cameo.tensor<[2, 64], f32, host>
  %4 = "onnx.MatMul"(%0, %1) : (!cameo.tensor<[2, 16, 256], f32, host>, !cameo.tensor<[2, 256, 64], f32, host>) -> !cameo.tensor<[2, 16, 64], f32, host>
  func.return %4, %3 : !cameo.tensor<[2, 16, 64], f32, host>, !cameo.tensor<[2, 64], f32, host>
}

// -----

// A maximum that frees what is larger stays where it is.
// CHECK-LABEL: @reduce_early
// CHECK: prog.call "softmax"
// CHECK: prog.call "reduce"
// CHECK: prog.call "softmax"
func.func @reduce_early(%x: !cameo.tensor<[N, 256], f32, host>, %s: !cameo.tensor<[N, 64], f32, host>)
    -> !cameo.tensor<[N, 64], f32, host> {
  %axes = "onnx.Constant"() <{value = dense<1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %0 = "onnx.Softmax"(%x) <{axis = 1 : i64}> : (!cameo.tensor<[N, 256], f32, host>) -> !cameo.tensor<[N, 256], f32, host>
  %1 = "onnx.ReduceMax"(%0, %axes) <{keepdims = 1 : i64}>
      : (!cameo.tensor<[N, 256], f32, host>, !cameo.tensor<[1], i64, host>) -> !cameo.tensor<[N, 1], f32, host>
  %2 = "onnx.Softmax"(%s) <{axis = 1 : i64}> : (!cameo.tensor<[N, 64], f32, host>) -> !cameo.tensor<[N, 64], f32, host>
  %3 = "onnx.Softmax"(%2) <{axis = 1 : i64}> : (!cameo.tensor<[N, 64], f32, host>) -> !cameo.tensor<[N, 64], f32, host>
  %4 = "onnx.Add"(%3, %1) : (!cameo.tensor<[N, 64], f32, host>, !cameo.tensor<[N, 1], f32, host>) -> !cameo.tensor<[N, 64], f32, host>
  func.return %4 : !cameo.tensor<[N, 64], f32, host>
}
