// RUN: cameo-opt %s --split-input-file --cameo-settle-counts | FileCheck %s

// Kernels read the count where it is, sizes have its bound; outputs' extents leave behind the run.
// CHECK-LABEL: func.func @main
// CHECK: prog.count <"k" bound N>
// CHECK-NOT: prog.fetch
// CHECK: prog.kernel [#cameo.extent<k>]
// CHECK: %[[EXTENTS:.*]] = prog.kernel [#cameo.extent<1>]
// CHECK: prog.s_extent #cameo.extent<k>
// CHECK: prog.extents %[[EXTENTS]] of [0] axes [0]
// CHECK-NEXT: return
#id = affine_map<(d0) -> (d0)>
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>) -> !cameo.tensor<[k], f32, device>
      attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"k" bound N> = %c : <[1], i64, device>
    %y = prog.kernel [#cameo.extent<k>] ins(%x : !cameo.tensor<[N], f32, device>) maps [#id] -> [#id] symbols [] ties [-1] : !cameo.tensor<[k], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    return %y : !cameo.tensor<[k], f32, device>
  }
}

// -----

// A check is the host's: the copy starts behind the count, and the wait stands where the first needs it.
// CHECK-LABEL: func.func @main
// CHECK: %[[TICKET:.*]] = prog.fetch %{{.*}} {prog.count_reader
// CHECK-NEXT: prog.kernel
// CHECK: %[[HOST:.*]] = prog.await %[[TICKET]]
// CHECK-NEXT: %[[NUMBER:.*]] = prog.element %[[HOST]]
// CHECK-NEXT: prog.bind <"k" bound N> = %[[NUMBER]]
// CHECK-NEXT: prog.check #cameo.extent<k> "eq"
// CHECK-NOT: prog.extents
#id1 = affine_map<(d0) -> (d0)>
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>) -> !cameo.tensor<[N], f32, device>
      attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"k" bound N> = %c : <[1], i64, device>
    %y = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, device>) maps [#id1] -> [#id1] symbols [] ties [-1] : !cameo.tensor<[N], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.check #cameo.extent<k> "eq" #cameo.extent<N> else "invalid_argument" "must be all"
    return %y : !cameo.tensor<[N], f32, device>
  }
}

// -----

// A kernel's extents are counts each on its own; memory for it has the product of their bounds.
// CHECK-LABEL: func.func @main
// CHECK-NOT: prog.fetch
// CHECK: prog.extents
#one = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%x: !cameo.tensor<[N, N], f32, device>, %c: !cameo.tensor<[1], i64, device>, %d: !cameo.tensor<[1], i64, device>)
      -> !cameo.tensor<[k, l], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"k" bound N> = %c : <[1], i64, device>
    prog.count <"l" bound N> = %d : <[1], i64, device>
    %y = prog.kernel [#cameo.extent<k>, #cameo.extent<l>] ins(%x : !cameo.tensor<[N, N], f32, device>) maps [#one] -> [#one] symbols [] ties [-1] : !cameo.tensor<[k, l], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    return %y : !cameo.tensor<[k, l], f32, device>
  }
}

// -----

// A branch that decides no extent leaves the count where it is.
// CHECK-LABEL: func.func @main
// CHECK: prog.count <"k" bound N>
// CHECK-NOT: prog.fetch
// CHECK: prog.if
#id3 = affine_map<(d0) -> (d0)>
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>, %f: !cameo.tensor<[], i1, host>)
      -> !cameo.tensor<[k], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"k" bound N> = %c : <[1], i64, device>
    %if = prog.element %f[#cameo.extent<0>] : <[], i1, host> -> i1
    %y = prog.if %if defines [] : !cameo.tensor<[k], f32, device> {
      %a = prog.kernel [#cameo.extent<k>] ins(%x : !cameo.tensor<[N], f32, device>) maps [#id3] -> [#id3] symbols [] ties [-1] : !cameo.tensor<[k], f32, device> {
      ^bb0(%e: f32):
        prog.yield %e : f32
      }
      prog.yield %a : !cameo.tensor<[k], f32, device> extents []
    } else {
      %b = prog.kernel [#cameo.extent<k>] ins(%x : !cameo.tensor<[N], f32, device>) maps [#id3] -> [#id3] symbols [] ties [-1] : !cameo.tensor<[k], f32, device> {
      ^bb0(%e: f32):
        %n = prog.s_neg %e : f32
        prog.yield %n : f32
      }
      prog.yield %b : !cameo.tensor<[k], f32, device> extents []
    }
    return %y : !cameo.tensor<[k], f32, device>
  }
}

