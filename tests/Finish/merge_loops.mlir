// RUN: cameo-opt %s --cameo-merge-loops --mlir-print-local-scope | FileCheck %s

// Rows that lie one behind the other are one row; a transposed operand keeps both loops, with strides.
// CHECK-LABEL: host.kernel @relu
// CHECK: prog.kernel [#cameo.extent<64 * N>]
// CHECK-SAME: maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols []
// CHECK-SAME: prog.offsets
// CHECK-LABEL: host.kernel @turn
// CHECK: prog.kernel [#cameo.extent<64>, #cameo.extent<N>]
// CHECK-SAME: maps [affine_map<(d0, d1)[s0] -> (d1 * 64 + d0)>] -> [affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>] symbols [#cameo.extent<N>]

// What the body asks for by number stays, with the number that it has now; dims of one element are gone.
// CHECK-LABEL: host.kernel @count
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<8>]
// CHECK: prog.s_index 1

// Two extents that only the device knows are not multiplied.
// CHECK-LABEL: host.kernel @counted
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<N>]

// A loop that is only divided by one extent, of which it is a multiple, is two on the host.
// CHECK-LABEL: host.kernel @repeat
// CHECK: prog.kernel [#cameo.extent<M>, #cameo.extent<5>, #cameo.extent<N>]
// CHECK-SAME: (d0, d1, d2)[s0, s1] -> (d0 * s0 + d2)
// CHECK-LABEL: host.kernel @repeat_device
// CHECK: prog.kernel [#cameo.extent<M>, #cameo.extent<5 * N>]

// A caller's rows lie as far apart as the launch says.
// CHECK-LABEL: host.kernel @strided
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<64>]
// CHECK-SAME: -> [affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>] symbols [#cameo.extent<y_stride>]

// Maps of functors become offsets too.
// CHECK-LABEL: host.kernel @product
// CHECK: prog.store 2 values 1
// CHECK-SAME: -> [affine_map<(d0, d1) -> (d0 * 10 + d1)>]
// CHECK-SAME: prog.offsets

