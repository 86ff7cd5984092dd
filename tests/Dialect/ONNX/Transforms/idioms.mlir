// RUN: cameo-opt %s --cameo-simplify --split-input-file | FileCheck %s
//
// What exporters spell out becomes the operator that it is.

// CHECK-LABEL: @layer_normalization
// CHECK: "onnx.LayerNormalization"(%arg0, %arg1, %{{.*}}) <{axis = -1 : i64, epsilon = 9.99999974E-6 : f32
// CHECK-NOT: onnx.Sub
func.func @layer_normalization(%x: !cameo.tensor<[N, 8], f32>, %w: !cameo.tensor<[8], f32>) -> !cameo.tensor<[N, 8], f32> {
  %axes = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %eps = "onnx.Constant"() <{value = dense<1.0e-5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %two = "onnx.Constant"() <{value = dense<2.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %bias = "onnx.Constant"() <{value = dense<0.5> : tensor<8xf32>}> : () -> !cameo.tensor<[8], f32>
  %m = "onnx.ReduceMean"(%x, %axes)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 1], f32>
  %c = "onnx.Sub"(%x, %m)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N, 1], f32>) -> !cameo.tensor<[N, 8], f32>
  %sq = "onnx.Pow"(%c, %two)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 8], f32>
  %v = "onnx.ReduceMean"(%sq, %axes)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 1], f32>
  %ve = "onnx.Add"(%v, %eps)
      : (!cameo.tensor<[N, 1], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 1], f32>
  %d = "onnx.Sqrt"(%ve)
      : (!cameo.tensor<[N, 1], f32>) -> !cameo.tensor<[N, 1], f32>
  %q = "onnx.Div"(%c, %d)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N, 1], f32>) -> !cameo.tensor<[N, 8], f32>
  %s = "onnx.Mul"(%w, %q)
      : (!cameo.tensor<[8], f32>, !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %0 = "onnx.Add"(%s, %bias)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[8], f32>) -> !cameo.tensor<[N, 8], f32>
  func.return %0 : !cameo.tensor<[N, 8], f32>
}

// -----

// Without a scale and a bias it has a scale of 1.
// CHECK-LABEL: @bare_layer_normalization
// CHECK: %[[ONE:.*]] = "onnx.Constant"() <{value = dense<1.000000e+00> : tensor<f32>}>
// CHECK: "onnx.LayerNormalization"(%arg0, %[[ONE]])
func.func @bare_layer_normalization(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32> {
  %axes = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %eps = "onnx.Constant"() <{value = dense<1.0e-5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %m = "onnx.ReduceMean"(%x, %axes)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 1], f32>
  %c = "onnx.Sub"(%x, %m)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N, 1], f32>) -> !cameo.tensor<[N, 8], f32>
  %sq = "onnx.Mul"(%c, %c)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %v = "onnx.ReduceMean"(%sq, %axes)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 1], f32>
  %ve = "onnx.Add"(%v, %eps)
      : (!cameo.tensor<[N, 1], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 1], f32>
  %d = "onnx.Sqrt"(%ve)
      : (!cameo.tensor<[N, 1], f32>) -> !cameo.tensor<[N, 1], f32>
  %0 = "onnx.Div"(%c, %d)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N, 1], f32>) -> !cameo.tensor<[N, 8], f32>
  func.return %0 : !cameo.tensor<[N, 8], f32>
}

// -----

