// RUN: cameo-opt %s --cameo-plan-weights | FileCheck %s

// Every weight begins at a multiple of 64 bytes; equal ones are one.

// CHECK: module attributes {prog.weights_bytes = 192 : i64}
// CHECK: prog.weight dense<5.000000e-01> {{.*}}offset = 0 : i64
// CHECK: prog.weight dense<2.500000e-01> {{.*}}offset = 128 : i64
// CHECK: prog.weight dense<5.000000e-01> {{.*}}offset = 0 : i64
module {
  func.func @main() {
    %a = prog.weight dense<0.5> : tensor<17xf32> : !cameo.tensor<[17], f32, host>
    %b = prog.weight dense<0.25> : tensor<3xf32> : !cameo.tensor<[3], f32, host>
    %c = prog.weight dense<0.5> : tensor<17xf32> : !cameo.tensor<[17], f32, host>
    func.return
  }
}
