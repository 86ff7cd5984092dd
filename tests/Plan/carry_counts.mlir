// RUN: cameo-opt %s --split-input-file --cameo-settle-counts --cameo-carry-counts | FileCheck %s
// RUN: cameo-opt %s --split-input-file --cameo-settle-counts --cameo-carry-counts --cameo-plan-buffers --cameo-verify-plan | FileCheck %s --check-prefix=ROWS

// A list that grows by a count in a loop of the host: the sum is a count in the body, and so is what is carried.
// CHECK-LABEL: func.func @grows
// CHECK-NOT: prog.fetch
// CHECK: %[[FIRST:.*]] = prog.kernel [#cameo.extent<1>]
// CHECK: prog.s_extent #cameo.extent<0>
// CHECK: prog.loop <"i"> to %{{.*}} carry(%[[FIRST]], {{.*}} symbols [#cameo.symbol<"n">] = [#cameo.extent<0>] attributes {cameo.counted = array<i64: 0>}
// CHECK: prog.count <"k" {{.*}}>
// CHECK: prog.count <"sized" {{.*}}>
// CHECK: !cameo.tensor<[sized], f32, device>
// CHECK: %[[NEXT:.*]] = prog.kernel [#cameo.extent<1>]
// CHECK: prog.s_extent #cameo.extent<k + n>
// CHECK: prog.yield %[[NEXT]], %{{.*}} extents [#cameo.extent<k + n>]
// CHECK: prog.extents
// The list has two rows, and what grows has room for all trips.
// ROWS-LABEL: func.func @grows
// ROWS-SAME: #prog.buffer<device, max(4 * n, 16 * max(m, 0)),
// ROWS: prog.loop {{.*}} {buffers = array<i64: [[LIST:[0-9]+]], {{[0-9]+}}, [[ROW:[0-9]+]], -1>, cameo.counted
func.func @grows(%x: !cameo.tensor<[4], f32, device>, %c: !cameo.tensor<[1], i64, device>, %most: i64) -> !cameo.tensor<[n], f32, device> {
  prog.bind <"m" in [-64, 64]> = %most
  %none = prog.empty : !cameo.tensor<[0], f32, device>
  %y = prog.loop <"i"> to %most trip #cameo.extent<m> carry(%none : !cameo.tensor<[0], f32, device>) symbols [#cameo.symbol<"n">] = [#cameo.extent<0>] : !cameo.tensor<[n], f32, device> {
  ^bb0(%a: !cameo.tensor<[n], f32, device>):
    prog.count <"k" in [0, 4] bound 4> = %c : <[1], i64, device>
    %begun = prog.kernel [#cameo.extent<n>] ins(%a : !cameo.tensor<[n], f32, device>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1] : !cameo.tensor<[n + k], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    %b = prog.kernel [#cameo.extent<k>] ins(%x : !cameo.tensor<[4], f32, device>) dests(%begun : !cameo.tensor<[n + k], f32, device>) maps [affine_map<(d0)[s0] -> (d0)>] -> [affine_map<(d0)[s0] -> (d0 + s0)>] symbols [#cameo.extent<n>] ties [0] : !cameo.tensor<[n + k], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield %b : !cameo.tensor<[n + k], f32, device> extents [#cameo.extent<n + k>]
  }
  func.return %y : !cameo.tensor<[n], f32, device>
}

// -----

// The branch that is taken leaves the count.
// CHECK-LABEL: func.func @branches
// CHECK-NOT: prog.fetch
// CHECK: prog.if %{{.*}} defines [#cameo.symbol<"n">] attributes {cameo.counted = array<i64: 0>} : !cameo.tensor<[1], i64, device>, !cameo.tensor<[n], f32, device>
// CHECK: prog.s_extent #cameo.extent<k>
// CHECK: } else {
// CHECK: prog.s_extent #cameo.extent<N>
// ROWS-LABEL: func.func @branches
func.func @branches(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>, %f: i1) -> !cameo.tensor<[n], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">]} {
  prog.count <"k" bound N> = %c : <[1], i64, device>
  %y = prog.if %f defines [#cameo.symbol<"n">] : !cameo.tensor<[n], f32, device> {
    %a = prog.kernel [#cameo.extent<k>] ins(%x : !cameo.tensor<[N], f32, device>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1] : !cameo.tensor<[k], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield %a : !cameo.tensor<[k], f32, device> extents [#cameo.extent<k>]
  } else {
    %b = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, device>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1] : !cameo.tensor<[N], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield %b : !cameo.tensor<[N], f32, device> extents [#cameo.extent<N>]
  }
  func.return %y : !cameo.tensor<[n], f32, device>
}

