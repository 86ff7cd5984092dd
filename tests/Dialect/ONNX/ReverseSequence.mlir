// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @reverse_sequence_keeps_extents
// CHECK: "onnx.ReverseSequence"{{.*}} -> !cameo.tensor<[T, B, 3], f32>
func.func @reverse_sequence_keeps_extents(%x: !cameo.tensor<[T, B, 3], f32>, %l: !cameo.tensor<[B], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.ReverseSequence"(%x, %l)
      : (!cameo.tensor<[T, B, 3], f32>, !cameo.tensor<[B], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reverse_sequence_c1(%x: !cameo.tensor<[T], f32>, %l: !cameo.tensor<[T], i64>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of input (C1) (got 1, need at least 2)}}
  %0 = "onnx.ReverseSequence"(%x, %l) : (!cameo.tensor<[T], f32>, !cameo.tensor<[T], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reverse_sequence_c2(%x: !cameo.tensor<[T, B], f32>, %l: !cameo.tensor<[B], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{needs batch_axis and time_axis to be 0 and 1 (C2, got 1 and 2)}}
  %0 = "onnx.ReverseSequence"(%x, %l) <{time_axis = 2 : i64}>
      : (!cameo.tensor<[T, B], f32>, !cameo.tensor<[B], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @reverse_sequence_c3(%x: !cameo.tensor<[T, 4], f32>, %l: !cameo.tensor<[3], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in sequence_lens (C3) (got 3, need 4)}}
  %0 = "onnx.ReverseSequence"(%x, %l)
      : (!cameo.tensor<[T, 4], f32>, !cameo.tensor<[3], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
