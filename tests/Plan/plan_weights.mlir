// RUN: cameo-opt %s --cameo-plan-weights | FileCheck %s

// Every weight begins at a multiple of 64 bytes; equal ones are one; one without elements has no place, since the next one
// would lie there.

// CHECK: module attributes {prog.weights_bytes = 192 : i64}
// CHECK-NOT: offset
// CHECK: prog.weight dense<5.000000e-01> {{.*}}offset = 0 : i64
// CHECK: prog.weight dense<> : tensor<0x3xf32> : <[0, 3], f32, device>
// CHECK: prog.weight dense<2.500000e-01> {{.*}}offset = 128 : i64
// CHECK: prog.weight dense<5.000000e-01> {{.*}}offset = 0 : i64
// CHECK: prog.weight dense<> : tensor<0xi4> through [#cameo.packed] : <[0], i4, host, #cameo.packed>
module {
  func.func @main() {
    %none = prog.weight dense<> : tensor<4x0xf32> : !cameo.tensor<[4, 0], f32, host>
    %a = prog.weight dense<0.5> : tensor<17xf32> : !cameo.tensor<[17], f32, host>
    %empty = prog.weight dense<> : tensor<0x3xf32> : !cameo.tensor<[0, 3], f32, device>
    %b = prog.weight dense<0.25> : tensor<3xf32> : !cameo.tensor<[3], f32, host>
    %c = prog.weight dense<0.5> : tensor<17xf32> : !cameo.tensor<[17], f32, host>
    %last = prog.weight dense<> : tensor<0xi4> through [#cameo.packed] : !cameo.tensor<[0], i4, host, #cameo.packed>
    func.return
  }
}
