// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @reshape_infers_minus_one
// CHECK: "onnx.Reshape"{{.*}} -> !cameo.tensor<[N, 12], f32>
func.func @reshape_infers_minus_one(%x: !cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0, -1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[N, 3, 4], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @reshape_cancels_zeros
// CHECK: "onnx.Reshape"{{.*}} -> !cameo.tensor<[0, 3], f32>
func.func @reshape_cancels_zeros(%x: !cameo.tensor<[0, 3], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0, -1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[0, 3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @reshape_cancels_symbols
// CHECK: "onnx.Reshape"{{.*}} -> !cameo.tensor<[B, 2 * S, 3], f32>
func.func @reshape_cancels_symbols(%x: !cameo.tensor<[B, S, 6], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0, -1, 3]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64>
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[B, S, 6], f32>, !cameo.tensor<[3], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @reshape_divides_symbols
// CHECK: "onnx.Reshape"{{.*}} -> !cameo.tensor<[3 * N, 2], f32>
func.func @reshape_divides_symbols(%x: !cameo.tensor<[N, 6], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[-1, 2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[N, 6], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @reshape_keeps_zero
// CHECK: "onnx.Reshape"{{.*}} -> !cameo.tensor<[3, 0], f32>
func.func @reshape_keeps_zero(%x: !cameo.tensor<[0, 3], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[3, 0]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Reshape"(%x, %s) <{allowzero = 1 : i64}>
      : (!cameo.tensor<[0, 3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reshape_c1_two(%x: !cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[-1, -1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has more than one -1 in shape (C1)}}
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[N, 3, 4], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reshape_c1_below(%x: !cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[-2, 1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has an element below -1 in shape (C1, got -2)}}
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[N, 3, 4], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reshape_c2(%x: !cameo.tensor<[2, 3], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[4, 2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{does not fit in the number of elements (C2) (got 8, need 6)}}
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[2, 3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reshape_c2_inferred(%x: !cameo.tensor<[2, 3], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[4, -1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{cannot infer the -1 in shape (C2, got 6 elements, need a multiple of 4)}}
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[2, 3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reshape_c4_zero(%x: !cameo.tensor<[0, 3], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[3, 3, 0]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64>
  // expected-error @+1 {{copies extent 2 of a tensor of rank 2 (C4)}}
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[0, 3], f32>, !cameo.tensor<[3], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reshape_c3(%x: !cameo.tensor<[0, 3], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0, -1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has both 0 and -1 in shape with allowzero set (C3)}}
  %0 = "onnx.Reshape"(%x, %s) <{allowzero = 1 : i64}>
      : (!cameo.tensor<[0, 3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reshape_c4(%x: !cameo.tensor<[6], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[6, 0]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{copies extent 1 of a tensor of rank 1 (C4)}}
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[6], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
