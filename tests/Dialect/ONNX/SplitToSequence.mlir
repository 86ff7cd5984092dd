// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @split_to_sequence_drops_the_axis
// CHECK: "onnx.SplitToSequence"{{.*}} -> !cameo.seq<!cameo.tensor<[N], f32>>
func.func @split_to_sequence_drops_the_axis(%x: !cameo.tensor<[N, 3], f32>)
    -> !cameo.seq<!cameo.tensor<*, f32>> {
  %0 = "onnx.SplitToSequence"(%x) <{axis = 1 : i64, keepdims = 0 : i64}>
      : (!cameo.tensor<[N, 3], f32>) -> !cameo.seq<!cameo.tensor<*, f32>>
  func.return %0 : !cameo.seq<!cameo.tensor<*, f32>>
}

// -----

// CHECK-LABEL: @split_to_sequence_of_equal_pieces
// CHECK: "onnx.SplitToSequence"{{.*}} -> !cameo.seq<!cameo.tensor<[N, 2], f32>>
func.func @split_to_sequence_of_equal_pieces(%x: !cameo.tensor<[N, 6], f32>)
    -> !cameo.seq<!cameo.tensor<*, f32>> {
  %s = "onnx.Constant"() <{value = dense<2> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.SplitToSequence"(%x, %s) <{axis = 1 : i64}>
      : (!cameo.tensor<[N, 6], f32>, !cameo.tensor<[], i64>) -> !cameo.seq<!cameo.tensor<*, f32>>
  func.return %0 : !cameo.seq<!cameo.tensor<*, f32>>
}

// -----

func.func @split_to_sequence_c2(%x: !cameo.tensor<[N, 6], f32>) -> !cameo.seq<!cameo.tensor<*, f32>> {
  %s = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{has an element of split out of range (C2, got 0)}}
  %0 = "onnx.SplitToSequence"(%x, %s) <{axis = 1 : i64}>
      : (!cameo.tensor<[N, 6], f32>, !cameo.tensor<[], i64>) -> !cameo.seq<!cameo.tensor<*, f32>>
  func.return %0 : !cameo.seq<!cameo.tensor<*, f32>>
}

// -----

func.func @split_to_sequence_c3(%x: !cameo.tensor<[N, 6], f32>) -> !cameo.seq<!cameo.tensor<*, f32>> {
  %s = "onnx.Constant"() <{value = dense<[2, 3]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{does not fit in the sum of split (C3) (got 5, need 6)}}
  %0 = "onnx.SplitToSequence"(%x, %s) <{axis = 1 : i64}>
      : (!cameo.tensor<[N, 6], f32>, !cameo.tensor<[2], i64>) -> !cameo.seq<!cameo.tensor<*, f32>>
  func.return %0 : !cameo.seq<!cameo.tensor<*, f32>>
}
