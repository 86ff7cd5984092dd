// RUN: cameo-emit-test %s --name mlp --file mlp.cpp | FileCheck %s

// run() reads as a list of steps: what sizes depend on, memory, inputs and outputs, then the kernels.
// CHECK-LABEL: struct weights {
// CHECK-NEXT: alignas(64) float w1[2048];
// CHECK-NEXT: alignas(64) float b1[32];
// CHECK-NEXT: alignas(64) float w2[320];
// CHECK-LABEL: struct buffers {
// CHECK-NEXT: buffer h;
// CHECK-NEXT: buffer z;
// CHECK-LABEL: void size_buffers(const symbols &s, buffers &b) {
// CHECK-NEXT: static constexpr buffer_life rows[] = {
// CHECK-NEXT: {0, 4, 6},
// CHECK-NEXT: {1, 5, 6},
// CHECK-NEXT: };
// CHECK-NEXT: const int64_t bytes[] = {
// CHECK-NEXT: bytes_of(128 * checked(s.N)),
// CHECK-NEXT: bytes_of(40 * checked(s.N)),
// CHECK-NEXT: };
// CHECK-NEXT: size_rows(b, rows, bytes);
// CHECK-LABEL: status run(context &c, const cameo_tensor *in, cameo_tensor *out) {
// CHECK: CAMEO_TRY(read_symbols(in, 1, s));
// CHECK: if (c.changed(kept.sized, s)) {
// CHECK-NEXT: size_buffers(s, b);
// CHECK-NEXT: CAMEO_TRY(c.plan(b, scratch_bytes(s, c.compute.threads())));
// CHECK: const weights &w = c.constants<weights>();
// CHECK-NEXT: const float *x = c.input<float>(in[0]);
// CHECK-NEXT: float *y = c.output<float>(out[0], {s.N, 10});
// CHECK-NEXT: CAMEO_TRY(c.ready());
// CHECK: // 1. Gemm "fc1" + Relu "relu1" -> [N, 32]
// CHECK-NEXT: float *h = c.at<float>(b.h);
// CHECK-NEXT: fc1_relu1(c.compute, x, w.w1, w.b1, h, s.N);
// CHECK: // 2. Gemm "fc2" -> [N, 10]
// CHECK-NEXT: float *z = c.at<float>(b.z);
// CHECK-NEXT: fc2(c.compute, h, w.w2, z, s.N);
// CHECK: // 3. Softmax "soft" -> [N, 10]
// CHECK-NEXT: soft(c.compute, z, y, s.N);
// CHECK: return c.done();

#x = loc("Gemm:fc1"(fused<["h0"]>[unknown]))
#relu = loc("Relu:relu1"(fused<["h"]>[unknown]))
#fc2 = loc("Gemm:fc2"(fused<["z"]>[unknown]))
#soft = loc("Softmax:soft"(fused<["y"]>[unknown]))
module {
  func.func @main(%x: !cameo.tensor<[N, 64], f32, host> {onnx.name = "x"})
      -> (!cameo.tensor<[N, 10], f32, host> {onnx.name = "y"})
      attributes {prog.buffers = [#prog.buffer<host, 128 * N, 4, 6>, #prog.buffer<host, 40 * N, 5, 6>,
                                  #prog.buffer<host, 40 * N, 6, 6, output 0>]} {
    %w1 = prog.weight dense<0.5> : tensor<32x64xf32> "w1" {offset = 0 : i64} : !cameo.tensor<[32, 64], f32, host>
    %b1 = prog.weight dense<0.25> : tensor<32xf32> "b1" {offset = 8192 : i64} : !cameo.tensor<[32], f32, host>
    %w2 = prog.weight dense<-0.125> : tensor<10x32xf32> "w2" {offset = 8320 : i64} : !cameo.tensor<[10, 32], f32, host>
    %h = prog.call "gemm" [] {batch_rank = 0, m = #cameo.extent<N>, n = #cameo.extent<32>, k = #cameo.extent<64>, trans_a = false, trans_b = true}
        ins(%x, %w1 : !cameo.tensor<[N, 64], f32, host>, !cameo.tensor<[32, 64], f32, host>)
        ties [-1] {buffers = array<i64: 0>, scalar_names = []} : !cameo.tensor<[N, 32], f32, host> {
      prog.store 2 values 1 ins(%b1 : !cameo.tensor<[32], f32, host>)
          maps [affine_map<(d0, d1) -> (d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
      ^bb0(%acc: f32, %b: f32):
        %0 = prog.s_add %acc, %b : f32
        %1 = prog.s_constant 0.0 : f32
        %2 = prog.s_max %0, %1 : f32
        prog.yield %2 : f32
      }
    } loc(fused[#x, #relu])
    %z = prog.call "gemm" [] {batch_rank = 0, m = #cameo.extent<N>, n = #cameo.extent<10>, k = #cameo.extent<32>, trans_a = false, trans_b = true}
        ins(%h, %w2 : !cameo.tensor<[N, 32], f32, host>, !cameo.tensor<[10, 32], f32, host>)
        ties [-1] {buffers = array<i64: 1>, scalar_names = []} : !cameo.tensor<[N, 10], f32, host> {
      prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
      ^bb0(%acc: f32):
        prog.yield %acc : f32
      }
    } loc(#fc2)
    %y = prog.call "softmax" ["false"] {outer_rank = 1, outer = [#cameo.extent<N>], reduced_rank = 1, reduced = [#cameo.extent<10>]}
        ties [-1] {buffers = array<i64: 2>, scalar_names = []} : !cameo.tensor<[N, 10], f32, host> {
      prog.load 2 values 0 ins(%z : !cameo.tensor<[N, 10], f32, host>) maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
      ^bb0(%v: f32):
        prog.yield %v : f32
      }
      prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
      ^bb0(%v: f32):
        prog.yield %v : f32
      }
    } loc(#soft)
    func.return %y : !cameo.tensor<[N, 10], f32, host>
  }
}
