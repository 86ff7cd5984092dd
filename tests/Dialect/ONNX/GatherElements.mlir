// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @gather_elements_takes_the_extents_of_indices
// CHECK: "onnx.GatherElements"{{.*}} -> !cameo.tensor<[B, 3], f32>
func.func @gather_elements_takes_the_extents_of_indices(%x: !cameo.tensor<[V, 3], f32>, %i: !cameo.tensor<[B, 3], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.GatherElements"(%x, %i)
      : (!cameo.tensor<[V, 3], f32>, !cameo.tensor<[B, 3], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @gather_elements_c1(%x: !cameo.tensor<[V, 3], f32>, %i: !cameo.tensor<[B], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of indices (C1) (got 1, need 2)}}
  %0 = "onnx.GatherElements"(%x, %i)
      : (!cameo.tensor<[V, 3], f32>, !cameo.tensor<[B], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
