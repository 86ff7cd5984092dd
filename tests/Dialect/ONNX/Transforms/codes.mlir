// RUN: cameo-opt %s --cameo-set-target --cameo-simplify --split-input-file | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-simplify --split-input-file | FileCheck %s --check-prefixes=CHECK,CUDA
// RUN: cameo-opt %s --cameo-set-target="name=cuda precision=exact" --cameo-simplify --split-input-file | FileCheck %s --check-prefixes=CHECK,EXACT
//
// Constant matrices of few bits, which products read: what turns them goes in front. On a device their sums are
// the tensor core's, which are not exact.

!x = !cameo.tensor<[m, 32], f32>
!y = !cameo.tensor<[m, 3], f32>

// CHECK-LABEL: @turned
// CPU: %[[W:.*]] = "onnx.DequantizeLinear"({{.*}}) <{axis = 0 : i64, block_size = 16 : i64{{.*}}}> : (!cameo.tensor<[32, 3], ui4>, !cameo.tensor<[2, 3], f32>, !cameo.tensor<[2, 3], ui4>) -> !cameo.tensor<[32, 3], f32>
// CPU-NEXT: "onnx.MatMul"(%arg0, %[[W]])
// CUDA: %[[W:.*]] = "onnx.DequantizeLinear"({{.*}}) <{axis = 0
// CUDA-NEXT: "onnx.MatMul"(%arg0, %[[W]])
// EXACT-NOT: onnx.DequantizeLinear
func.func @turned(%x: !x) -> !y {
  %q = "onnx.Constant"() <{value = dense<3> : tensor<3x32xui4>}> : () -> !cameo.tensor<[3, 32], ui4>
  %s = "onnx.Constant"() <{value = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>}> : () -> !cameo.tensor<[3, 2], f32>
  %z = "onnx.Constant"() <{value = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xui4>}> : () -> !cameo.tensor<[3, 2], ui4>
  %w = "onnx.DequantizeLinear"(%q, %s, %z) <{axis = 1 : i64, block_size = 16 : i64}>
      : (!cameo.tensor<[3, 32], ui4>, !cameo.tensor<[3, 2], f32>, !cameo.tensor<[3, 2], ui4>) -> !cameo.tensor<[3, 32], f32>
  %t = "onnx.Transpose"(%w) <{perm = array<i64: 1, 0>}> : (!cameo.tensor<[3, 32], f32>) -> !cameo.tensor<[32, 3], f32>
  %y = "onnx.MatMul"(%x, %t) : (!x, !cameo.tensor<[32, 3], f32>) -> !y
  return %y : !y
}

// -----

// A matrix that something else reads, and one on the left, are floats on both.
// CHECK-LABEL: @read_otherwise
// CHECK-NOT: onnx.DequantizeLinear
func.func @read_otherwise(%x: !cameo.tensor<[m, 32], f32>, %z: !cameo.tensor<[3, m], f32>)
    -> (!cameo.tensor<[m, 3], f32>, !cameo.tensor<[32, 3], f32>, !cameo.tensor<[32, m], f32>) {
  %q = "onnx.Constant"() <{value = dense<3> : tensor<32x3xui4>}> : () -> !cameo.tensor<[32, 3], ui4>
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<2x3xf32>}> : () -> !cameo.tensor<[2, 3], f32>
  %w = "onnx.DequantizeLinear"(%q, %s) <{axis = 0 : i64, block_size = 16 : i64}>
      : (!cameo.tensor<[32, 3], ui4>, !cameo.tensor<[2, 3], f32>) -> !cameo.tensor<[32, 3], f32>
  %y = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[m, 32], f32>, !cameo.tensor<[32, 3], f32>) -> !cameo.tensor<[m, 3], f32>
  %n = "onnx.Neg"(%w) : (!cameo.tensor<[32, 3], f32>) -> !cameo.tensor<[32, 3], f32>
  %v = "onnx.DequantizeLinear"(%q, %s) <{axis = 0 : i64, block_size = 16 : i64}>
      : (!cameo.tensor<[32, 3], ui4>, !cameo.tensor<[2, 3], f32>) -> !cameo.tensor<[32, 3], f32>
  %l = "onnx.MatMul"(%v, %z) : (!cameo.tensor<[32, 3], f32>, !cameo.tensor<[3, m], f32>) -> !cameo.tensor<[32, m], f32>
  return %y, %n, %l : !cameo.tensor<[m, 3], f32>, !cameo.tensor<[32, 3], f32>, !cameo.tensor<[32, m], f32>
}