// The means are over different axes.
// CHECK-LABEL: @other_axes_stay
// CHECK-NOT: Normalization
func.func @other_axes_stay(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32> {
  %axes = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %eps = "onnx.Constant"() <{value = dense<1.0e-5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %first = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %m = "onnx.ReduceMean"(%x, %first)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1, 8], f32>
  %c = "onnx.Sub"(%x, %m)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %sq = "onnx.Mul"(%c, %c)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %v = "onnx.ReduceMean"(%sq, %first)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1, 8], f32>
  %ve = "onnx.Add"(%v, %eps)
      : (!cameo.tensor<[1, 8], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[1, 8], f32>
  %d = "onnx.Sqrt"(%ve)
      : (!cameo.tensor<[1, 8], f32>) -> !cameo.tensor<[1, 8], f32>
  %0 = "onnx.Div"(%c, %d)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  func.return %0 : !cameo.tensor<[N, 8], f32>
}

// -----

// CHECK-LABEL: @rms_normalization
// CHECK: "onnx.RMSNormalization"(%arg0, %arg1) <{axis = -1 : i64
// CHECK-NOT: onnx.Reciprocal
func.func @rms_normalization(%x: !cameo.tensor<[N, 8], f32>, %w: !cameo.tensor<[8], f32>) -> !cameo.tensor<[N, 8], f32> {
  %axes = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %eps = "onnx.Constant"() <{value = dense<1.0e-5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %two = "onnx.Constant"() <{value = dense<2.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %sq = "onnx.Pow"(%x, %two)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 8], f32>
  %v = "onnx.ReduceMean"(%sq, %axes)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 1], f32>
  %ve = "onnx.Add"(%v, %eps)
      : (!cameo.tensor<[N, 1], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 1], f32>
  %d = "onnx.Sqrt"(%ve)
      : (!cameo.tensor<[N, 1], f32>) -> !cameo.tensor<[N, 1], f32>
  %r = "onnx.Reciprocal"(%d)
      : (!cameo.tensor<[N, 1], f32>) -> !cameo.tensor<[N, 1], f32>
  %q = "onnx.Mul"(%x, %r)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N, 1], f32>) -> !cameo.tensor<[N, 8], f32>
  %0 = "onnx.Mul"(%q, %w)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[8], f32>) -> !cameo.tensor<[N, 8], f32>
  func.return %0 : !cameo.tensor<[N, 8], f32>
}

// -----

// CHECK-LABEL: @gelu
// CHECK: "onnx.Gelu"(%arg0) <{approximate = "none"}>
// CHECK-NOT: onnx.Erf
func.func @gelu(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32> {
  %root = "onnx.Constant"() <{value = dense<1.41421354> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %one = "onnx.Constant"() <{value = dense<1.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %half = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %a = "onnx.Div"(%x, %root)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 8], f32>
  %b = "onnx.Erf"(%a)
      : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %c = "onnx.Add"(%b, %one)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 8], f32>
  %d = "onnx.Mul"(%x, %c)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %0 = "onnx.Mul"(%d, %half)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 8], f32>
  func.return %0 : !cameo.tensor<[N, 8], f32>
}

// -----

