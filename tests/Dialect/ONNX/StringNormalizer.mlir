// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @string_normalizer_leaves_out_words
// CHECK: "onnx.StringNormalizer"{{.*}} -> !cameo.tensor<[words], !cameo.string>
func.func @string_normalizer_leaves_out_words(%x: !cameo.tensor<[C], !cameo.string>)
    -> !cameo.tensor<*, !cameo.string> {
  %0 = "onnx.StringNormalizer"(%x) <{stopwords = ["a"]}>
      : (!cameo.tensor<[C], !cameo.string>) -> !cameo.tensor<*, !cameo.string>
  func.return %0 : !cameo.tensor<*, !cameo.string>
}

// -----

// CHECK-LABEL: @string_normalizer_keeps_words
// CHECK: "onnx.StringNormalizer"{{.*}} -> !cameo.tensor<[1, C], !cameo.string>
func.func @string_normalizer_keeps_words(%x: !cameo.tensor<[1, C], !cameo.string>)
    -> !cameo.tensor<*, !cameo.string> {
  %0 = "onnx.StringNormalizer"(%x) <{case_change_action = "LOWER"}>
      : (!cameo.tensor<[1, C], !cameo.string>) -> !cameo.tensor<*, !cameo.string>
  func.return %0 : !cameo.tensor<*, !cameo.string>
}

// -----

func.func @string_normalizer_c1(%x: !cameo.tensor<[2, C], !cameo.string>) -> !cameo.tensor<*, !cameo.string> {
  // expected-error @+1 {{does not fit in the rows of X (C1) (got 2, need 1)}}
  %0 = "onnx.StringNormalizer"(%x) : (!cameo.tensor<[2, C], !cameo.string>) -> !cameo.tensor<*, !cameo.string>
  func.return %0 : !cameo.tensor<*, !cameo.string>
}
