// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @where_takes_the_type_of_x
// CHECK: "onnx.Where"{{.*}} -> !cameo.tensor<[N, 3], i32>
func.func @where_takes_the_type_of_x(%c: !cameo.tensor<[N, 1], i1>, %x: !cameo.tensor<[3], i32>, %y: !cameo.tensor<[], i32>)
    -> !cameo.tensor<*, i32> {
  %0 = "onnx.Where"(%c, %x, %y)
      : (!cameo.tensor<[N, 1], i1>, !cameo.tensor<[3], i32>, !cameo.tensor<[], i32>) -> !cameo.tensor<*, i32>
  func.return %0 : !cameo.tensor<*, i32>
}
