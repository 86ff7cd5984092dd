// RUN: cameo-opt %S/../Emit/narrowing_reads.mlir --cameo-set-target=name=cpu --cameo-prepare --cameo-outline-kernels --cameo-hold-bytes | FileCheck %s
// RUN: cameo-opt %s --cameo-hold-bytes | FileCheck %s --check-prefix=BOUNDS

// The byte that is stored is 32 bits whose low ones count, the one on the way the float that it becomes again.
// CHECK: prog.store
// CHECK-SAME: host.apart = array<i64: 0>
// CHECK: prog.s_cast {{.*}}host.held = #host.held<wide>{{.*}} : f32 -> ui8
// CHECK: prog.s_cast {{.*}} : ui8 -> f32
// CHECK: prog.s_cast {{.*}}host.held = #host.held<low_bits>{{.*}} : f32 -> ui8

// A bound is hidden from the host's compiler; a constant that is also something else is not, and none on the device.
// BOUNDS-LABEL: host.kernel @host
// BOUNDS: prog.s_constant 0.000000e+00 : f32 {host.opaque}
// BOUNDS: prog.s_constant 1.000000e+00 : f32
// BOUNDS-LABEL: host.kernel @device
// BOUNDS-NOT: host.opaque

#id = affine_map<(d0) -> (d0)>
module {
  host.kernel @host ["N"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>], names = ["x", "y"], numbers = [], spans = [#cameo.extent<4 * N>, #cameo.extent<4 * N>]} {
  ^bb0(%x: !cameo.tensor<[N], f32, host>, %y: !cameo.tensor<[N], f32, host>):
    %0 = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, host>) dests(%y : !cameo.tensor<[N], f32, host>) maps [#id] -> [#id] symbols [] ties [0] : !cameo.tensor<[N], f32, host> {
    ^bb0(%e: f32):
      %zero = prog.s_constant 0.0 : f32
      %one = prog.s_constant 1.0 : f32
      %1 = prog.s_max %e, %zero : f32
      %2 = prog.s_min %1, %one : f32
      %3 = prog.s_add %2, %one : f32
      prog.yield %3 : f32
    }
  }
  host.kernel @device ["N"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>], names = ["x", "y"], numbers = [], spans = [#cameo.extent<4 * N>, #cameo.extent<4 * N>]} {
  ^bb0(%x: !cameo.tensor<[N], f32, device>, %y: !cameo.tensor<[N], f32, device>):
    %0 = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, device>) dests(%y : !cameo.tensor<[N], f32, device>) maps [#id] -> [#id] symbols [] ties [0] : !cameo.tensor<[N], f32, device> {
    ^bb0(%e: f32):
      %zero = prog.s_constant 0.0 : f32
      %1 = prog.s_max %e, %zero : f32
      prog.yield %1 : f32
    }
  }
}
