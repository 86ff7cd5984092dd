// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file | FileCheck %s --check-prefixes=CHECK,HOST
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-infer-shapes --split-input-file | FileCheck %s --check-prefixes=CHECK,DEVICE
//
// Symbols are bound as early as values can be followed; where there is a device, as early as they
// are on the host.

// CHECK-LABEL: func.func @two_scalars_that_meet(
// HOST-COUNT-2: prog.bind_elements
// HOST: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[v, v_1], f32>
// DEVICE: %[[BOTH:.*]] = "onnx.Concat"
// DEVICE-NEXT: prog.bind_elements [#cameo.symbol<"v_0" in [*, *]>, #cameo.symbol<"v_1" in [*, *]>] = %[[BOTH]]
// DEVICE: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[v_0, v_1], f32>
func.func @two_scalars_that_meet(%x: !cameo.tensor<[N], i64>) -> !cameo.tensor<*, f32> {
  %m = "onnx.ReduceMax"(%x) : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64>
  %n = "onnx.ReduceMin"(%x) : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64>
  %s = "onnx.Concat"(%m, %n) <{axis = 0 : i64}> : (!cameo.tensor<*, i64>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  %0 = "onnx.ConstantOfShape"(%s) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// What is read back once keeps its relation to what follows from it.
// CHECK-LABEL: func.func @one_scalar_that_parts(
// CHECK: %[[M:.*]] = "onnx.ReduceMax"
// CHECK-NEXT: prog.bind_elements [#cameo.symbol<"v" in [*, *]>] = %[[M]]
// CHECK-NOT: prog.bind_elements
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[v], f32>
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[v + 1], f32>
func.func @one_scalar_that_parts(%x: !cameo.tensor<[N], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %one = "onnx.Constant"() <{value = dense<1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %m = "onnx.ReduceMax"(%x) : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64>
  %n = "onnx.Add"(%m, %one) : (!cameo.tensor<*, i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, i64>
  %0 = "onnx.ConstantOfShape"(%m) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  %1 = "onnx.ConstantOfShape"(%n) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %0, %1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// Both follow from one float, which is what is read back: the first integers are on the host.
// CHECK-LABEL: func.func @one_float_behind_both(
// CHECK: "onnx.Cast"
// CHECK-NEXT: prog.bind_elements
// CHECK: "onnx.Cast"
// CHECK-NEXT: prog.bind_elements
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[v, v_1], f32>
func.func @one_float_behind_both(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %m = "onnx.ReduceMax"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  %a = "onnx.Cast"(%m) <{to = 7 : i64}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, i64>
  %r = "onnx.Ceil"(%m) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  %b = "onnx.Cast"(%r) <{to = 7 : i64}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, i64>
  %s = "onnx.Concat"(%a, %b) <{axis = 0 : i64}> : (!cameo.tensor<*, i64>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  %0 = "onnx.ConstantOfShape"(%s) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// What a slice begins and ends by is followed on the device too, from the first integer on: there is
// one row at a maximum, and five behind any start at most.
// CHECK-LABEL: func.func @slices(
// DEVICE: %[[AT:.*]] = "onnx.ArgMax"
// DEVICE-NEXT: prog.bind_elements [#cameo.symbol<"v" in [0, 1099511627775] bound N - 1>] = %[[AT]] on_device
// DEVICE: prog.bind_elements [#cameo.symbol<"v_1" in [-4398046511104, 4398046511104] bound 4398046511104>] = %{{.*}} on_device
// DEVICE: prog.define <"slice" bound N> = #cameo.extent<
// DEVICE: "onnx.Slice"{{.*}} -> !cameo.tensor<[1, 4], f32>
// DEVICE: "onnx.Slice"{{.*}} -> !cameo.tensor<[slice, 4], f32>
func.func @slices(%x: !cameo.tensor<[N, 4], f32>, %scores: !cameo.tensor<[N], f32>, %ids: !cameo.tensor<[K], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %one = "onnx.Constant"() <{value = dense<1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %five = "onnx.Constant"() <{value = dense<5> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %at = "onnx.ArgMax"(%scores) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, i64>
  %next = "onnx.Add"(%at, %one) : (!cameo.tensor<*, i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, i64>
  %start = "onnx.ReduceMax"(%ids) : (!cameo.tensor<[K], i64>) -> !cameo.tensor<*, i64>
  %end = "onnx.Add"(%start, %five) : (!cameo.tensor<*, i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, i64>
  %row = "onnx.Slice"(%x, %at, %next, %zero) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!cameo.tensor<[N, 4], f32>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  %some = "onnx.Slice"(%x, %start, %end, %zero) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (!cameo.tensor<[N, 4], f32>, !cameo.tensor<*, i64>, !cameo.tensor<*, i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %row, %some : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// An integer that the host has to know anyway is bound there, and read back once.
// CHECK-LABEL: func.func @known_to_the_host(
// DEVICE: %[[M:.*]] = "onnx.ReduceMax"
// DEVICE-NEXT: prog.bind_elements [#cameo.symbol<"v" in [*, *]>] = %[[M]] :
// DEVICE-NOT: on_device
func.func @known_to_the_host(%x: !cameo.tensor<[N], f32>, %ids: !cameo.tensor<[K], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %m = "onnx.ReduceMax"(%ids) : (!cameo.tensor<[K], i64>) -> !cameo.tensor<*, i64>
  %y = "onnx.Slice"(%x, %zero, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], i64>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  %z = "onnx.ConstantOfShape"(%m) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %y, %z : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// Dims of a Reshape are followed on the device too: one is at most what there is, the other what it
// leaves of that; a dim that is alone is what the others leave, whatever the device finds.
// CHECK-LABEL: func.func @reshape(
// DEVICE: prog.bind_elements [#cameo.symbol<"v" {{.*}}>] = %{{.*}} on_device
// DEVICE: prog.define <"dim" bound N> = #cameo.extent<
// DEVICE-NEXT: prog.define <"dim_1" bound N floordiv max(dim, 1)> = #cameo.extent<N floordiv max(dim, 1)>
// DEVICE: %[[SHAPE:.*]] = prog.from_extents [#cameo.extent<v>, #cameo.extent<-1>]
// DEVICE-NEXT: "onnx.Reshape"(%{{.*}}, %[[SHAPE]]){{.*}} -> !cameo.tensor<[dim, dim_1], f32>
// DEVICE: %[[ALONE:.*]] = prog.from_extents [#cameo.extent<v_1>, #cameo.extent<6>]
// DEVICE-NOT: prog.define
// DEVICE: "onnx.Reshape"(%{{.*}}, %[[ALONE]]){{.*}} -> !cameo.tensor<[N, 6], f32>
func.func @reshape(%x: !cameo.tensor<[N], f32>, %z: !cameo.tensor<[N, 6], f32>, %ids: !cameo.tensor<[K], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %rest = "onnx.Constant"() <{value = dense<-1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %six = "onnx.Constant"() <{value = dense<6> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %rows = "onnx.ReduceMax"(%ids) : (!cameo.tensor<[K], i64>) -> !cameo.tensor<*, i64>
  %s = "onnx.Concat"(%rows, %rest) <{axis = 0 : i64}> : (!cameo.tensor<*, i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, i64>
  %y = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[N], f32>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  %whole = "onnx.ReduceMin"(%ids) : (!cameo.tensor<[K], i64>) -> !cameo.tensor<*, i64>
  %t = "onnx.Concat"(%whole, %six) <{axis = 0 : i64}> : (!cameo.tensor<*, i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, i64>
  %w = "onnx.Reshape"(%z, %t) : (!cameo.tensor<[N, 6], f32>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %y, %w : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// Of an empty tensor, each of two such dims could be anything: they have no bound, and are read back.
// CHECK-LABEL: func.func @reshape_by_two(
// DEVICE: %[[SHAPE:.*]] = prog.from_extents [#cameo.extent<v>, #cameo.extent<v_1>]
// DEVICE-NOT: bound N
// DEVICE: "onnx.Reshape"(%{{.*}}, %[[SHAPE]])
func.func @reshape_by_two(%x: !cameo.tensor<[N], f32>, %ids: !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32> {
  %rows = "onnx.ReduceMax"(%ids) : (!cameo.tensor<[K], i64>) -> !cameo.tensor<*, i64>
  %columns = "onnx.ReduceMin"(%ids) : (!cameo.tensor<[K], i64>) -> !cameo.tensor<*, i64>
  %s = "onnx.Concat"(%rows, %columns) <{axis = 0 : i64}> : (!cameo.tensor<*, i64>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  %y = "onnx.Reshape"(%x, %s) : (!cameo.tensor<[N], f32>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %y : !cameo.tensor<*, f32>
}

// -----

// Of integers that lie in a range a bound is enough: a sum of them by how many they are. They are counted where they are found.
// CHECK-LABEL: func.func @bounded_sum(
// HOST: prog.bind_elements [
// DEVICE: %[[SUM:.*]] = "onnx.ReduceSum"
// DEVICE-NEXT: prog.bind_elements [#cameo.symbol<"v" in [0, {{[0-9]+}}] bound 6 * N>] = %[[SUM]] on_device
// DEVICE: "onnx.Range"{{.*}} -> !cameo.tensor<[v], i64>
func.func @bounded_sum(%x: !cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64> {
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %one = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %six = "onnx.Constant"() <{value = dense<6> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %c = "onnx.Clip"(%x, %one, %six) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cameo.tensor<[N], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  %s = "onnx.ReduceSum"(%c) <{keepdims = 0 : i64}> : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  %0 = "onnx.Range"(%zero, %s, %one) : (!cameo.tensor<[], i64>, !cameo.tensor<*, i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

// A NaN may have become any integer: a kernel looks.
// CHECK-LABEL: func.func @bounded_floats(
// DEVICE: %[[CAST:.*]] = "onnx.Cast"
// DEVICE-NEXT: prog.assert %[[CAST]] in [#cameo.extent<2>] to [#cameo.extent<9>]
// DEVICE-NEXT: prog.bind_elements [#cameo.symbol<"v" in [2, 9] bound 9>] = %[[CAST]] on_device
func.func @bounded_floats(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %low = "onnx.Constant"() <{value = dense<2.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %high = "onnx.Constant"() <{value = dense<9.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %m = "onnx.ReduceMean"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  %e = "onnx.Exp"(%m) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  %c = "onnx.Clip"(%e, %low, %high) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cameo.tensor<*, f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<*, f32>
  %k = "onnx.Cast"(%c) <{to = 7 : i64}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, i64>
  %0 = "onnx.ConstantOfShape"(%k) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// No range, one that may be negative, one without a use as a bound: on the host.
// CHECK-LABEL: func.func @unbounded(
// DEVICE: prog.bind_elements
// DEVICE-NOT: on_device
// DEVICE: return
func.func @unbounded(%x: !cameo.tensor<[N], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %low = "onnx.Constant"() <{value = dense<-1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %five = "onnx.Constant"() <{value = dense<5> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %high = "onnx.Constant"() <{value = dense<1000000> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %m = "onnx.ReduceMax"(%x) : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64>
  %a = "onnx.Clip"(%m, %low, %five) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cameo.tensor<*, i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  %b = "onnx.Clip"(%m, %zero, %high) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!cameo.tensor<*, i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  %0 = "onnx.ConstantOfShape"(%m) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  %1 = "onnx.ConstantOfShape"(%a) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  %2 = "onnx.ConstantOfShape"(%b) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %0, %1, %2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}
