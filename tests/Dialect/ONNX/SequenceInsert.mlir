// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @sequence_insert_joins_types
// CHECK: "onnx.SequenceInsert"{{.*}} -> !cameo.seq<!cameo.tensor<[?, 3], f32>>
func.func @sequence_insert_joins_types(%s: !cameo.seq<!cameo.tensor<[N, 3], f32>>, %t: !cameo.tensor<[M, 3], f32>)
    -> !cameo.seq<!cameo.tensor<*, f32>> {
  %0 = "onnx.SequenceInsert"(%s, %t)
      : (!cameo.seq<!cameo.tensor<[N, 3], f32>>, !cameo.tensor<[M, 3], f32>) -> !cameo.seq<!cameo.tensor<*, f32>>
  func.return %0 : !cameo.seq<!cameo.tensor<*, f32>>
}

// -----

func.func @sequence_insert_c1(%s: !cameo.seq<!cameo.tensor<[N, 3], f32>>, %t: !cameo.tensor<[M, 3], f64>)
    -> !cameo.seq<!cameo.tensor<*, f32>> {
  // expected-error @+1 {{adds a tensor of another element type (C1, got '!cameo.tensor<[M, 3], f64>' for '!cameo.seq<!cameo.tensor<[N, 3], f32>>')}}
  %0 = "onnx.SequenceInsert"(%s, %t)
      : (!cameo.seq<!cameo.tensor<[N, 3], f32>>, !cameo.tensor<[M, 3], f64>) -> !cameo.seq<!cameo.tensor<*, f32>>
  func.return %0 : !cameo.seq<!cameo.tensor<*, f32>>
}
