// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @string_concat_broadcasts
// CHECK: "onnx.StringConcat"{{.*}} -> !cameo.tensor<[N, 3], !cameo.string>
func.func @string_concat_broadcasts(%a: !cameo.tensor<[N, 1], !cameo.string>, %b: !cameo.tensor<[3], !cameo.string>)
    -> !cameo.tensor<*, !cameo.string> {
  %0 = "onnx.StringConcat"(%a, %b)
      : (!cameo.tensor<[N, 1], !cameo.string>, !cameo.tensor<[3], !cameo.string>) -> !cameo.tensor<*, !cameo.string>
  func.return %0 : !cameo.tensor<*, !cameo.string>
}