// -----

// The product of two counts is no multiple of one, but a count itself. A view that says it by its factors has all elements.
// CHECK-LABEL: func.func @main
// CHECK-NOT: prog.fetch
// CHECK: prog.s_extent #cameo.extent<min(max(k * l, 0), N * N)>
// CHECK: prog.count <"sized" {{.*}}bound N * N>
// CHECK: prog.kernel [#cameo.extent<sized>]
// CHECK: prog.view {{.*}} {cameo.whole} : <[sized], f32, device> -> <[k, l], f32, device>
// CHECK: prog.extents
#flat = affine_map<(d0) -> (d0)>
module {
  func.func @main(%x: !cameo.tensor<[N * N], f32, device>, %c: !cameo.tensor<[1], i64, device>, %d: !cameo.tensor<[1], i64, device>)
      -> !cameo.tensor<[k, l], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"k" bound N> = %c : <[1], i64, device>
    prog.count <"l" bound N> = %d : <[1], i64, device>
    %y = prog.kernel [#cameo.extent<k * l>] ins(%x : !cameo.tensor<[N * N], f32, device>) maps [#flat] -> [#flat] symbols [] ties [-1] : !cameo.tensor<[k * l], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    %z = prog.view %y[#cameo.extent<0>] : <[k * l], f32, device> -> <[k, l], f32, device>
    return %z : !cameo.tensor<[k, l], f32, device>
  }
}

// -----

// What is defined by integers of the device a kernel computes, one for all in a row, and never beyond its bound.
// CHECK-LABEL: func.func @main
// CHECK: prog.count <"start"
// CHECK: %[[LIST:.*]] = prog.kernel [#cameo.extent<2>]
// CHECK: prog.s_extent #cameo.extent<min(N, max(max(min(N, start + 5), 0) - min(N, max(start, 0)), 0))>
// CHECK: %[[FIRST:.*]] = prog.view %[[LIST]]
// CHECK-NEXT: prog.count <"first" bound N> = %[[FIRST]]
// CHECK-NEXT: %[[SECOND:.*]] = prog.view %[[LIST]][#cameo.extent<1>]
// CHECK-NEXT: prog.count <"slice" bound N> = %[[SECOND]]
// CHECK-NOT: prog.define
// CHECK-NOT: prog.fetch
#moved = affine_map<(d0)[s0] -> (d0 + s0)>
#same = affine_map<(d0)[s0] -> (d0)>
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>) -> !cameo.tensor<[slice], f32, device>
      attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"start" in [-4096, 4096] bound 4096> = %c : <[1], i64, device>
    prog.define <"first" bound N> = #cameo.extent<min(N, max(0, start))>
    prog.define <"slice" bound N> = #cameo.extent<max(0, min(N, start + 5)) - min(N, max(0, start))>
    %y = prog.kernel [#cameo.extent<slice>] ins(%x : !cameo.tensor<[N], f32, device>) maps [#moved] -> [#same] symbols [#cameo.extent<first>] ties [-1] : !cameo.tensor<[slice], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    return %y : !cameo.tensor<[slice], f32, device>
  }
}

// -----

