// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @pow_keeps_the_type_of_the_base
// CHECK: "onnx.Pow"{{.*}} -> !cameo.tensor<[N], f32>
func.func @pow_keeps_the_type_of_the_base(%a: !cameo.tensor<[N], f32>, %b: !cameo.tensor<[], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Pow"(%a, %b) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
