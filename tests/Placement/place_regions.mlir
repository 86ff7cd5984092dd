// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-place --cameo-verify-sides --split-input-file | FileCheck %s

// A branch of the host with results of the device; the scalar behind the condition is fetched.
// CHECK-LABEL: func.func @if_condition_is_fetched
// CHECK: %[[M:.*]] = "onnx.ReduceMax"{{.*}} -> !cameo.tensor<[], f32, device>
// CHECK: prog.fetch %[[M]]
// CHECK: %[[HERE:.*]] = prog.await
// CHECK: %[[C:.*]] = "onnx.Greater"(%[[HERE]], %{{.*}} -> !cameo.tensor<[], i1, host>
// CHECK: "onnx.If"(%[[C]])
// CHECK: }) : (!cameo.tensor<[], i1, host>) -> !cameo.tensor<[N], f32, device>
// CHECK-NEXT: return
func.func @if_condition_is_fetched(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32> {
  %z = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %m = "onnx.ReduceMax"(%x) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
  %c = "onnx.Greater"(%m, %z) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
  %0 = "onnx.If"(%c) ({
    %1 = "onnx.Softmax"(%x) <{axis = -1 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    "onnx.Yield"(%1) : (!cameo.tensor<[N], f32>) -> ()
  }, {
    %1 = "onnx.Neg"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    "onnx.Yield"(%1) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[N], f32>
  func.return %0 : !cameo.tensor<[N], f32>
}

// -----

// Branches that disagree meet on the device: the host's result is staged inside its branch.
// CHECK-LABEL: func.func @if_joins_sides
// CHECK: "onnx.If"
// CHECK: %[[SMALL:.*]] = "onnx.Neg"{{.*}} -> !cameo.tensor<[2], i64, host>
// CHECK-NEXT: %[[COPY:.*]] = prog.upload %[[SMALL]]
// CHECK-NEXT: "onnx.Yield"(%[[COPY]]) : (!cameo.tensor<[2], i64, device>)
// CHECK: }, {
// CHECK-NEXT: "onnx.Yield"(%{{.*}}) : (!cameo.tensor<[2], i64, device>)
func.func @if_joins_sides(%h: !cameo.tensor<[2], i64>, %c: !cameo.tensor<[], i1>, %d: !cameo.tensor<[2], i64>)
    -> !cameo.tensor<[2], i64> {
  prog.bind_elements [#cameo.symbol<"a">, #cameo.symbol<"b">] = %h : <[2], i64>
  %0 = "onnx.If"(%c) ({
    %1 = "onnx.Neg"(%h) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<[2], i64>
    "onnx.Yield"(%1) : (!cameo.tensor<[2], i64>) -> ()
  }, {
    "onnx.Yield"(%d) : (!cameo.tensor<[2], i64>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[2], i64>
  func.return %0 : !cameo.tensor<[2], i64>
}

// -----

// A counter that starts on the host and only grows by constants stays there; a tensor that the body
// computes on the device is carried there. No copy in the loop.
// CHECK-LABEL: func.func @loop_keeps_counters_on_the_host
// CHECK: "onnx.Loop"
// CHECK-NEXT: ^bb0({{.*}}: !cameo.tensor<[], i64, host>, {{.*}}: !cameo.tensor<[], i1, host>, {{.*}}: !cameo.tensor<[], i64, host>, {{.*}}: !cameo.tensor<[N], f32, device>)
// CHECK-NOT: prog.upload
// CHECK-NOT: prog.fetch
// CHECK: return
func.func @loop_keeps_counters_on_the_host(%x: !cameo.tensor<[N], f32>)
    -> (!cameo.tensor<[], i64>, !cameo.tensor<[N], f32>) {
  %m = "onnx.Constant"() <{value = dense<4> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %zero = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %one = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0:2 = "onnx.Loop"(%m, %zero, %x) <{operandSegmentSizes = array<i32: 1, 0, 2>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %n: !cameo.tensor<[], i64>, %s: !cameo.tensor<[N], f32>):
    %1 = "onnx.Add"(%n, %one) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<[], i64>
    %2 = "onnx.Relu"(%s) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    "onnx.Yield"(%c, %1, %2) : (!cameo.tensor<[], i1>, !cameo.tensor<[], i64>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[N], f32>)
      -> (!cameo.tensor<[], i64>, !cameo.tensor<[N], f32>)
  func.return %0#0, %0#1 : !cameo.tensor<[], i64>, !cameo.tensor<[N], f32>
}

// -----

// The fixpoint: the carried value starts on the host, the body yields it from the device, so it is on
// the device from the start and its initial value is staged in front of the loop.
// CHECK-LABEL: func.func @loop_reaches_a_fixpoint
// CHECK: %[[START:.*]] = "onnx.Neg"{{.*}} -> !cameo.tensor<[2], i64, host>
// CHECK-NEXT: %[[COPY:.*]] = prog.upload %[[START]]
// CHECK: "onnx.Loop"(%{{.*}}, %[[COPY]])
// CHECK-NEXT: ^bb0({{.*}}, {{.*}}, %[[S:.*]]: !cameo.tensor<[2], i64, device>)
// CHECK-NEXT: "onnx.Add"(%[[S]], %{{.*}}) {{.*}} -> !cameo.tensor<[2], i64, device>
func.func @loop_reaches_a_fixpoint(%h: !cameo.tensor<[2], i64>, %d: !cameo.tensor<[2], i64>) -> !cameo.tensor<[2], i64> {
  prog.bind_elements [#cameo.symbol<"a">, #cameo.symbol<"b">] = %h : <[2], i64>
  %m = "onnx.Constant"() <{value = dense<4> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %n = "onnx.Neg"(%h) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<[2], i64>
  %0 = "onnx.Loop"(%m, %n) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[2], i64>):
    %1 = "onnx.Add"(%s, %d) : (!cameo.tensor<[2], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[2], i64>
    "onnx.Yield"(%c, %1) : (!cameo.tensor<[], i1>, !cameo.tensor<[2], i64>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[2], i64>
  func.return %0 : !cameo.tensor<[2], i64>
}

// -----

// A condition that the body computes on the device costs one fetch per iteration, started there.
// CHECK-LABEL: func.func @loop_condition_is_fetched
// CHECK: "onnx.Loop"
// CHECK: prog.fetch
// CHECK: %[[HERE:.*]] = prog.await
// CHECK-NEXT: %[[GO:.*]] = "onnx.Greater"(%[[HERE]], %{{.*}} -> !cameo.tensor<[], i1, host>
// CHECK-NEXT: "onnx.Yield"(%[[GO]], %{{.*}}) : (!cameo.tensor<[], i1, host>, !cameo.tensor<[N], f32, device>)
func.func @loop_condition_is_fetched(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32> {
  %m = "onnx.Constant"() <{value = dense<4> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %z = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %0 = "onnx.Loop"(%m, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0(%i: !cameo.tensor<[], i64>, %c: !cameo.tensor<[], i1>, %s: !cameo.tensor<[N], f32>):
    %1 = "onnx.Exp"(%s) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
    %2 = "onnx.ReduceMax"(%1) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
    %3 = "onnx.Greater"(%2, %z) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
    "onnx.Yield"(%3, %1) : (!cameo.tensor<[], i1>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[], i64>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  func.return %0 : !cameo.tensor<[N], f32>
}

// -----

// An operator whose errors are masked is the device's, even where the host has all that it reads.
// CHECK-LABEL: func.func @masked
// CHECK: "onnx.If"(%{{.*}}) <{selects}>
// CHECK-NOT: prog.upload
// CHECK: "onnx.Gather"{{.*}} -> !cameo.tensor<[1], i64, device>
func.func @masked(%c: !cameo.tensor<[], i1>, %x: !cameo.tensor<[N], f32>, %sizes: !cameo.tensor<[4], i64>, %row: !cameo.tensor<[1], i64>)
    -> (!cameo.tensor<[1], i64>, !cameo.tensor<[v, w], f32>) attributes {cameo.symbols = [#cameo.symbol<"N">]} {
  prog.bind_elements [#cameo.symbol<"v">, #cameo.symbol<"a">, #cameo.symbol<"b">, #cameo.symbol<"d">] = %sizes : <[4], i64>
  prog.bind_elements [#cameo.symbol<"w">] = %row : <[1], i64>
  %s = prog.from_extents [#cameo.extent<v>, #cameo.extent<w>] -> <[2], i64>
  %z = "onnx.ConstantOfShape"(%s) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<[v, w], f32>
  %m = "onnx.ReduceMax"(%x) <{keepdims = 0 : i64, noop_with_empty_axes = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
  %high = "onnx.Greater"(%m, %m) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[], i1>
  %y = "onnx.If"(%high) <{selects}> ({
    "onnx.Yield"(%row) : (!cameo.tensor<[1], i64>) -> ()
  }, {
    %g = "onnx.Gather"(%sizes, %row) <{axis = 0 : i64}> : (!cameo.tensor<[4], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1], i64>
    "onnx.Yield"(%g) : (!cameo.tensor<[1], i64>) -> ()
  }) : (!cameo.tensor<[], i1>) -> !cameo.tensor<[1], i64>
  func.return %y, %z : !cameo.tensor<[1], i64>, !cameo.tensor<[v, w], f32>
}