// An integer that may be anything is no extent, and what may leave 64 bits the host tells: it reads back what it is made of.
// CHECK-LABEL: func.func @main
// CHECK: prog.fetch %{{.*}} {prog.count_reader
// CHECK: prog.bind <"any" in [*, *]>
// CHECK: prog.define <"slice" bound N> = #cameo.extent<min(N, max(3 * any, 0))>
// CHECK-NOT: prog.count
#id3 = affine_map<(d0) -> (d0)>
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>) -> !cameo.tensor<[slice], f32, device>
      attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"any" in [*, *]> = %c : <[1], i64, device>
    prog.define <"slice" bound N> = #cameo.extent<min(N, max(0, 3 * any))>
    %y = prog.kernel [#cameo.extent<slice>] ins(%x : !cameo.tensor<[N], f32, device>) maps [#id3] -> [#id3] symbols [] ties [-1] : !cameo.tensor<[slice], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    return %y : !cameo.tensor<[slice], f32, device>
  }
}

// -----

// An extent that is no multiple of a count becomes one: a kernel computes it, and its bound is what the host knows.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> !cameo.tensor<[sized, 2], f32, device>
// CHECK-NOT: prog.fetch
// CHECK: %[[SIZED:.*]] = prog.kernel [#cameo.extent<1>]
// CHECK: prog.s_extent #cameo.extent<k mod 4 + 1>
// CHECK: prog.count <"sized" in [1, 4] bound 4> = %[[SIZED]]
// CHECK-NOT: prog.fetch
// CHECK: prog.kernel [#cameo.extent<sized>, #cameo.extent<2>]
// CHECK: prog.extents %{{.*}} of [0] axes [0]
#id4 = affine_map<(d0, d1) -> (d0)>
#id5 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>) -> !cameo.tensor<[k mod 4 + 1, 2], f32, device>
      attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"k" bound N> = %c : <[1], i64, device>
    %y = prog.kernel [#cameo.extent<k mod 4 + 1>, #cameo.extent<2>] ins(%x : !cameo.tensor<[N], f32, device>) maps [#id4] -> [#id5] symbols [] ties [-1] : !cameo.tensor<[k mod 4 + 1, 2], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    return %y : !cameo.tensor<[k mod 4 + 1, 2], f32, device>
  }
}

// -----

// One count is what another one leaves: kernels take both.
// CHECK-LABEL: func.func @main
// CHECK-NOT: prog.fetch
// CHECK: prog.kernel [#cameo.extent<k>, #cameo.extent<l>]
#both = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>) -> !cameo.tensor<[k, l], f32, device>
      attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"k" bound N> = %c : <[1], i64, device>
    prog.define <"l" bound N floordiv max(k, 1)> = #cameo.extent<N floordiv max(k, 1)>
    %v = prog.view %x[#cameo.extent<0>] : <[N], f32, device> -> <[k, l], f32, device>
    %y = prog.kernel [#cameo.extent<k>, #cameo.extent<l>] ins(%v : !cameo.tensor<[k, l], f32, device>) maps [#both] -> [#both] symbols [] ties [-1] : !cameo.tensor<[k, l], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    return %y : !cameo.tensor<[k, l], f32, device>
  }
}

// -----

// But each would size scratch memory by the most that it can be on its own.
// CHECK-LABEL: func.func @main
// CHECK: prog.fetch %{{.*}} {prog.count_reader
// CHECK: prog.call "topk"
#row = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>) -> !cameo.tensor<[k, 2], f32, device>
      attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"k" bound N> = %c : <[1], i64, device>
    prog.define <"l" bound N floordiv max(k, 1)> = #cameo.extent<N floordiv max(k, 1)>
    %v = prog.view %x[#cameo.extent<0>] : <[N], f32, device> -> <[k, l], f32, device>
    %y:2 = prog.call "topk" [] {k = 2 : i64, largest = true, outer = [#cameo.extent<k>], outer_rank = 1 : i64, reduced = [#cameo.extent<l>], reduced_rank = 1 : i64, sorted = true} ties [-1, -1] : !cameo.tensor<[k, 2], f32, device>, !cameo.tensor<[k, 2], i64, device> {
      prog.load 2 values 0 ins(%v : !cameo.tensor<[k, l], f32, device>) maps [#row] symbols [] {
      ^bb0(%e: f32):
        prog.yield %e : f32
      }
      prog.store 2 values 1 maps [] -> [#row] symbols [] targets [0] {
      ^bb0(%e: f32):
        prog.yield %e : f32
      }
      prog.store 2 values 1 maps [] -> [#row] symbols [] targets [1] {
      ^bb0(%e: i64):
        prog.yield %e : i64
      }
    }
    return %y#0 : !cameo.tensor<[k, 2], f32, device>
  }
}

