// RUN: cameo-opt %s --cameo-plan-weights --cameo-plan-buffers --cameo-verify-plan --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-plan-weights --cameo-plan-buffers --cameo-prepare --cameo-verify-host --split-input-file | FileCheck %s --check-prefix=HOST

// What is scattered over is copied in front of it, unless the run has both in one memory.

#id = affine_map<(d0) -> (d0)>

// CHECK: func.func @main
// CHECK-SAME: prog.updates = array<i64: 0>
// HOST: %[[X:.*]] = host.bind_input 0
// HOST: %[[Y:.*]] = host.bind_output 0
// HOST: %[[APART:.*]] = host.apart %[[Y]] from %[[X]]
// HOST-NEXT: host.if %[[APART]]
// HOST-NEXT: host.launch
// HOST-NEXT: prog.kernel
// HOST: host.copied
// HOST-NEXT: } else {
// HOST: host.launch
// HOST-NEXT: prog.call "scatter_elements"
module {
  func.func @main(%x: !cameo.tensor<[N], f32, host>, %i: !cameo.tensor<[M], i64, host>, %u: !cameo.tensor<[M], f32, host>)
      -> !cameo.tensor<[N], f32, host> {
    %y = prog.call "scatter_elements" ["scatter_reduction::none"] {axis = #cameo.extent<0>, data_dims = [#cameo.extent<N>], index_dims = [#cameo.extent<M>], rank = 1 : i64}
        ins(%i, %u : !cameo.tensor<[M], i64, host>, !cameo.tensor<[M], f32, host>) dests(%x : !cameo.tensor<[N], f32, host>) ties [0]
        : !cameo.tensor<[N], f32, host> {
    }
    func.return %y : !cameo.tensor<[N], f32, host>
  }
}

// -----

// A kernel that reads an element only to make the one in its place has nothing to ask, and of two inputs the one that
// nothing reads later is updated.

#id = affine_map<(d0) -> (d0)>

// CHECK: func.func @main
// CHECK-SAME: prog.updates = array<i64: 1, -1>
// HOST: func.func @main
// HOST-NOT: host.apart
// HOST: return
module {
  func.func @main(%x: !cameo.tensor<[N], f32, host>, %y: !cameo.tensor<[N], f32, host>)
      -> (!cameo.tensor<[N], f32, host>, !cameo.tensor<[], f32, host>) {
    %sum = prog.kernel [#cameo.extent<N>] ins(%x, %y : !cameo.tensor<[N], f32, host>, !cameo.tensor<[N], f32, host>) maps [#id, #id] -> [#id] symbols [] ties [-1] : !cameo.tensor<[N], f32, host> {
    ^bb0(%a: f32, %b: f32):
      %c = prog.s_add %a, %b : f32
      prog.yield %c : f32
    }
    %first = prog.kernel [] ins(%x : !cameo.tensor<[N], f32, host>) maps [affine_map<() -> (0)>] -> [affine_map<() -> ()>] symbols [] ties [-1] : !cameo.tensor<[], f32, host> {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    func.return %sum, %first : !cameo.tensor<[N], f32, host>, !cameo.tensor<[], f32, host>
  }
}

// -----

// A result that begins as the input does lies where it does if the run finds it as long.

#id = affine_map<(d0, d1)[s0] -> (d0, d1)>
#behind = affine_map<(d0, d1)[s0] -> (d0, d1 + s0)>

// CHECK: func.func @main
// CHECK-SAME: prog.updates = array<i64: 0>
// HOST: func.func @main
// HOST: host.apart
module {
  func.func @main(%x: !cameo.tensor<[N, P], f32, host>, %more: !cameo.tensor<[N, M], f32, host>) -> !cameo.tensor<[N, M + P], f32, host> {
    %e = prog.empty : !cameo.tensor<[N, M + P], f32, host>
    %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<P>] ins(%x : !cameo.tensor<[N, P], f32, host>) dests(%e : !cameo.tensor<[N, M + P], f32, host>) maps [#id] -> [#id] symbols [#cameo.extent<P>] ties [0] : !cameo.tensor<[N, M + P], f32, host> {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    %1 = prog.kernel [#cameo.extent<N>, #cameo.extent<M>] ins(%more : !cameo.tensor<[N, M], f32, host>) dests(%0 : !cameo.tensor<[N, M + P], f32, host>) maps [#id] -> [#behind] symbols [#cameo.extent<P>] ties [0] : !cameo.tensor<[N, M + P], f32, host> {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    func.return %1 : !cameo.tensor<[N, M + P], f32, host>
  }
}

// -----

// Not where the input is read later, read at another place, or is no memory of the run's to write: a transposed input.

#swap = affine_map<(d0, d1) -> (d1, d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK: func.func @main
// CHECK-NOT: prog.updates
module {
  func.func @main(%x: !cameo.tensor<[N, N], f32, host>) -> !cameo.tensor<[N, N], f32, host> {
    %y = prog.kernel [#cameo.extent<N>, #cameo.extent<N>] ins(%x : !cameo.tensor<[N, N], f32, host>) maps [#swap] -> [#id] symbols [] ties [-1] : !cameo.tensor<[N, N], f32, host> {
    ^bb0(%a: f32):
      prog.yield %a : f32
    }
    func.return %y : !cameo.tensor<[N, N], f32, host>
  }
}
