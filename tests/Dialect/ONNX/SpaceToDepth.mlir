// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @space_to_depth_divides_height_and_width
// CHECK: "onnx.SpaceToDepth"{{.*}} -> !cameo.tensor<[N, 8, 2 * H, 3], f32>
func.func @space_to_depth_divides_height_and_width(%x: !cameo.tensor<[N, 2, 4 * H, 6], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.SpaceToDepth"(%x) <{blocksize = 2 : i64}>
      : (!cameo.tensor<[N, 2, 4 * H, 6], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @space_to_depth_c2(%x: !cameo.tensor<[N, 2, 5, 6], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a blocksize that does not divide an extent (C2) (got extent 5 and divisor }}
  %0 = "onnx.SpaceToDepth"(%x) <{blocksize = 2 : i64}> : (!cameo.tensor<[N, 2, 5, 6], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
