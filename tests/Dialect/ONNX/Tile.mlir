// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @tile_multiplies
// CHECK: "onnx.Tile"{{.*}} -> !cameo.tensor<[2 * N, 3], f32>
func.func @tile_multiplies(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %r = "onnx.Constant"() <{value = dense<[2, 1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Tile"(%x, %r) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tile_c1(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %r = "onnx.Constant"() <{value = dense<[2]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{has a wrong number of repeats (C1, got 1, need 2)}}
  %0 = "onnx.Tile"(%x, %r) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tile_c2(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %r = "onnx.Constant"() <{value = dense<[2, -1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has a negative element in repeats (C2, got -1)}}
  %0 = "onnx.Tile"(%x, %r) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
