// RUN: cameo-opt %s --cameo-plan-buffers --cameo-verify-plan --split-input-file | FileCheck %s

// Steps count in the order of printing. A value lives to its last reader; the last kernel writes the
// caller's memory.

#id = affine_map<(d0) -> (d0)>
#rev = affine_map<(d0)[s0] -> (-d0 + s0)>

// CHECK-LABEL: @chain
// CHECK-SAME: prog.buffers = [#prog.buffer<host, 4 * N, 3, 4, output 0>,
// CHECK-SAME: #prog.buffer<host, 4 * N, 0, 2>, #prog.buffer<host, 4 * N, 1, 3>, #prog.buffer<host, 4 * N, 2, 3>]
// CHECK-COUNT-2: buffers = array<i64: {{[12]}}>
// CHECK: buffers = array<i64: 3>
// CHECK: buffers = array<i64: 0>
func.func @chain(%x: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host> {
  %a = prog.kernel [N] ins(%x : !cameo.tensor<[N], f32, host>) maps [#rev] -> [#rev] symbols [N - 1] ties [-1] : !cameo.tensor<[N], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  func.return %a : !cameo.tensor<[N], f32, host>
}
