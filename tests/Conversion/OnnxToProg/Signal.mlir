// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// A sum per frequency and part, whose terms are rotated.
// CHECK: #[[$RE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, 0)>
// CHECK: #[[$IM:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, 1)>
// CHECK-LABEL: @dft
// CHECK: prog.call "reduce" ["combine::sum<float>"] {{.*}}reduced = [#cameo.extent<16>]
// CHECK: prog.load 4 {{.*}}[#[[$RE]], #[[$IM]]]
// CHECK: prog.s_mod
// CHECK: prog.s_cos
// CHECK: prog.s_sin
func.func @dft(%x: !cameo.tensor<[B, 16, 2], f32, host>) -> !cameo.tensor<[B, 16, 2], f32, host> {
  %0 = "onnx.DFT"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[B, 16, 2], f32, host>) -> !cameo.tensor<[B, 16, 2], f32, host>
  func.return %0 : !cameo.tensor<[B, 16, 2], f32, host>
}

// -----

// Of half a spectrum, whose other half is its conjugate.
// CHECK-LABEL: @dft_inverse_onesided
// CHECK: prog.call "reduce" ["combine::sum<float>"] {{.*}}reduced = [#cameo.extent<9>]
// CHECK: prog.s_select
// CHECK: prog.store
// CHECK: prog.s_div
func.func @dft_inverse_onesided(%x: !cameo.tensor<[B, 9, 2], f32, host>) -> !cameo.tensor<[B, 16, 1], f32, host> {
  %0 = "onnx.DFT"(%x) <{inverse = 1 : i64, onesided = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[B, 9, 2], f32, host>) -> !cameo.tensor<[B, 16, 1], f32, host>
  func.return %0 : !cameo.tensor<[B, 16, 1], f32, host>
}

// -----

// Frames overlap where the step is shorter than they are.
// CHECK: #[[$FRAME:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 8 + d4, 0)>
// CHECK-LABEL: @stft
// CHECK: prog.load 5 {{.*}}#[[$FRAME]]
func.func @stft(%x: !cameo.tensor<[B, 128, 1], f32, host>, %w: !cameo.tensor<[16], f32, host>) -> !cameo.tensor<[B, 15, 9, 2], f32, host> {
  %s = "onnx.Constant"() <{value = dense<8> : tensor<i64>}> : () -> !cameo.tensor<[], i64, host>
  %0 = "onnx.STFT"(%x, %s, %w) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[B, 128, 1], f32, host>, !cameo.tensor<[], i64, host>, !cameo.tensor<[16], f32, host>) -> !cameo.tensor<[B, 15, 9, 2], f32, host>
  func.return %0 : !cameo.tensor<[B, 15, 9, 2], f32, host>
}
