// RUN: cameo-opt %s --split-input-file --cameo-choose-on-device | FileCheck %s

// The condition is computed where its operand is made, fetched as a bool, and awaited in front of its branch only.
// CHECK-LABEL: func.func @compares
// CHECK-SAME: %[[S:.*]]: !cameo.tensor<[], f32, device>
// CHECK: %[[C:.*]] = prog.kernel [] ins(%[[S]] :
// CHECK: prog.s_mul %[[E:.*]], %[[E]]
// CHECK: prog.s_less
// CHECK: %[[TICKET:.*]] = prog.fetch %[[C]] : <[], i1, device>
// CHECK: %[[WORK:.*]] = prog.kernel
// CHECK: %[[AWAIT:.*]] = prog.await %[[TICKET]] chooses
// CHECK-NEXT: %[[BOOL:.*]] = prog.element %[[AWAIT]][#cameo.extent<0>] : <[], i1, host> -> i1
// CHECK-NEXT: prog.if %[[BOOL]]
// CHECK-NOT: prog.await
// CHECK: return
func.func @compares(%s: !cameo.tensor<[], f32, device>, %x: !cameo.tensor<[N], f32, device>) -> !cameo.tensor<[N], f32, device> {
  %limit = prog.s_constant 1.0 : f32
  %t = prog.fetch %s : !cameo.tensor<[], f32, device> -> !prog.ticket<!cameo.tensor<[], f32, device>>
  %h = prog.await %t : !prog.ticket<!cameo.tensor<[], f32, device>> -> !cameo.tensor<[], f32, host>
  %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], f32, host> -> f32
  %q = prog.s_mul %e, %e : f32
  %c = prog.s_less %limit, %q : f32
  %w = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, device>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1] : !cameo.tensor<[N], f32, device> {
  ^bb0(%a: f32):
    prog.yield %a : f32
  }
  %y = prog.if %c defines [] : !cameo.tensor<[N], f32, device> {
    prog.yield %w : !cameo.tensor<[N], f32, device> extents []
  } else {
    prog.yield %x : !cameo.tensor<[N], f32, device> extents []
  }
  func.return %y : !cameo.tensor<[N], f32, device>
}

// -----

