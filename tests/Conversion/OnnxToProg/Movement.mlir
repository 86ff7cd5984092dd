// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// What keeps the order of elements is a view.
// CHECK-LABEL: @reshape
// CHECK: prog.view %{{.*}}[#cameo.extent<0>] : <[N, 4], f32, host> -> <[4 * N], f32, host>
func.func @reshape(%a: !cameo.tensor<[N, 4], f32, host>) -> !cameo.tensor<[4 * N], f32, host> {
  %s = prog.from_extents [#cameo.extent<4 * N>] -> <[1], i64, host>
  %0 = "onnx.Reshape"(%a, %s) : (!cameo.tensor<[N, 4], f32, host>, !cameo.tensor<[1], i64, host>) -> !cameo.tensor<[4 * N], f32, host>
  func.return %0 : !cameo.tensor<[4 * N], f32, host>
}

// -----

// What changes it is a copy with an index expression.
// CHECK: #[[$FROM:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-LABEL: @transpose
// CHECK: prog.kernel [#cameo.extent<4>, #cameo.extent<B>, #cameo.extent<S>] ins({{.*}}) maps [#[[$FROM]]]
func.func @transpose(%a: !cameo.tensor<[B, S, 4], f32, host>) -> !cameo.tensor<[4, B, S], f32, host> {
  %0 = "onnx.Transpose"(%a) <{perm = array<i64: 2, 0, 1>}> : (!cameo.tensor<[B, S, 4], f32, host>) -> !cameo.tensor<[4, B, S], f32, host>
  func.return %0 : !cameo.tensor<[4, B, S], f32, host>
}

// -----

// Each input of a Concat is written into its slice of one destination.
// CHECK: #[[$SLICE:.*]] = affine_map<(d0, d1)[s0] -> (d0 + s0, d1)>
// CHECK-LABEL: @concat
// CHECK: %[[DEST:.*]] = prog.empty : <[M + N, 4], f32, host>
// CHECK: %[[FIRST:.*]] = prog.kernel [#cameo.extent<N>, #cameo.extent<4>] {{.*}} dests(%[[DEST]] : {{.*}} ties [0]
// CHECK: %[[BOTH:.*]] = prog.kernel [#cameo.extent<M>, #cameo.extent<4>] {{.*}} dests(%[[FIRST]] : {{.*}} -> [#[[$SLICE]]] symbols [#cameo.extent<N>] ties [0]
// CHECK: return %[[BOTH]]
func.func @concat(%a: !cameo.tensor<[N, 4], f32, host>, %b: !cameo.tensor<[M, 4], f32, host>) -> !cameo.tensor<[M + N, 4], f32, host> {
  %0 = "onnx.Concat"(%a, %b) <{axis = 0 : i64}> : (!cameo.tensor<[N, 4], f32, host>, !cameo.tensor<[M, 4], f32, host>) -> !cameo.tensor<[M + N, 4], f32, host>
  func.return %0 : !cameo.tensor<[M + N, 4], f32, host>
}

// -----

// The lowest number is a step other than 0, and has no opposite.
// CHECK-LABEL: @slice_lowest_step
// CHECK-NOT: prog.check
// CHECK: prog.kernel [#cameo.extent<1>]
func.func @slice_lowest_step(%a: !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[1], f32, host> {
  %s = "onnx.Constant"() <{value = dense<3> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %e = "onnx.Constant"() <{value = dense<-9> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %x = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %t = "onnx.Constant"() <{value = dense<-9223372036854775808> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %0 = "onnx.Slice"(%a, %s, %e, %x, %t) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}>
      : (!cameo.tensor<[4], f32, host>, !cameo.tensor<[1], i64, host>, !cameo.tensor<[1], i64, host>, !cameo.tensor<[1], i64, host>, !cameo.tensor<[1], i64, host>) -> !cameo.tensor<[1], f32, host>
  func.return %0 : !cameo.tensor<[1], f32, host>
}

// -----

// A slice that runs backwards reads from its first element down.
// CHECK: #[[$FROM:.*]] = affine_map<(d0, d1) -> (d0, d1 * -2 + 3)>
// CHECK-LABEL: @slice_backwards
// CHECK: prog.kernel [#cameo.extent<N>, #cameo.extent<2>] ins({{.*}}) maps [#[[$FROM]]]
func.func @slice_backwards(%a: !cameo.tensor<[N, 4], f32, host>) -> !cameo.tensor<[N, 2], f32, host> {
  %s = "onnx.Constant"() <{value = dense<3> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %e = "onnx.Constant"() <{value = dense<-9> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %x = "onnx.Constant"() <{value = dense<1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %t = "onnx.Constant"() <{value = dense<-2> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %0 = "onnx.Slice"(%a, %s, %e, %x, %t) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 4], f32, host>, !cameo.tensor<[1], i64, host>, !cameo.tensor<[1], i64, host>, !cameo.tensor<[1], i64, host>, !cameo.tensor<[1], i64, host>) -> !cameo.tensor<[N, 2], f32, host>
  func.return %0 : !cameo.tensor<[N, 2], f32, host>
}

// -----

// Where each element comes from is data: pairs of indices, and a gather. A length that is none becomes an index that is
// none.
// CHECK: #[[$SEQUENCE:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-LABEL: @reverse_sequence
// CHECK-SAME: %[[X:[^:]*]]: !cameo.tensor<[B, T, 3], f32, device>, %[[LENGTHS:[^:]*]]: !cameo.tensor<[M], i64, device>
// CHECK: prog.check #cameo.extent<M> "eq" #cameo.extent<B> else "invalid_argument"
// CHECK: %[[FROM:.*]] = prog.kernel [#cameo.extent<B>, #cameo.extent<T>, #cameo.extent<2>] ins(%[[LENGTHS]] : {{.*}}) maps [#[[$SEQUENCE]]]
// CHECK: ^bb0(%[[LENGTH:.*]]: i64):
// CHECK: %[[NONE:.*]] = prog.s_max %[[LENGTH]], %{{.*}} : i64
// CHECK: prog.s_select %{{.*}}, %[[NONE]], %{{.*}} : i64
// CHECK: prog.call "gather_nd" [] {axes = [#cameo.extent<B>, #cameo.extent<T>], batch_rank = 0 : i64,
// CHECK-SAME: inner = [#cameo.extent<3>], inner_rank = 1 : i64, tuple = 2 : i64} ins(%[[X]], %[[FROM]] :
func.func @reverse_sequence(%x: !cameo.tensor<[B, T, 3], f32, device>, %l: !cameo.tensor<[M], i64, device>)
    -> !cameo.tensor<[B, T, 3], f32, device> {
  %0 = "onnx.ReverseSequence"(%x, %l) <{batch_axis = 0 : i64, time_axis = 1 : i64}>
      : (!cameo.tensor<[B, T, 3], f32, device>, !cameo.tensor<[M], i64, device>) -> !cameo.tensor<[B, T, 3], f32, device>
  func.return %0 : !cameo.tensor<[B, T, 3], f32, device>
}

// -----

// The value that is padded with is read where it is.
// CHECK-LABEL: @pad_by_a_value_of_the_device
// CHECK: prog.call "pad" ["pad_mode::constant"] {begin = [#cameo.extent<1>], input = [#cameo.extent<N>], output = [#cameo.extent<N + 2>], rank = 1 : i64} ins(%arg0 :
// CHECK: prog.load 0 values 0 ins(%arg1 :
func.func @pad_by_a_value_of_the_device(%x: !cameo.tensor<[N], f32, device>, %v: !cameo.tensor<[1], f32, device>) -> !cameo.tensor<[N + 2], f32, device> {
  %p = "onnx.Constant"() <{value = dense<1> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64, host>
  %0 = "onnx.Pad"(%x, %p, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[N], f32, device>, !cameo.tensor<[2], i64, host>, !cameo.tensor<[1], f32, device>) -> !cameo.tensor<[N + 2], f32, device>
  func.return %0 : !cameo.tensor<[N + 2], f32, device>
}
