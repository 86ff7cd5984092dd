// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-select-branches --split-input-file | FileCheck %s

// Two scalar functions, and a condition that only the device has: both are computed.
// CHECK-LABEL: func.func @scalar_functions
// CHECK-NOT: onnx.If
// CHECK-DAG: %[[THEN:.*]] = "onnx.Neg"(%{{.*}})
// CHECK-DAG: %[[ELSE:.*]] = "onnx.Abs"(%{{.*}})
// CHECK: "onnx.Where"(%{{.*}}, %[[THEN]], %[[ELSE]])
func.func @scalar_functions(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32> {
  %zero = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %sum = "onnx.ReduceSum"(%x) <{keepdims = 0 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[], f32>
  %high = "onnx.Greater"(%sum, %zero) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1> loc("Greater:high"(fused<["high"]>[unknown]))
  %y = "onnx.If"(%high) ({
    %0 = "onnx.Abs"(%x) : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N, 8], f32>) -> ()
  }, {
    %0 = "onnx.Neg"(%x) : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N, 8], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N, 8], f32>
  func.return %y : !cameo.tensor<[N, 8], f32>
}

// -----

// Whoever pins the condition wants to have it.
// CHECK-LABEL: func.func @pinned_condition
// CHECK: onnx.If
func.func @pinned_condition(%x: !cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
    attributes {cameo.pins = {high = "host"}} {
  %zero = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %sum = "onnx.ReduceSum"(%x) <{keepdims = 0 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[], f32>
  %high = "onnx.Greater"(%sum, %zero) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1> loc("Greater:high"(fused<["high"]>[unknown]))
  %y = "onnx.If"(%high) ({
    %0 = "onnx.Abs"(%x) : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N, 8], f32>) -> ()
  }, {
    %0 = "onnx.Neg"(%x) : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[N, 8], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N, 8], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N, 8], f32>
  func.return %y : !cameo.tensor<[N, 8], f32>
}

// -----

// A flag that the caller gives is wanted on the host.
// CHECK-LABEL: func.func @flag_of_the_caller
// CHECK: onnx.If
func.func @flag_of_the_caller(%x: !cameo.tensor<[N], f32>, %flag: !cameo.tensor<[], i1>) -> !cameo.tensor<[N], f32> {
  %y = "onnx.If"(%flag) ({
    %0 = "onnx.Abs"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N], f32>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N], f32>
  func.return %y : !cameo.tensor<[N], f32>
}

// -----

// A kernel that may raise an error is to do so only where its branch is taken: both are computed, and
// the border between them stays.
// CHECK-LABEL: func.func @may_raise
// CHECK: "onnx.If"(%{{.*}}) <{selects}>
// CHECK: onnx.Gather
func.func @may_raise(%x: !cameo.tensor<[N, 8], f32>, %rows: !cameo.tensor<[N], i64>) -> !cameo.tensor<[N, 8], f32> {
  %zero = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %sum = "onnx.ReduceSum"(%x) <{keepdims = 0 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[], f32>
  %high = "onnx.Greater"(%sum, %zero) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1> loc("Greater:high"(fused<["high"]>[unknown]))
  %y = "onnx.If"(%high) ({
    %0 = "onnx.Gather"(%x, %rows) <{axis = 0 : i64}> : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N], i64>) -> !cameo.tensor<[N, 8], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N, 8], f32>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N, 8], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N, 8], f32>
  func.return %y : !cameo.tensor<[N, 8], f32>
}

// -----

// CHECK-LABEL: func.func @pinned_and_may_raise
// CHECK: "onnx.If"(%{{.*}}) ({
func.func @pinned_and_may_raise(%x: !cameo.tensor<[N, 8], f32>, %rows: !cameo.tensor<[N], i64>) -> !cameo.tensor<[N, 8], f32>
    attributes {cameo.pins = {high = "host"}} {
  %zero = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %sum = "onnx.ReduceSum"(%x) <{keepdims = 0 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[], f32>
  %high = "onnx.Greater"(%sum, %zero) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1> loc("Greater:high"(fused<["high"]>[unknown]))
  %y = "onnx.If"(%high) ({
    %0 = "onnx.Gather"(%x, %rows) <{axis = 0 : i64}> : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N], i64>) -> !cameo.tensor<[N, 8], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N, 8], f32>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N, 8], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N, 8], f32>
  func.return %y : !cameo.tensor<[N, 8], f32>
}

