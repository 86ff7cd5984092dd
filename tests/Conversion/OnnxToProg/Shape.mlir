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
