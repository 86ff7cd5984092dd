// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @sequence_at_names_extents
// CHECK: "onnx.SequenceAt"{{.*}} -> !cameo.tensor<[N, element], f32>
func.func @sequence_at_names_extents(%s: !cameo.seq<!cameo.tensor<[N, ?], f32>>, %p: !cameo.tensor<[], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.SequenceAt"(%s, %p)
      : (!cameo.seq<!cameo.tensor<[N, ?], f32>>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