// -----

// Whether the operands fit is first known when the branch runs, and must not matter where it does not.
// CHECK-LABEL: func.func @may_not_fit
// CHECK: onnx.If
func.func @may_not_fit(%x: !cameo.tensor<[N], f32>, %z: !cameo.tensor<[M], f32>) -> !cameo.tensor<[N], f32> {
  %zero = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %sum = "onnx.ReduceSum"(%x) <{keepdims = 0 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
  %high = "onnx.Greater"(%sum, %zero) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1> loc("Greater:high"(fused<["high"]>[unknown]))
  %y = "onnx.If"(%high) ({
    %0 = "onnx.Add"(%x, %z) : (!cameo.tensor<[N], f32>, !cameo.tensor<[M], f32>) -> !cameo.tensor<[N], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N], f32>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N], f32>
  func.return %y : !cameo.tensor<[N], f32>
}

// -----

// A border stays in another one.
// CHECK-LABEL: func.func @one_in_another
// CHECK: "onnx.If"(%{{.*}}) <{selects}>
// CHECK: "onnx.If"(%{{.*}}) <{selects}>
func.func @one_in_another(%x: !cameo.tensor<[N, 8], f32>, %rows: !cameo.tensor<[N], i64>) -> !cameo.tensor<[N, 8], f32> {
  %zero = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %sum = "onnx.ReduceSum"(%x) <{keepdims = 0 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[], f32>
  %least = "onnx.ReduceMin"(%x) <{keepdims = 0 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[], f32>
  %high = "onnx.Greater"(%sum, %zero) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
  %low = "onnx.Less"(%least, %zero) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
  %y = "onnx.If"(%high) ({
    %0 = "onnx.If"(%low) ({
      %1 = "onnx.Gather"(%x, %rows) <{axis = 0 : i64}> : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[N], i64>) -> !cameo.tensor<[N, 8], f32>
      "onnx.Yield"(%1) : (!cameo.tensor<[N, 8], f32>) -> ()
    }, {
      "onnx.Yield"(%x) : (!cameo.tensor<[N, 8], f32>) -> ()
    }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N, 8], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N, 8], f32>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N, 8], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N, 8], f32>
  func.return %y : !cameo.tensor<[N, 8], f32>
}

// -----

// The host looks at an index that is known, before anything runs; a product of matrices is too dear.
// CHECK-LABEL: func.func @too_much
// CHECK-COUNT-2: "onnx.If"(%{{.*}}) ({
func.func @too_much(%x: !cameo.tensor<[N, 8], f32>, %w: !cameo.tensor<[8, 8], f32>) -> (!cameo.tensor<[1, 8], f32>, !cameo.tensor<[N, 8], f32>) {
  %zero = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %row = "onnx.Constant"() <{value = dense<3> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %axis = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %sum = "onnx.ReduceSum"(%x) <{keepdims = 0 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[N, 8], f32>) -> !cameo.tensor<[], f32>
  %high = "onnx.Greater"(%sum, %zero) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
  %y = "onnx.If"(%high) ({
    %0 = "onnx.Gather"(%x, %row) <{axis = 0 : i64}> : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1, 8], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[1, 8], f32>) -> ()
  }, {
    %0 = "onnx.ReduceSum"(%x, %axis) <{keepdims = 1 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1, 8], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[1, 8], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[1, 8], f32>
  %z = "onnx.If"(%high) ({
    %0 = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[8, 8], f32>) -> !cameo.tensor<[N, 8], f32>
    "onnx.Yield"(%0) : (!cameo.tensor<[N, 8], f32>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N, 8], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N, 8], f32>
  func.return %y, %z : !cameo.tensor<[1, 8], f32>, !cameo.tensor<[N, 8], f32>
}