// -----

// The host checks what the loop has carried, and so has to know what it grows by.
// CHECK-LABEL: func.func @checked
// CHECK-NOT: cameo.counted
// CHECK: prog.fetch
// CHECK: prog.bind <"k"
func.func @checked(%c: !cameo.tensor<[1], i64, device>, %most: i64) {
  prog.bind <"m" in [0, 64]> = %most
  prog.loop <"i"> to %most trip #cameo.extent<m> symbols [#cameo.symbol<"n">] = [#cameo.extent<0>] {
    prog.count <"k" in [0, 4] bound 4> = %c : <[1], i64, device>
    prog.yield extents [#cameo.extent<n + k>]
  }
  prog.check #cameo.extent<n> "le" #cameo.extent<9> else "invalid_argument" ""
  func.return
}

// -----

// So does a branch of which each side has another extent, where the device could choose it.
// CHECK-LABEL: func.func @chosen
// CHECK: prog.if %{{.*}} defines [#cameo.symbol<"n">] attributes {cameo.counted = array<i64: 0>} : !cameo.tensor<[1], i64, device>, !cameo.tensor<[n], f32, device>
// CHECK: %[[THEN:.*]] = prog.kernel [#cameo.extent<1>]
// CHECK: prog.yield %[[THEN]], %{{.*}} extents [#cameo.extent<N>]
// CHECK: %[[ELSE:.*]] = prog.kernel [#cameo.extent<1>]
// CHECK: prog.yield %[[ELSE]], %{{.*}} extents [#cameo.extent<M>]
// ROWS-LABEL: func.func @chosen
func.func @chosen(%c: !cameo.tensor<[], i1, device>, %x: !cameo.tensor<[N], f32, device>, %z: !cameo.tensor<[M], f32, device>)
    -> !cameo.tensor<[n], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">, #cameo.symbol<"M">]} {
  %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
  %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
  %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
  %y = prog.if %e defines [#cameo.symbol<"n">] : !cameo.tensor<[n], f32, device> {
    prog.yield %x : !cameo.tensor<[N], f32, device> extents [#cameo.extent<N>]
  } else {
    prog.yield %z : !cameo.tensor<[M], f32, device> extents [#cameo.extent<M>]
  }
  func.return %y : !cameo.tensor<[n], f32, device>
}

// -----

// What follows from what a branch decides is read back by itself: the branch has no count that could be.
// CHECK-LABEL: func.func @followed
// CHECK: prog.if {{.*}}cameo.counted = array<i64: 0>
// CHECK: prog.s_extent #cameo.extent<{{.*}}2 * n
// CHECK: prog.fetch {{.*}}prog.count_reader
// CHECK: prog.bind <"twice"
// CHECK: prog.check #cameo.extent<twice>
func.func @followed(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>, %f: i1) -> !cameo.tensor<[n], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">]} {
  prog.count <"k" bound N> = %c : <[1], i64, device>
  %y = prog.if %f defines [#cameo.symbol<"n">] : !cameo.tensor<[n], f32, device> {
    %a = prog.kernel [#cameo.extent<k>] ins(%x : !cameo.tensor<[N], f32, device>) maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1] : !cameo.tensor<[k], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.yield %a : !cameo.tensor<[k], f32, device> extents [#cameo.extent<k>]
  } else {
    prog.yield %x : !cameo.tensor<[N], f32, device> extents [#cameo.extent<N>]
  }
  prog.define <"twice" bound 2 * N> = #cameo.extent<2 * n>
  prog.check #cameo.extent<twice> "eq" #cameo.extent<8> else "invalid_argument" "must be 8"
  func.return %y : !cameo.tensor<[n], f32, device>
}
