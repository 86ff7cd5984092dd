// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-simplify --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: cameo-opt %s --cameo-set-target="name=cuda precision=exact" --cameo-simplify --split-input-file | FileCheck %s --check-prefix=EXACT
//
// Outer taps that read nothing but padding. Numbers are tests/models/padded_taps.py's business.

// EXACT-NOT: tensor<4x2x1
// EXACT-NOT: tensor<4x2x3x1

// One tap of each axis is left, and no padding.
// CHECK-LABEL: @far
// CHECK: tensor<4x2x1x1xf32>
// CHECK: "onnx.Conv"({{.*}}dilations = array<i64: 8, 12>{{.*}}pads = array<i64: 0, 0, 0, 0>
func.func @far(%x: !cameo.tensor<[N, 2, 8, 9], f32, device>) -> !cameo.tensor<[N, 4, 8, 9], f32, device> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<4x2x3x3xf32>}> : () -> !cameo.tensor<[4, 2, 3, 3], f32, device>
  %0 = "onnx.Conv"(%x, %w) <{dilations = array<i64: 8, 12>, pads = array<i64: 8, 12, 8, 12>}>
      : (!cameo.tensor<[N, 2, 8, 9], f32, device>, !cameo.tensor<[4, 2, 3, 3], f32, device>) -> !cameo.tensor<[N, 4, 8, 9], f32, device>
  func.return %0 : !cameo.tensor<[N, 4, 8, 9], f32, device>
}

// -----

// The first row of taps reads the last row of the image; columns are open.
// CHECK-LABEL: @near
// CHECK: tensor<4x2x3x3xf32>
// CHECK: "onnx.Conv"({{.*}}pads = array<i64: 7, 9, 7, 9>
func.func @near(%x: !cameo.tensor<[N, 2, 8, W], f32, device>) -> !cameo.tensor<[N, 4, 8, W], f32, device> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<4x2x3x3xf32>}> : () -> !cameo.tensor<[4, 2, 3, 3], f32, device>
  %0 = "onnx.Conv"(%x, %w) <{dilations = array<i64: 7, 9>, pads = array<i64: 7, 9, 7, 9>}>
      : (!cameo.tensor<[N, 2, 8, W], f32, device>, !cameo.tensor<[4, 2, 3, 3], f32, device>) -> !cameo.tensor<[N, 4, 8, W], f32, device>
  func.return %0 : !cameo.tensor<[N, 4, 8, W], f32, device>
}

// -----

// At one end of an axis: padding stays at the other.
// CHECK-LABEL: @one_end
// CHECK: tensor<4x2x3x1xf32>
// CHECK: "onnx.Conv"({{.*}}pads = array<i64: 1, 0, 1, 1>
func.func @one_end(%x: !cameo.tensor<[N, 2, 8, 3], f32, device>) -> !cameo.tensor<[N, 4, 8, 4], f32, device> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<4x2x3x3xf32>}> : () -> !cameo.tensor<[4, 2, 3, 3], f32, device>
  %0 = "onnx.Conv"(%x, %w) <{dilations = array<i64: 1, 4>, pads = array<i64: 1, 4, 1, 5>}>
      : (!cameo.tensor<[N, 2, 8, 3], f32, device>, !cameo.tensor<[4, 2, 3, 3], f32, device>) -> !cameo.tensor<[N, 4, 8, 4], f32, device>
  func.return %0 : !cameo.tensor<[N, 4, 8, 4], f32, device>
}

// -----

// The first tap strides over the image, and the second one begins within it: no padding would say so.
// CHECK-LABEL: @stepped_over
// CHECK: tensor<4x2x2x3xf32>
func.func @stepped_over(%x: !cameo.tensor<[N, 2, 12, 8], f32, device>) -> !cameo.tensor<[N, 4, 2, 8], f32, device> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<4x2x2x3xf32>}> : () -> !cameo.tensor<[4, 2, 2, 3], f32, device>
  %0 = "onnx.Conv"(%x, %w) <{dilations = array<i64: 10, 1>, pads = array<i64: 5, 1, 14, 1>, strides = array<i64: 20, 1>}>
      : (!cameo.tensor<[N, 2, 12, 8], f32, device>, !cameo.tensor<[4, 2, 2, 3], f32, device>) -> !cameo.tensor<[N, 4, 2, 8], f32, device>
  func.return %0 : !cameo.tensor<[N, 4, 2, 8], f32, device>
}
