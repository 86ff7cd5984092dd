// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @array_feature_extractor_takes_all_places
// CHECK: "onnx.ml.ArrayFeatureExtractor"{{.*}} -> !cameo.tensor<[N, 2, 2 * K], f32>
func.func @array_feature_extractor_takes_all_places(%x: !cameo.tensor<[N, 2, 3], f32>, %y: !cameo.tensor<[K, 2], i64>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.ArrayFeatureExtractor"(%x, %y) : (!cameo.tensor<[N, 2, 3], f32>, !cameo.tensor<[K, 2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @array_feature_extractor_makes_a_row
// CHECK: "onnx.ml.ArrayFeatureExtractor"{{.*}} -> !cameo.tensor<[1, K], !cameo.string>
func.func @array_feature_extractor_makes_a_row(%x: !cameo.tensor<[N], !cameo.string>, %y: !cameo.tensor<[K], i64>) -> !cameo.tensor<*, !cameo.string> {
  %0 = "onnx.ml.ArrayFeatureExtractor"(%x, %y) : (!cameo.tensor<[N], !cameo.string>, !cameo.tensor<[K], i64>) -> !cameo.tensor<*, !cameo.string>
  func.return %0 : !cameo.tensor<*, !cameo.string>
}

// -----

func.func @array_feature_extractor_c1(%x: !cameo.tensor<[], f32>, %y: !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of X (C1) (got 0, need at least 1)}}
  %0 = "onnx.ml.ArrayFeatureExtractor"(%x, %y) : (!cameo.tensor<[], f32>, !cameo.tensor<[K], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
