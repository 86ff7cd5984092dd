// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-onnx-to-prog --split-input-file | FileCheck %s --check-prefix=CUDA
// RUN: cameo-opt %s --cameo-set-target=precision=strict --cameo-onnx-to-prog --split-input-file | FileCheck %s --check-prefix=STRICT
//
// Products by constant matrices of few bits: codes, scales and zero points in blocks of columns.

// Codes with a sign begin at 0, and zero points that are all the same are a number.
// CHECK-LABEL: func.func @blocks
// CHECK-DAG: %[[W:.*]] = prog.weight {{.*}} : tensor<32x3xi4> through [#prog.columns<axis = 1, lanes = 16, bits = 4, origin = 8>] : <[1, 4, 16], ui32, host>
// CHECK-DAG: %[[S:.*]] = prog.weight {{.*}} : tensor<2x3xf32> through [#prog.columns<axis = 1, lanes = 16>] : <[1, 2, 16], f32, host>
// CHECK-DAG: %[[NONE:.*]] = prog.null
// CHECK: prog.call "gemm_codes" [] {bits = 4 : i64, group = #cameo.extent<16>, k = #cameo.extent<32>, m = #cameo.extent<2 * m>, n = #cameo.extent<3>, zero_point = #cameo.extent<10>}
// CHECK-SAME: ins(%arg0, %[[W]], %[[S]], %[[NONE]] :
func.func @blocks(%x: !cameo.tensor<[2, m, 32], f32, host>) -> !cameo.tensor<[2, m, 3], f32, host> {
  %q = "onnx.Constant"() <{value = dense<3> : tensor<32x3xi4>}> : () -> !cameo.tensor<[32, 3], i4, host>
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<2x3xf32>}> : () -> !cameo.tensor<[2, 3], f32, host>
  %z = "onnx.Constant"() <{value = dense<2> : tensor<2x3xi4>}> : () -> !cameo.tensor<[2, 3], i4, host>
  %w = "onnx.DequantizeLinear"(%q, %s, %z) <{axis = 0 : i64, block_size = 16 : i64}>
      : (!cameo.tensor<[32, 3], i4, host>, !cameo.tensor<[2, 3], f32, host>, !cameo.tensor<[2, 3], i4, host>) -> !cameo.tensor<[32, 3], f32, host>
  %y = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[2, m, 32], f32, host>, !cameo.tensor<[32, 3], f32, host>) -> !cameo.tensor<[2, m, 3], f32, host>
  return %y : !cameo.tensor<[2, m, 3], f32, host>
}

// -----

// A scale for each column, which are rows of what the product turns.
// CHECK-LABEL: func.func @columns
// CHECK-DAG: %[[W:.*]] = prog.weight {{.*}} : tensor<3x20xui8> through [#prog.columns<axis = 0, lanes = 16, bits = 8>] : <[1, 5, 16], ui32, host>
// CHECK-DAG: %[[S:.*]] = prog.weight {{.*}} : tensor<3x1xf32> through [#prog.columns<axis = 0, lanes = 16>] : <[1, 1, 16], f32, host>
// CHECK-DAG: %[[Z:.*]] = prog.weight {{.*}} : tensor<3x1xui8> through [#prog.columns<axis = 0, lanes = 16, bits = 8>] : <[1, 1, 16], ui32, host>
// CHECK: prog.call "gemm_codes" [] {bits = 8 : i64, group = #cameo.extent<20>
// CHECK-SAME: ins(%arg0, %[[W]], %[[S]], %[[Z]] :
// CHECK: prog.store
// CHECK: prog.s_add
func.func @columns(%x: !cameo.tensor<[m, 20], f32, host>, %c: !cameo.tensor<[3], f32, host>) -> !cameo.tensor<[m, 3], f32, host> {
  %q = "onnx.Constant"() <{value = dense<3> : tensor<3x20xui8>}> : () -> !cameo.tensor<[3, 20], ui8, host>
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<3xf32>}> : () -> !cameo.tensor<[3], f32, host>
  %z = "onnx.Constant"() <{value = dense<[7, 8, 9]> : tensor<3xui8>}> : () -> !cameo.tensor<[3], ui8, host>
  %w = "onnx.DequantizeLinear"(%q, %s, %z) <{axis = 0 : i64}>
      : (!cameo.tensor<[3, 20], ui8, host>, !cameo.tensor<[3], f32, host>, !cameo.tensor<[3], ui8, host>) -> !cameo.tensor<[3, 20], f32, host>
  %y = "onnx.Gemm"(%x, %w, %c) <{transB = 1 : i64}>
      : (!cameo.tensor<[m, 20], f32, host>, !cameo.tensor<[3, 20], f32, host>, !cameo.tensor<[3], f32, host>) -> !cameo.tensor<[m, 3], f32, host>
  return %y : !cameo.tensor<[m, 3], f32, host>
}

// -----

