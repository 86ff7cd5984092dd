// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s
//
// A branch in which an operator contradicts what it reads cannot be run: the other one takes the place
// of the If, behind a demand on its condition.

// CHECK-LABEL: @one_that_contradicts
// CHECK: prog.assert demanded %arg0 in [#cameo.extent<0>] to [#cameo.extent<0>]
// CHECK-NOT: onnx.If
// CHECK: "onnx.Exp"
func.func @one_that_contradicts(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N, 3], f32>, %w: !cameo.tensor<[4, 2], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.If"(%c) ({
    %1 = "onnx.Exp"(%x) : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }, {
    %1 = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[4, 2], f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// What reads a result of another rank in each branch goes into both, and contradicts one of them; what
// follows has a type. A later If on the same condition is decided too.
// CHECK-LABEL: @behind_an_open_rank
// CHECK: prog.assert demanded
// CHECK-NOT: onnx.If
// CHECK: "onnx.Squeeze"
// CHECK: "onnx.LRN"{{.*}} -> !cameo.tensor<[A, B, C], f32>
// CHECK-NEXT: "onnx.Exp"
// CHECK-NOT: "onnx.Neg"
func.func @behind_an_open_rank(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[A, B, C, 1], f32>, %y: !cameo.tensor<[2], f32>)
    -> !cameo.tensor<*, f32> {
  %axis = "onnx.Constant"() <{value = dense<3> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.If"(%c) ({
    %1 = "onnx.Squeeze"(%x, %axis) : (!cameo.tensor<[A, B, C, 1], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }, {
    "onnx.Yield"(%y) : (!cameo.tensor<[2], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  %2 = "onnx.LRN"(%0) <{size = 3 : i64}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  %3 = "onnx.If"(%c) ({
    %4 = "onnx.Exp"(%2) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%4) : (!cameo.tensor<*, f32>) -> ()
  }, {
    %4 = "onnx.Neg"(%2) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%4) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %3 : !cameo.tensor<*, f32>
}

// -----

// In a loop it is a demand of each iteration.
// CHECK-LABEL: @in_a_loop
// CHECK: "onnx.Loop"
// CHECK: prog.assert demanded
// CHECK-NOT: onnx.If
// CHECK: "onnx.Exp"
func.func @in_a_loop(%m: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N, 3], f32>,
                     %w: !cameo.tensor<[4, 2], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Loop"(%m, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %go: !cameo.tensor<[], i1>, %s: !cameo.tensor<*, f32>):
    %1 = "onnx.If"(%c) ({
      %2 = "onnx.Exp"(%s) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
      "onnx.Yield"(%2) : (!cameo.tensor<*, f32>) -> ()
    }, {
      %2 = "onnx.MatMul"(%s, %w) : (!cameo.tensor<*, f32>, !cameo.tensor<[4, 2], f32>) -> !cameo.tensor<*, f32>
      "onnx.Yield"(%2) : (!cameo.tensor<*, f32>) -> ()
    }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%go, %1) : (!cameo.tensor<[], i1>, !cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// Where both contradict, the model does; where one is known to be taken, too.
func.func @both(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N, 3], f32>, %w: !cameo.tensor<[4, 2], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.If"(%c) ({
    %1 = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[4, 2], f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }, {
    // expected-error @+1 {{does not fit in}}
    %1 = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[4, 2], f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @known_to_be_taken(%x: !cameo.tensor<[N, 3], f32>, %w: !cameo.tensor<[4, 2], f32>) -> !cameo.tensor<*, f32> {
  %c = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[N, 3], f32>) -> ()
  }, {
    // expected-error @+1 {{does not fit in}}
    %1 = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[4, 2], f32>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