// CHECK-LABEL: @gelu_by_tanh
// CHECK: "onnx.Gelu"(%arg0) <{approximate = "tanh"}>
// CHECK-NOT: onnx.Tanh
func.func @gelu_by_tanh(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32> {
  %three = "onnx.Constant"() <{value = dense<3.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %k = "onnx.Constant"() <{value = dense<0.044715> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %r = "onnx.Constant"() <{value = dense<0.797884583> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %one = "onnx.Constant"() <{value = dense<1.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %half = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %a = "onnx.Pow"(%x, %three)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 8], f32>
  %b = "onnx.Mul"(%k, %a)
      : (!cameo.tensor<[], f32>, !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %c = "onnx.Add"(%x, %b)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %d = "onnx.Mul"(%c, %r)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 8], f32>
  %e = "onnx.Tanh"(%d)
      : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %f = "onnx.Add"(%one, %e)
      : (!cameo.tensor<[], f32>, !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %h = "onnx.Mul"(%half, %x)
      : (!cameo.tensor<[], f32>, !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %0 = "onnx.Mul"(%h, %f)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  func.return %0 : !cameo.tensor<[N, 8], f32>
}

// -----

// Another function of x: the error function of 2 x.
// CHECK-LABEL: @other_functions_stay
// CHECK: onnx.Erf
// CHECK-NOT: onnx.Gelu
func.func @other_functions_stay(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32> {
  %two = "onnx.Constant"() <{value = dense<2.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %one = "onnx.Constant"() <{value = dense<1.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %half = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %a = "onnx.Mul"(%x, %two)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 8], f32>
  %b = "onnx.Erf"(%a)
      : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %c = "onnx.Add"(%b, %one)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 8], f32>
  %d = "onnx.Mul"(%x, %c)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %0 = "onnx.Mul"(%d, %half)
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 8], f32>
  func.return %0 : !cameo.tensor<[N, 8], f32>
}

// -----

// Halves that change places are one read of rows of two in the other order.
// CHECK-LABEL: @rotated_halves
// CHECK-DAG: %[[SIGNS:.*]] = "onnx.Constant"() <{value = dense<{{\[}}[-1.000000e+00], [1.000000e+00]]> : tensor<2x1xf32>}>
// CHECK: %[[ROWS:.*]] = "onnx.Reshape"(%arg0
// CHECK: %[[TURNED:.*]] = "onnx.Slice"(%[[ROWS]]
// CHECK: %[[SIGNED:.*]] = "onnx.Mul"(%[[TURNED]], %[[SIGNS]]) : {{.*}} -> !cameo.tensor<[N, 2, 32], f32>
// CHECK: "onnx.Reshape"(%[[SIGNED]]
// CHECK-NOT: onnx.Concat
func.func @rotated_halves(%x: !cameo.tensor<[N, 64], f32>) -> !cameo.tensor<[N, 64], f32> {
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %half = "onnx.Constant"() <{value = dense<32> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %end = "onnx.Constant"() <{value = dense<64> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %last = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %first = "onnx.Slice"(%x, %zero, %half, %last) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
      : (!cameo.tensor<[N, 64], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 32], f32>
  %second = "onnx.Slice"(%x, %half, %end, %last) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
      : (!cameo.tensor<[N, 64], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 32], f32>
  %negated = "onnx.Neg"(%second) : (!cameo.tensor<[N, 32], f32>) -> !cameo.tensor<[N, 32], f32>
  %0 = "onnx.Concat"(%negated, %first) <{axis = -1 : i64}>
      : (!cameo.tensor<[N, 32], f32>, !cameo.tensor<[N, 32], f32>) -> !cameo.tensor<[N, 64], f32>
  func.return %0 : !cameo.tensor<[N, 64], f32>
}

// -----

// Halves in their order, and parts that are no halves, stay as they are.
// CHECK-LABEL: @no_rotated_halves
// CHECK: onnx.Concat
// CHECK: onnx.Concat
// CHECK-NOT: onnx.Reshape
func.func @no_rotated_halves(%x: !cameo.tensor<[N, 64], f32>) -> (!cameo.tensor<[N, 64], f32>, !cameo.tensor<[N, 64], f32>) {
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %half = "onnx.Constant"() <{value = dense<32> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %third = "onnx.Constant"() <{value = dense<20> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %end = "onnx.Constant"() <{value = dense<64> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %last = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %first = "onnx.Slice"(%x, %zero, %half, %last) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
      : (!cameo.tensor<[N, 64], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 32], f32>
  %second = "onnx.Slice"(%x, %half, %end, %last) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
      : (!cameo.tensor<[N, 64], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 32], f32>
  %negated = "onnx.Neg"(%second) : (!cameo.tensor<[N, 32], f32>) -> !cameo.tensor<[N, 32], f32>
  %0 = "onnx.Concat"(%first, %negated) <{axis = -1 : i64}>
      : (!cameo.tensor<[N, 32], f32>, !cameo.tensor<[N, 32], f32>) -> !cameo.tensor<[N, 64], f32>
  %front = "onnx.Slice"(%x, %zero, %third, %last) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
      : (!cameo.tensor<[N, 64], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 20], f32>
  %back = "onnx.Slice"(%x, %third, %end, %last) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
      : (!cameo.tensor<[N, 64], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 44], f32>
  %1 = "onnx.Concat"(%back, %front) <{axis = -1 : i64}>
      : (!cameo.tensor<[N, 44], f32>, !cameo.tensor<[N, 20], f32>) -> !cameo.tensor<[N, 64], f32>
  func.return %0, %1 : !cameo.tensor<[N, 64], f32>, !cameo.tensor<[N, 64], f32>
}
