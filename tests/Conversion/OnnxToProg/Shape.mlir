// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// What decides an extent becomes a host scalar that a symbol is bound to.
// CHECK-LABEL: @bind_and_fill
// CHECK: %[[K:.*]] = prog.element %{{.*}}[#cameo.extent<0>]
// CHECK: prog.bind <"k"> = %[[K]]
// CHECK: prog.kernel [#cameo.extent<2 * k>] maps []
// CHECK: prog.s_index 0
func.func @bind_and_fill(%k: !cameo.tensor<[1], i64, host>) -> !cameo.tensor<[2 * k], i64, host> {
  prog.bind_elements [#cameo.symbol<"k">] = %k : <[1], i64, host>
  %a = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64, host>
  %b = prog.from_extents [#cameo.extent<2 * k>] -> <[], i64, host>
  %c = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64, host>
  %0 = "onnx.Range"(%a, %b, %c) : (!cameo.tensor<[], i64, host>, !cameo.tensor<[], i64, host>, !cameo.tensor<[], i64, host>) -> !cameo.tensor<[2 * k], i64, host>
  func.return %0 : !cameo.tensor<[2 * k], i64, host>
}

// -----

// By a shape on the device: no check of the host's, which would wait for it. A kernel compares what
// the shape says with the extents that the result has, and their product with the elements there are.
// CHECK-LABEL: @reshape_on_device
// CHECK-NOT: prog.check
// CHECK: %[[BROKEN:.*]] = prog.call "expect" [] {code = "cameo_code::CAMEO_INVALID_ARGUMENT", count = 3 : i64}
// CHECK: prog.s_extent #cameo.extent<{{.*}}v{{.*}}>
// CHECK: prog.s_extent #cameo.extent<N floordiv max({{.*}}v{{.*}}>
// CHECK: prog.s_extent #cameo.extent<a * b>
// CHECK: prog.load
// CHECK: prog.s_extent #cameo.extent<a>
// CHECK: prog.s_extent #cameo.extent<b>
// CHECK: prog.s_extent #cameo.extent<N>
// CHECK: prog.keep %[[BROKEN]]
// CHECK: prog.view %{{.*}} : <[N], f32, device> -> <[a, b], f32, device>
func.func @reshape_on_device(%x: !cameo.tensor<[N], f32, device>, %r: !cameo.tensor<[1], i64, device>) -> !cameo.tensor<[a, b], f32, device> {
  prog.bind_elements [#cameo.symbol<"v" in [-1000, 1000] bound 1000>] = %r on_device : <[1], i64, device>
  prog.define <"a" bound N> = #cameo.extent<v>
  prog.define <"b" bound N floordiv max(a, 1)> = #cameo.extent<N floordiv max(a, 1)>
  %s = prog.from_extents [#cameo.extent<v>, #cameo.extent<-1>] -> <[2], i64, device>
  %0 = "onnx.Reshape"(%x, %s) <{allowzero = 0 : i64}> : (!cameo.tensor<[N], f32, device>, !cameo.tensor<[2], i64, device>) -> !cameo.tensor<[a, b], f32, device>
  func.return %0 : !cameo.tensor<[a, b], f32, device>
}

// -----

// By two of the device's the host looks at the number of elements.
// CHECK-LABEL: @reshape_by_two
// CHECK-NOT: prog.call "expect"
// CHECK: prog.check #cameo.extent<v * w> "eq" #cameo.extent<N> else "invalid_argument"
func.func @reshape_by_two(%x: !cameo.tensor<[N], f32, device>, %r: !cameo.tensor<[2], i64, device>) -> !cameo.tensor<[v, w], f32, device> {
  prog.bind_elements [#cameo.symbol<"v" bound 1000>, #cameo.symbol<"w" bound 1000>] = %r on_device : <[2], i64, device>
  %s = prog.from_extents [#cameo.extent<v>, #cameo.extent<w>] -> <[2], i64, device>
  %0 = "onnx.Reshape"(%x, %s) <{allowzero = 0 : i64}> : (!cameo.tensor<[N], f32, device>, !cameo.tensor<[2], i64, device>) -> !cameo.tensor<[v, w], f32, device>
  func.return %0 : !cameo.tensor<[v, w], f32, device>
}
