// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-repeat-loops --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-repeat-loops --cameo-place --cameo-verify-sides --split-input-file | FileCheck %s --check-prefix=PLACED

// What may fail does so in an iteration that runs; the counter that is carried is the device's, and so is the number of the
// iteration, which the host would have.
// CHECK-LABEL: func.func @until_the_device_says
// CHECK: "onnx.Loop"
// CHECK-SAME: <{
// CHECK: }) {cameo.repeats} :
// PLACED-LABEL: func.func @until_the_device_says
// PLACED: ^bb0(%{{.*}}: !cameo.tensor<[], i64, device>, %{{.*}}: !cameo.tensor<[], i1, host>, %{{.*}}: !cameo.tensor<[N], f32, device>, %{{.*}}: !cameo.tensor<[], i64, device>):
// PLACED: "onnx.Gather"
// PLACED: "onnx.Less"({{.*}}) : ({{.*}}) -> !cameo.tensor<[], i1, device>
// PLACED-COUNT-1: prog.await
// PLACED: "onnx.Yield"
// PLACED: cameo.repeats
func.func @until_the_device_says(%x: !cameo.tensor<[N], f32>, %table: !cameo.tensor<[4], f32>) -> !cameo.tensor<[N], f32> {
  %true = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %one = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %limit = "onnx.Constant"() <{value = dense<1000.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %y:2 = "onnx.Loop"(%true, %x, %zero) <{count = #cameo.symbol<"count">, init_extents = [], iteration = #cameo.symbol<"i">, symbols = [], operandSegmentSizes = array<i32: 0, 1, 2>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>, %at: !cameo.tensor<[], i64>):
    %factor = "onnx.Gather"(%table, %at) <{axis = 0 : i64}> : (!cameo.tensor<[4], f32>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], f32>
    %grown = "onnx.Mul"(%s, %factor) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
    %next = "onnx.Add"(%at, %one) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i64>
    %most = "onnx.ReduceMax"(%grown) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
    %more = "onnx.Less"(%most, %limit) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %grown, %next) <{extents = []}> : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>, !cameo.tensor<[], i64>) -> ()
  }) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>, !cameo.tensor<[], i64>) -> (!cameo.tensor<[N], f32>, !cameo.tensor<[], i64>)
  func.return %y#0 : !cameo.tensor<[N], f32>
}

// -----

// A condition that follows from the number of the iteration is the host's.
// CHECK-LABEL: func.func @counted
// CHECK-NOT: cameo.repeats
// CHECK: return
func.func @counted(%x: !cameo.tensor<[N], f32>, %m: !cameo.tensor<[], i64>) -> !cameo.tensor<[N], f32> {
  %true = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %y = "onnx.Loop"(%true, %x) <{count = #cameo.symbol<"count">, init_extents = [], iteration = #cameo.symbol<"i">, symbols = [], operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    %grown = "onnx.Add"(%s, %s) : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    %more = "onnx.Less"(%i, %m) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %grown) <{extents = []}> : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  func.return %y : !cameo.tensor<[N], f32>
}

// -----

// Nothing bounds the stack; and a condition that is pinned is looked at.
// CHECK-LABEL: func.func @stacks
// CHECK-NOT: cameo.repeats
// CHECK: return
func.func @stacks(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[count, N], f32> {
  %true = "onnx.Constant"() <{value = dense<true> : tensor<i1>}> : () -> !cameo.tensor<[], i1>
  %limit = "onnx.Constant"() <{value = dense<1000.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %y:2 = "onnx.Loop"(%true, %x) <{count = #cameo.symbol<"count">, init_extents = [], iteration = #cameo.symbol<"i">, symbols = [], operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    %grown = "onnx.Add"(%s, %s) : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    %most = "onnx.ReduceMax"(%grown) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
    %more = "onnx.Less"(%most, %limit) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%more, %grown, %s) <{extents = []}> : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> (!cameo.tensor<[N], f32>, !cameo.tensor<[count, N], f32>)
  func.return %y#1 : !cameo.tensor<[count, N], f32>
}
