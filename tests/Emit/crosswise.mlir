// RUN: cameo-emit-test %s --name turn --file turn_kernels.cpp | FileCheck %s

// An operand that lies crosswise is an argument of the body, and the functor says where it lies.
// CHECK: #include "cameo/cpu/crosswise.h"
// CHECK-LABEL: struct turn_body {
// CHECK: static constexpr int crossed = 1;
// CHECK-NEXT: CAMEO_DEVICE const float *line(const index<2> &i, nth<0>) const { return &x[i[1] * 64 + i[0]]; }
// CHECK-NEXT: CAMEO_DEVICE int64_t apart(nth<0>) const { return 64; }
// CHECK-NEXT: CAMEO_DEVICE void with(const index<2> &i, float element) const {
// CHECK-NEXT: y[i[0] * N + i[1]] = add(element, b[i[0] * N + i[1]]);
// CHECK: CAMEO_DEVICE void operator()(const index<2> &i) const { with(i, *line(i, nth<0>())); }
// CHECK: for_crosswise<0>(e, index<2>{64, N}, turn_body{x, b, N, y});
#id = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%x: !cameo.tensor<[N, 64], f32, host> {onnx.name = "x"},
                  %b: !cameo.tensor<[64, N], f32, host> {onnx.name = "b"})
      -> (!cameo.tensor<[64, N], f32, host> {onnx.name = "y"})
      attributes {prog.buffers = [#prog.buffer<host, 256 * N, 2, 3, output 0>]} {
    %y = prog.kernel [#cameo.extent<64>, #cameo.extent<N>]
        ins(%x, %b : !cameo.tensor<[N, 64], f32, host>, !cameo.tensor<[64, N], f32, host>)
        maps [affine_map<(d0, d1) -> (d1, d0)>, #id] -> [#id] symbols []
        ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[64, N], f32, host> {
    ^bb0(%e: f32, %f: f32):
      %0 = prog.s_add %e, %f : f32
      prog.yield %0 : f32
    } loc("Add:turn"(fused<["y"]>[unknown]))
    func.return %y : !cameo.tensor<[64, N], f32, host>
  }
}
