// RUN: cameo-opt %s --cameo-plan-buffers --cameo-verify-plan --split-input-file | FileCheck %s

// An elementwise kernel writes over the operand that nobody needs any more, here from the first
// kernel on in the caller's memory.

#here = affine_map<(d0)[s0] -> (d0)>
#flip = affine_map<(d0)[s0] -> (-d0 + s0)>

// CHECK-LABEL: @into_output
// CHECK-SAME: prog.buffers = [#prog.buffer<host, 4 * N, 0, 2, output 0>]
// CHECK: buffers = array<i64: 0>
// CHECK: buffers = array<i64: 0>
func.func @into_output(%x: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host> {
  %a = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, host>) maps [#flip] -> [#here] symbols [#cameo.extent<N - 1>] ties [-1] : !cameo.tensor<[N], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  %b = prog.kernel [#cameo.extent<N>] ins(%a : !cameo.tensor<[N], f32, host>) maps [#here] -> [#here] symbols [#cameo.extent<N - 1>] ties [-1] : !cameo.tensor<[N], f32, host> {
  ^bb0(%e: f32):
    %0 = prog.s_exp %e : f32
    prog.yield %0 : f32
  }
  func.return %b : !cameo.tensor<[N], f32, host>
}

// -----

// Not where another op still reads it, not over an input or weight, not where elements are read
// elsewhere than they are written, not with another element type.

#here = affine_map<(d0) -> (d0)>
#first = affine_map<(d0) -> (0)>

// CHECK-LABEL: @not_reused
// CHECK-SAME: #prog.buffer<host, 16, 2, 3, at {{[0-9]+}}>, #prog.buffer<host, 16, 3, 4, at {{[0-9]+}}>
// CHECK: prog.weight
// CHECK: buffers = array<i64: 1>
// CHECK: buffers = array<i64: 2>
// CHECK: buffers = array<i64: 3>
// CHECK: buffers = array<i64: 0>
func.func @not_reused(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, host> {
  %w = prog.weight dense<0.5> : tensor<4xf32> : !cameo.tensor<[4], f32, host>
  %a = prog.kernel [#cameo.extent<4>] ins(%x, %w : !cameo.tensor<[4], f32, host>, !cameo.tensor<[4], f32, host>) maps [#here, #here] -> [#here] symbols [] ties [-1] : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32, %f: f32):
    %0 = prog.s_add %e, %f : f32
    prog.yield %0 : f32
  }
  %b = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] : !cameo.tensor<[4], i32, host> {
  ^bb0(%e: f32):
    %0 = prog.s_cast %e : f32 -> i32
    prog.yield %0 : i32
  }
  %c = prog.kernel [#cameo.extent<4>] ins(%b : !cameo.tensor<[4], i32, host>) maps [#here] -> [#here] symbols [] ties [-1] : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: i32):
    %0 = prog.s_cast %e : i32 -> f32
    prog.yield %0 : f32
  }
  %d = prog.kernel [#cameo.extent<4>] ins(%c, %c : !cameo.tensor<[4], f32, host>, !cameo.tensor<[4], f32, host>) maps [#here, #first] -> [#here] symbols [] ties [-1] : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32, %f: f32):
    %0 = prog.s_sub %e, %f : f32
    prog.yield %0 : f32
  }
  func.return %d : !cameo.tensor<[4], f32, host>
}

// -----

// A call may: its store functor is called once per element. What the template itself reads stays.

