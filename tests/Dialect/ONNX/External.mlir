// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @external_equations
// CHECK: "onnx.own.External"{{.*}} -> !cameo.tensor<[2 * N + 1, K], f32>
func.func @external_equations(%x: !cameo.tensor<[N, 3], f32>, %w: !cameo.tensor<[K], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.own.External"(%x, %w) <{
      function = "f", side = 1 : i32, operand_names = ["x", "w"], operand_ranks = array<i64: 2, -1>, positions = array<i64: 0, 1>, result_names = ["y"], element_types = [f32], result_ranks = array<i64: 2>, shapes_of = array<i64: -1>, relations = ["y.shape[0] == 2 * x.shape[0] + 1", "y.shape[1] == w.shape[0]"], value_names = [], values = []}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @external_counts_up_to_a_bound
// CHECK: "onnx.own.External"{{.*}}cameo.counts = [#cameo.symbol<"y" bound N>{{.*}} -> !cameo.tensor<[y, 3], f32>
func.func @external_counts_up_to_a_bound(%x: !cameo.tensor<[N, 3], f32>, %w: !cameo.tensor<[K], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.own.External"(%x, %w) <{
      function = "f", side = 1 : i32, operand_names = ["x", "w"], operand_ranks = array<i64: 2, -1>, positions = array<i64: 0, 1>, result_names = ["y"], element_types = [f32], result_ranks = array<i64: 2>, shapes_of = array<i64: -1>, relations = ["y.shape[0] <= x.shape[0]", "y.shape[1] == x.shape[1]"], value_names = [], values = []}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @external_counts_without_a_bound
// CHECK: "onnx.own.External"{{.*}} -> !cameo.tensor<[y, y_1], f32>
func.func @external_counts_without_a_bound(%x: !cameo.tensor<[N, 3], f32>, %w: !cameo.tensor<[K], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.own.External"(%x, %w) <{
      function = "f", side = 1 : i32, operand_names = ["x", "w"], operand_ranks = array<i64: 2, -1>, positions = array<i64: 0, 1>, result_names = ["y"], element_types = [f32], result_ranks = array<i64: 2>, shapes_of = array<i64: -1>, relations = [], value_names = [], values = []}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @external_has_a_shape
// CHECK: "onnx.own.External"{{.*}} -> !cameo.tensor<[N, 3], f32>
func.func @external_has_a_shape(%x: !cameo.tensor<[N, 3], f32>, %w: !cameo.tensor<[K], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.own.External"(%x, %w) <{
      function = "f", side = 1 : i32, operand_names = ["x", "w"], operand_ranks = array<i64: 2, -1>, positions = array<i64: 0, 1>, result_names = ["y"], element_types = [f32], result_ranks = array<i64: -1>, shapes_of = array<i64: 0>, relations = [], value_names = [], values = []}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @external_leaves_out_an_operand
// CHECK: "onnx.own.External"{{.*}} -> !cameo.tensor<[N, 3], f32>
func.func @external_leaves_out_an_operand(%x: !cameo.tensor<[N, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.own.External"(%x) <{
      function = "f", side = 1 : i32, operand_names = ["x", "w"], operand_ranks = array<i64: 2, -1>, positions = array<i64: 0>, result_names = ["y"], element_types = [f32], result_ranks = array<i64: 2>, shapes_of = array<i64: -1>, relations = ["y.shape[0] == x.shape[0]", "y.shape[1] == x.shape[1]"], value_names = [], values = []}>
      : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @external_c1(%x: !cameo.tensor<[N], f32>, %w: !cameo.tensor<[K], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of x (C1) (got 1, need 2)}}
  %0 = "onnx.own.External"(%x, %w) <{
      function = "f", side = 1 : i32, operand_names = ["x", "w"], operand_ranks = array<i64: 2, -1>, positions = array<i64: 0, 1>, result_names = ["y"], element_types = [f32], result_ranks = array<i64: 2>, shapes_of = array<i64: -1>, relations = [], value_names = [], values = []}>
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @external_c2(%x: !cameo.tensor<[N, 3], f32>, %w: !cameo.tensor<[4], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{x.shape[1] == w.shape[0] (C2)}}
  %0 = "onnx.own.External"(%x, %w) <{
      function = "f", side = 1 : i32, operand_names = ["x", "w"], operand_ranks = array<i64: 2, -1>, positions = array<i64: 0, 1>, result_names = ["y"], element_types = [f32], result_ranks = array<i64: 2>, shapes_of = array<i64: -1>, relations = ["x.shape[1] == w.shape[0]"], value_names = [], values = []}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[4], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @external_c3(%x: !cameo.tensor<[N, 3], f32>, %w: !cameo.tensor<[K], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has no axis 1 of 'w' (C3, got rank 1)}}
  %0 = "onnx.own.External"(%x, %w) <{
      function = "f", side = 1 : i32, operand_names = ["x", "w"], operand_ranks = array<i64: 2, -1>, positions = array<i64: 0, 1>, result_names = ["y"], element_types = [f32], result_ranks = array<i64: 2>, shapes_of = array<i64: -1>, relations = ["y.shape[0] == w.shape[1]"], value_names = [], values = []}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @external_fits_its_declaration(%x: !cameo.tensor<[N, 3], f32>, %w: !cameo.tensor<[K], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit its declaration}}
  %0 = "onnx.own.External"(%x, %w) <{
      function = "f", side = 1 : i32, operand_names = ["x", "w"], operand_ranks = array<i64: 2, -1>, positions = array<i64: 0, 2>, result_names = ["y"], element_types = [f32], result_ranks = array<i64: 2>, shapes_of = array<i64: -1>, relations = [], value_names = [], values = []}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
