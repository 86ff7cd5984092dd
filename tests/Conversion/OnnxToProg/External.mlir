// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// CHECK-LABEL: @external_of_known_extents
// CHECK: %[[Y:.*]] = prog.external "f" ins(%{{.*}}, %{{.*}} : {{.*}}) writes 1 given ["a"] [3] pure : !cameo.tensor<[N], f32, host>
// CHECK-NEXT: return %[[Y]]
func.func @external_of_known_extents(%x: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host> {
  %0 = "onnx.own.External"(%x) <{
      function = "f", side = 1 : i32, pure, operand_names = ["x", "w"], operand_ranks = array<i64: 1, -1>,
      positions = array<i64: 0>, result_names = ["y"], element_types = [f32], result_ranks = array<i64: 1>,
      shapes_of = array<i64: -1>, relations = ["y.shape[0] == x.shape[0]"], value_names = ["a"], values = [3]}>
      : (!cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host>
  func.return %0 : !cameo.tensor<[N], f32, host>
}

// -----

// Memory for the bound, and of that the front.
// CHECK-LABEL: @external_bounded
// CHECK: %[[Y:.*]]:2 = prog.external "f" {{.*}} counts : !cameo.tensor<[N], f32, device>, !cameo.tensor<[1], i64, device>
// CHECK: %[[COUNT:.*]] = prog.call "count"
// CHECK: prog.count {{.*}}"y"
// CHECK: prog.view %[[Y]]#0[{{.*}}] : {{.*}} -> <[y], f32, device>
func.func @external_bounded(%x: !cameo.tensor<[N], f32, device>) -> !cameo.tensor<[y], f32, device> {
  %0 = "onnx.own.External"(%x) <{
      function = "f", side = 2 : i32, operand_names = ["x"], operand_ranks = array<i64: 1>, positions = array<i64: 0>,
      result_names = ["y"], element_types = [f32], result_ranks = array<i64: 1>, shapes_of = array<i64: -1>,
      relations = ["y.shape[0] <= x.shape[0]"], value_names = [], values = []}>
      {cameo.counts = [#cameo.symbol<"y" bound N>]}
      : (!cameo.tensor<[N], f32, device>) -> !cameo.tensor<[y], f32, device>
  func.return %0 : !cameo.tensor<[y], f32, device>
}

// -----

// Asked for first.
// CHECK-LABEL: @external_open
// CHECK: %[[COUNTS:.*]] = prog.external "f" {{.*}} counts asks : !cameo.tensor<[1], i64, host>
// CHECK: prog.bind {{.*}}"y"
// CHECK: %[[Y:.*]] = prog.external "f" {{.*}} : !cameo.tensor<[y], f32, host>
// CHECK-NEXT: return %[[Y]]
func.func @external_open(%x: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[y], f32, host> {
  %0 = "onnx.own.External"(%x) <{
      function = "f", side = 1 : i32, operand_names = ["x"], operand_ranks = array<i64: 1>, positions = array<i64: 0>,
      result_names = ["y"], element_types = [f32], result_ranks = array<i64: 1>, shapes_of = array<i64: -1>,
      relations = [], value_names = [], values = []}> {cameo.counts = [#cameo.symbol<"y">]}
      : (!cameo.tensor<[N], f32, host>) -> !cameo.tensor<[y], f32, host>
  func.return %0 : !cameo.tensor<[y], f32, host>
}
