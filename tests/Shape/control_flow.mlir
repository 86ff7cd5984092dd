// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file | FileCheck %s
//
// Symbols that branches and iterations define. Regions are in the order of ONNX's attributes: else_branch, then_branch.

// A condition that follows from dims takes its branch.
// CHECK-LABEL: @a_known_condition_takes_its_branch
// CHECK-NOT: onnx.If
// CHECK: onnx.Neg
// CHECK-NOT: onnx.Abs
func.func @a_known_condition_takes_its_branch(%x: !cameo.tensor<[2, N], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Shape"(%x) <{start = 0 : i64, end = 1 : i64}> : (!cameo.tensor<[2, N], f32>) -> !cameo.tensor<[1], i64>
  %two = "onnx.Constant"() <{value = dense<2> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %c = "onnx.Equal"(%s, %two) : (!cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1], i1>
  %0 = "onnx.If"(%c) ({
    %1 = "onnx.Abs"(%x) : (!cameo.tensor<[2, N], f32>) -> !cameo.tensor<[2, N], f32>
    "onnx.Yield"(%1) : (!cameo.tensor<[2, N], f32>) -> ()
  }, {
    %1 = "onnx.Neg"(%x) : (!cameo.tensor<[2, N], f32>) -> !cameo.tensor<[2, N], f32>
    "onnx.Yield"(%1) : (!cameo.tensor<[2, N], f32>) -> ()
  }) : (!cameo.tensor<[1], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// Where branches agree, nothing is defined; where they do not, each yields what it has.
// CHECK-LABEL: @if_defines_what_branches_disagree_in
// CHECK: "onnx.If"{{.*}} <{symbols = [#cameo.symbol<"if_dim" in {{.*}}>]}>
// CHECK: "onnx.Yield"{{.*}} <{extents = [#cameo.extent<2 * N>]}>
// CHECK: "onnx.Yield"{{.*}} <{extents = [#cameo.extent<N>]}>
// CHECK: -> !cameo.tensor<[if_dim, 3], f32>
// CHECK: "onnx.Neg"{{.*}} -> !cameo.tensor<[if_dim, 3], f32>
func.func @if_defines_what_branches_disagree_in(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.If"(%c) ({
    %1 = "onnx.Concat"(%x, %x) <{axis = 0 : i64}>
        : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N, 3], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  %2 = "onnx.Neg"(%0) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  func.return %2 : !cameo.tensor<*, f32>
}

// -----

// A carried tensor that grows by one row per iteration.
// CHECK-LABEL: @loop_carries_a_growing_tensor
// CHECK: "onnx.Loop"
// CHECK-SAME: init_extents = [#cameo.extent<1>], iteration = #cameo.symbol<"i" in [0, {{[0-9]+}}] bound N - 1>
// CHECK-SAME: symbols = [#cameo.symbol<"carried">], trip = #cameo.extent<N>
// CHECK: ^bb0({{.*}}: !cameo.tensor<[carried, 3], f32>):
// CHECK: "onnx.Concat"{{.*}} -> !cameo.tensor<[carried + 1, 3], f32>
// CHECK: "onnx.Yield"{{.*}} <{extents = [#cameo.extent<carried + 1>]}>
func.func @loop_carries_a_growing_tensor(%x: !cameo.tensor<[1, 3], f32>, %l: !cameo.tensor<[N], f32>)
    -> !cameo.tensor<*, f32> {
  %n = "onnx.Size"(%l) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], i64>
  %0 = "onnx.Loop"(%n, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<*, f32>):
    %1 = "onnx.Concat"(%s, %x) <{axis = 0 : i64}>
        : (!cameo.tensor<*, f32>, !cameo.tensor<[1, 3], f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%c, %1) : (!cameo.tensor<[], i1>, !cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[1, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// Tensors that begin and grow alike are as long as each other; one that ends up with another extent is not.
// CHECK-LABEL: @loop_carries_tensors_that_grow_alike
// CHECK: ^bb0({{.*}}: !cameo.tensor<[carried, 3], f32>, %{{.*}}: !cameo.tensor<[carried, 3], f32>, %{{.*}}: !cameo.tensor<[[[OTHER:carried[_0-9]+]], 3], f32>):
// CHECK: "onnx.Yield"{{.*}} <{extents = [#cameo.extent<carried + 1>, #cameo.extent<2>]}>
func.func @loop_carries_tensors_that_grow_alike(%x: !cameo.tensor<[1, 3], f32>, %n: !cameo.tensor<[], i64>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:3 = "onnx.Loop"(%n, %x, %x, %x) <{operandSegmentSizes = array<i32: 1, 0, 3>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<*, f32>, %t: !cameo.tensor<*, f32>, %u: !cameo.tensor<*, f32>):
    %1 = "onnx.Concat"(%s, %x) <{axis = 0 : i64}>
        : (!cameo.tensor<*, f32>, !cameo.tensor<[1, 3], f32>) -> !cameo.tensor<*, f32>
    %2 = "onnx.Concat"(%x, %t) <{axis = 0 : i64}>
        : (!cameo.tensor<[1, 3], f32>, !cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
    %3 = "onnx.Concat"(%x, %x) <{axis = 0 : i64}>
        : (!cameo.tensor<[1, 3], f32>, !cameo.tensor<[1, 3], f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%c, %1, %2, %3) : (!cameo.tensor<[], i1>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[1, 3], f32>, !cameo.tensor<[1, 3], f32>, !cameo.tensor<[1, 3], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// A loop that may stop early: the number of iterations is a count, at most the trip count.
// CHECK-LABEL: @loop_that_may_stop_counts
// CHECK: "onnx.Loop"{{.*}} <{count = #cameo.symbol<"iterations" in [0, 4] bound 4>
// CHECK: -> (!cameo.tensor<[N], f32>, !cameo.tensor<[iterations, N], f32>)
func.func @loop_that_may_stop_counts(%x: !cameo.tensor<[N], f32>, %stop: !cameo.tensor<[], i1>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %m = "onnx.Constant"() <{value = dense<4> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0:2 = "onnx.Loop"(%m, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    "onnx.Yield"(%stop, %s, %s)
        : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[N], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// While a body runs its condition holds: one that it hands on, by whatever way, stops no loop.
// CHECK-LABEL: @loop_that_hands_its_condition_on
// CHECK: "onnx.Loop"
// CHECK-NOT: iterations
// CHECK: -> !cameo.tensor<[M, 3, N], f32>
func.func @loop_that_hands_its_condition_on(%x: !cameo.tensor<[N], f32>, %l: !cameo.tensor<[M], f32>)
    -> !cameo.tensor<*, f32> {
  %m = "onnx.Size"(%l) : (!cameo.tensor<[M], f32>) -> !cameo.tensor<[], i64>
  %three = "onnx.Constant"() <{value = dense<3> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %true = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %0 = "onnx.Loop"(%m, %true) <{operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>):
    %1 = "onnx.Loop"(%three) <{operandSegmentSizes = array<i32: 1, 0, 0>}> ({
    ^bb0(%j: !cameo.tensor<[], i64>, %d: !cameo.tensor<[], i1>):
      %2 = "onnx.Identity"(%d) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, i1>
      "onnx.Yield"(%2, %x) : (!cameo.tensor<*, i1>, !cameo.tensor<[N], f32>) -> ()
    }) : (!cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
    %3 = "onnx.Cast"(%c) <{to = 6 : i64}> : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, i32>
    %4 = "onnx.Cast"(%3) <{to = 9 : i64}> : (!cameo.tensor<*, i32>) -> !cameo.tensor<*, i1>
    %5 = "onnx.And"(%true, %4) : (!cameo.tensor<[], i1>, !cameo.tensor<*, i1>) -> !cameo.tensor<*, i1>
    "onnx.Yield"(%5, %1) : (!cameo.tensor<*, i1>, !cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// A branch that is taken may end in the result of an If whose branch is taken too.
// CHECK-LABEL: @nested_known_conditions
// CHECK-NOT: onnx.If
// CHECK: %[[Y:.*]] = "onnx.Exp"(%arg0)
// CHECK: return %[[Y]] : !cameo.tensor<[2, N], f32>
func.func @nested_known_conditions(%x: !cameo.tensor<[2, N], f32>) -> !cameo.tensor<*, f32> {
  %c = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[2, N], f32>) -> ()
  }, {
    %1 = "onnx.If"(%c) ({
      "onnx.Yield"(%x) : (!cameo.tensor<[2, N], f32>) -> ()
    }, {
      %2 = "onnx.If"(%c) ({
        "onnx.Yield"(%x) : (!cameo.tensor<[2, N], f32>) -> ()
      }, {
        %3 = "onnx.Exp"(%x) : (!cameo.tensor<[2, N], f32>) -> !cameo.tensor<*, f32>
        "onnx.Yield"(%3) : (!cameo.tensor<*, f32>) -> ()
      }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
      "onnx.Yield"(%2) : (!cameo.tensor<*, f32>) -> ()
    }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// What holds in the first iteration need not hold in the next: the branch stays one.
// CHECK-LABEL: @known_in_the_first_iteration
// CHECK: "onnx.Loop"
// CHECK: "onnx.If"
// CHECK: "onnx.Abs"
// CHECK: "onnx.Neg"
// CHECK: -> !cameo.tensor<[carried, 3], f32>
// CHECK: return
func.func @known_in_the_first_iteration(%x: !cameo.tensor<[1, 3], f32>) -> !cameo.tensor<*, f32> {
  %n = "onnx.Constant"() <{value = dense<4> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %one = "onnx.Constant"() <{value = dense<1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.Loop"(%n, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<*, f32>):
    %sh = "onnx.Shape"(%s) <{start = 0 : i64, end = 1 : i64}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<[1], i64>
    %cc = "onnx.Equal"(%sh, %one) : (!cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1], i1>
    %b = "onnx.If"(%cc) ({
      %1 = "onnx.Abs"(%s) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
      "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
    }, {
      %1 = "onnx.Neg"(%s) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
      "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
    }) : (!cameo.tensor<[1], i1>) -> !cameo.tensor<*, f32>
    %1 = "onnx.Concat"(%b, %x) <{axis = 0 : i64}>
        : (!cameo.tensor<*, f32>, !cameo.tensor<[1, 3], f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%c, %1) : (!cameo.tensor<[], i1>, !cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[1, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
