// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @depth_to_space_divides_channels
// CHECK: "onnx.DepthToSpace"{{.*}} -> !cameo.tensor<[N, 2, 2 * H, 2 * W], f32>
func.func @depth_to_space_divides_channels(%x: !cameo.tensor<[N, 8, H, W], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.DepthToSpace"(%x) <{blocksize = 2 : i64}> : (!cameo.tensor<[N, 8, H, W], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @depth_to_space_c1(%x: !cameo.tensor<[N, 8, H], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of input (C1) (got 3, need 4)}}
  %0 = "onnx.DepthToSpace"(%x) <{blocksize = 2 : i64}> : (!cameo.tensor<[N, 8, H], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @depth_to_space_c2(%x: !cameo.tensor<[N, 8, H, W], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a blocksize that is not positive (C2, got 0)}}
  %0 = "onnx.DepthToSpace"(%x) <{blocksize = 0 : i64}> : (!cameo.tensor<[N, 8, H, W], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @depth_to_space_c2_large(%x: !cameo.tensor<[N, 8, H, W], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a blocksize that does not divide an extent (C2) (got extent 8 and divisor }}
  %0 = "onnx.DepthToSpace"(%x) <{blocksize = 4294967296 : i64}>
      : (!cameo.tensor<[N, 8, H, W], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @depth_to_space_c3(%x: !cameo.tensor<[N, 8, H, W], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an unknown mode (C3) (got }}
  %0 = "onnx.DepthToSpace"(%x) <{blocksize = 2 : i64, mode = "ABC"}>
      : (!cameo.tensor<[N, 8, H, W], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
