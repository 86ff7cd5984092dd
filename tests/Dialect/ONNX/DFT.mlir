// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @dft_onesided
// CHECK: "onnx.DFT"{{.*}} -> !cameo.tensor<[B, 9, 2], f32>
func.func @dft_onesided(%x: !cameo.tensor<[B, 16, 1], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.DFT"(%x) <{onesided = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[B, 16, 1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @dft_inverse_onesided
// CHECK: "onnx.DFT"{{.*}} -> !cameo.tensor<[B, 16, 1], f32>
func.func @dft_inverse_onesided(%x: !cameo.tensor<[B, 9, 2], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.DFT"(%x) <{inverse = 1 : i64, onesided = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[B, 9, 2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @dft_of_a_length
// CHECK: "onnx.DFT"{{.*}} -> !cameo.tensor<[B, 20, 2], f32>
func.func @dft_of_a_length(%x: !cameo.tensor<[B, 16, 1], f32>) -> !cameo.tensor<*, f32> {
  %l = "onnx.Constant"() <{value = dense<20> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.DFT"(%x, %l) <{operandSegmentSizes = array<i32: 1, 1, 0>}>
      : (!cameo.tensor<[B, 16, 1], f32>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @dft_c1(%x: !cameo.tensor<[B, 16, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a last extent of input (C1) other than 1 and 2 (got 3)}}
  %0 = "onnx.DFT"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[B, 16, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @dft_c2(%x: !cameo.tensor<[B, 16, 1], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<-1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{transforms the axis of real and imaginary parts (C2)}}
  %0 = "onnx.DFT"(%x, %a) <{operandSegmentSizes = array<i32: 1, 0, 1>}>
      : (!cameo.tensor<[B, 16, 1], f32>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @dft_c4(%x: !cameo.tensor<[B, 16, 2], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{is onesided and has complex input (C4)}}
  %0 = "onnx.DFT"(%x) <{onesided = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[B, 16, 2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
