// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-place="reasons=true" --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-place="reasons=true" --cameo-drop-side-reasons --split-input-file > %t.dropped
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-place --split-input-file | diff - %t.dropped
//
// What Place writes down: the cause of a side, the costs where a cut decided, and the steps to what the host decides.

// CHECK-LABEL: func.func @costs
// CHECK-SAME: cameo.argument_reasons = [#onnx.reason<number = 0, cause = unasked>]
// CHECK: "onnx.ReduceMax"{{.*}}#onnx.reason<number = 1, cause = large, because_of = 0, demands = [#onnx.demand<kind = operand, {{.*}}, name = "X", next = 2>]>
// CHECK: "onnx.Ceil"{{.*}}#onnx.reason<number = 2, cause = cut, host_cost = 50210, device_cost = 53105, demands = [#onnx.demand<kind = operand, {{.*}}, name = "input", next = 3>]>
// CHECK: "onnx.Cast"{{.*}}#onnx.reason<number = 3, cause = cut, host_cost = 50210, device_cost = 56000, demands = [#onnx.demand<kind = symbol, {{.*}}, name = "k", next = 4>]>
// CHECK: prog.bind_elements{{.*}}{cameo.demands = [#onnx.demand<kind = symbol, {{.*}}, name = "k", next = 4>]}
// CHECK: prog.from_extents{{.*}}#onnx.reason<number = 4, cause = extents, demands = [#onnx.demand<kind = operand, {{.*}}, name = "input", operand_class = Symbolic>]>
func.func @costs(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[k], f32> {
  %m = "onnx.ReduceMax"(%x) <{keepdims = 1 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1], f32>
  %0 = "onnx.Ceil"(%m) : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], f32>
  %1 = "onnx.Cast"(%0) <{to = 7 : i64}> : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %1 : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32>
  func.return %y : !cameo.tensor<[k], f32>
}

// -----

// A symbol that only a definition is made of is wanted for what that is wanted for; one that no extent of the host's is
// made of, for the first operator with such a type.
// CHECK-LABEL: func.func @symbols
// CHECK-SAME: name = "a", next = [[EXTENTS:[0-9]+]]>]
// CHECK-SAME: node = #loc{{[0-9]*}}, name = "b">]
// CHECK: prog.from_extents{{.*}}#onnx.reason<number = [[EXTENTS]], cause = extents
func.func @symbols(%a: !cameo.tensor<[1], i64>, %b: !cameo.tensor<[1], i64>, %x: !cameo.tensor<[N], f32>)
    -> (!cameo.tensor<[d], f32>, !cameo.tensor<[b], f32>) {
  prog.bind_elements [#cameo.symbol<"a">] = %a : <[1], i64>
  prog.bind_elements [#cameo.symbol<"b">] = %b : <[1], i64>
  prog.define <"d"> = #cameo.extent<2 * a>
  %e = prog.from_extents [#cameo.extent<d>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[d], f32>
  %c = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %n = "onnx.NonZero"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1, b], i64>
  %z = "onnx.Cast"(%n) <{to = 1 : i64}> : (!cameo.tensor<[1, b], i64>) -> !cameo.tensor<[1, b], f32>
  %r = "onnx.ReduceMax"(%z) <{keepdims = 0 : i64}> : (!cameo.tensor<[1, b], f32>) -> !cameo.tensor<[b], f32>
  func.return %y, %r : !cameo.tensor<[d], f32>, !cameo.tensor<[b], f32>
}

// -----

// What the host counts, what a loop carries, what it collects.
// CHECK-LABEL: func.func @loop
// CHECK: "onnx.Loop"
// CHECK: "onnx.Add"{{.*}}#onnx.reason<number = {{[0-9]+}}, cause = unasked, because_of = [[STATE:[0-9]+]]>
// CHECK: cameo.argument_reasons = [#onnx.reason<number = {{[0-9]+}}, cause = iteration>, #onnx.reason<number = {{[0-9]+}}, cause = iteration, demands = [#onnx.demand<kind = operand, {{.*}}, name = "cond", operand_class = Host>]>, #onnx.reason<number = [[STATE]], cause = unasked>]
// CHECK-SAME: cameo.reasons = [#onnx.reason<number = {{[0-9]+}}, cause = carried, because_of = [[STATE]]>, #onnx.reason<number = {{[0-9]+}}, cause = collected>]
func.func @loop(%x: !cameo.tensor<[N], f32>) -> (!cameo.tensor<[N], f32>, !cameo.tensor<[4], f32>) {
  %trips = "onnx.Constant"() <{value = dense<4> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0:2 = "onnx.Loop"(%trips, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    %1 = "onnx.Add"(%s, %x) : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    %2 = "onnx.ReduceMax"(%1) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
    "onnx.Yield"(%c, %1, %2) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[N], f32>) -> (!cameo.tensor<[N], f32>, !cameo.tensor<[4], f32>)
  func.return %0#0, %0#1 : !cameo.tensor<[N], f32>, !cameo.tensor<[4], f32>
}
