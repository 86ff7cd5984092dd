// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @max_pool_gives_indices
// CHECK: "onnx.MaxPool"{{.*}} -> (!cameo.tensor<[N, 3, 4, 4], f32>, !cameo.tensor<[N, 3, 4, 4], i64>)
func.func @max_pool_gives_indices(%x: !cameo.tensor<[N, 3, 8, 8], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) {
  %0:2 = "onnx.MaxPool"(%x) <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}>
      : (!cameo.tensor<[N, 3, 8, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>
}

// -----

// CHECK-LABEL: @max_pool_rounds_up
// CHECK: "onnx.MaxPool"{{.*}} -> (!cameo.tensor<[N, 3, 3], f32>, !cameo.tensor<[N, 3, 3], i64>)
func.func @max_pool_rounds_up(%x: !cameo.tensor<[N, 3, 6], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) {
  %0:2 = "onnx.MaxPool"(%x) <{ceil_mode = 1 : i64, kernel_shape = array<i64: 3>, strides = array<i64: 2>}>
      : (!cameo.tensor<[N, 3, 6], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>
}

// -----

// CHECK-LABEL: @max_pool_ignores_windows_in_the_end_pad
// CHECK: "onnx.MaxPool"{{.*}} -> (!cameo.tensor<[N, 3, 1], f32>, !cameo.tensor<[N, 3, 1], i64>)
func.func @max_pool_ignores_windows_in_the_end_pad(%x: !cameo.tensor<[N, 3, 2], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) {
  %0:2 = "onnx.MaxPool"(%x) <{ceil_mode = 1 : i64, kernel_shape = array<i64: 1>, pads = array<i64: 0, 1>, strides = array<i64: 2>}>
      : (!cameo.tensor<[N, 3, 2], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>
}

// -----

func.func @max_pool_c1(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) {
  // expected-error @+1 {{has a wrong rank of X (C1) (got 2, need at least 3)}}
  %0:2 = "onnx.MaxPool"(%x) <{kernel_shape = array<i64: 2>}>
      : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>
}

// -----

func.func @max_pool_c2(%x: !cameo.tensor<[N, 3, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) {
  // expected-error @+1 {{has an entry of kernel_shape out of range (got 0, need [1, }}
  %0:2 = "onnx.MaxPool"(%x) <{kernel_shape = array<i64: 0>}>
      : (!cameo.tensor<[N, 3, 8], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>
}

// -----

func.func @max_pool_c3(%x: !cameo.tensor<[N, 3, 2], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) {
  // expected-error @+1 {{has a window larger than the padded input along spatial axis 0 (got 3, need at most 2)}}
  %0:2 = "onnx.MaxPool"(%x) <{kernel_shape = array<i64: 3>}>
      : (!cameo.tensor<[N, 3, 2], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, i64>
}
