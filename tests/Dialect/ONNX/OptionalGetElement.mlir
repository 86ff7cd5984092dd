// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @optional_get_element_of_an_optional
// CHECK: "onnx.OptionalGetElement"{{.*}} -> !cameo.tensor<[N, 3], f32>
func.func @optional_get_element_of_an_optional(%x: !cameo.optional<!cameo.tensor<[N, 3], f32>>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.OptionalGetElement"(%x) : (!cameo.optional<!cameo.tensor<[N, 3], f32>>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
