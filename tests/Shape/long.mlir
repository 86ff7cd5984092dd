// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-infer-shapes --split-input-file | FileCheck %s
//
// Extents whose normal form is long: symbols that are defined as them, once.

// Nothing is known of the extents that meet: each step of the chain is in terms of the one before.
// CHECK-LABEL: func.func @a_long_extent_is_a_symbol(
// CHECK: prog.define <"[[S:[a-z_0-9]+]]"{{.*}}> = #cameo.extent<{{.*}}max({{.*}}
// CHECK: "onnx.Add"{{.*}} -> !cameo.tensor<{{.*}}[[S]]
// CHECK-NOT: ?
func.func @a_long_extent_is_a_symbol(%a: !cameo.tensor<[A], f32>, %b: !cameo.tensor<[B], f32>, %c: !cameo.tensor<[C], f32>,
    %d: !cameo.tensor<[D], f32>, %e: !cameo.tensor<[E], f32>, %f: !cameo.tensor<[F], f32>, %g: !cameo.tensor<[G], f32>,
    %h: !cameo.tensor<[H], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Add"(%a, %b) : (!cameo.tensor<[A], f32>, !cameo.tensor<[B], f32>) -> !cameo.tensor<*, f32>
  %1 = "onnx.Add"(%0, %c) : (!cameo.tensor<*, f32>, !cameo.tensor<[C], f32>) -> !cameo.tensor<*, f32>
  %2 = "onnx.Add"(%1, %d) : (!cameo.tensor<*, f32>, !cameo.tensor<[D], f32>) -> !cameo.tensor<*, f32>
  %3 = "onnx.Add"(%2, %e) : (!cameo.tensor<*, f32>, !cameo.tensor<[E], f32>) -> !cameo.tensor<*, f32>
  %4 = "onnx.Add"(%3, %f) : (!cameo.tensor<*, f32>, !cameo.tensor<[F], f32>) -> !cameo.tensor<*, f32>
  %5 = "onnx.Add"(%4, %g) : (!cameo.tensor<*, f32>, !cameo.tensor<[G], f32>) -> !cameo.tensor<*, f32>
  %6 = "onnx.Add"(%5, %h) : (!cameo.tensor<*, f32>, !cameo.tensor<[H], f32>) -> !cameo.tensor<*, f32>
  func.return %6 : !cameo.tensor<*, f32>
}

// -----

// What is computed from a symbol depends on where that is bound; equal definitions are one.
// CHECK-LABEL: func.func @equal_definitions_are_one(
// CHECK: prog.bind_elements [#cameo.symbol<"s_0" in [*, *]>,
// CHECK: prog.define
// CHECK-COUNT-2: "onnx.Reshape"
// CHECK-NOT: prog.define
func.func @equal_definitions_are_one(%x: !cameo.tensor<[A, B, C], f32>, %s: !cameo.tensor<[4], i64> {onnx.name = "s"})
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[A, B, C], f32>, !cameo.tensor<[4], i64>) -> !cameo.tensor<*, f32>
  %1 = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[A, B, C], f32>, !cameo.tensor<[4], i64>) -> !cameo.tensor<*, f32>
  func.return %0, %1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// What an operator demands of its operand is checked where the symbol is bound, if it runs whenever that happens.
// CHECK-LABEL: func.func @axes_are_in_range(
// CHECK: prog.bind_elements [#cameo.symbol<"a" in [-3, 2]>]
// CHECK-NOT: checked
func.func @axes_are_in_range(%x: !cameo.tensor<[A, B], f32>, %a: !cameo.tensor<[1], i64> {onnx.name = "a"})
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Unsqueeze"(%x, %a) : (!cameo.tensor<[A, B], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// Elsewhere it is checked by a definition.
// CHECK-LABEL: func.func @axes_of_a_branch(
// CHECK: prog.bind_elements [#cameo.symbol<"a" in [*, *]>]
// CHECK: onnx.If
// CHECK: prog.define <"axes" in [-3, 2]> = #cameo.extent<a> checked
// CHECK: "onnx.Unsqueeze"
func.func @axes_of_a_branch(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[A, B], f32>,
    %y: !cameo.tensor<[A, B, 1], f32>, %a: !cameo.tensor<[1], i64> {onnx.name = "a"}) -> !cameo.tensor<*, f32> {
  %0 = "onnx.If"(%c) ({
    %1 = "onnx.Unsqueeze"(%x, %a) : (!cameo.tensor<[A, B], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }, {
    "onnx.Yield"(%y) : (!cameo.tensor<[A, B, 1], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
