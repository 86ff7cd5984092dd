// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @optional_has_element_is_a_scalar
// CHECK: "onnx.OptionalHasElement"{{.*}} -> !cameo.tensor<[], i1>
func.func @optional_has_element_is_a_scalar(%x: !cameo.optional<!cameo.tensor<[N, 3], f32>>)
    -> !cameo.tensor<*, i1> {
  %0 = "onnx.OptionalHasElement"(%x) : (!cameo.optional<!cameo.tensor<[N, 3], f32>>) -> !cameo.tensor<*, i1>
  func.return %0 : !cameo.tensor<*, i1>
}
