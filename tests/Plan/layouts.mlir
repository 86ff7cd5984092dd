// RUN: cameo-opt %s --cameo-plan-weights --cameo-plan-buffers | FileCheck %s

!dense = !cameo.tensor<[N, 20, 6, 6], f32, host>
#dense = affine_map<(d0) -> (d0)>
#blocked = affine_map<(d0) -> (d0 floordiv 16, d0 mod 16)>
!bordered = !cameo.tensor<[N, 20, 6, 6], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>>

// Rows have the size that the layout takes: N * 2 * 8 * 8 * 16 floats.
// CHECK: module attributes {prog.weights_bytes = 256 : i64}
// CHECK: prog.buffers = {{.*}}#prog.buffer<host, 8192 * N,
// One value in two layouts is two weights; 20 floats take 128 bytes in blocks, and 80 that are aligned to as many.
// CHECK: prog.weight {{.*}}offset = 0 : i64} : <[20], f32, host>
// CHECK: prog.weight {{.*}}offset = 128 : i64} : <[20], f32, host, #cameo.blocked<[0] by [16]>>
// CHECK: prog.weight {{.*}}offset = 128 : i64} : <[20], f32, host, #cameo.blocked<[0] by [16]>>
func.func @main(%x: !dense) -> (!dense, !cameo.tensor<[20], f32, host>) {
  %a = prog.weight dense<1.0> : tensor<20xf32> : !cameo.tensor<[20], f32, host>
  %b = prog.weight dense<1.0> : tensor<20xf32> through [#cameo.blocked<[0] by [16]>]
      : !cameo.tensor<[20], f32, host, #cameo.blocked<[0] by [16]>>
  %c = prog.weight dense<1.0> : tensor<20xf32> through [#cameo.blocked<[0] by [16]>]
      : !cameo.tensor<[20], f32, host, #cameo.blocked<[0] by [16]>>
  %0 = prog.call "pack_channels" [] {batch = #cameo.extent<N>, channels = #cameo.extent<20>, cols = #cameo.extent<6>,
      halo = [#cameo.extent<1>, #cameo.extent<1>], rows = #cameo.extent<6>}
      ins(%x : !dense) ties [-1] {scalar_names = []} : !bordered {
  }
  %1 = prog.call "unpack_channels" [] {batch = #cameo.extent<N>, channels = #cameo.extent<20>, cols = #cameo.extent<6>,
      halo = [#cameo.extent<1>, #cameo.extent<1>], rows = #cameo.extent<6>}
      ins(%0 : !bordered) ties [-1] {scalar_names = []} : !dense {
  }
  %2 = prog.kernel [#cameo.extent<20>]
      ins(%a, %b, %c : !cameo.tensor<[20], f32, host>, !cameo.tensor<[20], f32, host, #cameo.blocked<[0] by [16]>>, !cameo.tensor<[20], f32, host, #cameo.blocked<[0] by [16]>>)
      maps [#dense, #blocked, #blocked] -> [#dense] symbols [] ties [-1] : !cameo.tensor<[20], f32, host> {
  ^bb0(%u: f32, %v: f32, %w: f32):
    %s = prog.s_add %u, %v : f32
    %t = prog.s_add %s, %w : f32
    prog.yield %t : f32
  }
  func.return %1, %2 : !dense, !cameo.tensor<[20], f32, host>
}
