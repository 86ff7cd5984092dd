// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @pad_adds_and_removes
// CHECK: "onnx.Pad"{{.*}} -> !cameo.tensor<[N + 1, 9], f32>
func.func @pad_adds_and_removes(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<*, f32> {
  %p = "onnx.Constant"() <{value = dense<[1, -2, 0, 3]> : tensor<4xi64>}> : () -> !cameo.tensor<[4], i64>
  %0 = "onnx.Pad"(%x, %p) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[4], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @pad_some_axes
// CHECK: "onnx.Pad"{{.*}} -> !cameo.tensor<[N, 11], f32>
func.func @pad_some_axes(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<*, f32> {
  %p = "onnx.Constant"() <{value = dense<[1, 2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %a = "onnx.Constant"() <{value = dense<[-1]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.Pad"(%x, %p, %a) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[2], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @pad_c1(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<*, f32> {
  %p = "onnx.Constant"() <{value = dense<[0, 0, 0, 0]> : tensor<4xi64>}> : () -> !cameo.tensor<[4], i64>
  // expected-error @+1 {{has an unknown mode (C1) (got }}
  %0 = "onnx.Pad"(%x, %p) <{mode = "mirror", operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[4], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @pad_c2(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<*, f32> {
  %p = "onnx.Constant"() <{value = dense<[1, 2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %a = "onnx.Constant"() <{value = dense<[2]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{axes (C2) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.Pad"(%x, %p, %a) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[2], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @pad_c3(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<*, f32> {
  %p = "onnx.Constant"() <{value = dense<[1, 2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has a wrong number of pads (C3, got 2, need 4)}}
  %0 = "onnx.Pad"(%x, %p) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @pad_c4(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<*, f32> {
  %p = "onnx.Constant"() <{value = dense<[0, -5, 0, -4]> : tensor<4xi64>}> : () -> !cameo.tensor<[4], i64>
  // expected-error @+1 {{has pads that leave a negative extent at axis 1 (C4, got -1)}}
  %0 = "onnx.Pad"(%x, %p) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[4], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @pad_c5(%x: !cameo.tensor<[N, 8], f32>, %v: !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32> {
  %p = "onnx.Constant"() <{value = dense<[0, 0, 0, 0]> : tensor<4xi64>}> : () -> !cameo.tensor<[4], i64>
  // expected-error @+1 {{needs one element in constant_value (C5), got 2}}
  %0 = "onnx.Pad"(%x, %p, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[4], i64>, !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @pad_a_runtime_axis
// CHECK: prog.bind_elements [#cameo.symbol<"a" in [-2, 1]>]
// CHECK: "onnx.Pad"{{.*}} -> !cameo.tensor<[N - 3 * (a mod 2) + 3, 11 - 3 * ((a + 1) mod 2)], f32>
func.func @pad_a_runtime_axis(%x: !cameo.tensor<[N, 8], f32>, %a: !cameo.tensor<[1], i64> {onnx.name = "a"})
    -> !cameo.tensor<*, f32> {
  %p = "onnx.Constant"() <{value = dense<[1, 2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Pad"(%x, %p, %a) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>}>
      : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[2], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
