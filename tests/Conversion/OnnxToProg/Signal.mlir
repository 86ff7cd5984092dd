// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// A call whose roots of unity are a constant: 1 and 0 are the first of the cosines and sines.
// CHECK: #[[$PLACE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-LABEL: @dft
// CHECK: prog.weight dense<{{.*}}> : tensor<2x16xf32>
// CHECK: prog.call "fourier" {{.*}}batch = [#cameo.extent<B>, #cameo.extent<1>]{{.*}}parts = #cameo.extent<2>{{.*}}real_output = false
// CHECK: prog.load 4 {{.*}}[#[[$PLACE]]]
// CHECK: prog.store
func.func @dft(%x: !cameo.tensor<[B, 16, 2], f32, host>) -> !cameo.tensor<[B, 16, 2], f32, host> {
  %0 = "onnx.DFT"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[B, 16, 2], f32, host>) -> !cameo.tensor<[B, 16, 2], f32, host>
  func.return %0 : !cameo.tensor<[B, 16, 2], f32, host>
}

// -----

// Of half a spectrum, whose other half is its conjugate.
// CHECK-LABEL: @dft_inverse_onesided
// CHECK: prog.call "fourier" {{.*}}real_output = true{{.*}}terms = #cameo.extent<9>
// CHECK: prog.store
// CHECK: prog.s_div
func.func @dft_inverse_onesided(%x: !cameo.tensor<[B, 9, 2], f32, host>) -> !cameo.tensor<[B, 16, 1], f32, host> {
  %0 = "onnx.DFT"(%x) <{inverse = 1 : i64, onesided = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[B, 9, 2], f32, host>) -> !cameo.tensor<[B, 16, 1], f32, host>
  func.return %0 : !cameo.tensor<[B, 16, 1], f32, host>
}

// -----

// A length that only the run knows: it makes the roots.
// CHECK-LABEL: @dft_open
// CHECK: prog.kernel
// CHECK: prog.s_cos
// CHECK: prog.call "fourier" {{.*}}points = #cameo.extent<N>
func.func @dft_open(%x: !cameo.tensor<[B, N, 2], f32, host>) -> !cameo.tensor<[B, N, 2], f32, host> {
  %0 = "onnx.DFT"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[B, N, 2], f32, host>) -> !cameo.tensor<[B, N, 2], f32, host>
  func.return %0 : !cameo.tensor<[B, N, 2], f32, host>
}

// -----

// Frames overlap where the step is shorter than they are.
// CHECK: #[[$FRAME:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 8 + d2, d3)>
// CHECK-LABEL: @stft
// CHECK: prog.call "fourier"
// CHECK: prog.load 4 {{.*}}#[[$FRAME]]
func.func @stft(%x: !cameo.tensor<[B, 128, 1], f32, host>, %w: !cameo.tensor<[16], f32, host>) -> !cameo.tensor<[B, 15, 9, 2], f32, host> {
  %s = "onnx.Constant"() <{value = dense<8> : tensor<i64>}> : () -> !cameo.tensor<[], i64, host>
  %0 = "onnx.STFT"(%x, %s, %w) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[B, 128, 1], f32, host>, !cameo.tensor<[], i64, host>, !cameo.tensor<[16], f32, host>) -> !cameo.tensor<[B, 15, 9, 2], f32, host>
  func.return %0 : !cameo.tensor<[B, 15, 9, 2], f32, host>
}
