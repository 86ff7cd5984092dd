// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file | FileCheck %s
//
// Extents as expressions of the inputs' symbols, through chains of operators.

// CHECK-LABEL: @slice_of_a_concat
// CHECK: "onnx.Concat"{{.*}} -> !cameo.tensor<[M + N, 8], f32>
// CHECK: "onnx.Slice"{{.*}} -> !cameo.tensor<[M + N - min(M + N, 1), 8], f32>
func.func @slice_of_a_concat(%x: !cameo.tensor<[N, 8], f32>, %y: !cameo.tensor<[M, 8], f32>)
    -> !cameo.tensor<*, f32> {
  %c = "onnx.Concat"(%x, %y) <{axis = 0 : i64}>
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[M, 8], f32>) -> !cameo.tensor<*, f32>
  %b = "onnx.Constant"() <{value = dense<1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %e = "onnx.Constant"() <{value = dense<9223372036854775807> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %a = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.Slice"(%c, %b, %e, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
      : (!cameo.tensor<*, f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>)
      -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// The heads of an attention: what Reshape takes apart it puts together again.
// CHECK-LABEL: @reshape_there_and_back
// CHECK: "onnx.Reshape"{{.*}} -> !cameo.tensor<[B, S, 4, 16], f32>
// CHECK: "onnx.Transpose"{{.*}} -> !cameo.tensor<[B, 4, S, 16], f32>
// CHECK: "onnx.Reshape"{{.*}} -> !cameo.tensor<[4 * B, S, 16], f32>
func.func @reshape_there_and_back(%x: !cameo.tensor<[B, S, 64], f32>) -> !cameo.tensor<*, f32> {
  %h = "onnx.Constant"() <{value = dense<[0, 0, 4, -1]> : tensor<4xi64>}> : () -> !cameo.tensor<[4], i64>
  %r = "onnx.Reshape"(%x, %h) : (!cameo.tensor<[B, S, 64], f32>, !cameo.tensor<[4], i64>) -> !cameo.tensor<*, f32>
  %t = "onnx.Transpose"(%r) <{perm = array<i64: 0, 2, 1, 3>}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[B, S, 64], f32>) -> !cameo.tensor<*, i64>
  %one = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %n = "onnx.Gather"(%s, %one) : (!cameo.tensor<*, i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  %z = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %u = "onnx.Unsqueeze"(%n, %z) : (!cameo.tensor<*, i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, i64>
  %m = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %d = "onnx.Constant"() <{value = dense<16> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %l = "onnx.Concat"(%m, %u, %d) <{axis = 0 : i64}>
      : (!cameo.tensor<[1], i64>, !cameo.tensor<*, i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, i64>
  %0 = "onnx.Reshape"(%t, %l) : (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// Shape, Gather, Mul, Concat: the chain itself is gone, what is left of it is the extents.
// CHECK-LABEL: @chain_becomes_extents
// CHECK: prog.from_extents [#cameo.extent<2 * H>, #cameo.extent<2 * W>]
// CHECK: "onnx.Expand"{{.*}} -> !cameo.tensor<[2 * H, 2 * W], f32>
func.func @chain_becomes_extents(%x: !cameo.tensor<[H, W], f32>, %y: !cameo.tensor<[1], f32>)
    -> !cameo.tensor<*, f32> {
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[H, W], f32>) -> !cameo.tensor<[2], i64>
  %two = "onnx.Constant"() <{value = dense<2> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %d = "onnx.Mul"(%s, %two) : (!cameo.tensor<[2], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[2], i64>
  %0 = "onnx.Expand"(%y, %d) : (!cameo.tensor<[1], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// Two unknown extents broadcast: the larger one, or 0.
// CHECK-LABEL: @broadcast_of_unknown_extents
// CHECK: "onnx.Add"{{.*}} -> !cameo.tensor<[min(M, 1) * min(N, 1) * max(M, N)], f32>
func.func @broadcast_of_unknown_extents(%x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[M], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Add"(%x, %y) : (!cameo.tensor<[N], f32>, !cameo.tensor<[M], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @broadcast_keeps_equal_extents
// CHECK: "onnx.Add"{{.*}} -> !cameo.tensor<[N, 3], f32>
func.func @broadcast_keeps_equal_extents(%x: !cameo.tensor<[N, 1], f32>, %y: !cameo.tensor<[N, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Add"(%x, %y) : (!cameo.tensor<[N, 1], f32>, !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// A bound of Clip that is absent leaves the other one where it belongs.
// CHECK-LABEL: func.func @clip_has_no_lower_bound(
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[min({{.*}}5{{.*}})], f32>
func.func @clip_has_no_lower_bound(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %most = "onnx.Constant"() <{value = dense<5> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, i64>
  %c = "onnx.Clip"(%s, %most) <{operandSegmentSizes = array<i32: 1, 0, 1>}>
      : (!cameo.tensor<*, i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  %0 = "onnx.ConstantOfShape"(%c) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
