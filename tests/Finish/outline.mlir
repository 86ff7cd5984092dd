// RUN: cameo-opt %S/../Emit/numbers.mlir --cameo-set-target=name=cpu --cameo-prepare --cameo-outline-kernels | FileCheck %s
// RUN: cameo-opt %S/../Emit/numbers.mlir --cameo-set-target=name=cpu --cameo-prepare --cameo-outline-kernels --cameo-merge-loops --cameo-share-kernels --cameo-name-kernels --cameo-verify-kernels | FileCheck %s --check-prefix=SHARED
// RUN: cameo-opt %S/../Emit/wide.mlir --cameo-set-target=name=cuda --cameo-prepare --cameo-outline-kernels --cameo-merge-loops --cameo-hold-bytes --cameo-widen-functors | FileCheck %s --check-prefix=WIDE

// Each kernel is a function of what it reads and writes; those that differ in a constant are told apart at first.
// CHECK: host.launch_kernel @kernel_0(%[[X:.*]], %{{.*}} : {{.*}}) symbols(%[[N:.*]] : i64) numbers [] writes [!cameo.tensor<[N, 16], f32, host>] {rows = array<i64: 0>}
// CHECK: host.launch_kernel @kernel_1(%[[X]]
// CHECK: host.launch_kernel @kernel_2(%[[X]]
// CHECK-NOT: host.launch [
// CHECK: host.kernel @kernel_0 ["N"]
// CHECK-SAME: names = ["x", "a"]
// CHECK-SAME: spans = [#cameo.extent<256 * N>, #cameo.extent<64 * N>]
// CHECK-NEXT: ^bb0(%[[IN:.*]]: !cameo.tensor<[N, 64], f32, host>, %[[OUT:.*]]: !cameo.tensor<[N, 16], f32, host>):
// CHECK-NEXT: prog.kernel {{.*}} ins(%[[IN]] : {{.*}}) dests(%[[OUT]] :

// Then they are one, which takes where the slice begins and a factor; the integers of divisions stay.
// SHARED: host.launch_kernel @kernel_0({{.*}} numbers [0, 2.000000e+00 : f32]
// SHARED: host.launch_kernel @kernel_0({{.*}} numbers [16, 3.000000e+00 : f32]
// SHARED: host.launch_kernel @kernel_0({{.*}} numbers [32, 2.000000e+00 : f32]
// SHARED: host.kernel @kernel_0 ["N"]
// SHARED-SAME: called = "mul"
// SHARED-SAME: file = 0
// SHARED-SAME: numbers = ["offset", "number"]
// SHARED: prog.kernel {{.*}} symbols [#cameo.extent<offset>]
// SHARED: prog.s_constant 2.000000e+00 {{.*}}host.number = "number"
// SHARED: called = "divide"
// SHARED-SAME: numbers = []
// SHARED: called = "divide_again"

// Memory of the caller may begin anywhere, a weight does not; a line that stays for the last coordinate is no line.
// WIDE: host.kernel @kernel_0
// WIDE-SAME: memories = [#host.memory<any>, #host.memory<weight>, #host.memory<any>, #host.memory<any>]
// WIDE: host.wide = #host.wide<8, [true, true, false]>
// WIDE: host.kernel @kernel_1
// WIDE: host.wide = #host.wide<4, [true]>
// WIDE: host.kernel @kernel_2
// WIDE-NOT: host.wide