#at = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: @residual
// CHECK-SAME: prog.buffers = [#prog.buffer<host, 64, 0, 3, output 0>, #prog.buffer<host, 64, 1, 2, at 0>]
func.func @residual(%x: !cameo.tensor<[4, 4], f32, host>) -> !cameo.tensor<[4, 4], f32, host> {
  %r = prog.kernel [#cameo.extent<4>, #cameo.extent<4>] ins(%x : !cameo.tensor<[4, 4], f32, host>) maps [#at] -> [#at] symbols [] ties [-1] : !cameo.tensor<[4, 4], f32, host> {
  ^bb0(%e: f32):
    %0 = prog.s_exp %e : f32
    prog.yield %0 : f32
  }
  %h = prog.kernel [#cameo.extent<4>, #cameo.extent<4>] ins(%x : !cameo.tensor<[4, 4], f32, host>) maps [#at] -> [#at] symbols [] ties [-1] : !cameo.tensor<[4, 4], f32, host> {
  ^bb0(%e: f32):
    %0 = prog.s_neg %e : f32
    prog.yield %0 : f32
  }
  %z = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<4>, m = #cameo.extent<4>, n = #cameo.extent<4>, trans_a = false, trans_b = false}
      ins(%h, %h : !cameo.tensor<[4, 4], f32, host>, !cameo.tensor<[4, 4], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[4, 4], f32, host> {
    prog.store 2 values 1 ins(%r : !cameo.tensor<[4, 4], f32, host>) maps [#at] -> [#at] symbols [] targets [0] {
    ^bb0(%acc: f32, %s: f32):
      %0 = prog.s_add %acc, %s : f32
      prog.yield %0 : f32
    }
  }
  func.return %z : !cameo.tensor<[4, 4], f32, host>
}

// -----

// A view shows the same elements: what it shows of is not overwritten before its users are done.

#here = affine_map<(d0) -> (d0)>
#both = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: @view
// CHECK-SAME: prog.buffers = [#prog.buffer<host, 16, 2, 4, output 0>, #prog.buffer<host, 16, 3, 4, output 1>, #prog.buffer<host, 16, 0, 3, at 0>]
func.func @view(%x: !cameo.tensor<[4], f32, host>) -> (!cameo.tensor<[4], f32, host>, !cameo.tensor<[2, 2], f32, host>) {
  %a = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    %0 = prog.s_exp %e : f32
    prog.yield %0 : f32
  }
  %v = prog.view %a[#cameo.extent<0>] : !cameo.tensor<[4], f32, host> -> !cameo.tensor<[2, 2], f32, host>
  %b = prog.kernel [#cameo.extent<4>] ins(%a : !cameo.tensor<[4], f32, host>) maps [#here] -> [#here] symbols [] ties [-1] : !cameo.tensor<[4], f32, host> {
  ^bb0(%e: f32):
    %0 = prog.s_neg %e : f32
    prog.yield %0 : f32
  }
  %c = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<2>, m = #cameo.extent<2>, n = #cameo.extent<2>, trans_a = false, trans_b = false}
      ins(%v, %v : !cameo.tensor<[2, 2], f32, host>, !cameo.tensor<[2, 2], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[2, 2], f32, host> {
    prog.store 2 values 1 maps [] -> [#both] symbols [] targets [0] {
    ^bb0(%acc: f32):
      prog.yield %acc : f32
    }
  }
  func.return %b, %c : !cameo.tensor<[4], f32, host>, !cameo.tensor<[2, 2], f32, host>
}

// -----

// What a concatenation begins with lies in front already, in memory that has room for the whole;
// only one kernel writes the rest. Of several images it does not lie so.

#at = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#behind = affine_map<(d0, d1, d2) -> (d0, d1 + 3, d2)>

// CHECK-LABEL: @begins_with
// CHECK-SAME: prog.buffers = [#prog.buffer<host, 16 * N, 3, 4, output 0>, #prog.buffer<host, 20 * N, 0, 3>]
// CHECK: prog.kernel {{.*}} ties [-1] attributes {buffers = array<i64: 1>}
// CHECK-NOT: prog.empty
// CHECK: prog.kernel {{.*}} ties [-1] attributes {buffers = array<i64: 1>}
// CHECK: prog.kernel {{.*}} ties [0] attributes {buffers = array<i64: 1>}
func.func @begins_with(%x: !cameo.tensor<[1, 3, N], f32, host>, %y: !cameo.tensor<[1, 2, N], f32, host>) -> !cameo.tensor<[1, 4, N], f32, host> {
  %a = prog.kernel [#cameo.extent<1>, #cameo.extent<3>, #cameo.extent<N>] ins(%x : !cameo.tensor<[1, 3, N], f32, host>) maps [#at] -> [#at] symbols [] ties [-1] : !cameo.tensor<[1, 3, N], f32, host> {
  ^bb0(%e: f32):
    %0 = prog.s_exp %e : f32
    prog.yield %0 : f32
  }
  %fresh = prog.empty : <[1, 5, N], f32, host>
  %front = prog.kernel [#cameo.extent<1>, #cameo.extent<3>, #cameo.extent<N>] ins(%a : !cameo.tensor<[1, 3, N], f32, host>) dests(%fresh : !cameo.tensor<[1, 5, N], f32, host>) maps [#at] -> [#at] symbols [] ties [0] : !cameo.tensor<[1, 5, N], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  %all = prog.kernel [#cameo.extent<1>, #cameo.extent<2>, #cameo.extent<N>] ins(%y : !cameo.tensor<[1, 2, N], f32, host>) dests(%front : !cameo.tensor<[1, 5, N], f32, host>) maps [#at] -> [#behind] symbols [] ties [0] : !cameo.tensor<[1, 5, N], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  %r = prog.kernel [#cameo.extent<1>, #cameo.extent<4>, #cameo.extent<N>] ins(%all : !cameo.tensor<[1, 5, N], f32, host>) maps [#at] -> [#at] symbols [] ties [-1] : !cameo.tensor<[1, 4, N], f32, host> {
  ^bb0(%e: f32):
    %0 = prog.s_exp %e : f32
    prog.yield %0 : f32
  }
  func.return %r : !cameo.tensor<[1, 4, N], f32, host>
}

// CHECK-LABEL: @begins_with_images
// CHECK-SAME: prog.buffers = [#prog.buffer<host, 80, 1, 3, output 0>, #prog.buffer<host, 48, 0, 1, at {{[0-9]+}}>]
func.func @begins_with_images(%x: !cameo.tensor<[2, 3, 2], f32, host>, %y: !cameo.tensor<[2, 2, 2], f32, host>) -> !cameo.tensor<[2, 5, 2], f32, host> {
  %a = prog.kernel [#cameo.extent<2>, #cameo.extent<3>, #cameo.extent<2>] ins(%x : !cameo.tensor<[2, 3, 2], f32, host>) maps [#at] -> [#at] symbols [] ties [-1] : !cameo.tensor<[2, 3, 2], f32, host> {
  ^bb0(%e: f32):
    %0 = prog.s_exp %e : f32
    prog.yield %0 : f32
  }
  %fresh = prog.empty : <[2, 5, 2], f32, host>
  %front = prog.kernel [#cameo.extent<2>, #cameo.extent<3>, #cameo.extent<2>] ins(%a : !cameo.tensor<[2, 3, 2], f32, host>) dests(%fresh : !cameo.tensor<[2, 5, 2], f32, host>) maps [#at] -> [#at] symbols [] ties [0] : !cameo.tensor<[2, 5, 2], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  %all = prog.kernel [#cameo.extent<2>, #cameo.extent<2>, #cameo.extent<2>] ins(%y : !cameo.tensor<[2, 2, 2], f32, host>) dests(%front : !cameo.tensor<[2, 5, 2], f32, host>) maps [#at] -> [#behind] symbols [] ties [0] : !cameo.tensor<[2, 5, 2], f32, host> {
  ^bb0(%e: f32):
    prog.yield %e : f32
  }
  func.return %all : !cameo.tensor<[2, 5, 2], f32, host>
}