// -----

// An integer that is read back has no bound because the device counted it up to one.
// CHECK-LABEL: func.func @main
// CHECK: prog.bind <"v" in [-4398046511104, 4398046511104]> = %
module {
  func.func @main(%c: !cameo.tensor<[1], i64, device>) attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"v" in [-4398046511104, 4398046511104] bound 4398046511104> = %c : <[1], i64, device>
    prog.check #cameo.extent<v> "eq" #cameo.extent<N> else "invalid_argument" "a new shape has another number of elements"
    return
  }
}

// -----

// What only the host can compute of it, since it may leave 64 bits, is a symbol, which a kernel takes as a number.
// CHECK-LABEL: func.func @main
// CHECK: prog.bind <"h" in [*, *]>
// CHECK-NEXT: prog.define <"known" in [0, 2]> = #cameo.extent<max(h, -h) mod 3>
// CHECK: prog.count <"k" bound N>
// CHECK-NOT: prog.fetch
// CHECK: prog.s_extent #cameo.extent<min(N, max(min(N, known + max(min(h, k), 0)), 0))>
// CHECK: prog.count <"slice" bound N>
// CHECK-NOT: prog.fetch
#id6 = affine_map<(d0) -> (d0)>
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>, %v: !cameo.tensor<[1], i64, host>)
      -> !cameo.tensor<[slice], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    %e = prog.element %v[#cameo.extent<0>] : <[1], i64, host> -> i64
    prog.bind <"h" in [*, *]> = %e
    prog.count <"k" bound N> = %c : <[1], i64, device>
    prog.define <"slice" bound N> = #cameo.extent<min(N, max(0, min(k, h)) + max(h, -h) mod 3)>
    %y = prog.kernel [#cameo.extent<slice>] ins(%x : !cameo.tensor<[N], f32, device>) maps [#id6] -> [#id6] symbols [] ties [-1] : !cameo.tensor<[slice], f32, device> {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    return %y : !cameo.tensor<[slice], f32, device>
  }
}

// -----

// Two waits are one: what the second count needs is queued, and its copy started, before the host waits for the first.
// CHECK-LABEL: func.func @main
// CHECK: %[[FIRST:.*]] = prog.fetch
// CHECK: %[[SECOND:.*]] = prog.fetch
// CHECK: prog.kernel
// CHECK: prog.await %[[FIRST]]
// CHECK: prog.check #cameo.extent<k> "eq"
// CHECK: prog.await %[[SECOND]]
// CHECK: prog.check #cameo.extent<l> "eq"
#early = affine_map<(d0) -> (d0)>
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[1], i64, device>, %d: !cameo.tensor<[1], i64, device>)
      -> !cameo.tensor<[N], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">]} {
    prog.count <"k" bound N> = %c : <[1], i64, device>
    prog.check #cameo.extent<k> "eq" #cameo.extent<N> else "invalid_argument" "must be all"
    prog.count <"l" bound N> = %d : <[1], i64, device>
    %y = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, device>) maps [#early] -> [#early] symbols [] ties [-1] : !cameo.tensor<[N], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    prog.check #cameo.extent<l> "eq" #cameo.extent<N> else "invalid_argument" "must be all"
    return %y : !cameo.tensor<[N], f32, device>
  }
}

