// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @slice_clamps
// CHECK: "onnx.Slice"{{.*}} -> !cameo.tensor<[N, 13], f32>
func.func @slice_clamps(%x: !cameo.tensor<[N, 20], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0, 3]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %e = "onnx.Constant"() <{value = dense<[9223372036854775807, -4]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Slice"(%x, %s, %e) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 20], f32>, !cameo.tensor<[2], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @slice_backward
// CHECK: "onnx.Slice"{{.*}} -> !cameo.tensor<[7], f32>
func.func @slice_backward(%x: !cameo.tensor<[20], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[-1]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %e = "onnx.Constant"() <{value = dense<[-9223372036854775808]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %a = "onnx.Constant"() <{value = dense<[0]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %t = "onnx.Constant"() <{value = dense<[-3]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.Slice"(%x, %s, %e, %a, %t) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}>
      : (!cameo.tensor<[20], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @slice_takes_at_most_the_extent
// CHECK: "onnx.Slice"{{.*}} -> !cameo.tensor<[min(N, 5)], f32>
func.func @slice_takes_at_most_the_extent(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %e = "onnx.Constant"() <{value = dense<[5]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.Slice"(%x, %s, %e) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @slice_may_be_empty
// CHECK: "onnx.Slice"{{.*}} -> !cameo.tensor<[0], f32>
func.func @slice_may_be_empty(%x: !cameo.tensor<[5], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[4]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %e = "onnx.Constant"() <{value = dense<[2]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.Slice"(%x, %s, %e) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (!cameo.tensor<[5], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @slice_c1_rank(%x: !cameo.tensor<[5], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %e = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{has a wrong rank of starts (C1) (got 0, need 1)}}
  %0 = "onnx.Slice"(%x, %s, %e) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (!cameo.tensor<[5], f32>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @slice_c1_length(%x: !cameo.tensor<[5], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %e = "onnx.Constant"() <{value = dense<[1, 2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has lists of different lengths (C1, got 1 and 2)}}
  %0 = "onnx.Slice"(%x, %s, %e) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (!cameo.tensor<[5], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @slice_c2(%x: !cameo.tensor<[5], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %e = "onnx.Constant"() <{value = dense<[1]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %a = "onnx.Constant"() <{value = dense<[1]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{axes (C2) is out of range (got 1, need [-1, 1))}}
  %0 = "onnx.Slice"(%x, %s, %e, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}>
      : (!cameo.tensor<[5], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @slice_c3(%x: !cameo.tensor<[5], f32>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[0]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %e = "onnx.Constant"() <{value = dense<[1]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %a = "onnx.Constant"() <{value = dense<[0]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %t = "onnx.Constant"() <{value = dense<[0]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{has a step of 0 (C3)}}
  %0 = "onnx.Slice"(%x, %s, %e, %a, %t) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}>
      : (!cameo.tensor<[5], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// A step of the run, of either sign.
// CHECK-LABEL: @slice_by_a_runtime_step
// CHECK: prog.define <"[[COUNT:[^"]*]]" {{.*}}> = #cameo.extent<max({{[^?]*floordiv[^?]*}}, 0)>
// CHECK: "onnx.Slice"{{.*}} -> !cameo.tensor<{{\[}}[[COUNT]]], f32>
func.func @slice_by_a_runtime_step(%x: !cameo.tensor<[5], f32>, %p: !cameo.tensor<[1], i64> {onnx.name = "p"})
    -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %e = "onnx.Constant"() <{value = dense<4> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.Slice"(%x, %s, %e, %s, %p) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}>
      : (!cameo.tensor<[5], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>)
      -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
