// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// CHECK-LABEL: @if
// CHECK: %[[C:.*]] = prog.element %{{.*}}[#cameo.extent<0>] : <[], i1, host> -> i1
// CHECK: prog.if %[[C]] defines [] : !cameo.tensor<[N], f32, host>
// CHECK: prog.yield
// CHECK: } else {
// CHECK: prog.yield
func.func @if(%c: !cameo.tensor<[], i1, host>, %x: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host> {
  %0 = "onnx.If"(%c) ({
    %1 = "onnx.Relu"(%x) : (!cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host>
    "onnx.Yield"(%1) : (!cameo.tensor<[N], f32, host>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32, host>) -> ()
  }) : (!cameo.tensor<[], i1, host>) -> !cameo.tensor<[N], f32, host>
  func.return %0 : !cameo.tensor<[N], f32, host>
}

// -----

// A scan output is carried, and each iteration writes its slice.
// CHECK: #[[$SLICE:.*]] = affine_map<(d0)[s0] -> (s0, d0)>
// CHECK-LABEL: @loop
// CHECK-SAME: %[[X:[^:]*]]: !cameo.tensor<[N], f32, host>
// CHECK: %[[STACK:.*]] = prog.empty : <[4, N], f32, host>
// CHECK: prog.loop <"i"> to %{{.*}} trip #cameo.extent<4> carry(%[[X]], %[[STACK]] :
// CHECK-NEXT: ^bb0(%{{.*}}: {{.*}}, %[[SO_FAR:.*]]: !cameo.tensor<[4, N], f32, host>):
// CHECK: prog.kernel [#cameo.extent<N>] {{.*}} dests(%[[SO_FAR]] : {{.*}} -> [#[[$SLICE]]] symbols [#cameo.extent<i>]
func.func @loop(%x: !cameo.tensor<[N], f32, host>) -> (!cameo.tensor<[N], f32, host>, !cameo.tensor<[4, N], f32, host>) {
  %m = "onnx.Constant"() <{value = dense<4> : tensor<i64>}> : () -> !cameo.tensor<[], i64, host>
  %0:2 = "onnx.Loop"(%m, %x) <{init_extents = [], iteration = #cameo.symbol<"i">, operandSegmentSizes = array<i32: 1, 0, 1>, symbols = [], trip = #cameo.extent<4>}> ({
  ^bb0(%i: !cameo.tensor<[], i64, host>, %c: !cameo.tensor<[], i1, host>, %s: !cameo.tensor<[N], f32, host>):
    %1 = "onnx.Relu"(%s) : (!cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, host>
    "onnx.Yield"(%c, %1, %s) : (!cameo.tensor<[], i1, host>, !cameo.tensor<[N], f32, host>, !cameo.tensor<[N], f32, host>) -> ()
  }) : (!cameo.tensor<[], i64, host>, !cameo.tensor<[N], f32, host>) -> (!cameo.tensor<[N], f32, host>, !cameo.tensor<[4, N], f32, host>)
  func.return %0#0, %0#1 : !cameo.tensor<[N], f32, host>, !cameo.tensor<[4, N], f32, host>
}

// -----

// What is on both sides becomes memory on that of the value it becomes: extents through a kernel
// that has them as arguments, with no copy, constants as weights.
// CHECK-LABEL: @both_sides_meet_the_device
// CHECK-NOT: prog.upload
// CHECK-DAG: %[[W:.*]] = prog.weight {{.*}} <[], i64, device>
// CHECK-DAG: %[[N:.*]] = prog.kernel {{.*}} : !cameo.tensor<[2], i64, device>
// CHECK: prog.loop {{.*}} carry(%[[W]], %[[N]] :
// CHECK: prog.if {{.*}} : !cameo.tensor<[], i64, device>
// CHECK: } else {
// CHECK-NEXT: %[[ONE:.*]] = prog.kernel {{.*}} : !cameo.tensor<[], i64, device>
// CHECK: prog.yield %[[ONE]]
func.func @both_sides_meet_the_device(%x: !cameo.tensor<[], i64, device>, %c: !cameo.tensor<[], i1, host>)
    -> (!cameo.tensor<[], i64, device>, !cameo.tensor<[2], i64, device>, !cameo.tensor<[], i64, device>) {
  %m = "onnx.Constant"() <{value = dense<4> : tensor<i64>}> : () -> !cameo.tensor<[], i64, host>
  %n = prog.from_extents [#cameo.extent<N>, #cameo.extent<N + 1>] -> <[2], i64, host>
  %one = prog.from_extents [#cameo.extent<N>] -> <[], i64, host>
  %0:2 = "onnx.Loop"(%m, %m, %n) <{init_extents = [], iteration = #cameo.symbol<"i">, operandSegmentSizes = array<i32: 1, 0, 2>, symbols = [], trip = #cameo.extent<4>}> ({
  ^bb0(%i: !cameo.tensor<[], i64, host>, %go: !cameo.tensor<[], i1, host>, %a: !cameo.tensor<[], i64, device>, %b: !cameo.tensor<[2], i64, device>):
    %1 = "onnx.Add"(%a, %x) : (!cameo.tensor<[], i64, device>, !cameo.tensor<[], i64, device>) -> !cameo.tensor<[], i64, device>
    %2 = "onnx.Add"(%b, %x) : (!cameo.tensor<[2], i64, device>, !cameo.tensor<[], i64, device>) -> !cameo.tensor<[2], i64, device>
    "onnx.Yield"(%go, %1, %2) : (!cameo.tensor<[], i1, host>, !cameo.tensor<[], i64, device>, !cameo.tensor<[2], i64, device>) -> ()
  }) : (!cameo.tensor<[], i64, host>, !cameo.tensor<[], i64, host>, !cameo.tensor<[2], i64, host>)
      -> (!cameo.tensor<[], i64, device>, !cameo.tensor<[2], i64, device>)
  %3 = "onnx.If"(%c) ({
    "onnx.Yield"(%one) : (!cameo.tensor<[], i64, host>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[], i64, device>) -> ()
  }) : (!cameo.tensor<[], i1, host>) -> !cameo.tensor<[], i64, device>
  func.return %0#0, %0#1, %3 : !cameo.tensor<[], i64, device>, !cameo.tensor<[2], i64, device>, !cameo.tensor<[], i64, device>
}

// -----

// The host compares elements; what nothing is said of is not read.
// CHECK-LABEL: @assert_on_host
// CHECK-NEXT: %[[FIRST:.*]] = prog.element %{{.*}}[#cameo.extent<0>]
// CHECK-NEXT: prog.bind <"asserted" in [*, *]> = %[[FIRST]]
// CHECK-NEXT: prog.check #cameo.extent<asserted> "ge" #cameo.extent<1> else "assertion"
// CHECK-NEXT: prog.check #cameo.extent<asserted> "le" #cameo.extent<N> else "assertion"
// CHECK-NEXT: %[[LAST:.*]] = prog.element %{{.*}}[#cameo.extent<2>]
// CHECK-NEXT: prog.bind <"asserted_1" in [*, *]> = %[[LAST]]
// CHECK-NEXT: prog.check #cameo.extent<asserted_1> "eq" #cameo.extent<4> else "assertion"
// CHECK-NEXT: return
func.func @assert_on_host(%k: !cameo.tensor<[3], i64, host>, %x: !cameo.tensor<[N], f32, host>) {
  prog.assert %k in [#cameo.extent<1>, #cameo.extent<?>, #cameo.extent<4>]
      to [#cameo.extent<N>, #cameo.extent<?>, #cameo.extent<4>] : <[3], i64, host>
  func.return
}

// -----

// A kernel on the device raises an error; nobody reads what it counts, and it stays.
// CHECK-LABEL: @assert_on_device
// CHECK: %[[BROKEN:.*]] = prog.call "expect" [] {code = "cameo_code::CAMEO_OUT_OF_RANGE", count = 2 : i64}
// CHECK: prog.load 1 values 0 ins(%{{.*}} : !cameo.tensor<[2], i32, device>)
// CHECK: prog.s_cast {{.*}} i32 -> i64
// CHECK: prog.load
// CHECK: prog.s_constant -9223372036854775808 : i64
// CHECK: prog.load
// CHECK: prog.s_extent #cameo.extent<2 * N>
// CHECK: prog.keep %[[BROKEN]] : <[1], i64, device>
func.func @assert_on_device(%k: !cameo.tensor<[2], i32, device>, %x: !cameo.tensor<[N], f32, device>) {
  prog.assert %k in [#cameo.extent<?>, #cameo.extent<?>] to [#cameo.extent<5>, #cameo.extent<2 * N>] : <[2], i32, device>
  func.return
}

// -----

// Both branches are computed, and errors of the one that is not taken are masked: by the condition,
// by its contrary, and inside another branch by both.
// CHECK-LABEL: @select
// CHECK-SAME: (%[[C:[^:]*]]: !cameo.tensor<[], i1, device>, %[[D:[^:]*]]: !cameo.tensor<[1], i1, device>
// CHECK-NOT: prog.if
// CHECK: %[[BOTH:.*]] = prog.kernel [] ins(%[[C]], %[[D]] :
// CHECK: prog.s_logical_and
// CHECK: prog.call "gather" {{.*}} mask(%[[BOTH]] : !cameo.tensor<[], i1, device>)
// CHECK: prog.kernel [#cameo.extent<K>, #cameo.extent<8>] ins(%[[D]],
// CHECK: prog.s_select
// CHECK: %[[NOT:.*]] = prog.kernel [] ins(%[[C]] :
// CHECK: prog.s_logical_not
// CHECK: prog.call "gather" {{.*}} mask(%[[NOT]] : !cameo.tensor<[], i1, device>)
// CHECK: prog.kernel [#cameo.extent<K>, #cameo.extent<8>] ins(%[[C]],
// CHECK: prog.s_select
func.func @select(%c: !cameo.tensor<[], i1, device>, %d: !cameo.tensor<[1], i1, device>, %x: !cameo.tensor<[N, 8], f32, device>,
                  %rows: !cameo.tensor<[K], i64, device>, %z: !cameo.tensor<[K, 8], f32, device>) -> !cameo.tensor<[K, 8], f32, device> {
  %0 = "onnx.If"(%c) <{selects}> ({
    %1 = "onnx.Gather"(%x, %rows) <{axis = 0 : i64}> : (!cameo.tensor<[N, 8], f32, device>, !cameo.tensor<[K], i64, device>) -> !cameo.tensor<[K, 8], f32, device>
    "onnx.Yield"(%1) : (!cameo.tensor<[K, 8], f32, device>) -> ()
  }, {
    %1 = "onnx.If"(%d) <{selects}> ({
      "onnx.Yield"(%z) : (!cameo.tensor<[K, 8], f32, device>) -> ()
    }, {
      %2 = "onnx.Gather"(%x, %rows) <{axis = 0 : i64}> : (!cameo.tensor<[N, 8], f32, device>, !cameo.tensor<[K], i64, device>) -> !cameo.tensor<[K, 8], f32, device>
      "onnx.Yield"(%2) : (!cameo.tensor<[K, 8], f32, device>) -> ()
    }) : (!cameo.tensor<[1], i1, device>) -> !cameo.tensor<[K, 8], f32, device>
    "onnx.Yield"(%1) : (!cameo.tensor<[K, 8], f32, device>) -> ()
  }) : (!cameo.tensor<[], i1, device>) -> !cameo.tensor<[K, 8], f32, device>
  func.return %0 : !cameo.tensor<[K, 8], f32, device>
}
