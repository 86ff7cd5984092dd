// RUN: cameo-opt %s --cameo-simplify --split-input-file | FileCheck %s
//
// Operators that do nothing, undo or repeat: only where that is exact for every input.

// CHECK-LABEL: @neutral
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg0
func.func @neutral(%x: !cameo.tensor<[N], f32>) -> (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>,
                                                    !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) {
  %one = "onnx.Constant"() <{value = dense<1.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %zero = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %minus = "onnx.Constant"() <{value = dense<-0.0> : tensor<1xf32>}> : () -> !cameo.tensor<[1], f32>
  %0 = "onnx.Mul"(%one, %x) : (!cameo.tensor<[], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %1 = "onnx.Div"(%x, %one) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  %2 = "onnx.Sub"(%x, %zero) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  %3 = "onnx.Add"(%x, %minus) : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], f32>) -> !cameo.tensor<[N], f32>
  func.return %0, %1, %2, %3 : !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>,
                               !cameo.tensor<[N], f32>
}

// -----

// -0 + 0 is 0; 0 - x is not x; and a constant may widen.
// CHECK-LABEL: @not_neutral
// CHECK: onnx.Add
// CHECK: onnx.Sub
// CHECK: onnx.Mul
func.func @not_neutral(%x: !cameo.tensor<[1], f32>) -> (!cameo.tensor<[1], f32>, !cameo.tensor<[1], f32>,
                                                        !cameo.tensor<[4], f32>) {
  %zero = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %ones = "onnx.Constant"() <{value = dense<1.0> : tensor<4xf32>}> : () -> !cameo.tensor<[4], f32>
  %0 = "onnx.Add"(%x, %zero) : (!cameo.tensor<[1], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[1], f32>
  %1 = "onnx.Sub"(%zero, %x) : (!cameo.tensor<[], f32>, !cameo.tensor<[1], f32>) -> !cameo.tensor<[1], f32>
  %2 = "onnx.Mul"(%x, %ones) : (!cameo.tensor<[1], f32>, !cameo.tensor<[4], f32>) -> !cameo.tensor<[4], f32>
  func.return %0, %1, %2 : !cameo.tensor<[1], f32>, !cameo.tensor<[1], f32>, !cameo.tensor<[4], f32>
}

// -----

// CHECK-LABEL: @integers_have_one_zero
// CHECK-NEXT: return %arg0
func.func @integers_have_one_zero(%x: !cameo.tensor<[N], i32>) -> !cameo.tensor<[N], i32> {
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<i32>}> : () -> !cameo.tensor<[], i32>
  %0 = "onnx.Add"(%x, %zero) : (!cameo.tensor<[N], i32>, !cameo.tensor<[], i32>) -> !cameo.tensor<[N], i32>
  func.return %0 : !cameo.tensor<[N], i32>
}

// -----

// CHECK-LABEL: @twice
// CHECK: "onnx.Relu"(%arg0)
// CHECK-NOT: onnx
// CHECK: return %arg0, %{{.*}} :
func.func @twice(%x: !cameo.tensor<[N], f32>) -> (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) {
  %a = "onnx.Neg"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %0 = "onnx.Neg"(%a) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %b = "onnx.Relu"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %1 = "onnx.Relu"(%b) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  func.return %0, %1 : !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>
}

// -----

