// RUN: cameo-opt %s --cameo-merge-loops --cameo-mark-crosswise --mlir-print-local-scope | FileCheck %s

// Columns that become rows, beside an operand that lies as the result does.
// CHECK-LABEL: host.kernel @turn
// CHECK: host.crosswise = #host.crosswise<0, [true, false]>

// Rows, and columns too short for a tile, stay as they are.
// CHECK-LABEL: host.kernel @rows
// CHECK-NOT: host.crosswise
// CHECK-LABEL: host.kernel @short
// CHECK-NOT: host.crosswise

// So does what is stored in columns.
// CHECK-LABEL: host.kernel @stored
// CHECK-NOT: host.crosswise

#id = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
module {
  host.kernel @turn ["N"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>, #host.memory<any>], names = ["x", "b", "y"], numbers = [], spans = [#cameo.extent<256 * N>, #cameo.extent<256 * N>, #cameo.extent<256 * N>]} {
  ^bb0(%x: !cameo.tensor<[N, 64], f32, host>, %b: !cameo.tensor<[64, N], f32, host>, %y: !cameo.tensor<[64, N], f32, host>):
    %0 = prog.kernel [#cameo.extent<64>, #cameo.extent<N>] ins(%x, %b : !cameo.tensor<[N, 64], f32, host>, !cameo.tensor<[64, N], f32, host>) dests(%y : !cameo.tensor<[64, N], f32, host>) maps [#turned, #id] -> [#id] symbols [] ties [0] : !cameo.tensor<[64, N], f32, host> {
    ^bb0(%e: f32, %f: f32):
      %1 = prog.s_add %e, %f : f32
      prog.yield %1 : f32
    }
  }
  host.kernel @rows ["N"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>], names = ["x", "y"], numbers = [], spans = [#cameo.extent<256 * N>, #cameo.extent<256 * N>]} {
  ^bb0(%x: !cameo.tensor<[N, 64], f32, host>, %y: !cameo.tensor<[N, 64], f32, host>):
    %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<64>] ins(%x : !cameo.tensor<[N, 64], f32, host>) dests(%y : !cameo.tensor<[N, 64], f32, host>) maps [#id] -> [#id] symbols [] ties [0] : !cameo.tensor<[N, 64], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
  }
  host.kernel @short ["N"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>], names = ["x", "y"], numbers = [], spans = [#cameo.extent<12 * N>, #cameo.extent<12 * N>]} {
  ^bb0(%x: !cameo.tensor<[3, N], f32, host>, %y: !cameo.tensor<[N, 3], f32, host>):
    %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<3>] ins(%x : !cameo.tensor<[3, N], f32, host>) dests(%y : !cameo.tensor<[N, 3], f32, host>) maps [#turned] -> [#id] symbols [] ties [0] : !cameo.tensor<[N, 3], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
  }
  host.kernel @stored ["N"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>], names = ["x", "y"], numbers = [], spans = [#cameo.extent<256 * N>, #cameo.extent<256 * N>]} {
  ^bb0(%x: !cameo.tensor<[N, 64], f32, host>, %y: !cameo.tensor<[N, 64], f32, host>):
    %0 = prog.kernel [#cameo.extent<64>, #cameo.extent<N>] ins(%x : !cameo.tensor<[N, 64], f32, host>) dests(%y : !cameo.tensor<[N, 64], f32, host>) maps [#turned] -> [#turned] symbols [] ties [0] : !cameo.tensor<[N, 64], f32, host> {
    ^bb0(%e: f32):
      %1 = prog.s_neg %e : f32
      prog.yield %1 : f32
    }
  }
}
