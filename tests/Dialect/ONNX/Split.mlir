// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @split_by_operand
// CHECK: "onnx.Split"{{.*}} -> (!cameo.tensor<[N, 2], f32>, !cameo.tensor<[N, 4], f32>)
func.func @split_by_operand(%x: !cameo.tensor<[N, 6], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %s = "onnx.Constant"() <{value = dense<[2, 4]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0:2 = "onnx.Split"(%x, %s) <{axis = 1 : i64}>
      : (!cameo.tensor<[N, 6], f32>, !cameo.tensor<[2], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @split_evenly
// CHECK: "onnx.Split"{{.*}} -> (!cameo.tensor<[3], f32>, !cameo.tensor<[3], f32>, !cameo.tensor<[1], f32>)
func.func @split_evenly(%x: !cameo.tensor<[7], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:3 = "onnx.Split"(%x) <{num_outputs = 3 : i64}>
      : (!cameo.tensor<[7], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @split_runs_out
// CHECK: "onnx.Split"{{.*}} -> (!cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[1], f32>, !cameo.tensor<[0], f32>)
func.func @split_runs_out(%x: !cameo.tensor<[5], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:4 = "onnx.Split"(%x) <{num_outputs = 4 : i64}>
      : (!cameo.tensor<[5], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @split_of_a_multiple
// CHECK: "onnx.Split"{{.*}} -> (!cameo.tensor<[2 * N], f32>, !cameo.tensor<[2 * N], f32>, !cameo.tensor<[2 * N], f32>)
func.func @split_of_a_multiple(%x: !cameo.tensor<[6 * N], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:3 = "onnx.Split"(%x) <{num_outputs = 3 : i64}>
      : (!cameo.tensor<[6 * N], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @split_in_two
// CHECK: "onnx.Split"{{.*}} -> (!cameo.tensor<[(N + 1) floordiv 2], f32>, !cameo.tensor<[N - (N + 1) floordiv 2], f32>)
func.func @split_in_two(%x: !cameo.tensor<[N], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:2 = "onnx.Split"(%x) <{num_outputs = 2 : i64}>
      : (!cameo.tensor<[N], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @split_c1(%x: !cameo.tensor<[6], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{axis (C1) is out of range (got 1, need [-1, 1))}}
  %0:2 = "onnx.Split"(%x) <{axis = 1 : i64, num_outputs = 2 : i64}>
      : (!cameo.tensor<[6], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @split_c2_neither(%x: !cameo.tensor<[6], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{needs results, and either split or num_outputs (C2)}}
  %0:2 = "onnx.Split"(%x) : (!cameo.tensor<[6], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @split_c2_count(%x: !cameo.tensor<[6], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a num_outputs that is not its number of results (C2) (got 0, need 2)}}
  %0:2 = "onnx.Split"(%x) <{num_outputs = 0 : i64}>
      : (!cameo.tensor<[6], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @split_c3_negative(%x: !cameo.tensor<[6], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %s = "onnx.Constant"() <{value = dense<[7, -1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has a negative element in split (C3, got -1)}}
  %0:2 = "onnx.Split"(%x, %s)
      : (!cameo.tensor<[6], f32>, !cameo.tensor<[2], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @split_c3_sum(%x: !cameo.tensor<[6], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %s = "onnx.Constant"() <{value = dense<[2, 3]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{does not fit in the sum of split (C3) (got 5, need 6)}}
  %0:2 = "onnx.Split"(%x, %s)
      : (!cameo.tensor<[6], f32>, !cameo.tensor<[2], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}