// -----

// A product of dims alone, which may leave 64 bits, is the host's: it has a name in front of all.
// CHECK-LABEL: func.func @main
// CHECK: prog.define <"known"{{.*}}> = #cameo.extent<H * W>
// CHECK: prog.count <"k" bound N>
// CHECK: prog.count <"sized"
// CHECK-NOT: prog.fetch
// CHECK: prog.kernel [#cameo.extent<sized>]
#least = affine_map<(d0) -> (d0)>
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %z: !cameo.tensor<[H, W], f32, device>, %c: !cameo.tensor<[1], i64, device>)
      -> !cameo.tensor<[min(k, H * W)], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">, #cameo.symbol<"H">, #cameo.symbol<"W">]} {
    prog.count <"k" bound N> = %c : <[1], i64, device>
    %y = prog.kernel [#cameo.extent<min(k, H * W)>] ins(%x : !cameo.tensor<[N], f32, device>) maps [#least] -> [#least] symbols [] ties [-1] : !cameo.tensor<[min(k, H * W)], f32, device> {
    ^bb0(%e: f32):
      prog.yield %e : f32
    }
    return %y : !cameo.tensor<[min(k, H * W)], f32, device>
  }
}

// -----

// The extent in which branches differ is the device's where it could choose: it is told behind the run.
// CHECK-LABEL: func.func @main
// CHECK: prog.if %{{.*}} defines [#cameo.symbol<"n">] attributes {cameo.counted = array<i64: 0>}
// CHECK: prog.extents %{{.*}} of [0] axes [0]
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %z: !cameo.tensor<[M], f32, device>, %c: !cameo.tensor<[], i1, device>)
      -> !cameo.tensor<[n], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">, #cameo.symbol<"M">]} {
    %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
    %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
    %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
    %y = prog.if %e defines [#cameo.symbol<"n">] : !cameo.tensor<[n], f32, device> {
      prog.yield %x : !cameo.tensor<[N], f32, device> extents [#cameo.extent<N>]
    } else {
      prog.yield %z : !cameo.tensor<[M], f32, device> extents [#cameo.extent<M>]
    }
    return %y : !cameo.tensor<[n], f32, device>
  }
}

// -----

// Where the host needs it, or anything that follows from it, the host takes the branch.
// CHECK-LABEL: func.func @main
// CHECK-NOT: cameo.counted
// CHECK: prog.if %{{.*}} defines [#cameo.symbol<"n">] :
// CHECK-NOT: prog.count
module {
  func.func @main(%x: !cameo.tensor<[N], f32, device>, %z: !cameo.tensor<[M], f32, device>, %c: !cameo.tensor<[], i1, device>)
      -> !cameo.tensor<[n], f32, device> attributes {cameo.symbols = [#cameo.symbol<"N">, #cameo.symbol<"M">]} {
    %t = prog.fetch %c : !cameo.tensor<[], i1, device> -> !prog.ticket<!cameo.tensor<[], i1, device>>
    %h = prog.await %t : !prog.ticket<!cameo.tensor<[], i1, device>> -> !cameo.tensor<[], i1, host>
    %e = prog.element %h[#cameo.extent<0>] : !cameo.tensor<[], i1, host> -> i1
    %y = prog.if %e defines [#cameo.symbol<"n">] : !cameo.tensor<[n], f32, device> {
      prog.yield %x : !cameo.tensor<[N], f32, device> extents [#cameo.extent<N>]
    } else {
      prog.yield %z : !cameo.tensor<[M], f32, device> extents [#cameo.extent<M>]
    }
    prog.define <"twice"> = #cameo.extent<2 * n>
    prog.check #cameo.extent<twice> "eq" #cameo.extent<8> else "invalid_argument" "must be 8"
    return %y : !cameo.tensor<[n], f32, device>
  }
}
