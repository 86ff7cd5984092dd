// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @sequence_construct_joins_types
// CHECK: "onnx.SequenceConstruct"{{.*}} -> !cameo.seq<!cameo.tensor<[N, ?], f32>>
func.func @sequence_construct_joins_types(%a: !cameo.tensor<[N, 3], f32>, %b: !cameo.tensor<[N, 4], f32>)
    -> !cameo.seq<!cameo.tensor<*, f32>> {
  %0 = "onnx.SequenceConstruct"(%a, %b)
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[N, 4], f32>) -> !cameo.seq<!cameo.tensor<*, f32>>
  func.return %0 : !cameo.seq<!cameo.tensor<*, f32>>
}