#id = affine_map<(d0, d1) -> (d0, d1)>
module {
  host.kernel @relu ["N"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>], names = ["x", "y"], numbers = [], spans = [#cameo.extent<256 * N>, #cameo.extent<256 * N>]} {
  ^bb0(%x: !cameo.tensor<[N, 64], f32, host>, %y: !cameo.tensor<[N, 64], f32, host>):
    %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<64>] ins(%x : !cameo.tensor<[N, 64], f32, host>) dests(%y : !cameo.tensor<[N, 64], f32, host>) maps [#id] -> [#id] symbols [] ties [0] : !cameo.tensor<[N, 64], f32, host> {
    ^bb0(%e: f32):
      %1 = prog.s_neg %e : f32
      prog.yield %1 : f32
    }
  }
  host.kernel @turn ["N"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>], names = ["x", "y"], numbers = [], spans = [#cameo.extent<256 * N>, #cameo.extent<256 * N>]} {
  ^bb0(%x: !cameo.tensor<[N, 64], f32, host>, %y: !cameo.tensor<[64, N], f32, host>):
    %0 = prog.kernel [#cameo.extent<64>, #cameo.extent<N>] ins(%x : !cameo.tensor<[N, 64], f32, host>) dests(%y : !cameo.tensor<[64, N], f32, host>) maps [affine_map<(d0, d1) -> (d1, d0)>] -> [#id] symbols [] ties [0] : !cameo.tensor<[64, N], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
  }
  host.kernel @count ["N"] attributes {counted = [], memories = [#host.memory<any>], names = ["y"], numbers = [], spans = [#cameo.extent<64 * N>]} {
  ^bb0(%y: !cameo.tensor<[N, 1, 8], i64, host>):
    %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<1>, #cameo.extent<8>] dests(%y : !cameo.tensor<[N, 1, 8], i64, host>) maps [] -> [affine_map<(d0, d1, d2) -> (d0, d1, d2)>] symbols [] ties [0] : !cameo.tensor<[N, 1, 8], i64, host> {
      %1 = prog.s_index 2
      prog.yield %1 : i64
    }
  }
  host.kernel @counted ["N"] attributes {counted = ["N"], memories = [#host.memory<any>, #host.memory<any>], names = ["x", "y"], numbers = [], spans = [#cameo.extent<4 * N * N>, #cameo.extent<4 * N * N>]} {
  ^bb0(%x: !cameo.tensor<[N, N], f32, device>, %y: !cameo.tensor<[N, N], f32, device>):
    %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<N>] ins(%x : !cameo.tensor<[N, N], f32, device>) dests(%y : !cameo.tensor<[N, N], f32, device>) maps [#id] -> [#id] symbols [] ties [0] : !cameo.tensor<[N, N], f32, device> {
    ^bb0(%e: f32):
      %1 = prog.s_neg %e : f32
      prog.yield %1 : f32
    }
  }
  host.kernel @repeat ["M", "N"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>], names = ["x", "y"], numbers = [], spans = [#cameo.extent<4 * M * N>, #cameo.extent<20 * M * N>]} {
  ^bb0(%x: !cameo.tensor<[M, N], f32, host>, %y: !cameo.tensor<[M, 5 * N], f32, host>):
    %0 = prog.kernel [#cameo.extent<M>, #cameo.extent<5 * N>] ins(%x : !cameo.tensor<[M, N], f32, host>) dests(%y : !cameo.tensor<[M, 5 * N], f32, host>) maps [affine_map<(d0, d1)[s0] -> (d0, d1 mod s0)>] -> [affine_map<(d0, d1)[s0] -> (d0, d1)>] symbols [#cameo.extent<N>] ties [0] : !cameo.tensor<[M, 5 * N], f32, host> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
  }
  host.kernel @repeat_device ["M", "N"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>], names = ["x", "y"], numbers = [], spans = [#cameo.extent<4 * M * N>, #cameo.extent<20 * M * N>]} {
  ^bb0(%x: !cameo.tensor<[M, N], f32, device>, %y: !cameo.tensor<[M, 5 * N], f32, device>):
    %0 = prog.kernel [#cameo.extent<M>, #cameo.extent<5 * N>] ins(%x : !cameo.tensor<[M, N], f32, device>) dests(%y : !cameo.tensor<[M, 5 * N], f32, device>) maps [affine_map<(d0, d1)[s0] -> (d0, d1 mod s0)>] -> [affine_map<(d0, d1)[s0] -> (d0, d1)>] symbols [#cameo.extent<N>] ties [0] : !cameo.tensor<[M, 5 * N], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
  }
  host.kernel @strided ["N", "y_stride"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>], names = ["x", "y"], numbers = [], spans = [#cameo.extent<256 * N>, #cameo.extent<4 * N * y_stride>], strides = [[#cameo.extent<y_stride>, #cameo.extent<1>]]} {
  ^bb0(%x: !cameo.tensor<[N, 64], f32, host>, %y: !cameo.tensor<[N, 64], f32, host>):
    %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<64>] ins(%x : !cameo.tensor<[N, 64], f32, host>) dests(%y : !cameo.tensor<[N, 64], f32, host>) maps [#id] -> [#id] symbols [] ties [0] : !cameo.tensor<[N, 64], f32, host> {
    ^bb0(%e: f32):
      %1 = prog.s_neg %e : f32
      prog.yield %1 : f32
    }
  }
  host.kernel @product ["N"] attributes {counted = [], memories = [#host.memory<any>, #host.memory<any>, #host.memory<any>], names = ["x", "w", "y"], numbers = [], spans = [#cameo.extent<4 * N>, #cameo.extent<40>, #cameo.extent<40 * N>]} {
  ^bb0(%x: !cameo.tensor<[N, 1], f32, host>, %w: !cameo.tensor<[10, 1], f32, host>, %y: !cameo.tensor<[N, 10], f32, host>):
    %0 = prog.call "gemm" [] {batch_rank = 0, m = #cameo.extent<N>, n = #cameo.extent<10>, k = #cameo.extent<1>, trans_a = false, trans_b = true}
        ins(%x, %w : !cameo.tensor<[N, 1], f32, host>, !cameo.tensor<[10, 1], f32, host>) dests(%y : !cameo.tensor<[N, 10], f32, host>)
        ties [0] {scalar_names = []} : !cameo.tensor<[N, 10], f32, host> {
      prog.store 2 values 1 maps [] -> [#id] symbols [] targets [0] {
      ^bb0(%v: f32):
        prog.yield %v : f32
      }
    }
  }
}
