// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @conv_transpose_of_symbols
// CHECK: "onnx.ConvTranspose"{{.*}} -> !cameo.tensor<[N, 6, 2 * H], f32>
func.func @conv_transpose_of_symbols(%x: !cameo.tensor<[N, 4, H], f32>, %w: !cameo.tensor<[4, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.ConvTranspose"(%x, %w) <{group = 2 : i64, output_padding = array<i64: 1>, pads = array<i64: 1, 1>, strides = array<i64: 2>}>
      : (!cameo.tensor<[N, 4, H], f32>, !cameo.tensor<[4, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @conv_transpose_output_shape
// CHECK: "onnx.ConvTranspose"{{.*}} -> !cameo.tensor<[N, 3, 12], f32>
func.func @conv_transpose_output_shape(%x: !cameo.tensor<[N, 4, 5], f32>, %w: !cameo.tensor<[4, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.ConvTranspose"(%x, %w) <{output_shape = array<i64: 12>, strides = array<i64: 2>}>
      : (!cameo.tensor<[N, 4, 5], f32>, !cameo.tensor<[4, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @conv_transpose_same
// CHECK: "onnx.ConvTranspose"{{.*}} -> !cameo.tensor<[N, 3, 10], f32>
func.func @conv_transpose_same(%x: !cameo.tensor<[N, 4, 5], f32>, %w: !cameo.tensor<[4, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.ConvTranspose"(%x, %w) <{auto_pad = "SAME_LOWER", strides = array<i64: 2>}>
      : (!cameo.tensor<[N, 4, 5], f32>, !cameo.tensor<[4, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_transpose_c2(%x: !cameo.tensor<[N, 4, 5], f32>, %w: !cameo.tensor<[5, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the weight's channels (C2) (got 4, need 5)}}
  %0 = "onnx.ConvTranspose"(%x, %w)
      : (!cameo.tensor<[N, 4, 5], f32>, !cameo.tensor<[5, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_transpose_c3(%x: !cameo.tensor<[N, 4, 5], f32>, %w: !cameo.tensor<[4, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an output_padding that is not below stride or dilation (got 2, need less than 2)}}
  %0 = "onnx.ConvTranspose"(%x, %w) <{output_padding = array<i64: 2>, strides = array<i64: 2>}>
      : (!cameo.tensor<[N, 4, 5], f32>, !cameo.tensor<[4, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_transpose_c4(%x: !cameo.tensor<[N, 4, 1], f32>, %w: !cameo.tensor<[4, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has pads that leave a negative extent along spatial axis 0 (got -1)}}
  %0 = "onnx.ConvTranspose"(%x, %w) <{pads = array<i64: 2, 2>}>
      : (!cameo.tensor<[N, 4, 1], f32>, !cameo.tensor<[4, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
