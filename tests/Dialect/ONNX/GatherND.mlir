// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @gather_nd_of_slices
// CHECK: "onnx.GatherND"{{.*}} -> !cameo.tensor<[N, C], f32>
func.func @gather_nd_of_slices(%x: !cameo.tensor<[A, B, C], f32>, %i: !cameo.tensor<[N, 2], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.GatherND"(%x, %i)
      : (!cameo.tensor<[A, B, C], f32>, !cameo.tensor<[N, 2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @gather_nd_of_batches
// CHECK: "onnx.GatherND"{{.*}} -> !cameo.tensor<[B, N, C], f32>
func.func @gather_nd_of_batches(%x: !cameo.tensor<[B, 4, C], f32>, %i: !cameo.tensor<[B, N, 1], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.GatherND"(%x, %i) <{batch_dims = 1 : i64}>
      : (!cameo.tensor<[B, 4, C], f32>, !cameo.tensor<[B, N, 1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @gather_nd_c2(%x: !cameo.tensor<[A, B], f32>, %i: !cameo.tensor<[A, 1], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has batch_dims out of range (C2, got 2)}}
  %0 = "onnx.GatherND"(%x, %i) <{batch_dims = 2 : i64}>
      : (!cameo.tensor<[A, B], f32>, !cameo.tensor<[A, 1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @gather_nd_c3(%x: !cameo.tensor<[A, B], f32>, %i: !cameo.tensor<[N, 3], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has tuples of a wrong length (C3, got 3, need 1 to 2)}}
  %0 = "onnx.GatherND"(%x, %i) : (!cameo.tensor<[A, B], f32>, !cameo.tensor<[N, 3], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @gather_nd_c4(%x: !cameo.tensor<[2, B], f32>, %i: !cameo.tensor<[3, N, 1], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the batch axes of data (C4) (got 3, need 2)}}
  %0 = "onnx.GatherND"(%x, %i) <{batch_dims = 1 : i64}>
      : (!cameo.tensor<[2, B], f32>, !cameo.tensor<[3, N, 1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// Where only the run knows the length of a tuple, the declared rank of the result tells it.
// CHECK-LABEL: @gather_nd_of_declared_rank
// CHECK: "onnx.GatherND"{{.*}} -> !cameo.tensor<[N, C], f32>
func.func @gather_nd_of_declared_rank(%x: !cameo.tensor<[A, B, C], f32>, %i: !cameo.tensor<[N, K], i64>)
    -> !cameo.tensor<[?, ?], f32> {
  %0 = "onnx.GatherND"(%x, %i)
      : (!cameo.tensor<[A, B, C], f32>, !cameo.tensor<[N, K], i64>) -> !cameo.tensor<[?, ?], f32>
  func.return %0 : !cameo.tensor<[?, ?], f32>
}

// -----

// Of data with one axis behind the batch a tuple is one position.
// CHECK-LABEL: @gather_nd_of_a_vector
// CHECK: "onnx.GatherND"{{.*}} -> !cameo.tensor<[A, N], f32>
func.func @gather_nd_of_a_vector(%x: !cameo.tensor<[A, B], f32>, %i: !cameo.tensor<[A, N, K], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.GatherND"(%x, %i) <{batch_dims = 1 : i64}>
      : (!cameo.tensor<[A, B], f32>, !cameo.tensor<[A, N, K], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// No tuple gives a rank that is too high.
func.func @gather_nd_of_a_wrong_rank(%x: !cameo.tensor<[A, B, C], f32>, %i: !cameo.tensor<[N, K], i64>)
    -> !cameo.tensor<[?, ?, ?, ?, ?], f32> {
  // expected-error @+1 {{makes result 0 with extents that are first known when it runs}}
  %0 = "onnx.GatherND"(%x, %i)
      : (!cameo.tensor<[A, B, C], f32>, !cameo.tensor<[N, K], i64>) -> !cameo.tensor<[?, ?, ?, ?, ?], f32>
  func.return %0 : !cameo.tensor<[?, ?, ?, ?, ?], f32>
}
