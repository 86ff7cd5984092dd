// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @sum_of_many
// CHECK: "onnx.Sum"{{.*}} -> !cameo.tensor<[M, N], f32>
func.func @sum_of_many(%a: !cameo.tensor<[N], f32>, %b: !cameo.tensor<[M, 1], f32>, %c: !cameo.tensor<[], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Sum"(%a, %b, %c)
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[M, 1], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
