// RUN: cameo-opt %s --cameo-plan-weights | FileCheck %s

// Weights lie in the order in which steps read them, not in that of the model's file: those of functors and of views too,
// and behind them the ones that nobody reads.

// CHECK: prog.weight dense<1.000000e+00> {{.*}}offset = 192 : i64
// CHECK: prog.weight dense<2.000000e+00> {{.*}}offset = 64 : i64
// CHECK: prog.weight dense<3.000000e+00> {{.*}}offset = 128 : i64
// CHECK: prog.weight dense<4.000000e+00> {{.*}}offset = 0 : i64
module {
  func.func @main() -> (!cameo.tensor<[8], f32, host>, !cameo.tensor<[8], f32, host>) {
    %unread = prog.weight dense<1.0> : tensor<8xf32> : !cameo.tensor<[8], f32, host>
    %second = prog.weight dense<2.0> : tensor<8xf32> : !cameo.tensor<[8], f32, host>
    %third = prog.weight dense<3.0> : tensor<2x4xf32> : !cameo.tensor<[2, 4], f32, host>
    %view = prog.view %third[#cameo.extent<0>] : !cameo.tensor<[2, 4], f32, host> -> !cameo.tensor<[8], f32, host>
    %first = prog.weight dense<4.0> : tensor<8xf32> : !cameo.tensor<[8], f32, host>
    %0 = prog.kernel [#cameo.extent<8>] ins(%first, %second : !cameo.tensor<[8], f32, host>, !cameo.tensor<[8], f32, host>)
        maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
        : !cameo.tensor<[8], f32, host> {
    ^bb0(%x: f32, %y: f32):
      %sum = prog.s_add %x, %y : f32
      prog.yield %sum : f32
    }
    func.return %0, %view : !cameo.tensor<[8], f32, host>, !cameo.tensor<[8], f32, host>
  }
}
