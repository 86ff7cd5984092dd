// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// CHECK: #[[$STORED:.*]] = affine_map<(d0, d1) -> (d0, 0, d1)>
// CHECK-LABEL: @reduce_sum
// CHECK: prog.call "reduce" ["combine::sum<float>"] {outer = [#cameo.extent<N>, #cameo.extent<W>]
// CHECK: prog.store 2 values 1 maps [] -> [#[[$STORED]]]
func.func @reduce_sum(%x: !cameo.tensor<[N, 3, W], f32, host>) -> !cameo.tensor<[N, 1, W], f32, host> {
  %a = "onnx.Constant"() <{value = dense<1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %0 = "onnx.ReduceSum"(%x, %a) : (!cameo.tensor<[N, 3, W], f32, host>, !cameo.tensor<[1], i64, host>) -> !cameo.tensor<[N, 1, W], f32, host>
  func.return %0 : !cameo.tensor<[N, 1, W], f32, host>
}

// -----

// CHECK-LABEL: @arg_max
// CHECK: prog.call "arg_reduce" ["arg_max<float, false>"]
// CHECK: prog.store 1 values 1
// CHECK-NEXT: ^bb0(%{{.*}}: i64):
func.func @arg_max(%x: !cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N], i64, host> {
  %0 = "onnx.ArgMax"(%x) <{axis = 1 : i64, keepdims = 0 : i64}> : (!cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N], i64, host>
  func.return %0 : !cameo.tensor<[N], i64, host>
}

// -----

// A scalar is a row of one element.
// CHECK-LABEL: @rank_zero
// CHECK: prog.kernel [] ins(%arg0
// CHECK: prog.s_extent #cameo.extent<1>
// CHECK: prog.s_div
// CHECK: prog.kernel [] ins(%arg0
// CHECK-NOT: prog.s_log
// CHECK: return
func.func @rank_zero(%x: !cameo.tensor<[], f32, host>) -> (!cameo.tensor<[], f32, host>, !cameo.tensor<[], f32, host>) {
  %0 = "onnx.ReduceMean"(%x) <{keepdims = 1 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[], f32, host>) -> !cameo.tensor<[], f32, host>
  %1 = "onnx.ReduceLogSumExp"(%x) <{keepdims = 0 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[], f32, host>) -> !cameo.tensor<[], f32, host>
  func.return %0, %1 : !cameo.tensor<[], f32, host>, !cameo.tensor<[], f32, host>
}

// -----

// An axis that only the run knows: each is run along twice, once with an extent of 1.
// CHECK: #[[$TWICE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>
// CHECK-LABEL: @reduce_a_runtime_axis
// CHECK-NOT: prog.check
// CHECK: prog.call "reduce" ["combine::sum<float>"] {{.*}}outer_rank = 2 : i64{{.*}}reduced_rank = 2 : i64
// CHECK: prog.load 4 {{.*}}[#[[$TWICE]]]
func.func @reduce_a_runtime_axis(%x: !cameo.tensor<[N, W], f32, host>)
    -> !cameo.tensor<[N * (a mod 2) - a mod 2 + 1, W * ((a + 1) mod 2) - (a + 1) mod 2 + 1], f32, host> {
  %a = prog.from_extents [#cameo.extent<a>] -> <[1], i64, host>
  %0 = "onnx.ReduceSum"(%x, %a) : (!cameo.tensor<[N, W], f32, host>, !cameo.tensor<[1], i64, host>)
      -> !cameo.tensor<[N * (a mod 2) - a mod 2 + 1, W * ((a + 1) mod 2) - (a + 1) mod 2 + 1], f32, host>
  func.return %0 : !cameo.tensor<[N * (a mod 2) - a mod 2 + 1, W * ((a + 1) mod 2) - (a + 1) mod 2 + 1], f32, host>
}

// -----

// Of several, that they differ is checked here; that they are axes, by the Shape stage.
// CHECK-LABEL: @reduce_runtime_axes
// CHECK: prog.check {{.*}} "eq" #cameo.extent<2> else "invalid_argument" "an axis comes twice"
// CHECK: prog.call "reduce"
// CHECK: prog.view
func.func @reduce_runtime_axes(%x: !cameo.tensor<[N, W], f32, host>) -> !cameo.tensor<[], f32, host> {
  %a = prog.from_extents [#cameo.extent<a>, #cameo.extent<b>] -> <[2], i64, host>
  %0 = "onnx.ReduceSum"(%x, %a) <{keepdims = 0 : i64}>
      : (!cameo.tensor<[N, W], f32, host>, !cameo.tensor<[2], i64, host>) -> !cameo.tensor<[], f32, host>
  func.return %0 : !cameo.tensor<[], f32, host>
}

// -----

// CHECK-LABEL: @accumulate_a_runtime_axis
// CHECK: prog.call "cumulative" ["combine::sum<float>"] {{.*}}reduced_rank = 2 : i64
func.func @accumulate_a_runtime_axis(%x: !cameo.tensor<[N, W], f32, host>) -> !cameo.tensor<[N, W], f32, host> {
  %a = prog.from_extents [#cameo.extent<a>] -> <[], i64, host>
  %0 = "onnx.CumSum"(%x, %a) : (!cameo.tensor<[N, W], f32, host>, !cameo.tensor<[], i64, host>) -> !cameo.tensor<[N, W], f32, host>
  func.return %0 : !cameo.tensor<[N, W], f32, host>
}

// -----

// An axis on the device is counted from the front and held against the rank there; the host has bounds only.
// CHECK-LABEL: @cum_sum_on_device
// CHECK: %[[AXIS:.*]] = prog.call "count" [] {most = #cameo.extent<3>}
// CHECK: prog.count <"axis" in [0, 3]{{.*}}> = %[[AXIS]]
// CHECK: prog.define <"outer"
// CHECK: prog.call "cumulative"
func.func @cum_sum_on_device(%x: !cameo.tensor<[N, W], f32, device>, %a: !cameo.tensor<[], i64, device>) -> !cameo.tensor<[N, W], f32, device> {
  %0 = "onnx.CumSum"(%x, %a) : (!cameo.tensor<[N, W], f32, device>, !cameo.tensor<[], i64, device>) -> !cameo.tensor<[N, W], f32, device>
  func.return %0 : !cameo.tensor<[N, W], f32, device>
}
