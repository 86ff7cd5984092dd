// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// The positions lie in memory for all elements; only the result's extents need their number.
// CHECK-LABEL: @nonzero_on_the_host
// CHECK: %[[FOUND:.*]]:2 = prog.call "nonzero" [] {shape = [#cameo.extent<N>, #cameo.extent<3>], shape_rank = 2 : i64}
// CHECK-SAME: !cameo.tensor<[3 * N], i64, host>, !cameo.tensor<[1], i64, host>
// CHECK: prog.s_cast {{.*}} : f32 -> i1
// CHECK: %[[NUMBER:.*]] = prog.element %[[FOUND]]#1
// CHECK: prog.bind <"nonzero" in [0, 3298534883328] bound 3 * N> = %[[NUMBER]]{{$}}
// CHECK: %[[POSITIONS:.*]] = prog.view %[[FOUND]]#0{{.*}} -> <[nonzero], i64, host>
// CHECK: prog.kernel [#cameo.extent<2>, #cameo.extent<nonzero>] ins(%[[POSITIONS]]
func.func @nonzero_on_the_host(%x: !cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[2, nonzero], i64, host> {
  %0 = "onnx.NonZero"(%x) {cameo.counts = [#cameo.symbol<"nonzero" in [0, 3298534883328] bound 3 * N>]}
      : (!cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[2, nonzero], i64, host>
  func.return %0 : !cameo.tensor<[2, nonzero], i64, host>
}

// -----

// On the device the number stays there.
// CHECK-LABEL: @nonzero_on_the_device
// CHECK: %[[FOUND:.*]]:2 = prog.call "nonzero"
// CHECK-NEXT: prog.load
// CHECK: prog.count <"nonzero" bound N> = %[[FOUND]]#1
// CHECK-NOT: prog.fetch
// CHECK: prog.kernel
func.func @nonzero_on_the_device(%x: !cameo.tensor<[N], i1, device>) -> !cameo.tensor<[1, nonzero], i64, device> {
  %0 = "onnx.NonZero"(%x) {cameo.counts = [#cameo.symbol<"nonzero" bound N>]}
      : (!cameo.tensor<[N], i1, device>) -> !cameo.tensor<[1, nonzero], i64, device>
  func.return %0 : !cameo.tensor<[1, nonzero], i64, device>
}

// -----

// Without an axis the elements are the slices; a shorter condition leaves those behind it out.
// CHECK-LABEL: @compress_elements
// CHECK: prog.call "nonzero" [] {shape = [#cameo.extent<min(K, 3 * N)>]
// CHECK: prog.bind <"compressed"
// CHECK: prog.call "gather" [] {axis_extent = #cameo.extent<3 * N>, index = [#cameo.extent<compressed>], index_rank = 1 : i64, inner_rank = 0 : i64, outer_rank = 0 : i64}
func.func @compress_elements(%x: !cameo.tensor<[N, 3], f32, host>, %c: !cameo.tensor<[K], i1, host>)
    -> !cameo.tensor<[compressed], f32, host> {
  %0 = "onnx.Compress"(%x, %c) {cameo.counts = [#cameo.symbol<"compressed" bound min(K, 3 * N)>]}
      : (!cameo.tensor<[N, 3], f32, host>, !cameo.tensor<[K], i1, host>) -> !cameo.tensor<[compressed], f32, host>
  func.return %0 : !cameo.tensor<[compressed], f32, host>
}

// -----

// CHECK-LABEL: @compress_along_an_axis
// CHECK: prog.call "gather" [] {axis_extent = #cameo.extent<3>, index = [#cameo.extent<compressed>], index_rank = 1 : i64, inner_rank = 0 : i64, outer = [#cameo.extent<N>], outer_rank = 1 : i64}
func.func @compress_along_an_axis(%x: !cameo.tensor<[N, 3], f32, host>, %c: !cameo.tensor<[3], i1, host>)
    -> !cameo.tensor<[N, compressed], f32, host> {
  %0 = "onnx.Compress"(%x, %c) <{axis = -1 : i64}> {cameo.counts = [#cameo.symbol<"compressed" bound 3>]}
      : (!cameo.tensor<[N, 3], f32, host>, !cameo.tensor<[3], i1, host>) -> !cameo.tensor<[N, compressed], f32, host>
  func.return %0 : !cameo.tensor<[N, compressed], f32, host>
}

// -----

// The threshold is part of how a score is read; the table has room for as many as may be chosen.
// CHECK-LABEL: @non_max_suppression
// CHECK: prog.call "non_max_suppression" [] {batch = #cameo.extent<N>, boxes = #cameo.extent<9>, center_point_box = false, classes = #cameo.extent<2>, most = #cameo.extent<5>}
// CHECK-SAME: !cameo.tensor<[N, 2, 5, 3], i64, host>
// CHECK: prog.s_less
// CHECK: prog.s_select
// CHECK: prog.call "nonzero" [] {shape = [#cameo.extent<N>, #cameo.extent<2>, #cameo.extent<5>], shape_rank = 3 : i64}
// CHECK: prog.s_less_equal
// CHECK: prog.bind <"selected"
// CHECK: prog.call "gather" [] {axis_extent = #cameo.extent<10 * N>, index = [#cameo.extent<selected>]
func.func @non_max_suppression(%b: !cameo.tensor<[N, 9, 4], f32, host>, %s: !cameo.tensor<[N, 2, 9], f32, host>,
                               %t: !cameo.tensor<[1], f32, host>) -> !cameo.tensor<[selected, 3], i64, host> {
  %m = "onnx.Constant"() <{value = dense<5> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %0 = "onnx.NonMaxSuppression"(%b, %s, %m, %t, %t) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}>
      {cameo.counts = [#cameo.symbol<"selected" bound 10 * N>]}
      : (!cameo.tensor<[N, 9, 4], f32, host>, !cameo.tensor<[N, 2, 9], f32, host>, !cameo.tensor<[1], i64, host>,
         !cameo.tensor<[1], f32, host>, !cameo.tensor<[1], f32, host>) -> !cameo.tensor<[selected, 3], i64, host>
  func.return %0 : !cameo.tensor<[selected, 3], i64, host>
}

// -----

// Without a maximum there is nothing to choose.
// CHECK-LABEL: @non_max_suppression_of_none
// CHECK-NOT: prog.call
// CHECK: prog.kernel [#cameo.extent<0>, #cameo.extent<3>]
func.func @non_max_suppression_of_none(%b: !cameo.tensor<[N, 9, 4], f32, host>, %s: !cameo.tensor<[N, 2, 9], f32, host>)
    -> !cameo.tensor<[0, 3], i64, host> {
  %0 = "onnx.NonMaxSuppression"(%b, %s) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[N, 9, 4], f32, host>, !cameo.tensor<[N, 2, 9], f32, host>) -> !cameo.tensor<[0, 3], i64, host>
  func.return %0 : !cameo.tensor<[0, 3], i64, host>
}

// -----

// CHECK-LABEL: @unique
// CHECK: %[[FOUND:.*]]:4 = prog.call "unique" [] {columns = #cameo.extent<3>, rows = #cameo.extent<1>, slices = #cameo.extent<N>, sorted = false}
// CHECK: prog.element %[[FOUND]]#3
// CHECK: prog.bind <"unique"
// CHECK: %[[FIRST:.*]] = prog.view %[[FOUND]]#0{{.*}} -> <[unique], i64, host>
// CHECK: %[[COUNTS:.*]] = prog.view %[[FOUND]]#2{{.*}} -> <[unique], i64, host>
// CHECK: %[[TAKEN:.*]] = prog.call "gather" {{.*}} ins(%{{.*}}, %[[FIRST]]
// CHECK: return %[[TAKEN]], %[[FIRST]], %[[FOUND]]#1, %[[COUNTS]]
func.func @unique(%x: !cameo.tensor<[N, 3], f32, host>)
    -> (!cameo.tensor<[unique, 3], f32, host>, !cameo.tensor<[unique], i64, host>, !cameo.tensor<[N], i64, host>,
        !cameo.tensor<[unique], i64, host>) {
  %0:4 = "onnx.Unique"(%x) <{axis = 0 : i64, sorted = 0 : i64}> {cameo.counts = [#cameo.symbol<"unique" bound N>]}
      : (!cameo.tensor<[N, 3], f32, host>)
      -> (!cameo.tensor<[unique, 3], f32, host>, !cameo.tensor<[unique], i64, host>, !cameo.tensor<[N], i64, host>,
          !cameo.tensor<[unique], i64, host>)
  func.return %0#0, %0#1, %0#2, %0#3 : !cameo.tensor<[unique, 3], f32, host>, !cameo.tensor<[unique], i64, host>,
      !cameo.tensor<[N], i64, host>, !cameo.tensor<[unique], i64, host>
}

// -----

// One mask is searched once, whoever counts what it keeps.
// CHECK-LABEL: @twice
// CHECK: %[[FOUND:.*]]:2 = prog.call "nonzero"
// CHECK-NOT: prog.call "nonzero"
// CHECK-COUNT-2: prog.view %[[FOUND]]#0
func.func @twice(%x: !cameo.tensor<[N, 3], f32, device>, %y: !cameo.tensor<[N], f32, device>, %c: !cameo.tensor<[N], i1, device>)
    -> (!cameo.tensor<[compressed, 3], f32, device>, !cameo.tensor<[compressed], f32, device>) attributes {cameo.symbols = [#cameo.symbol<"N">]} {
  %0 = "onnx.Compress"(%x, %c) <{axis = 0 : i64}> {cameo.counts = [#cameo.symbol<"compressed" bound N>]}
      : (!cameo.tensor<[N, 3], f32, device>, !cameo.tensor<[N], i1, device>) -> !cameo.tensor<[compressed, 3], f32, device>
  %1 = "onnx.Compress"(%y, %c) <{axis = 0 : i64}>
      : (!cameo.tensor<[N], f32, device>, !cameo.tensor<[N], i1, device>) -> !cameo.tensor<[compressed], f32, device>
  func.return %0, %1 : !cameo.tensor<[compressed, 3], f32, device>, !cameo.tensor<[compressed], f32, device>
}
