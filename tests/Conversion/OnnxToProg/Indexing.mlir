// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// CHECK-LABEL: @gather
// CHECK: prog.call "gather" [] {axis_extent = #cameo.extent<V>, index = [#cameo.extent<S>], index_rank = 1 : i64, inner = [#cameo.extent<3>], inner_rank = 1 : i64, outer_rank = 0 : i64}
func.func @gather(%x: !cameo.tensor<[V, 3], f32, host>, %i: !cameo.tensor<[S], i64, host>) -> !cameo.tensor<[S, 3], f32, host> {
  %0 = "onnx.Gather"(%x, %i) : (!cameo.tensor<[V, 3], f32, host>, !cameo.tensor<[S], i64, host>) -> !cameo.tensor<[S, 3], f32, host>
  func.return %0 : !cameo.tensor<[S, 3], f32, host>
}

// -----

// The result is the data, updated in place; Plan copies it where somebody else still reads it.
// One known index is a check and a place, unless that place is beyond all numbers.
// CHECK-LABEL: @gather_known
// CHECK: prog.check #cameo.extent<4> "le" #cameo.extent<V> else "out_of_range"
// CHECK: prog.kernel
// CHECK: prog.call "gather"
// CHECK: prog.call "gather"
func.func @gather_known(%x: !cameo.tensor<[V, 4], f32, host>)
    -> (!cameo.tensor<[4], f32, host>, !cameo.tensor<[4], f32, host>, !cameo.tensor<[4], f32, host>) {
  %i = "onnx.Constant"() <{value = dense<3> : tensor<i64>}> : () -> !cameo.tensor<[], i64, host>
  %j = "onnx.Constant"() <{value = dense<9223372036854775807> : tensor<i64>}> : () -> !cameo.tensor<[], i64, host>
  %k = "onnx.Constant"() <{value = dense<4611686018427387903> : tensor<i64>}> : () -> !cameo.tensor<[], i64, host>
  %0 = "onnx.Gather"(%x, %i) : (!cameo.tensor<[V, 4], f32, host>, !cameo.tensor<[], i64, host>) -> !cameo.tensor<[4], f32, host>
  %1 = "onnx.Gather"(%x, %j) : (!cameo.tensor<[V, 4], f32, host>, !cameo.tensor<[], i64, host>) -> !cameo.tensor<[4], f32, host>
  %2 = "onnx.Gather"(%x, %k) : (!cameo.tensor<[V, 4], f32, host>, !cameo.tensor<[], i64, host>) -> !cameo.tensor<[4], f32, host>
  func.return %0, %1, %2 : !cameo.tensor<[4], f32, host>, !cameo.tensor<[4], f32, host>, !cameo.tensor<[4], f32, host>
}

// -----

// CHECK-LABEL: @scatter_nd
// CHECK-SAME: %[[DATA:[^:]*]]: !cameo.tensor<[V, 3]
// CHECK: prog.call "scatter_nd" ["scatter_reduction::none"] {{.*}} dests(%[[DATA]] : {{.*}} ties [0]
func.func @scatter_nd(%x: !cameo.tensor<[V, 3], f32, host>, %i: !cameo.tensor<[S, 1], i64, host>, %u: !cameo.tensor<[S, 3], f32, host>) -> !cameo.tensor<[V, 3], f32, host> {
  %0 = "onnx.ScatterND"(%x, %i, %u)
      : (!cameo.tensor<[V, 3], f32, host>, !cameo.tensor<[S, 1], i64, host>, !cameo.tensor<[S, 3], f32, host>) -> !cameo.tensor<[V, 3], f32, host>
  func.return %0 : !cameo.tensor<[V, 3], f32, host>
}

// -----

