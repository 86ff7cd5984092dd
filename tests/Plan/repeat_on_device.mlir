// RUN: cameo-opt %s --split-input-file --cameo-settle-counts --cameo-repeat-on-device | FileCheck %s
// RUN: cameo-opt %s --split-input-file --cameo-settle-counts --cameo-repeat-on-device --cameo-plan-buffers --cameo-verify-plan | FileCheck %s --check-prefix=ROWS

// The number of iterations and the extent that grows are carried, and the condition is the device's.
// CHECK-LABEL: func.func @grows
// CHECK: %[[FIRST:.*]] = prog.kernel [#cameo.extent<2>] maps
// CHECK: prog.s_extent #cameo.extent<0>
// CHECK: prog.s_extent #cameo.extent<1>
// CHECK: prog.loop <"i"> {{.*}} carry(%[[FIRST]], %{{.*}} : !cameo.tensor<[2], i64, device>
// CHECK: prog.await %{{.*}} chooses
// CHECK: %[[NEXT:.*]] = prog.kernel [#cameo.extent<2>] maps
// CHECK: prog.s_extent #cameo.extent<i + 1>
// CHECK: prog.s_extent #cameo.extent<n + 1>
// CHECK: prog.yield %{{.*}}, %[[NEXT]], %{{.*}} extents [#cameo.extent<n + 1>]
// CHECK: prog.extents
// A list that is carried has two rows; what grows along its first axis has one.
// ROWS-LABEL: func.func @grows
// ROWS: prog.loop {{.*}} {buffers = array<i64: [[LIST:[0-9]+]], {{[0-9]+}}, [[ROW:[0-9]+]], -1>
func.func @grows(%x: !cameo.tensor<[1, 4], f32, device>, %most: i64) -> !cameo.tensor<[n, 4], f32, device> {
  prog.bind <"m" in [0, 64]> = %most
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

// -----

// The host needs how often the loop ran, and so runs it.
// CHECK-LABEL: func.func @checked
// CHECK-NOT: cameo.repeats
// CHECK-NOT: chooses
// CHECK: return
func.func @checked(%x: !cameo.tensor<[4], f32, device>) -> !cameo.tensor<[4], f32, device> {
  %true = prog.s_constant true
  %y = prog.loop <"i"> while %true count <"k"> carry(%x : !cameo.tensor<[4], f32, device>) symbols [] = [] attributes {cameo.repeats} : !cameo.tensor<[4], f32, device> {
  ^bb0(%a: !cameo.tensor<[4], f32, device>):
    %b, %c = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, device>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>] symbols [] ties [-1, -1] : !cameo.tensor<[4], f32, device>, !cameo.tensor<[], i1, device> {
    ^bb0(%e: f32):
      %limit = prog.s_constant 1.0 : f32
      %more = prog.s_less %e, %limit : f32
      prog.yield %e, %more : f32, i1
    }
    %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
    %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
    %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
    prog.yield %e, %b : i1, !cameo.tensor<[4], f32, device> extents []
  }
  prog.check #cameo.extent<k> "le" #cameo.extent<5> else "invalid_argument" ""
  func.return %y : !cameo.tensor<[4], f32, device>
}

// -----

