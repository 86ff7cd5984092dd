// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @string_split_counts
// CHECK: "onnx.StringSplit"{{.*}} -> (!cameo.tensor<[N, substrings], !cameo.string>, !cameo.tensor<[N], i64>)
func.func @string_split_counts(%x: !cameo.tensor<[N], !cameo.string>)
    -> (!cameo.tensor<*, !cameo.string>, !cameo.tensor<*, i64>) {
  %0:2 = "onnx.StringSplit"(%x)
      : (!cameo.tensor<[N], !cameo.string>) -> (!cameo.tensor<*, !cameo.string>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, !cameo.string>, !cameo.tensor<*, i64>
}

// -----

func.func @string_split_c1(%x: !cameo.tensor<[N], !cameo.string>)
    -> (!cameo.tensor<*, !cameo.string>, !cameo.tensor<*, i64>) {
  // expected-error @+1 {{has a negative maxsplit (C1, got -1)}}
  %0:2 = "onnx.StringSplit"(%x) <{maxsplit = -1 : i64}>
      : (!cameo.tensor<[N], !cameo.string>) -> (!cameo.tensor<*, !cameo.string>, !cameo.tensor<*, i64>)
  func.return %0#0, %0#1 : !cameo.tensor<*, !cameo.string>, !cameo.tensor<*, i64>
}
