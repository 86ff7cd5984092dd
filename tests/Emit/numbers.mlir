// RUN: cameo-emit-test %s --name net --file net_kernels.cpp | FileCheck %s
// RUN: cameo-emit-test %s --name net --file net.cpp | FileCheck %s --check-prefix=CALLS

// Kernels that differ in floats and in where a slice begins are one function, which takes both.
// CHECK-LABEL: struct mul_1_body {
// CHECK-NEXT: const float *x;
// CHECK-NEXT: int64_t offset;
// CHECK-NEXT: float *a;
// CHECK-NEXT: float number;
// CHECK: a[i[0] * 16 + i[1]] = add(mul(x[i[0] * 64 + i[1] + offset], number), 1.0f);
// CHECK: // The same for "second", "third".
// CHECK-NEXT: void mul_1(exec &e, const float *x, float *a, int64_t N, int64_t offset, float number) {
// CHECK: mul_1_body{x, offset, a, number}
// CALLS: mul_1(c.compute, x, a, s.N, 0, 2.0f);
// CALLS: mul_1(c.compute, x, b_1, s.N, 16, 3.0f);
// CALLS: mul_1(c.compute, x, d, s.N, 32, 2.0f);

// Integers are not passed: a division by one that is known is another instruction.
// CHECK-LABEL: struct divide_body {
// CHECK: div(n[i[0]], int32_t{3});
// CHECK-LABEL: struct divide_again_body {
// CHECK: div(n[i[0]], int32_t{5});

