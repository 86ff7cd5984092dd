// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @tf_idf_vectorizer_has_a_column_per_n_gram
// CHECK: "onnx.TfIdfVectorizer"{{.*}} -> !cameo.tensor<[N, 3], f32>
func.func @tf_idf_vectorizer_has_a_column_per_n_gram(%x: !cameo.tensor<[N, C], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.TfIdfVectorizer"(%x) <{max_gram_length = 1 : i64, max_skip_count = 0 : i64, min_gram_length = 1 : i64, mode = "TF", ngram_counts = array<i64: 0>, ngram_indexes = array<i64: 0, 2>, pool_int64s = array<i64: 5, 7>}>
      : (!cameo.tensor<[N, C], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tf_idf_vectorizer_c3(%x: !cameo.tensor<[N, C], i64>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{needs one pool, of the type of its input (C3)}}
  %0 = "onnx.TfIdfVectorizer"(%x) <{max_gram_length = 1 : i64, max_skip_count = 0 : i64, min_gram_length = 1 : i64, mode = "TF", ngram_counts = array<i64: 0>, ngram_indexes = array<i64: 0, 2>, pool_strings = ["a", "b"]}>
      : (!cameo.tensor<[N, C], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tf_idf_vectorizer_c7(%x: !cameo.tensor<[N, C], i64>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has too few ngram_indexes (C7, got 1, need 2)}}
  %0 = "onnx.TfIdfVectorizer"(%x) <{max_gram_length = 1 : i64, max_skip_count = 0 : i64, min_gram_length = 1 : i64, mode = "TF", ngram_counts = array<i64: 0>, ngram_indexes = array<i64: 0>, pool_int64s = array<i64: 5, 7>}>
      : (!cameo.tensor<[N, C], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
