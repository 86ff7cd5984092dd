// RUN: cameo-opt %s --cameo-set-target --cameo-simplify --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: cameo-opt %s --cameo-simplify --split-input-file | FileCheck %s --check-prefix=NONE
//
// Convolutions as those of images. Numbers are tests/models/convolved_images.py's business.

// A target without blocks of channels keeps them.
// NONE-LABEL: @doubled
// NONE: onnx.ConvTranspose
// NONE-NOT: onnx.Conv"
// NONE: return

// A convolution for each residue, then their outputs in order.
// CHECK-LABEL: @doubled
// CHECK: %[[A:.*]] = "onnx.Conv"(%arg0, %{{.*}}) <{{.*}}kernel_shape = array<i64: 2, 2>, pads = array<i64: 1, 1, 0, 0>
// CHECK: %[[B:.*]] = "onnx.Conv"(%arg0, %{{.*}}) <{{.*}}pads = array<i64: 1, 0, 0, 1>
// CHECK: %[[C:.*]] = "onnx.Conv"(%arg0, %{{.*}}) <{{.*}}pads = array<i64: 0, 1, 1, 0>
// CHECK: %[[D:.*]] = "onnx.Conv"(%arg0, %{{.*}}) <{{.*}}pads = array<i64: 0, 0, 1, 1>
// CHECK: %[[ALL:.*]] = "onnx.Concat"(%[[A]], %[[B]], %[[C]], %[[D]]) <{axis = 1 : i64}>
// CHECK: %[[APART:.*]] = "onnx.Reshape"(%[[ALL]],{{.*}} -> !cameo.tensor<[N, 2, 2, 16, H, W], f32>
// CHECK: %[[TURNED:.*]] = "onnx.Transpose"(%[[APART]]) <{perm = array<i64: 0, 3, 4, 1, 5, 2>}>
// CHECK: %[[Y:.*]] = "onnx.Reshape"(%[[TURNED]]
// CHECK: return %[[Y]]
func.func @doubled(%x: !cameo.tensor<[N, 32, H, W], f32, host>) -> !cameo.tensor<[N, 16, 2 * H, 2 * W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<32x16x4x4xf32>}> : () -> !cameo.tensor<[32, 16, 4, 4], f32, host>
  %0 = "onnx.ConvTranspose"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}>
      : (!cameo.tensor<[N, 32, H, W], f32, host>, !cameo.tensor<[32, 16, 4, 4], f32, host>) -> !cameo.tensor<[N, 16, 2 * H, 2 * W], f32, host>
  func.return %0 : !cameo.tensor<[N, 16, 2 * H, 2 * W], f32, host>
}

// -----

// Without strides it is one, of the taps in the other order.
// CHECK-LABEL: @plain
// CHECK: %[[W:.*]] = "onnx.Constant"() <{value = dense<{{\[\[\[\[}}2.000000e+00, 1.000000e+00]]], {{\[\[\[}}4.000000e+00, 3.000000e+00]]],
// CHECK: "onnx.Conv"(%arg0, %[[W]]) <{{{.*}}dilations = array<i64: 1, 3>{{.*}}pads = array<i64: 0, 2, 0, 3>
// CHECK-NOT: onnx.Concat
func.func @plain(%x: !cameo.tensor<[N, 1, H, W], f32, host>) -> !cameo.tensor<[N, 8, H, W + 2], f32, host> {
  %w = "onnx.Constant"() <{value = dense<[[[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]], [[7.0, 8.0]], [[9.0, 10.0]], [[11.0, 12.0]], [[13.0, 14.0]], [[15.0, 16.0]]]]> : tensor<1x8x1x2xf32>}> : () -> !cameo.tensor<[1, 8, 1, 2], f32, host>
  %0 = "onnx.ConvTranspose"(%x, %w) <{dilations = array<i64: 1, 3>, pads = array<i64: 0, 1, 0, 0>}>
      : (!cameo.tensor<[N, 1, H, W], f32, host>, !cameo.tensor<[1, 8, 1, 2], f32, host>) -> !cameo.tensor<[N, 8, H, W + 2], f32, host>
  func.return %0 : !cameo.tensor<[N, 8, H, W + 2], f32, host>
}

// -----

