// RUN: cameo-opt %s --cameo-plan-buffers --cameo-verify-plan --split-input-file | FileCheck %s

// Steps count in the order of printing; a value lives through its last reader, and the last kernel
// writes the caller's memory. A kernel that reads elsewhere than it writes needs a row of its own.

#here = affine_map<(d0)[s0] -> (d0)>
#flip = affine_map<(d0)[s0] -> (-d0 + s0)>

// CHECK-LABEL: @chain
// CHECK-SAME: [#prog.buffer<host, 4 * N, 2, 3, output 0>, #prog.buffer<host, 4 * N, 0, 2>, #prog.buffer<host, 4 * N, 1, 2>]
// CHECK: buffers = array<i64: 1>
// CHECK: buffers = array<i64: 2>
// CHECK: buffers = array<i64: 0>
func.func @chain(%x: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host> {
  %a = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<N - 1>] ties [-1] : !cameo.tensor<[N], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  %b = prog.kernel [#cameo.extent<N>] ins(%a : !cameo.tensor<[N], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<N - 1>] ties [-1] : !cameo.tensor<[N], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  %c = prog.kernel [#cameo.extent<N>] ins(%a, %b : !cameo.tensor<[N], f32, host>, !cameo.tensor<[N], f32, host>) maps [#flip, #flip] -> [#here] symbols [#cameo.extent<N - 1>] ties [-1] : !cameo.tensor<[N], f32, host> {
  ^bb0(%e: f32, %f: f32):
    %0 = prog.s_add %e, %f : f32
    prog.yield %0 : f32
  }
  func.return %c : !cameo.tensor<[N], f32, host>
}

// -----

// A copy to the host reads its source until it is awaited.

#here = affine_map<(d0)[s0] -> (d0)>
#flip = affine_map<(d0)[s0] -> (-d0 + s0)>

// CHECK-LABEL: @fetch
// CHECK-SAME: #prog.buffer<device, 32, 0, 4, at 0>
func.func @fetch(%x: !cameo.tensor<[4], i64, device>) -> !cameo.tensor<[4], i64, device> {
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], i64, device>) maps [#flip] -> [#here] symbols [#cameo.extent<3>] ties [-1] : !cameo.tensor<[4], i64, device> {
  ^bb0(%e: i64):
    prog.yield %e : i64
  }
  %t = prog.fetch %a : !cameo.tensor<[4], i64, device> -> !prog.ticket<!cameo.tensor<[4], i64, device>>
  %b = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], i64, device>) maps [#flip] -> [#here] symbols [#cameo.extent<3>] ties [-1] : !cameo.tensor<[4], i64, device> {
  ^bb0(%e: i64):
    prog.yield %e : i64
  }
  %c = prog.kernel [#cameo.extent<4>] ins(%b : !cameo.tensor<[4], i64, device>) maps [#flip] -> [#here] symbols [#cameo.extent<3>] ties [-1] : !cameo.tensor<[4], i64, device> {
  ^bb0(%e: i64):
    prog.yield %e : i64
  }
  %h = prog.await %t : !prog.ticket<!cameo.tensor<[4], i64, device>> -> !cameo.tensor<[4], i64, host>
  func.return %c : !cameo.tensor<[4], i64, device>
}

// -----

// Strings that are only moved: their headers, a pointer and a size each.
// CHECK-LABEL: @strings
// CHECK-SAME: [#prog.buffer<host, 16 * N, 0, 1, output 0>]
// CHECK: prog.kernel [#cameo.extent<N>] ins(%arg0 : !cameo.tensor<[N], !cameo.string, host>)
func.func @strings(%x: !cameo.tensor<[N], !cameo.string, host>) -> !cameo.tensor<[N], !cameo.string, host> {
  func.return %x : !cameo.tensor<[N], !cameo.string, host>
}

// -----

// Memory for two counts of which one is what the other leaves is for as many elements as there are,
// and for each on its own too.
// CHECK-LABEL: @left_beside_another
// CHECK-SAME: #prog.buffer<device, 12 * N, {{[^,]*, [^,]*}}>, #prog.buffer<device, 4 * N,
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#one = affine_map<(d0) -> (d0)>
func.func @left_beside_another(%x: !cameo.tensor<[3 * N], f32, device>, %c: !cameo.tensor<[1], i64, device>, %d: !cameo.tensor<[1], i64, device>)
    -> !cameo.tensor<[N], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">]} {
  prog.count <"k" bound N> = %c : <[1], i64, device>
  prog.count <"l" bound N floordiv max(k, 1)> = %d : <[1], i64, device>
  %v = prog.view %x[#cameo.extent<0>] : <[3 * N], f32, device> -> <[k, 3, l], f32, device>
  %a = prog.kernel [#cameo.extent<k>, #cameo.extent<3>, #cameo.extent<l>] ins(%v : !cameo.tensor<[k, 3, l], f32, device>) maps [#all] -> [#all] symbols [] ties [-1] : !cameo.tensor<[k, 3, l], f32, device> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  %b = prog.kernel [#cameo.extent<l>] ins(%a : !cameo.tensor<[k, 3, l], f32, device>) maps [affine_map<(d0) -> (0, 0, d0)>] -> [#one] symbols [] ties [-1] : !cameo.tensor<[l], f32, device> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  %y = prog.kernel [#cameo.extent<N>] ins(%b : !cameo.tensor<[l], f32, device>) maps [affine_map<(d0) -> (0)>] -> [#one] symbols [] ties [-1] : !cameo.tensor<[N], f32, device> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  func.return %y : !cameo.tensor<[N], f32, device>
}
