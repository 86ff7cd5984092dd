// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @sequence_erase_keeps_the_type
// CHECK: "onnx.SequenceErase"{{.*}} -> !cameo.seq<!cameo.tensor<[N, 3], f32>>
func.func @sequence_erase_keeps_the_type(%s: !cameo.seq<!cameo.tensor<[N, 3], f32>>)
    -> !cameo.seq<!cameo.tensor<*, f32>> {
  %0 = "onnx.SequenceErase"(%s) : (!cameo.seq<!cameo.tensor<[N, 3], f32>>) -> !cameo.seq<!cameo.tensor<*, f32>>
  func.return %0 : !cameo.seq<!cameo.tensor<*, f32>>
}
