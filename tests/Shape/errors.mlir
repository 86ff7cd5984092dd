// RUN: not cameo-opt %s --cameo-infer-shapes --split-input-file 2>&1 | FileCheck %s
//
// Contradictions between operators and shapes are errors at the node that finds them, by its name.

// CHECK: error: {{.*}}"Add:sum1"{{.*}}operands do not broadcast (got extents 3 and 4, need equal ones or 1)
func.func @broadcast(%x: !cameo.tensor<[N, 3], f32>, %y: !cameo.tensor<[4], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Add"(%x, %y) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[4], f32>) -> !cameo.tensor<*, f32> loc("Add:sum1")
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// Found only once the chain of integers is known.
// CHECK: error: {{.*}}"Reshape:flat"{{.*}}(C2
func.func @reshape(%x: !cameo.tensor<[2, 3], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[2, 3], f32>) -> !cameo.tensor<[2], i64>
  %two = "onnx.Constant"() <{value = dense<2> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %d = "onnx.Mul"(%s, %two) : (!cameo.tensor<[2], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[2], i64>
  %0 = "onnx.Reshape"(%x, %d) : (!cameo.tensor<[2, 3], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32> loc("Reshape:flat")
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// A result of another rank in each branch that a loop stacks.
// CHECK: error: {{.*}}"Loop:stack"{{.*}}stacks result 0, whose rank may change from one iteration to the next
func.func @branches(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N, 3], f32>, %y: !cameo.tensor<[N], f32>,
                    %n: !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32> {
  %t = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %0 = "onnx.Loop"(%n, %t) <{operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %go: !cameo.tensor<[], i1>):
    %1 = "onnx.If"(%c) ({
      "onnx.Yield"(%x) : (!cameo.tensor<[N, 3], f32>) -> ()
    }, {
      "onnx.Yield"(%y) : (!cameo.tensor<[N], f32>) -> ()
    }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%go, %1) : (!cameo.tensor<[], i1>, !cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i1>) -> !cameo.tensor<*, f32> loc("Loop:stack")
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// The first result whose rank stays open is named, with what decides it; later stages never see one.
// CHECK: error: {{.*}}"ReduceSum:sum"{{.*}}makes result 0 with extents that are first known when it runs, by axes, which is not supported
func.func @open_rank(%x: !cameo.tensor<[N, 3], f32>, %axes: !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ReduceSum"(%x, %axes) <{keepdims = 0 : i64, noop_with_empty_axes = 0 : i64}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32> loc("ReduceSum:sum")
  %1 = "onnx.Exp"(%0) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32> loc("Exp:exp")
  func.return %1 : !cameo.tensor<*, f32>
}

// -----

// Three Ifs in a row have eight ends, and all that follows is needed in each.
// CHECK: error: {{.*}}"If:{{.*}}"{{.*}}has results of another rank in each branch, so that what reads them is needed in both and the graph grows beyond 36 operators
// CHECK: note: {{.*}}raise it with --max-branch-growth
func.func @growth(%c: !cameo.tensor<[], i1>, %d: !cameo.tensor<[], i1>, %e: !cameo.tensor<[], i1>,
                  %x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %z = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32>) -> ()
  }, {
    %9 = "onnx.Unsqueeze"(%x, %z) : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%9) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32> loc("If:c")
  %1 = "onnx.If"(%d) ({
    "onnx.Yield"(%0) : (!cameo.tensor<*, f32>) -> ()
  }, {
    %9 = "onnx.Unsqueeze"(%0, %z) : (!cameo.tensor<*, f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%9) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32> loc("If:d")
  %2 = "onnx.If"(%e) ({
    "onnx.Yield"(%1) : (!cameo.tensor<*, f32>) -> ()
  }, {
    %9 = "onnx.Unsqueeze"(%1, %z) : (!cameo.tensor<*, f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
    "onnx.Yield"(%9) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<*, f32> loc("If:e")
  %3 = "onnx.Exp"(%2) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  %4 = "onnx.Neg"(%3) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  %5 = "onnx.Abs"(%4) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  func.return %5 : !cameo.tensor<*, f32>
}