// -----

// Groups of twelve rows would have a number of codes in common, and its scales differ.
// CHECK-LABEL: @odd_groups
// CHECK-NOT: onnx.DequantizeLinear
func.func @odd_groups(%x: !cameo.tensor<[m, 20], f32>) -> !cameo.tensor<[m, 3], f32> {
  %q = "onnx.Constant"() <{value = dense<3> : tensor<20x3xui4>}> : () -> !cameo.tensor<[20, 3], ui4>
  %s = "onnx.Constant"() <{value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>}> : () -> !cameo.tensor<[2, 3], f32>
  %w = "onnx.DequantizeLinear"(%q, %s) <{axis = 0 : i64, block_size = 12 : i64}>
      : (!cameo.tensor<[20, 3], ui4>, !cameo.tensor<[2, 3], f32>) -> !cameo.tensor<[20, 3], f32>
  %y = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[m, 20], f32>, !cameo.tensor<[20, 3], f32>) -> !cameo.tensor<[m, 3], f32>
  return %y : !cameo.tensor<[m, 3], f32>
}

// -----

// Halves are read beside codes where the device's kernels take them.
// CHECK-LABEL: @halves
// CPU-NOT: onnx.DequantizeLinear
// CUDA: onnx.DequantizeLinear
// EXACT-NOT: onnx.DequantizeLinear
func.func @halves(%x: !cameo.tensor<[m, 32], f16>) -> !cameo.tensor<[m, 3], f16> {
  %q = "onnx.Constant"() <{value = dense<3> : tensor<32x3xui4>}> : () -> !cameo.tensor<[32, 3], ui4>
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<2x3xf16>}> : () -> !cameo.tensor<[2, 3], f16>
  %w = "onnx.DequantizeLinear"(%q, %s) <{axis = 0 : i64, block_size = 16 : i64}>
      : (!cameo.tensor<[32, 3], ui4>, !cameo.tensor<[2, 3], f16>) -> !cameo.tensor<[32, 3], f16>
  %y = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[m, 32], f16>, !cameo.tensor<[32, 3], f16>) -> !cameo.tensor<[m, 3], f16>
  return %y : !cameo.tensor<[m, 3], f16>
}

// -----

// What products by a matrix may do, they still may when it is turned.
// CHECK-LABEL: @turned_with_leave
// CPU: "onnx.DequantizeLinear"({{.*}}) <{axis = 0 : i64, block_size = 16 : i64{{.*}}}> {cameo.allows_bytes} :
func.func @turned_with_leave(%x: !cameo.tensor<[m, 32], f32>) -> !cameo.tensor<[m, 3], f32> {
  %q = "onnx.Constant"() <{value = dense<3> : tensor<3x32xui4>}> : () -> !cameo.tensor<[3, 32], ui4>
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<3x2xf32>}> : () -> !cameo.tensor<[3, 2], f32>
  %w = "onnx.DequantizeLinear"(%q, %s) <{axis = 1 : i64, block_size = 16 : i64}> {cameo.allows_bytes}
      : (!cameo.tensor<[3, 32], ui4>, !cameo.tensor<[3, 2], f32>) -> !cameo.tensor<[3, 32], f32>
  %t = "onnx.Transpose"(%w) <{perm = array<i64: 1, 0>}> : (!cameo.tensor<[3, 32], f32>) -> !cameo.tensor<[32, 3], f32>
  %y = "onnx.MatMul"(%x, %t) : (!cameo.tensor<[m, 32], f32>, !cameo.tensor<[32, 3], f32>) -> !cameo.tensor<[m, 3], f32>
  return %y : !cameo.tensor<[m, 3], f32>
}
