// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

!x = !cameo.tensor<[N, 10], f32, host>
!q = !cameo.tensor<[N, 10], i8, host>
!one = !cameo.tensor<[], f32, host>

// One scale for all elements; the result is clamped in the type that it is computed in.
// CHECK-DAG: #[[$ALL:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: @whole_tensor
// CHECK: prog.kernel {{.*}} maps [#{{.*}}, #[[$ALL]]] -> [#{{.*}}]
// CHECK: prog.s_div
// CHECK: prog.s_round
// CHECK: prog.s_max
// CHECK: prog.s_min
// CHECK: prog.s_cast {{.*}} : f32 -> i8
func.func @whole_tensor(%x: !x, %s: !one) -> !q {
  %0 = "onnx.QuantizeLinear"(%x, %s) <{output_dtype = 3 : i64}> : (!x, !one) -> !q
  func.return %0 : !q
}

// -----

!x = !cameo.tensor<[N, 10], ui8, host>
!y = !cameo.tensor<[N, 10], f32, host>
!s = !cameo.tensor<[10], f32, host>
!z = !cameo.tensor<[10], ui8, host>

// A scale for each place along the last axis, and its zero point.
// CHECK-DAG: #[[$PLACE:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: @along_an_axis
// CHECK: prog.kernel {{.*}} maps [#{{.*}}, #[[$PLACE]], #[[$PLACE]]] -> [#{{.*}}]
// CHECK: prog.s_sub
// CHECK: prog.s_mul
func.func @along_an_axis(%x: !x, %s: !s, %z: !z) -> !y {
  %0 = "onnx.DequantizeLinear"(%x, %s, %z) <{axis = -1 : i64}> : (!x, !s, !z) -> !y
  func.return %0 : !y
}

// -----

!x = !cameo.tensor<[N, 10], i4, host>
!y = !cameo.tensor<[N, 10], f16, host>
!s = !cameo.tensor<[N, 4], f16, host>

// Three places share a scale; the last has one of its own. Computed in f32, rounded once.
// CHECK-DAG: #[[$BLOCK:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 3)>
// CHECK-LABEL: @blocks
// CHECK: prog.kernel {{.*}} maps [#{{.*}}, #[[$BLOCK]]] -> [#{{.*}}]
// CHECK: prog.s_mul {{.*}} : f32
// CHECK: prog.s_cast {{.*}} : f32 -> f16
func.func @blocks(%x: !x, %s: !s) -> !y {
  %0 = "onnx.DequantizeLinear"(%x, %s) <{block_size = 3 : i64}> : (!x, !s) -> !y
  func.return %0 : !y
}

// -----

!x = !cameo.tensor<[N, D], f32, host>
!y = !cameo.tensor<[N, D], ui8, host>
!s = !cameo.tensor<[N, K], f32, host>

// What only the run knows is checked there.
// CHECK-LABEL: @blocks_of_unknown_number
// CHECK: prog.check {{.*}}K{{.*}} "eq" {{.*}}floordiv 16
func.func @blocks_of_unknown_number(%x: !x, %s: !s) -> !y {
  %0 = "onnx.QuantizeLinear"(%x, %s) <{block_size = 16 : i64}> : (!x, !s) -> !y
  func.return %0 : !y
}
