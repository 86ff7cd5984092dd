// RUN: cameo-opt %s --cameo-set-target=precision=strict --cameo-simplify --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-simplify --split-input-file | FileCheck %s --check-prefix=NONE

// A target without blocks of channels keeps the views.
// NONE-LABEL: @shuffle
// NONE-NOT: onnx.Gather
// NONE: return

!image = !cameo.tensor<[N, 6, H, W], f32>
!parts = !cameo.tensor<[N, 2, 3, H, W], f32>
!swapped = !cameo.tensor<[N, 3, 2, H, W], f32>

// CHECK-LABEL: @shuffle
// CHECK: %[[I:.*]] = "onnx.Constant"() <{value = dense<[0, 3, 1, 4, 2, 5]>
// CHECK: %[[Y:.*]] = "onnx.Gather"(%arg0, %[[I]]) <{axis = 1 : i64}>
// CHECK: return %[[Y]]
func.func @shuffle(%x: !image) -> !image {
  %s = prog.from_extents [#cameo.extent<N>, #cameo.extent<2>, #cameo.extent<3>, #cameo.extent<H>, #cameo.extent<W>] -> !cameo.tensor<[5], i64>
  %t = prog.from_extents [#cameo.extent<N>, #cameo.extent<6>, #cameo.extent<H>, #cameo.extent<W>] -> !cameo.tensor<[4], i64>
  %0 = "onnx.Reshape"(%x, %s) : (!image, !cameo.tensor<[5], i64>) -> !parts
  %1 = "onnx.Transpose"(%0) <{perm = array<i64: 0, 2, 1, 3, 4>}> : (!parts) -> !swapped
  %2 = "onnx.Reshape"(%1, %t) : (!swapped, !cameo.tensor<[4], i64>) -> !image
  func.return %2 : !image
}

// -----

// Without elements, views may have any numbers of channels.
// CHECK-LABEL: @nothing
// CHECK-NOT: onnx.Gather
func.func @nothing(%x: !cameo.tensor<[0, 6, H, W], f32>) -> !cameo.tensor<[0, 6, H, W], f32> {
  %s = prog.from_extents [#cameo.extent<0>, #cameo.extent<5>, #cameo.extent<2>, #cameo.extent<H>, #cameo.extent<W>] -> !cameo.tensor<[5], i64>
  %t = prog.from_extents [#cameo.extent<0>, #cameo.extent<6>, #cameo.extent<H>, #cameo.extent<W>] -> !cameo.tensor<[4], i64>
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[0, 6, H, W], f32>, !cameo.tensor<[5], i64>) -> !cameo.tensor<[0, 5, 2, H, W], f32>
  %1 = "onnx.Transpose"(%0) <{perm = array<i64: 0, 2, 1, 3, 4>}> : (!cameo.tensor<[0, 5, 2, H, W], f32>) -> !cameo.tensor<[0, 2, 5, H, W], f32>
  %2 = "onnx.Reshape"(%1, %t) : (!cameo.tensor<[0, 2, 5, H, W], f32>, !cameo.tensor<[4], i64>) -> !cameo.tensor<[0, 6, H, W], f32>
  func.return %2 : !cameo.tensor<[0, 6, H, W], f32>
}

// -----

!image = !cameo.tensor<[N, 6, H, H], f32>
!parts = !cameo.tensor<[N, 2, 3, H, H], f32>

// Rows become columns: no matter of channels.
// CHECK-LABEL: @rows
// CHECK-NOT: onnx.Gather
func.func @rows(%x: !image) -> !image {
  %s = prog.from_extents [#cameo.extent<N>, #cameo.extent<2>, #cameo.extent<3>, #cameo.extent<H>, #cameo.extent<H>] -> !cameo.tensor<[5], i64>
  %t = prog.from_extents [#cameo.extent<N>, #cameo.extent<6>, #cameo.extent<H>, #cameo.extent<H>] -> !cameo.tensor<[4], i64>
  %0 = "onnx.Reshape"(%x, %s) : (!image, !cameo.tensor<[5], i64>) -> !parts
  %1 = "onnx.Transpose"(%0) <{perm = array<i64: 0, 1, 2, 4, 3>}> : (!parts) -> !parts
  %2 = "onnx.Reshape"(%1, %t) : (!parts, !cameo.tensor<[4], i64>) -> !image
  func.return %2 : !image
}

// -----

!image = !cameo.tensor<[N, 3, H, W], f32>

// A depthwise convolution takes its weights and bias to where the channels lie before.
// CHECK-LABEL: @depthwise
// CHECK-DAG: %[[W:.*]] = "onnx.Constant"() <{value = dense<{{.*}}2.000000e+00{{.*}}3.000000e+00{{.*}}1.000000e+00{{.*}}> : tensor<3x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = "onnx.Constant"() <{value = dense<[2.000000e+01, 3.000000e+01, 1.000000e+01]>
// CHECK-DAG: %[[I:.*]] = "onnx.Constant"() <{value = dense<[2, 0, 1]>
// CHECK: %[[C:.*]] = "onnx.Conv"(%arg0, %[[W]], %[[B]]) <{{.*}}group = 3
// CHECK: %[[Y:.*]] = "onnx.Gather"(%[[C]], %[[I]]) <{axis = 1 : i64}>
// CHECK: return %[[Y]]
func.func @depthwise(%x: !image) -> !image {
  %i = "onnx.Constant"() <{value = dense<[2, 0, 1]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64>
  %w = "onnx.Constant"() <{value = dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]]]> : tensor<3x1x1x1xf32>}> : () -> !cameo.tensor<[3, 1, 1, 1], f32>
  %b = "onnx.Constant"() <{value = dense<[10.0, 20.0, 30.0]> : tensor<3xf32>}> : () -> !cameo.tensor<[3], f32>
  %0 = "onnx.Gather"(%x, %i) <{axis = 1 : i64}> : (!image, !cameo.tensor<[3], i64>) -> !image
  %1 = "onnx.Conv"(%0, %w, %b) <{group = 3 : i64}> : (!image, !cameo.tensor<[3, 1, 1, 1], f32>, !cameo.tensor<[3], f32>) -> !image
  func.return %1 : !image
}

// -----

!image = !cameo.tensor<[N, 3, H, W], f32>

// One that mixes all channels has its weights in the other order.
// CHECK-LABEL: @mixed
// CHECK: %[[W:.*]] = "onnx.Constant"() <{value = dense<{{.*}}2.000000e+00{{.*}}3.000000e+00{{.*}}1.000000e+00{{.*}}> : tensor<1x3x1x1xf32>
// CHECK-NOT: onnx.Gather
// CHECK: "onnx.Conv"(%arg0, %[[W]])
func.func @mixed(%x: !image) -> !cameo.tensor<[N, 1, H, W], f32> {
  %i = "onnx.Constant"() <{value = dense<[2, 0, 1]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64>
  %w = "onnx.Constant"() <{value = dense<[[[[1.0]], [[2.0]], [[3.0]]]]> : tensor<1x3x1x1xf32>}> : () -> !cameo.tensor<[1, 3, 1, 1], f32>
  %0 = "onnx.Gather"(%x, %i) <{axis = 1 : i64}> : (!image, !cameo.tensor<[3], i64>) -> !image
  %1 = "onnx.Conv"(%0, %w) : (!image, !cameo.tensor<[1, 3, 1, 1], f32>) -> !cameo.tensor<[N, 1, H, W], f32>
  func.return %1 : !cameo.tensor<[N, 1, H, W], f32>
}

// -----

!image = !cameo.tensor<[N, 3, H, W], f32>

// A channel that is taken twice is no shuffle; there is no place for the weights of both.
// CHECK-LABEL: @repeated
// CHECK: %[[X:.*]] = "onnx.Gather"(%arg0
// CHECK: "onnx.Conv"(%[[X]]
func.func @repeated(%x: !image) -> !image {
  %i = "onnx.Constant"() <{value = dense<[2, 0, 2]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64>
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<3x1x1x1xf32>}> : () -> !cameo.tensor<[3, 1, 1, 1], f32>
  %0 = "onnx.Gather"(%x, %i) <{axis = 1 : i64}> : (!image, !cameo.tensor<[3], i64>) -> !image
  %1 = "onnx.Conv"(%0, %w) <{group = 3 : i64}> : (!image, !cameo.tensor<[3, 1, 1, 1], f32>) -> !image
  func.return %1 : !image
}
