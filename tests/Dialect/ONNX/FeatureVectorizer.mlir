// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @feature_vectorizer_adds_up
// CHECK: "onnx.ml.FeatureVectorizer"{{.*}} -> !cameo.tensor<[N, M + 6], f32>
func.func @feature_vectorizer_adds_up(%x: !cameo.tensor<[N, 3, 2], f32>, %y: !cameo.tensor<[N, M], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.FeatureVectorizer"(%x, %y) : (!cameo.tensor<[N, 3, 2], f32>, !cameo.tensor<[N, M], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @feature_vectorizer_cuts
// CHECK: "onnx.ml.FeatureVectorizer"{{.*}} -> !cameo.tensor<[N, 6], f32>
func.func @feature_vectorizer_cuts(%x: !cameo.tensor<[N, 3], i64>, %y: !cameo.tensor<[N, M], i64>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.FeatureVectorizer"(%x, %y) <{inputdimensions = array<i64: 5, 1>}> : (!cameo.tensor<[N, 3], i64>, !cameo.tensor<[N, M], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @feature_vectorizer_c1(%x: !cameo.tensor<[2, 3], f32>, %y: !cameo.tensor<[3, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the rows of the first tensor (C1) (got 3, need 2)}}
  %0 = "onnx.ml.FeatureVectorizer"(%x, %y) : (!cameo.tensor<[2, 3], f32>, !cameo.tensor<[3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @feature_vectorizer_c1_rank(%x: !cameo.tensor<[], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of X (C1) (got 0, need at least 1)}}
  %0 = "onnx.ml.FeatureVectorizer"(%x) : (!cameo.tensor<[], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @feature_vectorizer_c2(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong number of inputdimensions (C2, got 2, need 1)}}
  %0 = "onnx.ml.FeatureVectorizer"(%x) <{inputdimensions = array<i64: 5, 1>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @feature_vectorizer_c2_negative(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a negative number in inputdimensions (C2, got -1)}}
  %0 = "onnx.ml.FeatureVectorizer"(%x) <{inputdimensions = array<i64: -1>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
