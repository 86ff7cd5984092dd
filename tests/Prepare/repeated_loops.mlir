// RUN: cameo-opt %s --cameo-settle-counts --cameo-repeat-on-device --cameo-plan-weights --cameo-plan-buffers --cameo-prepare | FileCheck %s

// A loop that the device runs. The condition is computed and the list of symbols made in front of what the loop carries and grows in
// place: so much may run in vain.

// CHECK: host.while
// CHECK: host.launch
// CHECK: prog.s_less
// CHECK: host.confirm
// CHECK: host.launch
// CHECK: host.copy
// CHECK: host.yield
func.func @main(%x: !cameo.tensor<[1, 4], f32, device>, %z: !cameo.tensor<[m], f32, device>) -> !cameo.tensor<[n, 4], f32, device> {
  %true = prog.s_constant true
  %y = prog.loop <"i"> while %true trip #cameo.extent<m> count <"k" bound m> carry(%x : !cameo.tensor<[1, 4], f32, device>) symbols [#cameo.symbol<"n">] = [#cameo.extent<1>] attributes {cameo.repeats} : !cameo.tensor<[n, 4], f32, device> {
  ^bb0(%a: !cameo.tensor<[n, 4], f32, device>):
    %c = prog.kernel [] ins(%a : !cameo.tensor<[n, 4], f32, device>) maps [affine_map<() -> (0, 0)>] -> [affine_map<() -> ()>] symbols [] ties [-1] : !cameo.tensor<[], i1, device> {
    ^bb0(%e: f32):
      %limit = prog.s_constant 1.0 : f32
      %more = prog.s_less %e, %limit : f32
      prog.yield %more : i1
    }
    %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
    %begun = prog.kernel [#cameo.extent<n>, #cameo.extent<4>] ins(%a : !cameo.tensor<[n, 4], f32, device>) maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1] : !cameo.tensor<[n + 1, 4], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    %b = prog.kernel [#cameo.extent<1>, #cameo.extent<4>] dests(%begun : !cameo.tensor<[n + 1, 4], f32, device>) maps [] -> [affine_map<(d0, d1)[s0] -> (d0 + s0, d1)>] symbols [#cameo.extent<n>] ties [0] : !cameo.tensor<[n + 1, 4], f32, device> {
      %one = prog.s_constant 1.0 : f32
      prog.yield %one : f32
    }
    %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
    %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
    prog.yield %e, %b : i1, !cameo.tensor<[n + 1, 4], f32, device> extents [#cameo.extent<n + 1>]
  }
  func.return %y : !cameo.tensor<[n, 4], f32, device>
}