// What is a bool already is fetched as it is; elements of a list are read through its views.
// CHECK-LABEL: func.func @list
// CHECK-SAME: %[[LIST:[^:]*]]: !cameo.tensor<[3], i1, device>
// CHECK: prog.kernel [] ins(%[[LIST]], %[[LIST]] : {{.*}}) maps [#[[FIRST:.*]], #[[LAST:.*]]] ->
// CHECK: prog.s_logical_and
// CHECK: prog.await %{{.*}} chooses
// CHECK-LABEL: func.func @bool
// CHECK-NOT: prog.kernel
// CHECK: prog.await %{{.*}} chooses
func.func @list(%l: !cameo.tensor<[3], i1, device>, %x: !cameo.tensor<[4], f32, device>) -> !cameo.tensor<[4], f32, device> {
  %t = prog.fetch %l : !cameo.tensor<[3], i1, device> -> !prog.ticket<!cameo.tensor<[3], i1, device>>
  %h = prog.await %t : !prog.ticket<!cameo.tensor<[3], i1, device>> -> !cameo.tensor<[3], i1, host>
  %v = prog.view %h[#cameo.extent<1>] : !cameo.tensor<[3], i1, host> -> !cameo.tensor<[2], i1, host>
  %a = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[3], i1, host> -> i1
  %b = prog.element %v[#cameo.extent<1>] : !cameo.tensor<[2], i1, host> -> i1
  %c = prog.s_logical_and %a, %b : i1
  %y = prog.if %c defines [] : !cameo.tensor<[4], f32, device> {
    prog.yield %x : !cameo.tensor<[4], f32, device> extents []
  } else {
    prog.yield %x : !cameo.tensor<[4], f32, device> extents []
  }
  func.return %y : !cameo.tensor<[4], f32, device>
}
func.func @bool(%c: !cameo.tensor<[], i1, device>, %x: !cameo.tensor<[4], f32, device>) -> !cameo.tensor<[4], f32, device> {
  %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
  %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
  %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
  %y = prog.if %e defines [] : !cameo.tensor<[4], f32, device> {
    prog.yield %x : !cameo.tensor<[4], f32, device> extents []
  } else {
    prog.yield %x : !cameo.tensor<[4], f32, device> extents []
  }
  func.return %y : !cameo.tensor<[4], f32, device>
}

// -----

// Nothing changes where the host waits for anything else, or where a branch is more than work for the device.
// CHECK-LABEL: func.func @waits_anyhow
// CHECK-NOT: chooses
// CHECK-LABEL: func.func @checks
// CHECK-NOT: chooses
// CHECK-LABEL: func.func @asked_once
// CHECK-NOT: chooses
func.func @waits_anyhow(%c: !cameo.tensor<[2], i1, device>, %x: !cameo.tensor<[4], f32, device>) -> (!cameo.tensor<[4], f32, device>, !cameo.tensor<[2], i1, host>) {
  %t = prog.fetch %c : !cameo.tensor<[2], i1, device> -> !prog.ticket<!cameo.tensor<[2], i1, device>>
  %h = prog.await %t : !prog.ticket<!cameo.tensor<[2], i1, device>> -> !cameo.tensor<[2], i1, host>
  %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[2], i1, host> -> i1
  %y = prog.if %e defines [] : !cameo.tensor<[4], f32, device> {
    prog.yield %x : !cameo.tensor<[4], f32, device> extents []
  } else {
    prog.yield %x : !cameo.tensor<[4], f32, device> extents []
  }
  func.return %y, %h : !cameo.tensor<[4], f32, device>, !cameo.tensor<[2], i1, host>
}
func.func @checks(%c: !cameo.tensor<[], i1, device>, %x: !cameo.tensor<[N], f32, device>) -> !cameo.tensor<[N], f32, device> {
  %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
  %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
  %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
  %y = prog.if %e defines [] : !cameo.tensor<[N], f32, device> {
    prog.check #cameo.extent<N> "eq" #cameo.extent<4> else "invalid_argument" "must be 4"
    prog.yield %x : !cameo.tensor<[N], f32, device> extents []
  } else {
    prog.yield %x : !cameo.tensor<[N], f32, device> extents []
  }
  func.return %y : !cameo.tensor<[N], f32, device>
}
func.func @asked_once(%c: !cameo.tensor<[], i1, device>, %x: !cameo.tensor<[4], f32, device>) -> !cameo.tensor<[4], f32, device> {
  %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
  %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
  %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
  %trips = prog.s_constant 3 : i64
  %r = prog.loop <"i" in [0, 3] bound 3> to %trips trip #cameo.extent<3> carry(%x : !cameo.tensor<[4], f32, device>) symbols [] = [] : !cameo.tensor<[4], f32, device> {
  ^bb0(%state: !cameo.tensor<[4], f32, device>):
    %y = prog.if %e defines [] : !cameo.tensor<[4], f32, device> {
      prog.yield %x : !cameo.tensor<[4], f32, device> extents []
    } else {
      prog.yield %state : !cameo.tensor<[4], f32, device> extents []
    }
    prog.yield %y : !cameo.tensor<[4], f32, device> extents []
  }
  func.return %r : !cameo.tensor<[4], f32, device>
}

// -----

// One condition may choose several branches, one of them inside another: it is awaited in front of the first.
// CHECK-LABEL: func.func @shared
// CHECK: %[[TICKET:.*]] = prog.fetch
// CHECK: %[[AWAIT:.*]] = prog.await %[[TICKET]] chooses
// CHECK: prog.element %[[AWAIT]]
// CHECK-NEXT: prog.if
// CHECK-NOT: prog.await
// CHECK: prog.element %[[AWAIT]]
// CHECK-NEXT: prog.if
// CHECK-NOT: prog.await
// CHECK: return
func.func @shared(%s: !cameo.tensor<[], f32, device>, %x: !cameo.tensor<[4], f32, device>) -> !cameo.tensor<[4], f32, device> {
  %limit = prog.s_constant 1.0 : f32
  %t = prog.fetch %s : !cameo.tensor<[], f32, device> -> !prog.ticket<!cameo.tensor<[], f32, device>>
  %h = prog.await %t : !prog.ticket<!cameo.tensor<[], f32, device>> -> !cameo.tensor<[], f32, host>
  %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], f32, host> -> f32
  %c = prog.s_less %limit, %e : f32
  %y = prog.if %c defines [] : !cameo.tensor<[4], f32, device> {
    %z = prog.if %c defines [] : !cameo.tensor<[4], f32, device> {
      prog.yield %x : !cameo.tensor<[4], f32, device> extents []
    } else {
      prog.yield %x : !cameo.tensor<[4], f32, device> extents []
    }
    prog.yield %z : !cameo.tensor<[4], f32, device> extents []
  } else {
    prog.yield %x : !cameo.tensor<[4], f32, device> extents []
  }
  func.return %y : !cameo.tensor<[4], f32, device>
}

// -----

// A branch whose extents are the device's is one that it can choose.
// CHECK-LABEL: func.func @counts
// CHECK: prog.await %{{.*}} chooses
// CHECK: prog.if %{{.*}} defines [#cameo.symbol<"n">] attributes {cameo.counted = array<i64: 0>}
func.func @counts(%c: !cameo.tensor<[], i1, device>, %x: !cameo.tensor<[N], f32, device>, %z: !cameo.tensor<[M], f32, device>) {
  %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
  %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
  %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
  %y = prog.if %e defines [#cameo.symbol<"n">] attributes {cameo.counted = array<i64: 0>} : !cameo.tensor<[n], f32, device> {
    prog.yield %x : !cameo.tensor<[N], f32, device> extents [#cameo.extent<N>]
  } else {
    prog.yield %z : !cameo.tensor<[M], f32, device> extents [#cameo.extent<M>]
  }
  func.return
}