// A residue without a tap, of which there is no convolution; and few outputs.
// CHECK-LABEL: @stays
// CHECK: onnx.ConvTranspose
// CHECK: onnx.ConvTranspose
func.func @stays(%x: !cameo.tensor<[N, 32, H, W], f32, host>) -> (!cameo.tensor<[N, 16, 2 * H - 1, 2 * W - 1], f32, host>, !cameo.tensor<[N, 2, 2 * H, 2 * W], f32, host>) {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<32x16x1x1xf32>}> : () -> !cameo.tensor<[32, 16, 1, 1], f32, host>
  %v = "onnx.Constant"() <{value = dense<1.0> : tensor<32x2x2x2xf32>}> : () -> !cameo.tensor<[32, 2, 2, 2], f32, host>
  %0 = "onnx.ConvTranspose"(%x, %w) <{strides = array<i64: 2, 2>}>
      : (!cameo.tensor<[N, 32, H, W], f32, host>, !cameo.tensor<[32, 16, 1, 1], f32, host>) -> !cameo.tensor<[N, 16, 2 * H - 1, 2 * W - 1], f32, host>
  %1 = "onnx.ConvTranspose"(%x, %v) <{strides = array<i64: 2, 2>}>
      : (!cameo.tensor<[N, 32, H, W], f32, host>, !cameo.tensor<[32, 2, 2, 2], f32, host>) -> !cameo.tensor<[N, 2, 2 * H, 2 * W], f32, host>
  func.return %0, %1 : !cameo.tensor<[N, 16, 2 * H - 1, 2 * W - 1], f32, host>, !cameo.tensor<[N, 2, 2 * H, 2 * W], f32, host>
}

// -----

// The planes that the taps along the first axis read are channels.
// CHECK-LABEL: @volume
// CHECK: %[[P:.*]] = "onnx.Pad"(%arg0
// CHECK: %[[PLANES:.*]] = "onnx.Transpose"(%[[P]]) <{perm = array<i64: 0, 2, 1, 3, 4>}>
// CHECK: %[[A:.*]] = "onnx.Slice"(%[[PLANES]]
// CHECK: %[[B:.*]] = "onnx.Slice"(%[[PLANES]]
// CHECK: %[[C:.*]] = "onnx.Slice"(%[[PLANES]]
// CHECK: "onnx.Concat"(%[[A]], %[[B]], %[[C]]) <{axis = 2 : i64}>
// CHECK: %[[Y:.*]] = "onnx.Conv"({{.*}}pads = array<i64: 1, 1, 1, 1>{{.*}} -> !cameo.tensor<[D * N, 16, H, W], f32>
// CHECK: %[[APART:.*]] = "onnx.Reshape"(%[[Y]],{{.*}} -> !cameo.tensor<[N, D, 16, H, W], f32>
// CHECK: "onnx.Transpose"(%[[APART]]) <{perm = array<i64: 0, 2, 1, 3, 4>}>
func.func @volume(%x: !cameo.tensor<[N, 8, D, H, W], f32, host>) -> !cameo.tensor<[N, 16, D, H, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<16x8x3x3x3xf32>}> : () -> !cameo.tensor<[16, 8, 3, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 8, D, H, W], f32, host>, !cameo.tensor<[16, 8, 3, 3, 3], f32, host>) -> !cameo.tensor<[N, 16, D, H, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 16, D, H, W], f32, host>
}

// -----

// Planes that are padding would take more memory than the volume, which has one that strides reach.
// CHECK-LABEL: @far
// CHECK-NOT: onnx.Pad
// CHECK: onnx.Conv"{{.*}}pads = array<i64: 3000000, 0, 0, 3000000, 0, 0>
func.func @far(%x: !cameo.tensor<[1, 16, 4, 4, 4], f32, host>) -> !cameo.tensor<[1, 32, 7, 2, 2], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<32x16x3x3x3xf32>}> : () -> !cameo.tensor<[32, 16, 3, 3, 3], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 3000000, 0, 0, 3000000, 0, 0>, strides = array<i64: 1000000, 1, 1>}>
      : (!cameo.tensor<[1, 16, 4, 4, 4], f32, host>, !cameo.tensor<[32, 16, 3, 3, 3], f32, host>) -> !cameo.tensor<[1, 32, 7, 2, 2], f32, host>
  func.return %0 : !cameo.tensor<[1, 32, 7, 2, 2], f32, host>
}

// -----

// CHECK-LABEL: @line
// CHECK: %[[X:.*]] = "onnx.Reshape"(%arg0,{{.*}} -> !cameo.tensor<[N, 8, 1, W], f32, host>
// CHECK: "onnx.Conv"(%[[X]], {{.*}}pads = array<i64: 0, 4, 0, 4>
func.func @line(%x: !cameo.tensor<[N, 8, W], f32, host>) -> !cameo.tensor<[N, 16, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<16x8x9xf32>}> : () -> !cameo.tensor<[16, 8, 9], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 4, 4>}>
      : (!cameo.tensor<[N, 8, W], f32, host>, !cameo.tensor<[16, 8, 9], f32, host>) -> !cameo.tensor<[N, 16, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 16, W], f32, host>
}

// -----

