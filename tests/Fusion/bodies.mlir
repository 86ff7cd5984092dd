// RUN: cameo-opt %s --cameo-set-target=name=cuda --cse --cameo-fuse --cse | FileCheck %s
//
// A body has all that it computes with: what the program has too is not taken from there, and bodies can be put one
// behind the other.

// CHECK-LABEL: @constants_stay_inside
// CHECK: %[[OUTER:.*]] = prog.s_constant 2.0{{.*}} : f32
// CHECK: prog.from_elements %[[OUTER]]
// CHECK: prog.kernel
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[TWO:.*]] = prog.s_constant 2.0{{.*}} : f32
// CHECK-NEXT: %[[SUM:.*]] = prog.s_add %[[X]], %[[TWO]]
// CHECK-NEXT: prog.s_mul %[[SUM]], %[[TWO]]
// CHECK: prog.kernel []
// CHECK-NEXT: %[[OWN:.*]] = prog.s_constant 2.0{{.*}} : f32
// CHECK-NEXT: prog.yield %[[OWN]]
func.func @constants_stay_inside(%x: !cameo.tensor<[N], f32, host>)
    -> (!cameo.tensor<[], f32, host>, !cameo.tensor<[N], f32, host>, !cameo.tensor<[], f32, host>) {
  %two = prog.s_constant 2.0 : f32
  %t = prog.from_elements %two : f32 -> <[], f32, host>
  %0 = prog.kernel [#cameo.extent<N>] ins(%x : !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1] : !cameo.tensor<[N], f32, host> {
  ^bb0(%u: f32):
    %c = prog.s_constant 2.0 : f32
    %s = prog.s_add %u, %c : f32
    prog.yield %s : f32
  }
  %1 = prog.kernel [#cameo.extent<N>] ins(%0 : !cameo.tensor<[N], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1] : !cameo.tensor<[N], f32, host> {
  ^bb0(%u: f32):
    %c = prog.s_constant 2.0 : f32
    %s = prog.s_mul %u, %c : f32
    prog.yield %s : f32
  }
  // A body may yield a constant of the program's.
  %2 = prog.kernel [] maps [] -> [affine_map<() -> ()>] symbols [] ties [-1] : !cameo.tensor<[], f32, host> {
    %c = prog.s_constant 2.0 : f32
    prog.yield %c : f32
  }
  func.return %t, %1, %2 : !cameo.tensor<[], f32, host>, !cameo.tensor<[N], f32, host>, !cameo.tensor<[], f32, host>
}
