// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @concat_from_sequence_stacks
// CHECK: "onnx.ConcatFromSequence"{{.*}} -> !cameo.tensor<[N, element, 3], f32>
func.func @concat_from_sequence_stacks(%s: !cameo.seq<!cameo.tensor<[N, 3], f32>>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ConcatFromSequence"(%s) <{axis = 1 : i64, new_axis = 1 : i64}>
      : (!cameo.seq<!cameo.tensor<[N, 3], f32>>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @concat_from_sequence_c1(%s: !cameo.seq<!cameo.tensor<[N, 3], f32>>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{axis (C1) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.ConcatFromSequence"(%s) <{axis = 2 : i64}>
      : (!cameo.seq<!cameo.tensor<[N, 3], f32>>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
