// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-place --cameo-verify-sides --split-input-file | FileCheck %s
//
// Which edge between the device's data and the host's need is cut.

// One scalar, and little work behind it: the scalar is read back, the work is the host's.
// CHECK-LABEL: func.func @work_behind_a_scalar
// CHECK: %[[M:.*]] = "onnx.ReduceMax"{{.*}} -> !cameo.tensor<[1], f32, device>
// CHECK-NEXT: prog.fetch %[[M]]
// CHECK-NEXT: %[[HERE:.*]] = prog.await
// CHECK-NEXT: %[[C:.*]] = "onnx.Ceil"(%[[HERE]]) : (!cameo.tensor<[1], f32, host>)
// CHECK-NEXT: %[[K:.*]] = "onnx.Cast"(%[[C]]){{.*}} -> !cameo.tensor<[1], i64, host>
// CHECK-NEXT: prog.bind_elements [#cameo.symbol<"k">] = %[[K]]
func.func @work_behind_a_scalar(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[k], f32> {
  %m = "onnx.ReduceMax"(%x) <{keepdims = 1 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1], f32>
  %0 = "onnx.Ceil"(%m) : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], f32>
  %1 = "onnx.Cast"(%0) <{to = 7 : i64}> : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %1 : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32>
  func.return %y : !cameo.tensor<[k], f32>
}

// -----

