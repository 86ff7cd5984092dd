// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-fuse --split-input-file | FileCheck %s
// RUN: cameo-opt %s --pass-pipeline="builtin.module(cameo-set-target{name=cuda},cameo-fuse{max-ops=2})" --split-input-file | FileCheck %s --check-prefix=OPS
// RUN: cameo-opt %s --pass-pipeline="builtin.module(cameo-set-target{name=cuda numbers=fusion_ops=2},cameo-fuse)" --split-input-file | FileCheck %s --check-prefix=OPS
// RUN: cameo-opt %s --pass-pipeline="builtin.module(cameo-set-target{name=cuda},cameo-fuse{max-operands=3})" --split-input-file | FileCheck %s --check-prefix=OPERANDS

// CHECK-LABEL: @caps
// CHECK-COUNT-1: prog.kernel
// CHECK-NOT: prog.kernel
// Two scalar operations at most, counted from the end.
// OPS-LABEL: @caps
// OPS: prog.kernel
// OPS: prog.s_neg
// OPS: prog.kernel
// OPS: prog.s_add
// OPS-NEXT: prog.s_exp
// Two operands and a result.
// OPERANDS-LABEL: @caps
// OPERANDS-COUNT-1: prog.kernel
// OPERANDS-NOT: prog.kernel
func.func @caps(%x: !cameo.tensor<[N], f32, host>, %y: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host> {
  %0 = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_neg %a : f32
    prog.yield %n : f32
  }
  %1 = prog.kernel [#cameo.extent<N>] ins(%0, %y : !cameo.tensor<[N], f32, host>, !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32, %b: f32):
    %s = prog.s_add %a, %b : f32
    prog.yield %s : f32
  }
  %2 = prog.kernel [#cameo.extent<N>] ins(%1 : !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32):
    %e = prog.s_exp %a : f32
    prog.yield %e : f32
  }
  func.return %2 : !cameo.tensor<[N], f32, host>
}

// -----

// CHECK-LABEL: @too_many_operands
// OPERANDS-LABEL: @too_many_operands
// OPERANDS-COUNT-2: prog.kernel
func.func @too_many_operands(%x: !cameo.tensor<[N], f32, host>, %y: !cameo.tensor<[N], f32, host>, %z: !cameo.tensor<[N], f32, host>)
    -> !cameo.tensor<[N], f32, host> {
  %0 = prog.kernel [#cameo.extent<N>] ins(%x, %y : !cameo.tensor<[N], f32, host>, !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32, %b: f32):
    %s = prog.s_add %a, %b : f32
    prog.yield %s : f32
  }
  %1 = prog.kernel [#cameo.extent<N>] ins(%0, %z : !cameo.tensor<[N], f32, host>, !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[N], f32, host> {
  ^bb0(%a: f32, %b: f32):
    %s = prog.s_add %a, %b : f32
    prog.yield %s : f32
  }
  func.return %1 : !cameo.tensor<[N], f32, host>
}

// -----

// Inside a loop's body kernels are fused; one outside would be computed in every iteration.
// CHECK-LABEL: @loop
// CHECK: prog.kernel
// CHECK: prog.s_exp
// CHECK: prog.loop
// CHECK: prog.kernel
// CHECK: prog.s_add
// CHECK-NEXT: prog.s_neg
// CHECK-NOT: prog.kernel
func.func @loop(%x: !cameo.tensor<[4], f32, host>, %n: i64) -> !cameo.tensor<[4], f32, host> {
  %0 = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[4], f32, host> {
  ^bb0(%a: f32):
    %e = prog.s_exp %a : f32
    prog.yield %e : f32
  }
  %1 = prog.loop <"i"> to %n carry(%x : !cameo.tensor<[4], f32, host>) symbols [] = []
      : !cameo.tensor<[4], f32, host> {
  ^bb0(%c: !cameo.tensor<[4], f32, host>):
    %2 = prog.kernel [#cameo.extent<4>] ins(%c, %0 : !cameo.tensor<[4], f32, host>, !cameo.tensor<[4], f32, host>)
        maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
        : !cameo.tensor<[4], f32, host> {
    ^bb0(%a: f32, %b: f32):
      %s = prog.s_add %a, %b : f32
      prog.yield %s : f32
    }
    %3 = prog.kernel [#cameo.extent<4>] ins(%2 : !cameo.tensor<[4], f32, host>)
        maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
        : !cameo.tensor<[4], f32, host> {
    ^bb0(%a: f32):
      %m = prog.s_neg %a : f32
      prog.yield %m : f32
    }
    prog.yield %3 : !cameo.tensor<[4], f32, host>
  }
  func.return %1 : !cameo.tensor<[4], f32, host>
}

// -----

// Sides keep their kernels: between them is a copy.
// CHECK-LABEL: @sides
// CHECK: prog.kernel {{.*}} !cameo.tensor<[4], f32, host>
// CHECK: prog.upload
// CHECK: prog.kernel {{.*}} !cameo.tensor<[4], f32, device>
func.func @sides(%x: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[4], f32, device> {
  %0 = prog.kernel [#cameo.extent<4>] ins(%x : !cameo.tensor<[4], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[4], f32, host> {
  ^bb0(%a: f32):
    %e = prog.s_neg %a : f32
    prog.yield %e : f32
  }
  %1 = prog.upload %0 : !cameo.tensor<[4], f32, host> -> !cameo.tensor<[4], f32, device>
  %2 = prog.kernel [#cameo.extent<4>] ins(%1 : !cameo.tensor<[4], f32, device>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[4], f32, device> {
  ^bb0(%a: f32):
    %e = prog.s_neg %a : f32
    prog.yield %e : f32
  }
  func.return %2 : !cameo.tensor<[4], f32, device>
}
