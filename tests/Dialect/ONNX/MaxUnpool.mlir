// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @max_unpool_inverts_the_pool
// CHECK: "onnx.MaxUnpool"{{.*}} -> !cameo.tensor<[N, 1, 4, 4], f32>
func.func @max_unpool_inverts_the_pool(%x: !cameo.tensor<[N, 1, 2, 2], f32>, %i: !cameo.tensor<[N, 1, 2, 2], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.MaxUnpool"(%x, %i) <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}>
      : (!cameo.tensor<[N, 1, 2, 2], f32>, !cameo.tensor<[N, 1, 2, 2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @max_unpool_output_shape
// CHECK: "onnx.MaxUnpool"{{.*}} -> !cameo.tensor<[1, 1, 5, 5], f32>
func.func @max_unpool_output_shape(%x: !cameo.tensor<[1, 1, 2, 2], f32>, %i: !cameo.tensor<[1, 1, 2, 2], i64>)
    -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[1, 1, 5, 5]> : tensor<4xi64>}> : () -> !cameo.tensor<[4], i64>
  %0 = "onnx.MaxUnpool"(%x, %i, %s) <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}>
      : (!cameo.tensor<[1, 1, 2, 2], f32>, !cameo.tensor<[1, 1, 2, 2], i64>, !cameo.tensor<[4], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @max_unpool_c1(%x: !cameo.tensor<[1, 1, 2, 2], f32>, %i: !cameo.tensor<[1, 1, 2, 3], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in X (C1) (got 3, need 2)}}
  %0 = "onnx.MaxUnpool"(%x, %i) <{kernel_shape = array<i64: 2, 2>}>
      : (!cameo.tensor<[1, 1, 2, 2], f32>, !cameo.tensor<[1, 1, 2, 3], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @max_unpool_c3(%x: !cameo.tensor<[1, 1, 2, 2], f32>, %i: !cameo.tensor<[1, 1, 2, 2], i64>)
    -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[5, 5]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has a wrong number of elements in output_shape (C3, got 2, need 4)}}
  %0 = "onnx.MaxUnpool"(%x, %i, %s) <{kernel_shape = array<i64: 2, 2>}>
      : (!cameo.tensor<[1, 1, 2, 2], f32>, !cameo.tensor<[1, 1, 2, 2], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