// Nor are more numbers than a reader can tell apart.
// CHECK-LABEL: struct long__body {
// CHECK-NOT: number
// CHECK-LABEL: struct longer_body {
// CHECK-NOT: number
module {
  func.func @main(%x: !cameo.tensor<[N, 64], f32, host> {onnx.name = "x"},
                  %n: !cameo.tensor<[N], i32, host> {onnx.name = "n"},
                  %f: !cameo.tensor<[N], f32, host> {onnx.name = "f"})
      -> (!cameo.tensor<[N, 16], f32, host> {onnx.name = "a"},
          !cameo.tensor<[N, 16], f32, host> {onnx.name = "b"},
          !cameo.tensor<[N, 16], f32, host> {onnx.name = "d"},
          !cameo.tensor<[N], i32, host> {onnx.name = "p"},
          !cameo.tensor<[N], i32, host> {onnx.name = "q"},
          !cameo.tensor<[N], f32, host> {onnx.name = "r"},
          !cameo.tensor<[N], f32, host> {onnx.name = "u"})
      attributes {prog.buffers = [#prog.buffer<host, 64 * N, 3, 10, output 0>, #prog.buffer<host, 64 * N, 4, 10, output 1>, #prog.buffer<host, 64 * N, 5, 10, output 2>, #prog.buffer<host, 4 * N, 6, 10, output 3>, #prog.buffer<host, 4 * N, 7, 10, output 4>, #prog.buffer<host, 4 * N, 8, 10, output 5>, #prog.buffer<host, 4 * N, 9, 10, output 6>]} {
    %a = prog.kernel [#cameo.extent<N>, #cameo.extent<16>] ins(%x : !cameo.tensor<[N, 64], f32, host>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1] attributes {buffers = array<i64: 0>} : !cameo.tensor<[N, 16], f32, host> {
    ^bb0(%v: f32):
      %0 = prog.s_constant 2.0 : f32
      %1 = prog.s_mul %v, %0 : f32
      %2 = prog.s_constant 1.0 : f32
      %3 = prog.s_add %1, %2 : f32
      prog.yield %3 : f32
    } loc("Mul:first"(fused<["a"]>[unknown]))
    %b = prog.kernel [#cameo.extent<N>, #cameo.extent<16>] ins(%x : !cameo.tensor<[N, 64], f32, host>) maps [affine_map<(d0, d1) -> (d0, d1 + 16)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1] attributes {buffers = array<i64: 1>} : !cameo.tensor<[N, 16], f32, host> {
    ^bb0(%v: f32):
      %0 = prog.s_constant 3.0 : f32
      %1 = prog.s_mul %v, %0 : f32
      %2 = prog.s_constant 1.0 : f32
      %3 = prog.s_add %1, %2 : f32
      prog.yield %3 : f32
    } loc("Mul:second"(fused<["b"]>[unknown]))
    %d = prog.kernel [#cameo.extent<N>, #cameo.extent<16>] ins(%x : !cameo.tensor<[N, 64], f32, host>) maps [affine_map<(d0, d1) -> (d0, d1 + 32)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1] attributes {buffers = array<i64: 2>} : !cameo.tensor<[N, 16], f32, host> {
    ^bb0(%v: f32):
      %0 = prog.s_constant 2.0 : f32
      %1 = prog.s_mul %v, %0 : f32
      %2 = prog.s_constant 1.0 : f32
      %3 = prog.s_add %1, %2 : f32
      prog.yield %3 : f32
    } loc("Mul:third"(fused<["d"]>[unknown]))
    %p = prog.kernel [#cameo.extent<N>] ins(%n : !cameo.tensor<[N], i32, host>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1] attributes {buffers = array<i64: 3>} : !cameo.tensor<[N], i32, host> {
    ^bb0(%v: i32):
      %0 = prog.s_constant 3 : i32
      %1 = prog.s_div %v, %0 : i32
      prog.yield %1 : i32
    } loc("Div:divide"(fused<["p"]>[unknown]))
    %q = prog.kernel [#cameo.extent<N>] ins(%n : !cameo.tensor<[N], i32, host>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1] attributes {buffers = array<i64: 4>} : !cameo.tensor<[N], i32, host> {
    ^bb0(%v: i32):
      %0 = prog.s_constant 5 : i32
      %1 = prog.s_div %v, %0 : i32
      prog.yield %1 : i32
    } loc("Div:divide_again"(fused<["q"]>[unknown]))
    %r = prog.kernel [#cameo.extent<N>] ins(%f : !cameo.tensor<[N], f32, host>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1] attributes {buffers = array<i64: 5>} : !cameo.tensor<[N], f32, host> {
    ^bb0(%v: f32):
      %c0 = prog.s_constant 1.5 : f32
      %m0 = prog.s_mul %v, %c0 : f32
      %c1 = prog.s_constant 2.5 : f32
      %m1 = prog.s_mul %m0, %c1 : f32
      %c2 = prog.s_constant 3.5 : f32
      %m2 = prog.s_mul %m1, %c2 : f32
      %c3 = prog.s_constant 4.5 : f32
      %m3 = prog.s_mul %m2, %c3 : f32
      %c4 = prog.s_constant 5.5 : f32
      %m4 = prog.s_mul %m3, %c4 : f32
      %c5 = prog.s_constant 6.5 : f32
      %m5 = prog.s_mul %m4, %c5 : f32
      %c6 = prog.s_constant 7.5 : f32
      %m6 = prog.s_mul %m5, %c6 : f32
      %c7 = prog.s_constant 8.5 : f32
      %m7 = prog.s_mul %m6, %c7 : f32
      %c8 = prog.s_constant 9.5 : f32
      %m8 = prog.s_mul %m7, %c8 : f32
      prog.yield %m8 : f32
    } loc("Mul:long"(fused<["r"]>[unknown]))
    %u = prog.kernel [#cameo.extent<N>] ins(%f : !cameo.tensor<[N], f32, host>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1] attributes {buffers = array<i64: 6>} : !cameo.tensor<[N], f32, host> {
    ^bb0(%v: f32):
      %c0 = prog.s_constant 20.5 : f32
      %m0 = prog.s_mul %v, %c0 : f32
      %c1 = prog.s_constant 21.5 : f32
      %m1 = prog.s_mul %m0, %c1 : f32
      %c2 = prog.s_constant 22.5 : f32
      %m2 = prog.s_mul %m1, %c2 : f32
      %c3 = prog.s_constant 23.5 : f32
      %m3 = prog.s_mul %m2, %c3 : f32
      %c4 = prog.s_constant 24.5 : f32
      %m4 = prog.s_mul %m3, %c4 : f32
      %c5 = prog.s_constant 25.5 : f32
      %m5 = prog.s_mul %m4, %c5 : f32
      %c6 = prog.s_constant 26.5 : f32
      %m6 = prog.s_mul %m5, %c6 : f32
      %c7 = prog.s_constant 27.5 : f32
      %m7 = prog.s_mul %m6, %c7 : f32
      %c8 = prog.s_constant 28.5 : f32
      %m8 = prog.s_mul %m7, %c8 : f32
      prog.yield %m8 : f32
    } loc("Mul:longer"(fused<["u"]>[unknown]))
    func.return %a, %b, %d, %p, %q, %r, %u : !cameo.tensor<[N, 16], f32, host>, !cameo.tensor<[N, 16], f32, host>, !cameo.tensor<[N, 16], f32, host>, !cameo.tensor<[N], i32, host>, !cameo.tensor<[N], i32, host>, !cameo.tensor<[N], f32, host>, !cameo.tensor<[N], f32, host>
  }
}
