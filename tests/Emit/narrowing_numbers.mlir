// RUN: cameo-emit-test %s --name narrow --file narrow_kernels.cpp | FileCheck %s

// What is known to be a number takes fewer steps to a byte; a whole one that becomes a float again stays one, but where -0 would
// stay too.
// CHECK-LABEL: struct scale_store {
// CHECK: const float t0 = round(cast<float>(b[i[0] * 10 + i[1]]));
// CHECK-NEXT: const float t1 = limited<uint8_t>(t0);
// CHECK-NEXT: const float t2 = mul(t1, add(t1, cast<float>(whole_number<int8_t>(t0))));
// CHECK-NEXT: y[i[0] * 10 + i[1]] = cast<uint8_t>(whole_number<uint8_t>(t2));

// A quantised number that becomes a float again stays one, and is as wide where it becomes something else; of one that is stored behind a
// template's value the low bits do.
// CHECK-LABEL: struct again_store {
// CHECK: CAMEO_DEVICE int32_t compute(const index<2> &, float value, int32_t operand) const {
// CHECK-NEXT: const int32_t t0 = cast<int32_t>(quantized_number<uint8_t>(cast<float>(operand)));
// CHECK-NEXT: const float t1 = mul(quantized<int8_t>(mul(value, 2.0f), -3.0f), cast<float>(t0));
// CHECK-NEXT: return quantized_bits<uint8_t>(t1);
// CHECK: CAMEO_DEVICE void put(const index<2> &i, int32_t bits) const {
// CHECK-NEXT: z[i[0] * 10 + i[1]] = static_cast<uint8_t>(bits);
module {
  func.func @main(%x: !cameo.tensor<[N, 1], f32, host> {onnx.name = "x"},
                  %b: !cameo.tensor<[N, 10], ui8, host> {onnx.name = "b"})
      -> (!cameo.tensor<[N, 10], ui8, host> {onnx.name = "y"}, !cameo.tensor<[N, 10], ui8, host> {onnx.name = "z"})
      attributes {prog.buffers = [#prog.buffer<host, 10 * N, 2, 3, output 0>, #prog.buffer<host, 10 * N, 3, 4, output 1>]} {
    %w = prog.weight dense<0.5> : tensor<10x1xf32> "w" {offset = 0 : i64} : !cameo.tensor<[10, 1], f32, host>
    %y = prog.call "gemm" [] {batch_rank = 0, m = #cameo.extent<N>, n = #cameo.extent<10>, k = #cameo.extent<1>, trans_a = false, trans_b = true}
        ins(%x, %w : !cameo.tensor<[N, 1], f32, host>, !cameo.tensor<[10, 1], f32, host>)
        ties [-1] {buffers = array<i64: 0>, scalar_names = []} : !cameo.tensor<[N, 10], ui8, host> {
      prog.store 2 values 1 ins(%b : !cameo.tensor<[N, 10], ui8, host>)
          maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
      ^bb0(%v: f32, %u: ui8):
        %0 = prog.s_cast %u : ui8 -> f32
        %1 = prog.s_round %0 : f32
        %2 = prog.s_cast %1 {number, whole} : f32 -> ui8
        %3 = prog.s_cast %2 : ui8 -> f32
        %4 = prog.s_cast %1 {number, whole} : f32 -> i8
        %5 = prog.s_cast %4 : i8 -> f32
        %6 = prog.s_add %3, %5 : f32
        %7 = prog.s_mul %3, %6 : f32
        %8 = prog.s_cast %7 {number} : f32 -> ui8
        prog.yield %8 : ui8
      }
    } loc("Gemm:scale"(fused<["y"]>[unknown]))
    %z = prog.call "gemm" [] {batch_rank = 0, m = #cameo.extent<N>, n = #cameo.extent<10>, k = #cameo.extent<1>, trans_a = false, trans_b = true}
        ins(%x, %w : !cameo.tensor<[N, 1], f32, host>, !cameo.tensor<[10, 1], f32, host>)
        ties [-1] {buffers = array<i64: 1>, scalar_names = []} : !cameo.tensor<[N, 10], ui8, host> {
      prog.store 2 values 1 ins(%b : !cameo.tensor<[N, 10], ui8, host>)
          maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
      ^bb0(%v: f32, %u: ui8):
        %two = prog.s_constant 2.0 : f32
        %zero = prog.s_constant -3.0 : f32
        %0 = prog.s_mul %v, %two : f32
        %1 = prog.s_quantize %0, %zero : i8
        %2 = prog.s_cast %1 : i8 -> f32
        %3 = prog.s_cast %u : ui8 -> f32
        %4 = prog.s_quantize %3 : ui8
        %5 = prog.s_cast %4 : ui8 -> i32
        %6 = prog.s_cast %5 : i32 -> f32
        %7 = prog.s_mul %2, %6 : f32
        %8 = prog.s_quantize %7 : ui8
        prog.yield %8 : ui8
      }
    } loc("Gemm:again"(fused<["z"]>[unknown]))
    func.return %y, %z : !cameo.tensor<[N, 10], ui8, host>, !cameo.tensor<[N, 10], ui8, host>
  }
}
