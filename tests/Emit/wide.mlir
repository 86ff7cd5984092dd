// RUN: cameo-emit-test %s --name net --target cuda --file net_kernels.cu | FileCheck %s
// RUN: cameo-emit-test %s --name net --target cuda --file net_kernels.cu | FileCheck %s --check-prefix=NONE

// Neighbours in memory move by one access of 16 bytes; what stays along the last axis is read once.
// The caller's memory may begin at any element, that of weights does not, and nothing writes it.
// CHECK-LABEL: struct add_1_body {
// CHECK: static constexpr int widest = 8;
// CHECK-NEXT: template <int = widest> CAMEO_DEVICE bool is_aligned() const { return are_aligned(x, a); }
// CHECK-NEXT: template <int WIDTH> CAMEO_DEVICE_ONLY void wide(const index<2> &i) const {
// CHECK-NEXT: const auto x_line = load_wide<WIDTH>(x + i[0] * 64 + i[1]);
// CHECK-NEXT: const auto w_line = load_wide_constant<WIDTH>(w + i[1]);
// CHECK-NEXT: const half s_all = s[i[0]];
// CHECK-NEXT: neighbours<half, WIDTH> a_line;
// CHECK-NEXT: CAMEO_UNROLL
// CHECK-NEXT: for (int j = 0; j < WIDTH; ++j) {
// CHECK-NEXT: a_line.item[j] = add(mul(x_line.item[j], w_line.item[j]), s_all);
// CHECK-NEXT: }
// CHECK-NEXT: store_wide<WIDTH>(a + i[0] * 64 + i[1], a_line);

// As many as lines are multiples of, behind a shift too, and within the pieces that a line consists of.
// CHECK-LABEL: struct shift_body {
// CHECK: static constexpr int widest = 4;

// Neither columns nor lines that begin anywhere.
// NONE-LABEL: struct turn_body {
// NONE-NOT: widest
// NONE-LABEL: struct odd_body {
// NONE-NOT: widest
module {
  func.func @main(%x: !cameo.tensor<[N, 64], f16, device> {onnx.name = "x"},
                  %s: !cameo.tensor<[N], f16, device> {onnx.name = "s"},
                  %y: !cameo.tensor<[9, 9], f16, device> {onnx.name = "y"})
      -> (!cameo.tensor<[N, 64], f16, device> {onnx.name = "a"},
          !cameo.tensor<[N, 2, 8], f16, device> {onnx.name = "b"},
          !cameo.tensor<[64, N], f16, device> {onnx.name = "c"},
          !cameo.tensor<[9, 8], f16, device> {onnx.name = "d"})
      attributes {prog.buffers = [#prog.buffer<device, 128 * N, 2, 6, output 0>, #prog.buffer<device, 32 * N, 3, 6, output 1>, #prog.buffer<device, 128 * N, 4, 6, output 2>, #prog.buffer<device, 144, 5, 6, output 3>]} {
    %w = prog.weight dense<0.5> : tensor<64xf16> "w" {offset = 0 : i64} : !cameo.tensor<[64], f16, device>
    %a = prog.kernel [#cameo.extent<N>, #cameo.extent<64>] ins(%x, %w, %s : !cameo.tensor<[N, 64], f16, device>, !cameo.tensor<[64], f16, device>, !cameo.tensor<[N], f16, device>) maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[N, 64], f16, device> {
    ^bb0(%p: f16, %q: f16, %r: f16):
      %0 = prog.s_mul %p, %q : f16
      %1 = prog.s_add %0, %r : f16
      prog.yield %1 : f16
    } loc("Add:add"(fused<["a"]>[unknown]))
    %b = prog.kernel [#cameo.extent<N>, #cameo.extent<2>, #cameo.extent<8>] ins(%x : !cameo.tensor<[N, 64], f16, device>) maps [affine_map<(d0, d1, d2) -> (d0, d1 * 8 + (d2 + 4) mod 8)>] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [-1] attributes {buffers = array<i64: 1>} : !cameo.tensor<[N, 2, 8], f16, device> {
    ^bb0(%p: f16):
      prog.yield %p : f16
    } loc("Shift:shift"(fused<["b"]>[unknown]))
    %c = prog.kernel [#cameo.extent<64>, #cameo.extent<N>] ins(%x : !cameo.tensor<[N, 64], f16, device>) maps [affine_map<(d0, d1) -> (d1, d0)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1] attributes {buffers = array<i64: 2>} : !cameo.tensor<[64, N], f16, device> {
    ^bb0(%p: f16):
      prog.yield %p : f16
    } loc("Transpose:turn"(fused<["c"]>[unknown]))
    %d = prog.kernel [#cameo.extent<9>, #cameo.extent<8>] ins(%y : !cameo.tensor<[9, 9], f16, device>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1] attributes {buffers = array<i64: 3>} : !cameo.tensor<[9, 8], f16, device> {
    ^bb0(%p: f16):
      prog.yield %p : f16
    } loc("Slice:odd"(fused<["d"]>[unknown]))
    func.return %a, %b, %c, %d : !cameo.tensor<[N, 64], f16, device>, !cameo.tensor<[N, 2, 8], f16, device>, !cameo.tensor<[64, N], f16, device>, !cameo.tensor<[9, 8], f16, device>
  }
}