// CHECK-LABEL: @top_k
// CHECK: prog.call "topk" [] {k = #cameo.extent<3>, largest = true
// CHECK: prog.store {{.*}} targets [0]
// CHECK: prog.store {{.*}} targets [1]
func.func @top_k(%x: !cameo.tensor<[N, 9], f32, host>) -> !cameo.tensor<[N, 3], f32, host> {
  %k = "onnx.Constant"() <{value = dense<3> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %0:2 = "onnx.TopK"(%x, %k) : (!cameo.tensor<[N, 9], f32, host>, !cameo.tensor<[1], i64, host>)
      -> (!cameo.tensor<[N, 3], f32, host>, !cameo.tensor<[N, 3], i64, host>)
  func.return %0#0 : !cameo.tensor<[N, 3], f32, host>
}

// -----

// Rows are read at their own positions: there may not be more of them in the indices than in the data.
// CHECK-LABEL: @gather_elements
// CHECK: prog.check #cameo.extent<M> "le" #cameo.extent<N> else "invalid_argument"
// CHECK-NOT: prog.check
// CHECK: prog.call "gather_elements"
func.func @gather_elements(%x: !cameo.tensor<[N, K], f32, host>, %i: !cameo.tensor<[M, L], i64, host>) -> !cameo.tensor<[M, L], f32, host> {
  %0 = "onnx.GatherElements"(%x, %i) <{axis = 1 : i64}>
      : (!cameo.tensor<[N, K], f32, host>, !cameo.tensor<[M, L], i64, host>) -> !cameo.tensor<[M, L], f32, host>
  func.return %0 : !cameo.tensor<[M, L], f32, host>
}

// -----

// CHECK-LABEL: @scatter_elements
// CHECK-DAG: prog.check #cameo.extent<P> "eq" #cameo.extent<M> else "invalid_argument"
// CHECK-DAG: prog.check #cameo.extent<M> "le" #cameo.extent<N> else "invalid_argument"
// CHECK: prog.call "scatter_elements"
func.func @scatter_elements(%x: !cameo.tensor<[N, K], f32, host>, %i: !cameo.tensor<[M, L], i64, host>, %u: !cameo.tensor<[P, L], f32, host>)
    -> !cameo.tensor<[N, K], f32, host> {
  %0 = "onnx.ScatterElements"(%x, %i, %u) <{axis = 1 : i64}>
      : (!cameo.tensor<[N, K], f32, host>, !cameo.tensor<[M, L], i64, host>, !cameo.tensor<[P, L], f32, host>) -> !cameo.tensor<[N, K], f32, host>
  func.return %0 : !cameo.tensor<[N, K], f32, host>
}

// -----

// A dim of which a value is known, as --dim tells it, is that in the result and a symbol in the data.
// CHECK-LABEL: func.func @scatter_known_dim
// CHECK: %[[OWN:.*]] = prog.view %{{.*}} -> <[4, 3], f32, host>
// CHECK: prog.call "scatter_elements"{{.*}} dests(%[[OWN]]
func.func @scatter_known_dim(%x: !cameo.tensor<[n, 3], f32, host>, %i: !cameo.tensor<[k, 3], i64, host>, %u: !cameo.tensor<[k, 3], f32, host>)
    -> !cameo.tensor<[4, 3], f32, host> attributes {cameo.symbols = [#cameo.symbol<"n" in [4, 4]>, #cameo.symbol<"k">]} {
  %0 = "onnx.ScatterElements"(%x, %i, %u) <{axis = 0 : i64, reduction = "none"}> : (!cameo.tensor<[n, 3], f32, host>, !cameo.tensor<[k, 3], i64, host>, !cameo.tensor<[k, 3], f32, host>) -> !cameo.tensor<[4, 3], f32, host>
  func.return %0 : !cameo.tensor<[4, 3], f32, host>
}

// -----

// Keys ascend, of equal ones the last counts, NaN is behind all; the default is behind the values.
// CHECK-LABEL: @label_encoder
// CHECK-DAG: prog.weight dense<[-1.000000e+00, 2.000000e+00, 0x7FC00000]>
// CHECK-DAG: prog.weight dense<[3, 4, 2, -1]>
// CHECK: prog.call "lookup" [] {count = 3 : i64, outer = [#cameo.extent<N>], outer_rank = 1 : i64}
func.func @label_encoder(%x: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], i64, host> {
  %0 = "onnx.ml.LabelEncoder"(%x) <{keys_floats = array<f32: 2.0, 0x7FC00000, -1.0, 2.0>, values_int64s = array<i64: 1, 2, 3, 4>}> : (!cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], i64, host>
  func.return %0 : !cameo.tensor<[N], i64, host>
}

// Keys are strings: their characters, ascending, and where each of them ends.
// CHECK-LABEL: @label_encoder_of_strings
// CHECK-DAG: prog.weight dense<[97, 98, 98, 97]> : tensor<4xui8>
// CHECK-DAG: prog.weight dense<[0, 2, 4]> : tensor<3xi64>
// CHECK-DAG: prog.weight dense<[7, 5, 9, -1]> : tensor<4xi64>
// CHECK: prog.call "lookup_strings" [] {count = 3 : i64, elements = #cameo.extent<N>}
func.func @label_encoder_of_strings(%x: !cameo.tensor<[N], !cameo.string, host>) -> !cameo.tensor<[N], i64, host> {
  %0 = "onnx.ml.LabelEncoder"(%x) <{keys_strings = ["ab", "", "ba", "ab"], values_int64s = array<i64: 4, 7, 9, 5>}> : (!cameo.tensor<[N], !cameo.string, host>) -> !cameo.tensor<[N], i64, host>
  func.return %0 : !cameo.tensor<[N], i64, host>
}

// Values are: what is looked up is a place in their table, whose last string is the default.
// CHECK-LABEL: @label_encoder_to_strings
// CHECK-DAG: %[[KEYS:.*]] = prog.weight dense<[1, 3]> : tensor<2xi64>
// CHECK-DAG: %[[PLACES:.*]] = prog.weight dense<[1, 0, 2]> : tensor<3xi64>
// CHECK: %[[FOUND:.*]] = prog.call "lookup" [] {{.*}} ins(%[[KEYS]], %[[PLACES]] :
// CHECK-DAG: %[[CHARS:.*]] = prog.weight dense<[99, 97, 98, 63]> : tensor<4xui8>
// CHECK-DAG: %[[ENDS:.*]] = prog.weight dense<[1, 3, 4]> : tensor<3xi64>
// CHECK: prog.call "strings_at" [] {elements = #cameo.extent<N>} ins(%[[CHARS]], %[[ENDS]], %[[FOUND]] :
func.func @label_encoder_to_strings(%x: !cameo.tensor<[N], i64, host>) -> !cameo.tensor<[N], !cameo.string, host> {
  %0 = "onnx.ml.LabelEncoder"(%x) <{keys_int64s = array<i64: 3, 1>, values_strings = ["c", "ab"], default_string = "?"}> : (!cameo.tensor<[N], i64, host>) -> !cameo.tensor<[N], !cameo.string, host>
  func.return %0 : !cameo.tensor<[N], !cameo.string, host>
}
