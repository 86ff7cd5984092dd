// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-place --cameo-verify-sides --split-input-file | FileCheck %s
//
// What a symbol is likely to be weighs copies, work of the host and loops; nothing else follows from it.

// A few lengths: they and their maximum are the host's.
// CHECK-LABEL: func.func @few_lengths
// CHECK-SAME: %[[LENGTHS:.*]]: !cameo.tensor<[n], i64, host>
// CHECK-NOT: prog.fetch
// CHECK: "onnx.ReduceMax"(%[[LENGTHS]]){{.*}} -> !cameo.tensor<[1], i64, host>
func.func @few_lengths(%lengths: !cameo.tensor<[n], i64>) -> !cameo.tensor<[k], f32>
    attributes {cameo.symbols = [#cameo.symbol<"n" likely 4>]} {
  %m = "onnx.ReduceMax"(%lengths) <{keepdims = 1 : i64}> : (!cameo.tensor<[n], i64>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %m : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32>
  func.return %y : !cameo.tensor<[k], f32>
}

// -----

// Many, or nobody said how many: the device's, and one integer is read back.
// CHECK-LABEL: func.func @many_lengths
// CHECK-SAME: !cameo.tensor<[n], i64, device>
// CHECK: prog.fetch
func.func @many_lengths(%lengths: !cameo.tensor<[n], i64>) -> !cameo.tensor<[k], f32>
    attributes {cameo.symbols = [#cameo.symbol<"n" likely 4000>]} {
  %m = "onnx.ReduceMax"(%lengths) <{keepdims = 1 : i64}> : (!cameo.tensor<[n], i64>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %m : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32>
  func.return %y : !cameo.tensor<[k], f32>
}

// -----

// CHECK-LABEL: func.func @lengths
// CHECK-SAME: !cameo.tensor<[n], i64, device>
// CHECK: prog.fetch
func.func @lengths(%lengths: !cameo.tensor<[n], i64>) -> !cameo.tensor<[k], f32>
    attributes {cameo.symbols = [#cameo.symbol<"n">]} {
  %m = "onnx.ReduceMax"(%lengths) <{keepdims = 1 : i64}> : (!cameo.tensor<[n], i64>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %m : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32>
  func.return %y : !cameo.tensor<[k], f32>
}

// -----

// What follows from a likely symbol is likely: m is 2 * n.
// CHECK-LABEL: func.func @follows
// CHECK-NOT: prog.fetch
// CHECK: "onnx.ReduceMax"{{.*}} -> !cameo.tensor<[1], i64, host>
func.func @follows(%lengths: !cameo.tensor<[2 * n], i64>) -> !cameo.tensor<[k], f32>
    attributes {cameo.symbols = [#cameo.symbol<"n" likely 4>]} {
  prog.define <"m"> = #cameo.extent<2 * n>
  %l = "onnx.Neg"(%lengths) : (!cameo.tensor<[2 * n], i64>) -> !cameo.tensor<[m], i64>
  %m = "onnx.ReduceMax"(%l) <{keepdims = 1 : i64}> : (!cameo.tensor<[m], i64>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %m : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32>
  func.return %y : !cameo.tensor<[k], f32>
}
