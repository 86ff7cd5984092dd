// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @grid_sample_takes_the_grid
// CHECK: "onnx.GridSample"{{.*}} -> !cameo.tensor<[N, 3, 5, 6], f32>
func.func @grid_sample_takes_the_grid(%x: !cameo.tensor<[N, 3, H, W], f32>, %g: !cameo.tensor<[N, 5, 6, 2], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.GridSample"(%x, %g)
      : (!cameo.tensor<[N, 3, H, W], f32>, !cameo.tensor<[N, 5, 6, 2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @grid_sample_c2(%x: !cameo.tensor<[N, 3, H, W], f32>, %g: !cameo.tensor<[N, 5, 6, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the places (C2) (got 3, need 2)}}
  %0 = "onnx.GridSample"(%x, %g)
      : (!cameo.tensor<[N, 3, H, W], f32>, !cameo.tensor<[N, 5, 6, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
