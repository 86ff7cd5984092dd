// RUN: cameo-opt %s --cameo-expand-scan --split-input-file --verify-diagnostics | FileCheck %s
//
// Scan becomes Loop. Ranks are needed only where an axis is counted from the back, and where a scan
// output is stacked otherwise than a Loop stacks.

// CHECK-LABEL: @first_axis
// CHECK-NOT: onnx.Scan
// CHECK: onnx.Loop
// CHECK: onnx.Gather
// CHECK-NOT: onnx.Transpose
func.func @first_axis(%x: !cameo.tensor<*, f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Scan"(%x) <{num_scan_inputs = 1 : i64}> ({
  ^bb0(%e: !cameo.tensor<*, f32>):
    "onnx.Yield"(%e) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @last_axis
// CHECK: onnx.Loop
// CHECK: onnx.Transpose
// CHECK-SAME: perm = array<i64: 1, 0>
func.func @last_axis(%x: !cameo.tensor<[T, N], f32>) -> !cameo.tensor<[N, T], f32> {
  %0 = "onnx.Scan"(%x) <{num_scan_inputs = 1 : i64, scan_output_axes = array<i64: -1>}> ({
  ^bb0(%e: !cameo.tensor<[N], f32>):
    "onnx.Yield"(%e) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[T, N], f32>) -> !cameo.tensor<[N, T], f32>
  func.return %0 : !cameo.tensor<[N, T], f32>
}

// -----

func.func @input_axis_from_the_back(%x: !cameo.tensor<*, f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{counts an axis of scan input 0, whose rank is not known, from the back}}
  %0 = "onnx.Scan"(%x) <{num_scan_inputs = 1 : i64, scan_input_axes = array<i64: -1>}> ({
  ^bb0(%e: !cameo.tensor<*, f32>):
    "onnx.Yield"(%e) : (!cameo.tensor<*, f32>) -> ()
  }) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @output_axis(%x: !cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{stacks scan output 0, whose rank is not known, in another order or along another axis than the first}}
  %0 = "onnx.Scan"(%x) <{num_scan_inputs = 1 : i64, scan_output_axes = array<i64: 1>}> ({
  ^bb0(%e: !cameo.tensor<[N], f32>):
    "onnx.Yield"(%e) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @output_direction(%x: !cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{stacks scan output 0, whose rank is not known, in another order}}
  %0 = "onnx.Scan"(%x) <{num_scan_inputs = 1 : i64, scan_output_directions = array<i64: 1>}> ({
  ^bb0(%e: !cameo.tensor<[N], f32>):
    "onnx.Yield"(%e) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// One with a batch is a loop in a loop, whose states are gathered for each entry.
// CHECK-LABEL: @batch
// CHECK: "onnx.Loop"
// CHECK: "onnx.Gather"(%arg0
// CHECK: "onnx.Gather"(%arg1
// CHECK: "onnx.Loop"
// CHECK-NOT: onnx.Scan
func.func @batch(%s: !cameo.tensor<[B, N], f32>, %x: !cameo.tensor<[B, T, N], f32>) -> (!cameo.tensor<[?, ?], f32>, !cameo.tensor<[?, ?, ?], f32>) {
  %0:2 = "onnx.Scan"(%s, %x) <{batched, num_scan_inputs = 1 : i64}> ({
  ^bb0(%a: !cameo.tensor<[N], f32>, %e: !cameo.tensor<[N], f32>):
    %1 = "onnx.Add"(%a, %e) : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    "onnx.Yield"(%1, %1) : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[B, N], f32>, !cameo.tensor<[B, T, N], f32>) -> (!cameo.tensor<[?, ?], f32>, !cameo.tensor<[?, ?, ?], f32>)
  func.return %0#0, %0#1 : !cameo.tensor<[?, ?], f32>, !cameo.tensor<[?, ?, ?], f32>
}
