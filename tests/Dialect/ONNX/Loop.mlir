// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @loop_stacks_scan_outputs
// CHECK: }) {{.*}} -> (!cameo.tensor<[N], f32>, !cameo.tensor<[4, N], f32>)
func.func @loop_stacks_scan_outputs(%x: !cameo.tensor<[N], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %m = "onnx.Constant"() <{value = dense<4> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0:2 = "onnx.Loop"(%m, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    %1 = "onnx.Add"(%s, %x) : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    "onnx.Yield"(%c, %1, %s)
        : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[N], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @loop_c2(%m: !cameo.tensor<[], i64>, %x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a body with a wrong number of inputs (C2, got 2, need 3)}}
  %0 = "onnx.Loop"(%m, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>):
    "onnx.Yield"(%c, %x) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @loop_c3_yields(%m: !cameo.tensor<[], i64>, %x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a body with a wrong number of outputs (C3, got 1, need 2)}}
  %0 = "onnx.Loop"(%m, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    "onnx.Yield"(%c) : (!cameo.tensor<[], i1>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @loop_c3_results(%m: !cameo.tensor<[], i64>, %x: !cameo.tensor<[N], f32>) {
  // expected-error @+1 {{has fewer results than carried values (C3, got 0, need 1)}}
  "onnx.Loop"(%m, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    "onnx.Yield"(%c) : (!cameo.tensor<[], i1>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[N], f32>) -> ()
  func.return
}

// -----

func.func @loop_c4(%m: !cameo.tensor<[], i64>, %x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[N], f64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{along control flow edge}}
  %0 = "onnx.Loop"(%m, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    // expected-note @+1 {{region branch point}}
    "onnx.Yield"(%c, %y) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f64>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
