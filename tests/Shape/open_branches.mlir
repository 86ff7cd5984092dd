// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file | FileCheck %s
//
// What reads a result of another rank in each branch goes into the branches, until they agree.

// The exporter's idiom: one operator goes in, the one behind it does not. Where N is 1, 2 is 2 * N.
// CHECK-LABEL: @until_they_agree
// CHECK: %[[Y:.*]] = "onnx.If"
// CHECK-NEXT: %[[ELSE:.*]] = "onnx.Reshape"(%arg0{{.*}} -> !cameo.tensor<[2 * N], f32>
// CHECK-NEXT: "onnx.Yield"(%[[ELSE]])
// CHECK: %[[S:.*]] = "onnx.Squeeze"
// CHECK-NEXT: %[[THEN:.*]] = "onnx.Reshape"(%[[S]]{{.*}} -> !cameo.tensor<[2], f32>
// CHECK-NEXT: "onnx.Yield"(%[[THEN]])
// CHECK: }) : {{.*}} -> !cameo.tensor<[2 * N], f32>
// CHECK-NEXT: "onnx.Exp"(%[[Y]])
// CHECK-NEXT: return
func.func @until_they_agree(%x: !cameo.tensor<[N, 2], f32>) -> !cameo.tensor<*, f32> {
  %axis = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %one = "onnx.Constant"() <{value = dense<1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %flat = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %s = "onnx.Shape"(%x) <{start = 0 : i64, end = 1 : i64}> : (!cameo.tensor<[N, 2], f32>) -> !cameo.tensor<[1], i64>
  %c = "onnx.Equal"(%s, %one) : (!cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1], i1>
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[N, 2], f32>) -> ()
  }, {
    %1 = "onnx.Squeeze"(%x, %axis) : (!cameo.tensor<[N, 2], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[1], i1>) -> !cameo.tensor<*, f32>
  %2 = "onnx.Reshape"(%0, %flat) : (!cameo.tensor<*, f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  %3 = "onnx.Exp"(%2) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  func.return %3 : !cameo.tensor<*, f32>
}

// -----

// What decides an extent in the branches, once its reader is there, follows from an integer outside.
// CHECK-LABEL: @decided_outside
// CHECK: prog.bind_elements [#cameo.symbol<"[[COUNT:[a-z0-9_]+]]" in [*, *]>] = %arg1
// CHECK: "onnx.If"
// CHECK: }) : {{.*}} -> !cameo.tensor<[max([[COUNT]], 0)], i64>
// CHECK-NEXT: return
func.func @decided_outside(%c: !cameo.tensor<[], i1>, %count: !cameo.tensor<[1], i64>) -> !cameo.tensor<*, i64> {
  %axis = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %one = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%count) : (!cameo.tensor<[1], i64>) -> ()
  }, {
    %1 = "onnx.Squeeze"(%count, %axis) : (!cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, i64>
    "onnx.Yield"(%1) : (!cameo.tensor<*, i64>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, i64>
  %2 = "onnx.Range"(%zero, %0, %one) : (!cameo.tensor<[], i64>, !cameo.tensor<*, i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  func.return %2 : !cameo.tensor<*, i64>
}

// -----

// Operators that do not need the If, but are needed behind it, are moved in front of it.
// CHECK-LABEL: @moves_up
// CHECK: "onnx.Exp"(%arg2)
// CHECK-NEXT: "onnx.If"
// CHECK: "onnx.Add"
// CHECK: "onnx.Add"
// CHECK-NEXT: "onnx.Yield"
// CHECK-NEXT: -> !cameo.tensor<[N, M], f32>
// CHECK-NEXT: "onnx.Tanh"
func.func @moves_up(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[M], f32>, %y: !cameo.tensor<[N, M], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[M], f32>) -> ()
  }, {
    "onnx.Yield"(%y) : (!cameo.tensor<[N, M], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  %1 = "onnx.Exp"(%y) : (!cameo.tensor<[N, M], f32>) -> !cameo.tensor<*, f32>
  %2 = "onnx.Add"(%0, %1) : (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  %3 = "onnx.Tanh"(%2) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  func.return %3 : !cameo.tensor<*, f32>
}

// -----

// Of two Ifs that one operator reads, the second goes into the first.
// CHECK-LABEL: @two_at_once
// CHECK: "onnx.If"(%arg0)
// CHECK: "onnx.If"(%arg1)
// CHECK: "onnx.Add"
// CHECK: "onnx.Add"
// CHECK: "onnx.If"(%arg1)
// CHECK: "onnx.Add"
// CHECK: "onnx.Add"
// CHECK: -> !cameo.tensor<[], f32>
// CHECK: return
func.func @two_at_once(%c: !cameo.tensor<[], i1>, %d: !cameo.tensor<[], i1>, %x: !cameo.tensor<[M], f32>,
                       %y: !cameo.tensor<[N, M], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[M], f32>) -> ()
  }, {
    "onnx.Yield"(%y) : (!cameo.tensor<[N, M], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  %1 = "onnx.If"(%d) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[M], f32>) -> ()
  }, {
    "onnx.Yield"(%y) : (!cameo.tensor<[N, M], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  %2 = "onnx.Add"(%0, %1) : (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  %3 = "onnx.ReduceSum"(%2) <{keepdims = 0 : i64}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  func.return %3 : !cameo.tensor<*, f32>
}

// -----

// A result that an inner If leaves open goes through the outer one.
// CHECK-LABEL: @through_an_outer_if
// CHECK: "onnx.If"(%arg0)
// CHECK-NEXT: "onnx.ReduceSum"
// CHECK-NEXT: "onnx.Yield"
// CHECK: "onnx.If"(%arg1)
// CHECK-NEXT: "onnx.ReduceSum"
// CHECK-NEXT: "onnx.Yield"
// CHECK: "onnx.ReduceSum"
// CHECK-NEXT: "onnx.Yield"
// CHECK: -> !cameo.tensor<[], f32>
// CHECK-NEXT: "onnx.Yield"
// CHECK: -> !cameo.tensor<[], f32>
// CHECK-NEXT: return
func.func @through_an_outer_if(%c: !cameo.tensor<[], i1>, %d: !cameo.tensor<[], i1>, %x: !cameo.tensor<[M], f32>,
                               %y: !cameo.tensor<[N, M], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[M], f32>) -> ()
  }, {
    %1 = "onnx.If"(%d) ({
      "onnx.Yield"(%x) : (!cameo.tensor<[M], f32>) -> ()
    }, {
      "onnx.Yield"(%y) : (!cameo.tensor<[N, M], f32>) -> ()
    }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  %3 = "onnx.ReduceSum"(%0) <{keepdims = 0 : i64}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  func.return %3 : !cameo.tensor<*, f32>
}

// -----

// In a branch its condition is known.
// CHECK-LABEL: @the_same_condition
// CHECK: "onnx.If"
// CHECK-NEXT: "onnx.Exp"
// CHECK: "onnx.Relu"
// CHECK-NOT: "onnx.If"
// CHECK: return
func.func @the_same_condition(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[M], f32>, %y: !cameo.tensor<[N, M], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[M], f32>) -> ()
  }, {
    "onnx.Yield"(%y) : (!cameo.tensor<[N, M], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  %1 = "onnx.If"(%c) ({
    %2 = "onnx.Exp"(%0) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%2) : (!cameo.tensor<*, f32>) -> ()
  }, {
    %2 = "onnx.Relu"(%0) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%2) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  %3 = "onnx.ReduceSum"(%1) <{keepdims = 0 : i64}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  func.return %3 : !cameo.tensor<*, f32>
}

// -----

// The number of integers decides a rank.
// CHECK-LABEL: @as_many_integers
// CHECK: "onnx.If"
// CHECK: "onnx.Reshape"{{.*}} -> !cameo.tensor<[{{.*}}, {{.*}}], f32>
// CHECK: "onnx.Reshape"{{.*}} -> !cameo.tensor<[{{.*}}], f32>
// CHECK: "onnx.ReduceSum"
func.func @as_many_integers(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N, M], f32>,
                            %a: !cameo.tensor<[1], i64>, %b: !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%b) : (!cameo.tensor<[2], i64>) -> ()
  }, {
    "onnx.Yield"(%a) : (!cameo.tensor<[1], i64>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, i64>
  %1 = "onnx.Reshape"(%x, %0) : (!cameo.tensor<[N, M], f32>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  %2 = "onnx.ReduceSum"(%1) <{keepdims = 0 : i64}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  func.return %2 : !cameo.tensor<*, f32>
}

// -----

// What agrees and is needed with what does not goes in too; what it was read by is typed again.
// CHECK-LABEL: @needed_inside
// CHECK: "onnx.If"{{.*}} <{symbols = [#cameo.symbol<"[[S:[a-z_0-9]+]]"{{.*}}>]}>
// CHECK: "onnx.NonZero"
// CHECK: "onnx.NonZero"
// CHECK: }) : {{.*}} -> (!cameo.tensor<[1, [[S]]], i64>, !cameo.tensor<[], i64>)
// CHECK-NEXT: "onnx.Neg"{{.*}} -> !cameo.tensor<[1, [[S]]], i64>
func.func @needed_inside(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[M], i64>, %y: !cameo.tensor<[1, M], i64>)
    -> (!cameo.tensor<*, i64>, !cameo.tensor<*, i64>) {
  %0:2 = "onnx.If"(%c) ({
    "onnx.Yield"(%x, %x) : (!cameo.tensor<[M], i64>, !cameo.tensor<[M], i64>) -> ()
  }, {
    %3 = "onnx.Abs"(%x) : (!cameo.tensor<[M], i64>) -> !cameo.tensor<*, i64>
    "onnx.Yield"(%y, %3) : (!cameo.tensor<[1, M], i64>, !cameo.tensor<*, i64>) -> ()
  }) : (!cameo.tensor<[], i1>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, i64>)
  %1 = "onnx.NonZero"(%0#1) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  %2 = "onnx.Neg"(%1) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  %3 = "onnx.ReduceSum"(%1) <{keepdims = 0 : i64}> : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  %4 = "onnx.Add"(%0#0, %3) : (!cameo.tensor<*, i64>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  %5 = "onnx.ReduceSum"(%4) <{keepdims = 0 : i64}> : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  func.return %2, %5 : !cameo.tensor<*, i64>, !cameo.tensor<*, i64>
}

// -----

// The branch of a known If that is moved in front of an open one keeps its order.
// CHECK-LABEL: @known_behind_open
// CHECK: %[[A:.*]] = "onnx.Neg"(%arg1)
// CHECK: %[[B:.*]] = "onnx.Abs"(%[[A]])
// CHECK: "onnx.If"(%arg0)
// CHECK: return {{.*}}, %[[B]]
func.func @known_behind_open(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[1], f32>, %y: !cameo.tensor<[], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %t = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[1], f32>) -> ()
  }, {
    "onnx.Yield"(%y) : (!cameo.tensor<[], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  %1 = "onnx.If"(%t) ({
    "onnx.Yield"(%y) : (!cameo.tensor<[], f32>) -> ()
  }, {
    %3 = "onnx.Neg"(%x) : (!cameo.tensor<[1], f32>) -> !cameo.tensor<*, f32>
    %4 = "onnx.Abs"(%3) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%4) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %0, %1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// An output has the most dims that there may be, and says how many of them are its own.
// CHECK-LABEL: @output
// CHECK-SAME: -> (!cameo.tensor<[1, [[D:[a-z_0-9]+]]], f32>, !cameo.tensor<[N], f32>)
// CHECK: %[[IF:.*]] = "onnx.If"
// CHECK: %[[ONES:.*]] = "onnx.Expand"{{.*}} -> !cameo.tensor<[1, N], f32>
// CHECK: "onnx.Yield"(%[[ONES]])
// CHECK: "onnx.Yield"{{.*}}!cameo.tensor<[1, M], f32>
// CHECK: prog.rank 0 = #cameo.extent<{{[a-z_0-9]+}}>
// CHECK-NEXT: return %[[IF]]
func.func @output(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[1, M], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32>) -> ()
  }, {
    "onnx.Yield"(%y) : (!cameo.tensor<[1, M], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  %1 = "onnx.Neg"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0, %1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// Squeeze without axes where an extent may be 1: a branch for each. What is known to be 1 goes in both.
// CHECK-LABEL: @squeeze_ones
// CHECK: "onnx.Equal"
// CHECK: "onnx.If"
// CHECK-DAG: "onnx.Reshape"({{.*}} -> !cameo.tensor<[N], f32>
// CHECK-DAG: "onnx.Reshape"({{.*}} -> !cameo.tensor<[1], f32>
// CHECK: }) : {{.*}} -> !cameo.tensor<[N], f32>
// CHECK-NEXT: return
func.func @squeeze_ones(%x: !cameo.tensor<[1, N, 1], f32>) -> !cameo.tensor<*, f32> {
  %flat = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.Squeeze"(%x) : (!cameo.tensor<[1, N, 1], f32>) -> !cameo.tensor<*, f32>
  %1 = "onnx.Reshape"(%0, %flat) : (!cameo.tensor<*, f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %1 : !cameo.tensor<*, f32>
}

// -----

// No branch where no extent may be 1.
// CHECK-LABEL: @squeeze_none
// CHECK-NOT: "onnx.If"
// CHECK: "onnx.Squeeze"({{.*}} -> !cameo.tensor<[2 * N, 3], f32>
func.func @squeeze_none(%x: !cameo.tensor<[1, 2 * N, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Squeeze"(%x) : (!cameo.tensor<[1, 2 * N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
