// RUN: cameo-opt %s --cameo-speculate-loops --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-speculate-loops --cameo-place=device=true --cameo-verify-sides --split-input-file | FileCheck %s --check-prefix=PLACED

// Four iterations for each look: the later ones keep what they got where the condition before them was
// false, and one element is read back for all.
// CHECK-LABEL: func.func @until_the_device_says
// CHECK: "onnx.Loop"
// CHECK: ^bb0(%{{.*}}, %{{.*}}, %[[STATE:.*]]: !cameo.tensor<[N], f32>):
// CHECK: %[[FIRST:.*]] = "onnx.Mul"(%[[STATE]]
// CHECK: %[[MORE:.*]] = "onnx.Less"
// CHECK: %[[SECOND:.*]] = "onnx.Mul"(%[[FIRST]]
// CHECK: %[[AGAIN:.*]] = "onnx.Less"
// CHECK: %[[KEPT:.*]] = "onnx.Where"(%[[MORE]], %[[SECOND]], %[[FIRST]])
// CHECK: %[[BOTH:.*]] = "onnx.And"(%[[MORE]], %[[AGAIN]])
// CHECK: "onnx.Mul"(%[[KEPT]]
// CHECK: "onnx.Where"(%[[BOTH]]
// CHECK: "onnx.Mul"
// CHECK: %[[LAST:.*]] = "onnx.Where"
// CHECK: %[[ALL:.*]] = "onnx.And"
// CHECK-NOT: onnx.Mul
// CHECK: "onnx.Yield"(%[[ALL]], %[[LAST]])
// PLACED-LABEL: func.func @until_the_device_says
// PLACED-COUNT-1: prog.fetch
// PLACED-NOT: prog.fetch
// PLACED: return
func.func @until_the_device_says(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32> {
  %true = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %two = "onnx.Constant"() <{value = dense<2.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %limit = "onnx.Constant"() <{value = dense<1000.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %y = "onnx.Loop"(%true, %x) <{count = #cameo.symbol<"count">, init_extents = [], iteration = #cameo.symbol<"i">, symbols = [], operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    %grown = "onnx.Mul"(%s, %two) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
    %most = "onnx.ReduceMax"(%grown) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
    %more = "onnx.Less"(%most, %limit) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %grown) <{extents = []}> : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  func.return %y : !cameo.tensor<[N], f32>
}

// -----

// A limit of iterations is kept among those that are queued together, and each has its number.
// CHECK-LABEL: func.func @counts_to_its_limit
// CHECK: "onnx.Loop"
// CHECK: prog.from_extents [#cameo.extent<4 * i>] -> <[], i64>
// CHECK: %[[SECOND:.*]] = prog.from_extents [#cameo.extent<4 * i + 1>] -> <[], i64>
// CHECK: %[[ALLOWED:.*]] = "onnx.Less"(%[[SECOND]], %arg1)
// CHECK: %[[BOTH:.*]] = "onnx.And"(%{{.*}}, %[[ALLOWED]])
// CHECK: "onnx.Where"(%[[BOTH]]
// CHECK: %[[NEXT:.*]] = prog.from_extents [#cameo.extent<4 * i + 4>] -> <[], i64>
// CHECK: "onnx.Less"(%[[NEXT]], %arg1)
func.func @counts_to_its_limit(%x: !cameo.tensor<[N], i64>, %m: !cameo.tensor<[], i64>) -> !cameo.tensor<[N], i64> {
  %true = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %limit = "onnx.Constant"() <{value = dense<1000> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %y = "onnx.Loop"(%m, %true, %x) <{count = #cameo.symbol<"count">, init_extents = [], iteration = #cameo.symbol<"i">, symbols = [], operandSegmentSizes = array<i32: 1, 1, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], i64>):
    %grown = "onnx.Add"(%s, %i) : (!cameo.tensor<[N], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[N], i64>
    %most = "onnx.ReduceMax"(%grown) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], i64>) -> !cameo.tensor<[], i64>
    %more = "onnx.Less"(%most, %limit) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %grown) <{extents = []}> : (!cameo.tensor<[], i1>, !cameo.tensor<[N], i64>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i1>, !cameo.tensor<[N], i64>) -> !cameo.tensor<[N], i64>
  func.return %y : !cameo.tensor<[N], i64>
}

// -----

// A product of matrices may take longer than the look; what may fail must not run in vain.
// CHECK-LABEL: func.func @heavy
// CHECK-COUNT-1: onnx.MatMul
// CHECK-NOT: onnx.MatMul
// CHECK: return
func.func @heavy(%x: !cameo.tensor<[N, N], f32>) -> !cameo.tensor<[N, N], f32> {
  %true = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %limit = "onnx.Constant"() <{value = dense<1000.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %y = "onnx.Loop"(%true, %x) <{count = #cameo.symbol<"count">, init_extents = [], iteration = #cameo.symbol<"i">, symbols = [], operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N, N], f32>):
    %square = "onnx.MatMul"(%s, %s) : (!cameo.tensor<[N, N], f32>, !cameo.tensor<[N, N], f32>) -> !cameo.tensor<[N, N], f32>
    %most = "onnx.ReduceMax"(%square) <{keepdims = 0 : i64}> : (!cameo.tensor<[N, N], f32>) -> !cameo.tensor<[], f32>
    %more = "onnx.Less"(%most, %limit) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %square) <{extents = []}> : (!cameo.tensor<[], i1>, !cameo.tensor<[N, N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>, !cameo.tensor<[N, N], f32>) -> !cameo.tensor<[N, N], f32>
  func.return %y : !cameo.tensor<[N, N], f32>
}

// CHECK-LABEL: func.func @collects
// CHECK-COUNT-1: onnx.Mul
// CHECK-NOT: onnx.Mul
// CHECK: return
func.func @collects(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[count, N], f32> {
  %true = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %limit = "onnx.Constant"() <{value = dense<1000.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %y:2 = "onnx.Loop"(%true, %x) <{count = #cameo.symbol<"count">, init_extents = [], iteration = #cameo.symbol<"i">, symbols = [], operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    %grown = "onnx.Mul"(%s, %s) : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    %most = "onnx.ReduceMax"(%grown) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
    %more = "onnx.Less"(%most, %limit) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %grown, %grown) <{extents = []}> : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> (!cameo.tensor<[N], f32>, !cameo.tensor<[count, N], f32>)
  func.return %y#1 : !cameo.tensor<[count, N], f32>
}
