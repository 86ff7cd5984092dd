// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @sequence_length_is_a_scalar
// CHECK: "onnx.SequenceLength"{{.*}} -> !cameo.tensor<[], i64>
func.func @sequence_length_is_a_scalar(%s: !cameo.seq<!cameo.tensor<[N, 3], f32>>) -> !cameo.tensor<*, i64> {
  %0 = "onnx.SequenceLength"(%s) : (!cameo.seq<!cameo.tensor<[N, 3], f32>>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
