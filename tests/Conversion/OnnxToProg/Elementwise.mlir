// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// A loop nest over the result; a broadcast operand is read by a map.
// CHECK-DAG: #[[$ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[$LAST:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: @broadcast
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<4>] ins(%{{.*}}, %{{.*}} : {{.*}}) maps [#[[$ALL]], #[[$LAST]]] -> [#[[$ALL]]]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT: %[[SUM:.*]] = prog.s_add %[[X]], %[[Y]]
// CHECK-NEXT: prog.yield %[[SUM]]
func.func @broadcast(%x: !cameo.tensor<[N, 4], f32, host>, %y: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[N, 4], f32, host> {
  %0 = "onnx.Add"(%x, %y) : (!cameo.tensor<[N, 4], f32, host>, !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[N, 4], f32, host>
  func.return %0 : !cameo.tensor<[N, 4], f32, host>
}

// -----

// Where only the run knows which of two extents is 1, strides are computed and the pair is checked.
// CHECK: #[[$X:.*]] = affine_map<(d0)[s0, s1] -> (d0 * s0)>
// CHECK-LABEL: @unknown_broadcast
// CHECK: prog.check #cameo.extent<N> "broadcast" #cameo.extent<max(M, N)> else "invalid_argument"
// CHECK: prog.check #cameo.extent<M> "broadcast" #cameo.extent<max(M, N)> else "invalid_argument"
// CHECK: prog.kernel {{.*}} symbols [#cameo.extent<min(N - 1, 1)>, #cameo.extent<min(M - 1, 1)>]
func.func @unknown_broadcast(%x: !cameo.tensor<[N], f32, host>, %y: !cameo.tensor<[M], f32, host>) -> !cameo.tensor<[max(M, N)], f32, host> {
  %0 = "onnx.Add"(%x, %y) : (!cameo.tensor<[N], f32, host>, !cameo.tensor<[M], f32, host>) -> !cameo.tensor<[max(M, N)], f32, host>
  func.return %0 : !cameo.tensor<[max(M, N)], f32, host>
}

// -----

// A constant of one element is part of the body, an absent operand of nothing.
// CHECK-LABEL: @constant_inside
// CHECK: prog.kernel [#cameo.extent<N>] ins(%{{.*}} : !cameo.tensor<[N], f32, host>)
// CHECK: %[[SIX:.*]] = prog.s_constant 6.0{{.*}} : f32
// CHECK-NEXT: %[[Y:.*]] = prog.s_min %{{.*}}, %[[SIX]]
// CHECK-NEXT: prog.yield %[[Y]]
func.func @constant_inside(%x: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host> {
  %c = "onnx.Constant"() <{value = dense<6.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32, host>
  %0 = "onnx.Clip"(%x, %c) <{operandSegmentSizes = array<i32: 1, 0, 1>}>
      : (!cameo.tensor<[N], f32, host>, !cameo.tensor<[], f32, host>) -> !cameo.tensor<[N], f32, host>
  func.return %0 : !cameo.tensor<[N], f32, host>
}

// -----

// A host value of one element is an argument of a device kernel.
// CHECK-LABEL: @kernel_argument
// CHECK-SAME: %[[X:[^:]*]]: {{.*}}, %[[S:[^:]*]]:
// CHECK: %[[SCALE:.*]] = prog.element %[[S]][#cameo.extent<0>]
// CHECK: prog.kernel [#cameo.extent<N>] ins(%[[X]], %[[SCALE]] : !cameo.tensor<[N], f32, device>, f32)
func.func @kernel_argument(%x: !cameo.tensor<[N], f32, device>, %s: !cameo.tensor<[], f32, host>) -> !cameo.tensor<[N], f32, device> {
  %0 = "onnx.Mul"(%x, %s) : (!cameo.tensor<[N], f32, device>, !cameo.tensor<[], f32, host>) -> !cameo.tensor<[N], f32, device>
  func.return %0 : !cameo.tensor<[N], f32, device>
}

// -----

// A few host elements are scalars, not a kernel.
// CHECK-LABEL: @host_scalars
// CHECK-NOT: prog.kernel
// CHECK-DAG: %[[A:.*]] = prog.element %{{.*}}[#cameo.extent<0>]
// CHECK-DAG: %[[B:.*]] = prog.element %{{.*}}[#cameo.extent<1>]
// CHECK-DAG: %[[X:.*]] = prog.s_mul %[[A]]
// CHECK-DAG: %[[Y:.*]] = prog.s_mul %[[B]]
// CHECK: prog.from_elements %[[X]], %[[Y]]
func.func @host_scalars(%x: !cameo.tensor<[2], i64, host>) -> !cameo.tensor<[2], i64, host> {
  %c = "onnx.Constant"() <{value = dense<[3, 5]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64, host>
  %0 = "onnx.Mul"(%x, %c) : (!cameo.tensor<[2], i64, host>, !cameo.tensor<[2], i64, host>) -> !cameo.tensor<[2], i64, host>
  func.return %0 : !cameo.tensor<[2], i64, host>
}

// -----

// Which elements of an operand with an open extent they read only the run knows: a kernel, and a check.
// CHECK: #[[$Y:.*]] = affine_map<(d0, d1)[s0, s1] -> (d0 * s0, d1 * s1)>
// CHECK-LABEL: @few_of_open_extents
// CHECK-NOT: prog.element
// CHECK: prog.check #cameo.extent<N> "broadcast" #cameo.extent<2> else "invalid_argument"
// CHECK: prog.check #cameo.extent<M> "broadcast" #cameo.extent<2> else "invalid_argument"
// CHECK: prog.kernel [#cameo.extent<2>, #cameo.extent<2>] {{.*}} symbols [#cameo.extent<min(N - 1, 1)>, #cameo.extent<min(M - 1, 1)>]
func.func @few_of_open_extents(%x: !cameo.tensor<[2, 2], i64, host>, %y: !cameo.tensor<[N, M], i64, host>) -> !cameo.tensor<[2, 2], i64, host> {
  %0 = "onnx.Mul"(%x, %y) : (!cameo.tensor<[2, 2], i64, host>, !cameo.tensor<[N, M], i64, host>) -> !cameo.tensor<[2, 2], i64, host>
  func.return %0 : !cameo.tensor<[2, 2], i64, host>
}

// -----

// Of constants which is read is known.
// CHECK-LABEL: @few_of_broadcasts
// CHECK-NOT: prog.kernel
// CHECK-DAG: %[[A:.*]] = prog.element %arg1[#cameo.extent<0>]
// CHECK-DAG: %[[B:.*]] = prog.element %arg1[#cameo.extent<1>]
// CHECK-DAG: prog.s_mul %{{.*}}, %[[A]]
// CHECK-DAG: prog.s_mul %{{.*}}, %[[B]]
// CHECK: prog.from_elements
func.func @few_of_broadcasts(%x: !cameo.tensor<[2, 2], i64, host>, %y: !cameo.tensor<[2, 1], i64, host>) -> !cameo.tensor<[2, 2], i64, host> {
  %0 = "onnx.Mul"(%x, %y) : (!cameo.tensor<[2, 2], i64, host>, !cameo.tensor<[2, 1], i64, host>) -> !cameo.tensor<[2, 2], i64, host>
  func.return %0 : !cameo.tensor<[2, 2], i64, host>
}

// -----

// A chain of steps on f16 is computed in f32 and rounded once.
// CHECK-LABEL: @small_floats
// CHECK: ^bb0(%[[X:.*]]: f16):
// CHECK-NEXT: prog.s_cast %[[X]] : f16 -> f32
// CHECK: %[[Y:.*]] = prog.s_cast %{{.*}} : f32 -> f16
// CHECK-NEXT: prog.yield %[[Y]]
func.func @small_floats(%x: !cameo.tensor<[N], f16, host>) -> !cameo.tensor<[N], f16, host> {
  %0 = "onnx.HardSigmoid"(%x) : (!cameo.tensor<[N], f16, host>) -> !cameo.tensor<[N], f16, host>
  func.return %0 : !cameo.tensor<[N], f16, host>
}

// -----

// An operand that is there for its type is not read, whatever its rank: it neither broadcasts nor is it checked.
// CHECK-LABEL: @unread_operand
// CHECK-NOT: prog.check
// CHECK: prog.kernel [#cameo.extent<N>] ins(%arg0 : !cameo.tensor<[N], f32, host>)
// CHECK: prog.s_cast %{{.*}} : f32 -> f16
func.func @unread_operand(%x: !cameo.tensor<[N], f32, host>, %like: !cameo.tensor<[2, M, 4], f16, host>) -> !cameo.tensor<[N], f16, host> {
  %0 = "onnx.CastLike"(%x, %like) : (!cameo.tensor<[N], f32, host>, !cameo.tensor<[2, M, 4], f16, host>) -> !cameo.tensor<[N], f16, host>
  func.return %0 : !cameo.tensor<[N], f16, host>
}

// -----

// Nor does it have to be on the host for scalars of the host.
// CHECK-LABEL: @unread_operand_of_scalars
// CHECK-NOT: prog.kernel
// CHECK: %[[X:.*]] = prog.element %arg0
// CHECK: prog.s_cast %[[X]] : i64 -> f32
func.func @unread_operand_of_scalars(%x: !cameo.tensor<[], i64, host>, %like: !cameo.tensor<[2, M], f32, device>) -> !cameo.tensor<[], f32, host> {
  %0 = "onnx.CastLike"(%x, %like) : (!cameo.tensor<[], i64, host>, !cameo.tensor<[2, M], f32, device>) -> !cameo.tensor<[], f32, host>
  func.return %0 : !cameo.tensor<[], f32, host>
}

// -----

// A bound of one element may have an axis that the result lacks: the run checks that it is one.
// CHECK-LABEL: @bound_of_an_open_extent
// CHECK: prog.check #cameo.extent<N> "eq" #cameo.extent<1> else "invalid_argument"
// CHECK: prog.kernel []
func.func @bound_of_an_open_extent(%x: !cameo.tensor<[], f32, host>, %min: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[], f32, host> {
  %0 = "onnx.Clip"(%x, %min) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!cameo.tensor<[], f32, host>, !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[], f32, host>
  func.return %0 : !cameo.tensor<[], f32, host>
}
