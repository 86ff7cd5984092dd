// RUN: cameo-opt %s --cameo-bound-loops | FileCheck %s
//
// Trip counts of loops that say by a condition how far they count.

// Integers, and nothing else ends it: the count is in place of the condition.
// CHECK-LABEL: @exact
// CHECK-DAG: %[[LIMIT:.*]] = "onnx.Reshape"(%arg0
// CHECK: %[[TRIP:.*]] = "onnx.Sub"(%[[LIMIT]]
// CHECK: "onnx.Loop"(%[[TRIP]], %{{.*}}) <{operandSegmentSizes = array<i32: 1, 0, 1>}>
// CHECK-NEXT: ^bb0(%{{.*}}, %[[GO:.*]]: !cameo.tensor<[], i1>,
// CHECK: "onnx.Yield"(%[[GO]]
func.func @exact(%n: !cameo.tensor<[], i64>) -> !cameo.tensor<[?], i64> {
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %starts = "onnx.Less"(%zero, %n) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i1>
  %0:2 = "onnx.Loop"(%starts, %zero) <{operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %go: !cameo.tensor<[], i1>, %at: !cameo.tensor<[], i64>):
    %one = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
    %next = "onnx.Add"(%at, %one) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i64>
    %more = "onnx.Less"(%next, %n) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %next, %at) : (!cameo.tensor<[], i1>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> ()
  }) : (!cameo.tensor<[], i1>, !cameo.tensor<[], i64>) -> (!cameo.tensor<[], i64>, !cameo.tensor<[?], i64>)
  func.return %0#1 : !cameo.tensor<[?], i64>
}

// Floats, steps of 2, a limit that is carried along and may be reached, and a start that nothing
// checks: a bound beside the condition.
// CHECK-LABEL: @bound
// CHECK: %[[LENGTH:.*]] = "onnx.Sub"(
// CHECK: %[[MORE:.*]] = "onnx.Add"(%[[LENGTH]]
// CHECK: %[[TRIP:.*]] = "onnx.Div"(%[[MORE]]
// CHECK: %[[ONCE:.*]] = "onnx.Max"(%[[TRIP]]
// CHECK: "onnx.Loop"(%[[ONCE]], %{{.*}}, %arg0) <{operandSegmentSizes = array<i32: 1, 0, 2>}>
// CHECK: %[[GO:.*]] = "onnx.And"
// CHECK: "onnx.Yield"(%[[GO]]
func.func @bound(%n: !cameo.tensor<[], i32>, %flag: !cameo.tensor<[], i1>) -> !cameo.tensor<[?], i32> {
  %all = "onnx.Constant"() <{value = dense<9223372036854775807> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<i32>}> : () -> !cameo.tensor<[], i32>
  %two = "onnx.Constant"() <{value = dense<2> : tensor<i32>}> : () -> !cameo.tensor<[], i32>
  %0:3 = "onnx.Loop"(%all, %zero, %n) <{operandSegmentSizes = array<i32: 1, 0, 2>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %go: !cameo.tensor<[], i1>, %at: !cameo.tensor<[], i32>, %limit: !cameo.tensor<[], i32>):
    %next = "onnx.Add"(%two, %at) : (!cameo.tensor<[], i32>, !cameo.tensor<[], i32>) -> !cameo.tensor<[], i32>
    %a = "onnx.Cast"(%next) <{to = 1 : i64}> : (!cameo.tensor<[], i32>) -> !cameo.tensor<[], f32>
    %b = "onnx.Cast"(%limit) <{to = 1 : i64}> : (!cameo.tensor<[], i32>) -> !cameo.tensor<[], f32>
    %more = "onnx.GreaterOrEqual"(%b, %a) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
    %both = "onnx.And"(%flag, %more) : (!cameo.tensor<[], i1>, !cameo.tensor<[], i1>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%both, %next, %limit, %at) : (!cameo.tensor<[], i1>, !cameo.tensor<[], i32>, !cameo.tensor<[], i32>, !cameo.tensor<[], i32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i32>, !cameo.tensor<[], i32>) -> (!cameo.tensor<[], i32>, !cameo.tensor<[], i32>, !cameo.tensor<[?], i32>)
  func.return %0#2 : !cameo.tensor<[?], i32>
}

// A trip count that is there stays, and so does a loop whose limit moves.
// CHECK-LABEL: @left
// CHECK: "onnx.Loop"(%arg0, %{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 1, 0, 2>}>
// CHECK: "onnx.Loop"(%{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 0, 0, 2>}>
func.func @left(%n: !cameo.tensor<[], i64>) -> (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) {
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %one = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0:2 = "onnx.Loop"(%n, %zero, %n) <{operandSegmentSizes = array<i32: 1, 0, 2>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %go: !cameo.tensor<[], i1>, %at: !cameo.tensor<[], i64>, %limit: !cameo.tensor<[], i64>):
    %next = "onnx.Add"(%at, %one) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i64>
    %more = "onnx.Less"(%next, %limit) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %next, %limit) : (!cameo.tensor<[], i1>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>)
  %1:2 = "onnx.Loop"(%zero, %n) <{operandSegmentSizes = array<i32: 0, 0, 2>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %go: !cameo.tensor<[], i1>, %at: !cameo.tensor<[], i64>, %limit: !cameo.tensor<[], i64>):
    %next = "onnx.Add"(%at, %one) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i64>
    %further = "onnx.Add"(%limit, %one) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i64>
    %more = "onnx.Less"(%next, %limit) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %next, %further) : (!cameo.tensor<[], i1>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>)
  func.return %0#0, %1#0 : !cameo.tensor<[], i64>, !cameo.tensor<[], i64>
}
