// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @regex_full_match_gives_bool
// CHECK: "onnx.RegexFullMatch"{{.*}} -> !cameo.tensor<[N], i1>
func.func @regex_full_match_gives_bool(%x: !cameo.tensor<[N], !cameo.string>) -> !cameo.tensor<*, i1> {
  %0 = "onnx.RegexFullMatch"(%x) <{pattern = "a.*"}> : (!cameo.tensor<[N], !cameo.string>) -> !cameo.tensor<*, i1>
  func.return %0 : !cameo.tensor<*, i1>
}
