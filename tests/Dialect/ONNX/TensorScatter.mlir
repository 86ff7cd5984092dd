// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @tensor_scatter_keeps_the_cache
// CHECK: "onnx.TensorScatter"{{.*}} -> !cameo.tensor<[B, H, 64, 8], f32>
func.func @tensor_scatter_keeps_the_cache(%c: !cameo.tensor<[B, H, 64, 8], f32>, %u: !cameo.tensor<[B, H, S, 8], f32>, %w: !cameo.tensor<[B], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.TensorScatter"(%c, %u, %w)
      : (!cameo.tensor<[B, H, 64, 8], f32>, !cameo.tensor<[B, H, S, 8], f32>, !cameo.tensor<[B], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tensor_scatter_c2(%c: !cameo.tensor<[B, 64, 8], f32>, %u: !cameo.tensor<[B, S, 8], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{writes along the axis of the batch (C2)}}
  %0 = "onnx.TensorScatter"(%c, %u) <{axis = 0 : i64}>
      : (!cameo.tensor<[B, 64, 8], f32>, !cameo.tensor<[B, S, 8], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tensor_scatter_c3(%c: !cameo.tensor<[B, 64, 8], f32>, %u: !cameo.tensor<[B, 65, 8], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{writes more than the cache holds (C3, got 65, need at most 64)}}
  %0 = "onnx.TensorScatter"(%c, %u)
      : (!cameo.tensor<[B, 64, 8], f32>, !cameo.tensor<[B, 65, 8], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tensor_scatter_c5(%c: !cameo.tensor<[B, 64, 8], f32>, %u: !cameo.tensor<[B, S, 8], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an unknown mode (C5) (got }}
  %0 = "onnx.TensorScatter"(%c, %u) <{mode = "ring"}>
      : (!cameo.tensor<[B, 64, 8], f32>, !cameo.tensor<[B, S, 8], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