// What would wait for a branch in each of its trips is the device's, and goes on as long as there are any.
// CHECK-LABEL: func.func @branches
// CHECK: prog.loop <"i"> to %arg1 while %{{.*}} attributes {cameo.repeats}
// CHECK: prog.if
// CHECK: %[[GOES:.*]] = prog.kernel [] maps
// CHECK-NEXT: prog.s_constant true
// CHECK: %[[TICKET:.*]] = prog.fetch %[[GOES]]
// CHECK: prog.await %[[TICKET]] chooses
func.func @branches(%x: !cameo.tensor<[4], f32, device>, %most: i64) -> !cameo.tensor<[4], f32, device> {
  prog.bind <"m" in [0, 64]> = %most
  %y = prog.loop <"i"> to %most trip #cameo.extent<m> carry(%x : !cameo.tensor<[4], f32, device>) symbols [] = [] : !cameo.tensor<[4], f32, device> {
  ^bb0(%a: !cameo.tensor<[4], f32, device>):
    %b, %c = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, device>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>] symbols [] ties [-1, -1] : !cameo.tensor<[4], f32, device>, !cameo.tensor<[], i1, device> {
    ^bb0(%e: f32):
      %limit = prog.s_constant 1.0 : f32
      %more = prog.s_less %e, %limit : f32
      prog.yield %e, %more : f32, i1
    }
    %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
    %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
    %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
    %z = prog.if %e defines [] : !cameo.tensor<[4], f32, device> {
      prog.yield %a : !cameo.tensor<[4], f32, device> extents []
    } else {
      prog.yield %b : !cameo.tensor<[4], f32, device> extents []
    }
    prog.yield %z : !cameo.tensor<[4], f32, device> extents []
  }
  func.return %y : !cameo.tensor<[4], f32, device>
}

// -----

// One trip, and one whose number the host needs, are the host's as they were.
// CHECK-LABEL: func.func @once
// CHECK-NOT: while
// CHECK-NOT: chooses
// CHECK-LABEL: func.func @counted
// CHECK-NOT: while
// CHECK-NOT: chooses
// CHECK: return
func.func @once(%x: !cameo.tensor<[4], f32, device>) -> !cameo.tensor<[4], f32, device> {
  %one = prog.s_constant 1 : i64
  %y = prog.loop <"i"> to %one trip #cameo.extent<1> carry(%x : !cameo.tensor<[4], f32, device>) symbols [] = [] : !cameo.tensor<[4], f32, device> {
  ^bb0(%a: !cameo.tensor<[4], f32, device>):
    %b, %c = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, device>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>] symbols [] ties [-1, -1] : !cameo.tensor<[4], f32, device>, !cameo.tensor<[], i1, device> {
    ^bb0(%e: f32):
      %limit = prog.s_constant 1.0 : f32
      %more = prog.s_less %e, %limit : f32
      prog.yield %e, %more : f32, i1
    }
    %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
    %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
    %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
    %z = prog.if %e defines [] : !cameo.tensor<[4], f32, device> {
      prog.yield %a : !cameo.tensor<[4], f32, device> extents []
    } else {
      prog.yield %b : !cameo.tensor<[4], f32, device> extents []
    }
    prog.yield %z : !cameo.tensor<[4], f32, device> extents []
  }
  func.return %y : !cameo.tensor<[4], f32, device>
}
func.func @counted(%x: !cameo.tensor<[4], f32, device>, %most: i64) -> !cameo.tensor<[4], f32, device> {
  prog.bind <"m" in [0, 64]> = %most
  %y = prog.loop <"i"> to %most trip #cameo.extent<m> count <"k" bound m> carry(%x : !cameo.tensor<[4], f32, device>) symbols [] = [] : !cameo.tensor<[4], f32, device> {
  ^bb0(%a: !cameo.tensor<[4], f32, device>):
    %b, %c = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, device>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>] symbols [] ties [-1, -1] : !cameo.tensor<[4], f32, device>, !cameo.tensor<[], i1, device> {
    ^bb0(%e: f32):
      %limit = prog.s_constant 1.0 : f32
      %more = prog.s_less %e, %limit : f32
      prog.yield %e, %more : f32, i1
    }
    %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
    %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
    %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
    %z = prog.if %e defines [] : !cameo.tensor<[4], f32, device> {
      prog.yield %a : !cameo.tensor<[4], f32, device> extents []
    } else {
      prog.yield %b : !cameo.tensor<[4], f32, device> extents []
    }
    prog.yield %z : !cameo.tensor<[4], f32, device> extents []
  }
  prog.check #cameo.extent<k> "le" #cameo.extent<5> else "invalid_argument" ""
  func.return %y : !cameo.tensor<[4], f32, device>
}