// Two scalars that meet: three kernels cost less than a second readback.
// CHECK-LABEL: func.func @two_scalars_that_meet
// CHECK-NOT: prog.fetch
// CHECK: %[[BOTH:.*]] = "onnx.Concat"{{.*}} -> !cameo.tensor<[2], i64, device>
// CHECK-NEXT: prog.fetch %[[BOTH]]
// CHECK-NOT: prog.fetch
// CHECK: return
func.func @two_scalars_that_meet(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[a, b], f32> {
  %m = "onnx.ReduceMax"(%x) <{keepdims = 1 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1], f32>
  %n = "onnx.ReduceMin"(%x) <{keepdims = 1 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1], f32>
  %0 = "onnx.Cast"(%m) <{to = 7 : i64}> : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], i64>
  %1 = "onnx.Cast"(%n) <{to = 7 : i64}> : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], i64>
  %2 = "onnx.Concat"(%0, %1) <{axis = 0 : i64}>
      : (!cameo.tensor<[1], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[2], i64>
  prog.bind_elements [#cameo.symbol<"a">, #cameo.symbol<"b">] = %2 : <[2], i64>
  %e = prog.from_extents [#cameo.extent<a>, #cameo.extent<b>] -> <[2], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<[a, b], f32>
  func.return %y : !cameo.tensor<[a, b], f32>
}

// -----

// One scalar with two uses on the host: it is read back where they part.
// CHECK-LABEL: func.func @one_scalar_that_parts
// CHECK: %[[M:.*]] = "onnx.ReduceMax"
// CHECK-NEXT: prog.fetch %[[M]]
// CHECK-NOT: prog.fetch
// CHECK: "onnx.Greater"{{.*}} -> !cameo.tensor<[], i1, host>
// CHECK-NOT: prog.fetch
// CHECK: return
func.func @one_scalar_that_parts(%x: !cameo.tensor<[N], f32>) -> (!cameo.tensor<[k], f32>, !cameo.tensor<[N], f32>) {
  %z = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %m = "onnx.ReduceMax"(%x) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
  %0 = "onnx.Cast"(%m) <{to = 7 : i64}> : (!cameo.tensor<[], f32>) -> !cameo.tensor<[], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %0 : <[], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32>
  %c = "onnx.Greater"(%m, %z) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
  %w = "onnx.If"(%c) ({
    %1 = "onnx.Relu"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    "onnx.Yield"(%1) : (!cameo.tensor<[N], f32>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N], f32>
  func.return %y, %w : !cameo.tensor<[k], f32>, !cameo.tensor<[N], f32>
}

// -----

// A function of a math library may differ in the last bit: what decides an extent is computed where
// its data is. What follows from it exactly may go to the host.
// CHECK-LABEL: func.func @never_moves_exp
// CHECK: %[[E:.*]] = "onnx.Exp"{{.*}} -> !cameo.tensor<[1], f32, device>
// CHECK-NEXT: prog.fetch %[[E]]
// CHECK: "onnx.Cast"{{.*}} -> !cameo.tensor<[1], i64, host>
func.func @never_moves_exp(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[k], f32> {
  %m = "onnx.ReduceMax"(%x) <{keepdims = 1 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1], f32>
  %0 = "onnx.Exp"(%m) : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], f32>
  %1 = "onnx.Cast"(%0) <{to = 7 : i64}> : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %1 : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32>
  func.return %y : !cameo.tensor<[k], f32>
}

// -----

// Nor does the order of a sum of floats; integers have none.
// CHECK-LABEL: func.func @sums
// CHECK: %[[F:.*]] = "onnx.ReduceSum"{{.*}} -> !cameo.tensor<[1], f32, device>
// CHECK-NEXT: prog.fetch %[[F]]
// CHECK: "onnx.ReduceSum"{{.*}} -> !cameo.tensor<[1], i64, host>
func.func @sums(%x: !cameo.tensor<[N, 4], f32>) -> !cameo.tensor<[a, b], f32> {
  %axis = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %m = "onnx.ReduceMax"(%x, %axis) <{keepdims = 0 : i64}>
      : (!cameo.tensor<[N, 4], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[4], f32>
  %0 = "onnx.ReduceSum"(%m) <{keepdims = 1 : i64}> : (!cameo.tensor<[4], f32>) -> !cameo.tensor<[1], f32>
  %1 = "onnx.Cast"(%0) <{to = 7 : i64}> : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"a">] = %1 : <[1], i64>
  %2 = "onnx.ArgMax"(%x) <{axis = 0 : i64, keepdims = 0 : i64}> : (!cameo.tensor<[N, 4], f32>) -> !cameo.tensor<[4], i64>
  %3 = "onnx.ReduceSum"(%2) <{keepdims = 1 : i64}> : (!cameo.tensor<[4], i64>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"b">] = %3 : <[1], i64>
  %e = prog.from_extents [#cameo.extent<a>, #cameo.extent<b>] -> <[2], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<[a, b], f32>
  func.return %y : !cameo.tensor<[a, b], f32>
}

// -----

// A counter that only the result of the loop is needed of stays on the device with what it counts:
// one readback behind the loop, none in it.
// CHECK-LABEL: func.func @behind_the_loop
// CHECK: %[[L:.*]] = "onnx.Loop"
// CHECK-NOT: prog.fetch
// CHECK: "onnx.Yield"
// CHECK: -> !cameo.tensor<[], i64, device>
// CHECK-NEXT: prog.fetch %[[L]]
func.func @behind_the_loop(%x: !cameo.tensor<[N], i64>) -> !cameo.tensor<[k], f32> {
  %trips = "onnx.Constant"() <{value = dense<4> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.Loop"(%trips, %zero) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %n: !cameo.tensor<[], i64>):
    %1 = "onnx.Add"(%x, %i) : (!cameo.tensor<[N], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[N], i64>
    %2 = "onnx.ReduceMax"(%1) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], i64>) -> !cameo.tensor<[], i64>
    %3 = "onnx.Add"(%n, %2) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i64>
    "onnx.Yield"(%c, %3) : (!cameo.tensor<[], i1>, !cameo.tensor<[], i64>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %0 : <[], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32>
  func.return %y : !cameo.tensor<[k], f32>
}

// -----

// A bound is enough for the device: k stays there, and nothing waits.
// CHECK-LABEL: func.func @bound_on_the_device
// CHECK: %[[K:.*]] = "onnx.ReduceMax"{{.*}} -> !cameo.tensor<[1], i64, device>
// CHECK-NOT: prog.fetch
// CHECK: "onnx.TopK"(%{{.*}}, %[[K]]) {{.*}}(!cameo.tensor<[N], i64, device>, !cameo.tensor<[1], i64, device>)
func.func @bound_on_the_device(%x: !cameo.tensor<[N], i64>) -> !cameo.tensor<[k], i64> {
  %k = "onnx.ReduceMax"(%x) {keepdims = 1 : i64} : (!cameo.tensor<[N], i64>) -> !cameo.tensor<[1], i64>
  %values, %indices = "onnx.TopK"(%x, %k) {cameo.counts = [#cameo.symbol<"k" bound N>]} : (!cameo.tensor<[N], i64>, !cameo.tensor<[1], i64>)
      -> (!cameo.tensor<[k], i64>, !cameo.tensor<[k], i64>)
  func.return %values : !cameo.tensor<[k], i64>
}

// -----

// An operator on the host, where its data are, reads its bound there, like any operand.
// CHECK-LABEL: func.func @bound_on_the_host
// CHECK: %[[K:.*]] = "onnx.ReduceMax"{{.*}} -> !cameo.tensor<[1], i64, device>
// CHECK: %[[HOST:.*]] = prog.await
// CHECK: "onnx.TopK"(%{{.*}}, %[[HOST]]) {{.*}} -> (!cameo.tensor<[2], i64, host>, !cameo.tensor<[2], i64, host>)
func.func @bound_on_the_host(%x: !cameo.tensor<[N], i64>, %dims: !cameo.tensor<[4], i64>) -> !cameo.tensor<[a, b], i64> {
  prog.bind_elements [#cameo.symbol<"c" in [*, *]>, #cameo.symbol<"d" in [*, *]>, #cameo.symbol<"e" in [*, *]>, #cameo.symbol<"f" in [*, *]>] = %dims : <[4], i64>
  %k = "onnx.ReduceMax"(%x) {keepdims = 1 : i64} : (!cameo.tensor<[N], i64>) -> !cameo.tensor<[1], i64>
  %values, %indices = "onnx.TopK"(%dims, %k) : (!cameo.tensor<[4], i64>, !cameo.tensor<[1], i64>)
      -> (!cameo.tensor<[2], i64>, !cameo.tensor<[2], i64>)
  prog.bind_elements [#cameo.symbol<"a" in [*, *]>, #cameo.symbol<"b" in [*, *]>] = %values : <[2], i64>
  %shape = prog.from_extents [#cameo.extent<a>, #cameo.extent<b>] -> <[2], i64>
  %y = "onnx.Reshape"(%x, %shape) : (!cameo.tensor<[N], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[a, b], i64>
  func.return %y : !cameo.tensor<[a, b], i64>
}