// The template is that of the target's kernels; beside halves it has scales of them. Weights are where it computes.
// CUDA-LABEL: func.func @halves
// CUDA-DAG: %[[S:.*]] = prog.weight {{.*}} : tensor<2x3xf16> through [#prog.columns<axis = 1, lanes = 16>] : <[1, 2, 16], f16, device>
// CUDA-NOT: prog.upload
// CUDA: prog.call "gemm_codes_tiles" []
// CUDA-SAME: ins(%arg0, %{{.*}}, %[[S]],
func.func @halves(%x: !cameo.tensor<[m, 32], f16, device>) -> !cameo.tensor<[m, 3], f16, device> {
  %q = "onnx.Constant"() <{value = dense<3> : tensor<32x3xi4>}> : () -> !cameo.tensor<[32, 3], i4, host>
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<2x3xf16>}> : () -> !cameo.tensor<[2, 3], f16, host>
  %w = "onnx.DequantizeLinear"(%q, %s) <{axis = 0 : i64, block_size = 16 : i64}>
      : (!cameo.tensor<[32, 3], i4, host>, !cameo.tensor<[2, 3], f16, host>) -> !cameo.tensor<[32, 3], f16, device>
  %y = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[m, 32], f16, device>, !cameo.tensor<[32, 3], f16, device>) -> !cameo.tensor<[m, 3], f16, device>
  return %y : !cameo.tensor<[m, 3], f16, device>
}

// -----

// Rows that may be rounded to bytes are, on the CPU and by --precision fast, where groups have 256 rows at the most.
// CHECK-LABEL: func.func @rounded
// CHECK: prog.call "gemm_codes_bytes" [] {bits = 4 : i64, group = #cameo.extent<32>
// CHECK: prog.call "gemm_codes_bytes" [] {bits = 8 : i64, group = #cameo.extent<256>
// CHECK: prog.call "gemm_codes" [] {bits = 4 : i64, group = #cameo.extent<260>
// STRICT-LABEL: func.func @rounded
// STRICT-NOT: gemm_codes_bytes
// CUDA-LABEL: func.func @rounded
// CUDA-NOT: gemm_codes_bytes
func.func @rounded(%x: !cameo.tensor<[m, 64], f32, host>, %y: !cameo.tensor<[m, 256], f32, host>, %z: !cameo.tensor<[m, 260], f32, host>)
    -> (!cameo.tensor<[m, 3], f32, host>, !cameo.tensor<[m, 3], f32, host>, !cameo.tensor<[m, 3], f32, host>) {
  %q = "onnx.Constant"() <{value = dense<3> : tensor<64x3xui4>}> : () -> !cameo.tensor<[64, 3], ui4, host>
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<2x3xf32>}> : () -> !cameo.tensor<[2, 3], f32, host>
  %w = "onnx.DequantizeLinear"(%q, %s) <{axis = 0 : i64, block_size = 32 : i64}> {cameo.allows_bytes}
      : (!cameo.tensor<[64, 3], ui4, host>, !cameo.tensor<[2, 3], f32, host>) -> !cameo.tensor<[64, 3], f32, host>
  %0 = "onnx.MatMul"(%x, %w) : (!cameo.tensor<[m, 64], f32, host>, !cameo.tensor<[64, 3], f32, host>) -> !cameo.tensor<[m, 3], f32, host>
  %q1 = "onnx.Constant"() <{value = dense<3> : tensor<256x3xui8>}> : () -> !cameo.tensor<[256, 3], ui8, host>
  %s1 = "onnx.Constant"() <{value = dense<0.5> : tensor<3xf32>}> : () -> !cameo.tensor<[3], f32, host>
  %w1 = "onnx.DequantizeLinear"(%q1, %s1) <{axis = 1 : i64}> {cameo.allows_bytes}
      : (!cameo.tensor<[256, 3], ui8, host>, !cameo.tensor<[3], f32, host>) -> !cameo.tensor<[256, 3], f32, host>
  %1 = "onnx.MatMul"(%y, %w1) : (!cameo.tensor<[m, 256], f32, host>, !cameo.tensor<[256, 3], f32, host>) -> !cameo.tensor<[m, 3], f32, host>
  %q2 = "onnx.Constant"() <{value = dense<3> : tensor<260x3xui4>}> : () -> !cameo.tensor<[260, 3], ui4, host>
  %w2 = "onnx.DequantizeLinear"(%q2, %s1) <{axis = 1 : i64}> {cameo.allows_bytes}
      : (!cameo.tensor<[260, 3], ui4, host>, !cameo.tensor<[3], f32, host>) -> !cameo.tensor<[260, 3], f32, host>
  %2 = "onnx.MatMul"(%z, %w2) : (!cameo.tensor<[m, 260], f32, host>, !cameo.tensor<[260, 3], f32, host>) -> !cameo.tensor<[m, 3], f32, host>
  return %0, %1, %2 : !cameo.tensor<[m, 3], f32, host>, !cameo.tensor<[m, 3], f32, host>, !cameo.tensor<[m, 3], f32, host>
}
