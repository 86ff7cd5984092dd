// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @lstm_gives_sequence_and_states
// CHECK: "onnx.LSTM"{{.*}} -> (!cameo.tensor<[S, 2, B, 8], f32>, !cameo.tensor<[2, B, 8], f32>, !cameo.tensor<[2, B, 8], f32>)
func.func @lstm_gives_sequence_and_states(%x: !cameo.tensor<[S, B, 4], f32>, %w: !cameo.tensor<[2, 32, 4], f32>, %r: !cameo.tensor<[2, 32, 8], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:3 = "onnx.LSTM"(%x, %w, %r) <{direction = "bidirectional", hidden_size = 8 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32>, !cameo.tensor<[2, 32, 4], f32>, !cameo.tensor<[2, 32, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @lstm_batch_first
// CHECK: "onnx.LSTM"{{.*}} -> (!cameo.tensor<[B, S, 1, 8], f32>, !cameo.tensor<[B, 1, 8], f32>, !cameo.tensor<[B, 1, 8], f32>)
func.func @lstm_batch_first(%x: !cameo.tensor<[B, S, 4], f32>, %w: !cameo.tensor<[1, 32, 4], f32>, %r: !cameo.tensor<[1, 32, 8], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:3 = "onnx.LSTM"(%x, %w, %r) <{layout = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}>
      : (!cameo.tensor<[B, S, 4], f32>, !cameo.tensor<[1, 32, 4], f32>, !cameo.tensor<[1, 32, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @lstm_c1(%x: !cameo.tensor<[S, B, 4], f32>, %w: !cameo.tensor<[1, 32, 4], f32>, %r: !cameo.tensor<[1, 32, 8], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has an unknown direction (C1) (got 'up')}}
  %0:3 = "onnx.LSTM"(%x, %w, %r) <{direction = "up", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32>, !cameo.tensor<[1, 32, 4], f32>, !cameo.tensor<[1, 32, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @lstm_c3(%x: !cameo.tensor<[S, B, 4], f32>, %w: !cameo.tensor<[1, 24, 4], f32>, %r: !cameo.tensor<[1, 32, 8], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{does not fit in W (C3) (got 24, need 32)}}
  %0:3 = "onnx.LSTM"(%x, %w, %r) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32>, !cameo.tensor<[1, 24, 4], f32>, !cameo.tensor<[1, 32, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @lstm_c4(%x: !cameo.tensor<[S, B, 4], f32>, %w: !cameo.tensor<[1, 32, 4], f32>, %r: !cameo.tensor<[1, 32, 8], f32>, %b: !cameo.tensor<[1, 32], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{does not fit in B (C4) (got 32, need 64)}}
  %0:3 = "onnx.LSTM"(%x, %w, %r, %b) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32>, !cameo.tensor<[1, 32, 4], f32>, !cameo.tensor<[1, 32, 8], f32>, !cameo.tensor<[1, 32], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @lstm_c5_count(%x: !cameo.tensor<[S, B, 4], f32>, %w: !cameo.tensor<[1, 32, 4], f32>, %r: !cameo.tensor<[1, 32, 8], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a wrong number of activations (C5, got 1, need 3)}}
  %0:3 = "onnx.LSTM"(%x, %w, %r) <{activations = ["Tanh"], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32>, !cameo.tensor<[1, 32, 4], f32>, !cameo.tensor<[1, 32, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @lstm_c5_name(%x: !cameo.tensor<[S, B, 4], f32>, %w: !cameo.tensor<[1, 32, 4], f32>, %r: !cameo.tensor<[1, 32, 8], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has an activation that ONNX does not have (C5) (got 'Sin')}}
  %0:3 = "onnx.LSTM"(%x, %w, %r) <{activations = ["Tanh", "Tanh", "Sin"], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32>, !cameo.tensor<[1, 32, 4], f32>, !cameo.tensor<[1, 32, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @lstm_c6(%x: !cameo.tensor<[S, B, 4], f32>, %w: !cameo.tensor<[1, 32, 4], f32>, %r: !cameo.tensor<[1, 32, 8], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a negative clip (C6)}}
  %0:3 = "onnx.LSTM"(%x, %w, %r) <{clip = -1.0 : f32, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32>, !cameo.tensor<[1, 32, 4], f32>, !cameo.tensor<[1, 32, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}
