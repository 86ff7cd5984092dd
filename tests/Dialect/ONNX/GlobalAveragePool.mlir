// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @global_average_pool_leaves_ones
// CHECK: "onnx.GlobalAveragePool"{{.*}} -> !cameo.tensor<[N, C, 1, 1], f32>
func.func @global_average_pool_leaves_ones(%x: !cameo.tensor<[N, C, H, W], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.GlobalAveragePool"(%x) : (!cameo.tensor<[N, C, H, W], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @global_average_pool_c1(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of X (C1) (got 1, need at least 2)}}
  %0 = "onnx.GlobalAveragePool"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
