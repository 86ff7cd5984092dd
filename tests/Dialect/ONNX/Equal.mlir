// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @equal_gives_bool
// CHECK: "onnx.Equal"{{.*}} -> !cameo.tensor<[N, 3], i1>
func.func @equal_gives_bool(%a: !cameo.tensor<[N, 1], f32>, %b: !cameo.tensor<[3], f32>)
    -> !cameo.tensor<*, i1> {
  %0 = "onnx.Equal"(%a, %b) : (!cameo.tensor<[N, 1], f32>, !cameo.tensor<[3], f32>) -> !cameo.tensor<*, i1>
  func.return %0 : !cameo.tensor<*, i1>
}