// An inverse that is a number is as good as the division; one that has to be rounded is not.
// CHECK-LABEL: @inverses
// CHECK: %[[C:.*]] = "onnx.Constant"() <{value = dense<-1.250000e-01> : tensor<f32>}>
// CHECK: "onnx.Mul"(%arg0, %[[C]])
// CHECK: "onnx.Div"(%arg0
// CHECK: "onnx.Div"(%arg0
func.func @inverses(%x: !cameo.tensor<[N], f32>) -> (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) {
  %a = "onnx.Constant"() <{value = dense<-8.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %b = "onnx.Constant"() <{value = dense<3.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %c = "onnx.Constant"() <{value = dense<0x7F000000> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %0 = "onnx.Div"(%x, %a) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  %1 = "onnx.Div"(%x, %b) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  %2 = "onnx.Div"(%x, %c) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  func.return %0, %1, %2 : !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>
}

// -----

// CHECK-LABEL: @identity_and_dropout
// CHECK-NEXT: return %arg0
func.func @identity_and_dropout(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32> {
  %a = "onnx.Identity"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %0:2 = "onnx.Dropout"(%a) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[N], f32>) -> (!cameo.tensor<[N], f32>, !cameo.tensor<[N], i1>)
  func.return %0#0 : !cameo.tensor<[N], f32>
}

// -----

// CHECK-LABEL: @exact_casts_join
// CHECK: "onnx.Cast"(%arg0){{.*}}: (!cameo.tensor<[N], i8>) -> !cameo.tensor<[N], f32>
// CHECK-NOT: onnx.Cast
// CHECK: return %{{.*}}, %arg1
func.func @exact_casts_join(%x: !cameo.tensor<[N], i8>, %y: !cameo.tensor<[N], f16>)
    -> (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f16>) {
  %a = "onnx.Cast"(%x) <{to = 6 : i64}> : (!cameo.tensor<[N], i8>) -> !cameo.tensor<[N], i32>
  %0 = "onnx.Cast"(%a) <{to = 1 : i64}> : (!cameo.tensor<[N], i32>) -> !cameo.tensor<[N], f32>
  %b = "onnx.Cast"(%y) <{to = 1 : i64}> : (!cameo.tensor<[N], f16>) -> !cameo.tensor<[N], f32>
  %1 = "onnx.Cast"(%b) <{to = 10 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f16>
  func.return %0, %1 : !cameo.tensor<[N], f32>, !cameo.tensor<[N], f16>
}

// -----

// The first rounds; or the second saturates what would wrap.
// CHECK-LABEL: @inexact_casts_stay
// CHECK-COUNT-4: onnx.Cast
func.func @inexact_casts_stay(%x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[N], i32>)
    -> (!cameo.tensor<[N], f32>, !cameo.tensor<[N], i8>) {
  %a = "onnx.Cast"(%x) <{to = 10 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f16>
  %0 = "onnx.Cast"(%a) <{to = 1 : i64}> : (!cameo.tensor<[N], f16>) -> !cameo.tensor<[N], f32>
  %b = "onnx.Cast"(%y) <{to = 11 : i64}> : (!cameo.tensor<[N], i32>) -> !cameo.tensor<[N], f64>
  %1 = "onnx.Cast"(%b) <{to = 3 : i64}> : (!cameo.tensor<[N], f64>) -> !cameo.tensor<[N], i8>
  func.return %0, %1 : !cameo.tensor<[N], f32>, !cameo.tensor<[N], i8>
}

// -----

// CHECK-LABEL: @transposes_join
// CHECK: "onnx.Transpose"(%arg0) <{perm = array<i64: 2, 1, 0>}>
// CHECK-NOT: onnx.Transpose
// CHECK: return %{{.*}}, %arg0
func.func @transposes_join(%x: !cameo.tensor<[A, B, C], f32>) -> (!cameo.tensor<[C, B, A], f32>, !cameo.tensor<[A, B, C], f32>) {
  %a = "onnx.Transpose"(%x) <{perm = array<i64: 1, 2, 0>}> : (!cameo.tensor<[A, B, C], f32>) -> !cameo.tensor<[B, C, A], f32>
  %0 = "onnx.Transpose"(%a) <{perm = array<i64: 1, 0, 2>}> : (!cameo.tensor<[B, C, A], f32>) -> !cameo.tensor<[C, B, A], f32>
  %1 = "onnx.Transpose"(%a) <{perm = array<i64: 2, 0, 1>}> : (!cameo.tensor<[B, C, A], f32>) -> !cameo.tensor<[A, B, C], f32>
  func.return %0, %1 : !cameo.tensor<[C, B, A], f32>, !cameo.tensor<[A, B, C], f32>
}

// -----

// CHECK-LABEL: @views_join
// CHECK: prog.from_extents [#cameo.extent<N>, #cameo.extent<12>]
// CHECK: "onnx.Reshape"(%arg0, %{{.*}}) {{.*}} -> !cameo.tensor<[N, 12], f32>
// CHECK-NOT: onnx.Flatten
func.func @views_join(%x: !cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<[N, 12], f32> {
  %s = prog.from_extents [#cameo.extent<N>, #cameo.extent<4>, #cameo.extent<3>] -> <[3], i64>
  %a = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[N, 3, 4], f32>, !cameo.tensor<[3], i64>) -> !cameo.tensor<[N, 4, 3], f32>
  %0 = "onnx.Flatten"(%a) : (!cameo.tensor<[N, 4, 3], f32>) -> !cameo.tensor<[N, 12], f32>
  func.return %0 : !cameo.tensor<[N, 12], f32>
}

// -----

// Whether N elements are A * B is known at run time only: the first Reshape checks it.
// CHECK-LABEL: @views_that_may_fail_stay
// CHECK: "onnx.Reshape"{{.*}} -> !cameo.tensor<[A, B], f32>
func.func @views_that_may_fail_stay(%x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[A, B], f32>) -> !cameo.tensor<[A * B], f32> {
  %s = prog.from_extents [#cameo.extent<A>, #cameo.extent<B>] -> <[2], i64>
  %a = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[N], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[A, B], f32>
  %t = prog.from_extents [#cameo.extent<A * B>] -> <[1], i64>
  %0 = "onnx.Reshape"(%a, %t) : (!cameo.tensor<[A, B], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[A * B], f32>
  func.return %0 : !cameo.tensor<[A * B], f32>
}