// What is elementwise between lines is on the images, with operands of fewer dims and other lines; no view is left between convolutions.
// CHECK-LABEL: @lines
// CHECK: %[[X:.*]] = "onnx.Reshape"(%arg0,{{.*}} -> !cameo.tensor<[N, 16, 1, W], f32, host>
// CHECK: %[[A:.*]] = "onnx.Conv"(%[[X]]
// CHECK-NOT: onnx.Reshape
// CHECK: %[[R:.*]] = "onnx.Relu"(%[[A]]) {{.*}} -> !cameo.tensor<[N, 16, 1, W], f32>
// CHECK-NOT: onnx.Reshape
// CHECK: %[[B:.*]] = "onnx.Conv"(%[[R]]
// CHECK: %[[S:.*]] = "onnx.Reshape"(%arg1,{{.*}} -> !cameo.tensor<[16, 1, 1], f32, host>
// CHECK: %[[M:.*]] = "onnx.Mul"(%[[B]], %[[S]])
// CHECK: "onnx.Add"(%[[M]], %{{.*}}) {{.*}} -> !cameo.tensor<[N, 16, 1, W], f32>
// CHECK: onnx.Reshape
// CHECK: return
func.func @lines(%x: !cameo.tensor<[N, 16, W], f32, host>, %s: !cameo.tensor<[16, 1], f32, host>) -> !cameo.tensor<[N, 16, W], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<16x16x9xf32>}> : () -> !cameo.tensor<[16, 16, 9], f32, host>
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 4, 4>}>
      : (!cameo.tensor<[N, 16, W], f32, host>, !cameo.tensor<[16, 16, 9], f32, host>) -> !cameo.tensor<[N, 16, W], f32>
  %1 = "onnx.Relu"(%0) : (!cameo.tensor<[N, 16, W], f32>) -> !cameo.tensor<[N, 16, W], f32>
  %2 = "onnx.Conv"(%1, %w) <{pads = array<i64: 4, 4>}>
      : (!cameo.tensor<[N, 16, W], f32>, !cameo.tensor<[16, 16, 9], f32, host>) -> !cameo.tensor<[N, 16, W], f32>
  %3 = "onnx.Mul"(%2, %s) : (!cameo.tensor<[N, 16, W], f32>, !cameo.tensor<[16, 1], f32, host>) -> !cameo.tensor<[N, 16, W], f32>
  %4 = "onnx.Add"(%3, %x) : (!cameo.tensor<[N, 16, W], f32>, !cameo.tensor<[N, 16, W], f32, host>) -> !cameo.tensor<[N, 16, W], f32, host>
  func.return %4 : !cameo.tensor<[N, 16, W], f32, host>
}

// -----

// A view that moves elements to other places is no row of an image.
// CHECK-LABEL: @other_view
// CHECK: "onnx.Reshape"({{.*}} -> !cameo.tensor<[N, 4, 8], f32>
// CHECK-NEXT: "onnx.Relu"{{.*}} -> !cameo.tensor<[N, 4, 8], f32, host>
func.func @other_view(%x: !cameo.tensor<[N, 8, 1, 4], f32, host>) -> !cameo.tensor<[N, 4, 8], f32, host> {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<8x8x1x1xf32>}> : () -> !cameo.tensor<[8, 8, 1, 1], f32, host>
  %to = "onnx.Constant"() <{value = dense<[0, 4, 8]> : tensor<3xi64>}> : () -> !cameo.tensor<[3], i64, host>
  %0 = "onnx.Conv"(%x, %w) : (!cameo.tensor<[N, 8, 1, 4], f32, host>, !cameo.tensor<[8, 8, 1, 1], f32, host>) -> !cameo.tensor<[N, 8, 1, 4], f32>
  %1 = "onnx.Reshape"(%0, %to) : (!cameo.tensor<[N, 8, 1, 4], f32>, !cameo.tensor<[3], i64, host>) -> !cameo.tensor<[N, 4, 8], f32>
  %2 = "onnx.Relu"(%1) : (!cameo.tensor<[N, 4, 8], f32>) -> !cameo.tensor<[N, 4, 8], f32, host>
  func.return %2 : !cameo.tensor<[N, 4, 8], f32, host>
}

// -----

// Computed weights stay as they are.
// CHECK-LABEL: @computed
// CHECK-NOT: onnx.Reshape
// CHECK: onnx.Conv"
func.func @computed(%x: !cameo.tensor<[N, 8, W], f32, host>, %w: !cameo.tensor<[16, 8, 3], f32, host>) -> !cameo.tensor<[N, 16, W - 2], f32, host> {
  %0 = "onnx.Conv"(%x, %w) : (!cameo.tensor<[N, 8, W], f32, host>, !cameo.tensor<[16, 8, 3], f32, host>) -> !cameo.tensor<[N, 16, W - 2], f32, host>
  func.return %0 : !cameo.tensor<[N, 16, W - 2], f32, host>
}
