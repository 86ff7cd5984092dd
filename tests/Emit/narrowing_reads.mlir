// RUN: cameo-emit-test %s --name narrow --file narrow_kernels.cpp | FileCheck %s

// A byte that it reads is read apart as well, and what becomes a byte on the way stays as wide as the floats.
// CHECK-LABEL: struct shift_store {
// CHECK: static constexpr int reads = 1;
// CHECK-NEXT: CAMEO_DEVICE int32_t read(const index<2> &i, nth<0>) const { return b[i[0] * 10 + i[1]]; }
// CHECK-NEXT: CAMEO_DEVICE int32_t compute(const index<2> &, float value, int32_t operand) const {
// CHECK-NEXT: const float t0 = add(cast<float>(whole<uint8_t>(value)), cast<float>(operand));
// CHECK-NEXT: return whole<uint8_t>(t0);
// CHECK-NEXT: }
// CHECK-NEXT: CAMEO_DEVICE void put(const index<2> &i, int32_t bits) const {
// CHECK-NEXT: y[i[0] * 10 + i[1]] = static_cast<uint8_t>(bits);
// CHECK-NEXT: }
// CHECK-NEXT: CAMEO_DEVICE void operator()(const index<2> &i, float value) const {
// CHECK-NEXT: put(i, compute(i, value, read(i, nth<0>())));
module {
  func.func @main(%x: !cameo.tensor<[N, 1], f32, host> {onnx.name = "x"},
                  %b: !cameo.tensor<[N, 10], ui8, host> {onnx.name = "b"})
      -> (!cameo.tensor<[N, 10], ui8, host> {onnx.name = "y"})
      attributes {prog.buffers = [#prog.buffer<host, 10 * N, 2, 3, output 0>]} {
    %w = prog.weight dense<0.5> : tensor<10x1xf32> "w" {offset = 0 : i64} : !cameo.tensor<[10, 1], f32, host>
    %y = prog.call "gemm" [] {batch_rank = 0, m = #cameo.extent<N>, n = #cameo.extent<10>, k = #cameo.extent<1>, trans_a = false, trans_b = true}
        ins(%x, %w : !cameo.tensor<[N, 1], f32, host>, !cameo.tensor<[10, 1], f32, host>)
        ties [-1] {buffers = array<i64: 0>, scalar_names = []} : !cameo.tensor<[N, 10], ui8, host> {
      prog.store 2 values 1 ins(%b : !cameo.tensor<[N, 10], ui8, host>)
          maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
      ^bb0(%v: f32, %u: ui8):
        %0 = prog.s_cast %v : f32 -> ui8
        %1 = prog.s_cast %0 : ui8 -> f32
        %2 = prog.s_cast %u : ui8 -> f32
        %3 = prog.s_add %1, %2 : f32
        %4 = prog.s_cast %3 : f32 -> ui8
        prog.yield %4 : ui8
      }
    } loc("Gemm:shift"(fused<["y"]>[unknown]))
    func.return %y : !cameo.tensor<[N, 10], ui8, host>
  }
}
