// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @stft_counts_frames
// CHECK: "onnx.STFT"{{.*}} -> !cameo.tensor<[B, 15, 9, 2], f32>
func.func @stft_counts_frames(%x: !cameo.tensor<[B, 128, 1], f32>, %w: !cameo.tensor<[16], f32>)
    -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<8> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.STFT"(%x, %s, %w) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[B, 128, 1], f32>, !cameo.tensor<[], i64>, !cameo.tensor<[16], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @stft_c2(%x: !cameo.tensor<[B, 128, 1], f32>, %w: !cameo.tensor<[16], f32>)
    -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{has a frame_step of 0 (C2)}}
  %0 = "onnx.STFT"(%x, %s, %w) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[B, 128, 1], f32>, !cameo.tensor<[], i64>, !cameo.tensor<[16], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @stft_c4(%x: !cameo.tensor<[B, 8, 1], f32>, %w: !cameo.tensor<[16], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<8> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{has frames longer than the signal (C4, got 16, need at most 8)}}
  %0 = "onnx.STFT"(%x, %s, %w) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[B, 8, 1], f32>, !cameo.tensor<[], i64>, !cameo.tensor<[16], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// Of a real signal the axis of parts may be missing.
// CHECK-LABEL: @stft_c1_real
// CHECK: "onnx.STFT"{{.*}} -> !cameo.tensor<[B, 15, 9, 2], f32>
func.func @stft_c1_real(%x: !cameo.tensor<[B, 128], f32>, %w: !cameo.tensor<[16], f32>)
    -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<8> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.STFT"(%x, %s, %w) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[B, 128], f32>, !cameo.tensor<[], i64>, !cameo.tensor<[16], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @stft_c1(%x: !cameo.tensor<[B, 128, 3], f32>, %w: !cameo.tensor<[16], f32>)
    -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<8> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{has a last extent of signal (C1) other than 1 and 2 (got 3)}}
  %0 = "onnx.STFT"(%x, %s, %w) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[B, 128, 3], f32>, !cameo.tensor<[], i64>, !cameo.tensor<[16], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
