// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --split-input-file | FileCheck %s

!elements = !cameo.tensor<[N, 3], i4, device>
!packed = !cameo.tensor<[N, 3], i4, device, #cameo.packed>

// Any kernel reads packed elements; only the template writes them, as one row.
// CHECK-DAG: #[[$SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: @narrow_elements
// CHECK: %[[X:.*]] = prog.kernel [#cameo.extent<N>, #cameo.extent<3>] ins(%arg0 : !cameo.tensor<[N, 3], i4, device, #cameo.packed>) maps [#[[$SAME]]] -> [#[[$SAME]]]
// CHECK: %[[ROW:.*]] = prog.view %[[X]][#cameo.extent<0>] : {{.*}} -> <[3 * N], i4, device>
// CHECK: %[[Y:.*]] = prog.call "pack_elements" [] {count = #cameo.extent<3 * N>} {{.*}} : !cameo.tensor<[N, 3], i4, device, #cameo.packed> {
// CHECK: prog.load 1 values 0 ins(%[[ROW]]
// CHECK: return %[[Y]]
func.func @narrow_elements(%x: !packed) -> !packed {
  %0 = prog.repack %x : !packed -> !elements
  %1 = prog.repack %0 : !elements -> !packed
  func.return %1 : !packed
}

// -----

!pair = !cameo.tensor<[2], ui2, host>
!packed = !cameo.tensor<[2], ui2, host, #cameo.packed>

// A few that the host reads are scalars.
// CHECK-LABEL: @narrow_scalars
// CHECK: %[[A:.*]] = prog.element %arg0[#cameo.extent<0>]
// CHECK: %[[B:.*]] = prog.element %arg0[#cameo.extent<1>]
// CHECK: prog.from_elements %[[A]], %[[B]] : ui2, ui2
func.func @narrow_scalars(%x: !packed) -> !pair {
  %0 = prog.repack %x : !packed -> !pair
  func.return %0 : !pair
}
