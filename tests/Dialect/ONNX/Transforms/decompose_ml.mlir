// RUN: cameo-opt %s --cameo-simplify --split-input-file | FileCheck %s
//
// Operators of ai.onnx.ml. Numbers are tests/models/ml_*.py's business.

// As many values as features, or the run ends; in f64 where the features are.
// CHECK-LABEL: @scaler
// CHECK: prog.check #cameo.extent<3> "eq" #cameo.extent<F> else "invalid_argument"
// CHECK: %[[MOVED:.*]] = "onnx.Sub"(%arg0{{.*}} -> !cameo.tensor<[N, 3], f64>
// CHECK: %[[SCALED:.*]] = "onnx.Mul"(%[[MOVED]]
// CHECK: "onnx.Cast"(%[[SCALED]]{{.*}} -> !cameo.tensor<[N, F], f32>
func.func @scaler(%x: !cameo.tensor<[N, F], f64>) -> !cameo.tensor<[N, F], f32> {
  %0 = "onnx.ml.Scaler"(%x) <{offset = array<f32: 1.0, 2.0, 3.0>, scale = array<f32: 2.0>}> : (!cameo.tensor<[N, F], f64>) -> !cameo.tensor<[N, F], f32>
  func.return %0 : !cameo.tensor<[N, F], f32>
}

// -----

// CHECK-LABEL: @imputer_of_nan
// CHECK: %[[MISSING:.*]] = "onnx.IsNaN"(%arg0)
// CHECK: "onnx.Where"(%[[MISSING]], %{{.*}}, %arg0)
func.func @imputer_of_nan(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<[N, 3], f32> {
  %0 = "onnx.ml.Imputer"(%x) <{imputed_value_floats = array<f32: 1.0, 2.0, 3.0>, replaced_value_float = 0x7FC00000 : f32}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<[N, 3], f32>
  func.return %0 : !cameo.tensor<[N, 3], f32>
}

// -----

// Features that are open are cut off and filled up.
// CHECK-LABEL: @feature_vectorizer
// CHECK: "onnx.Slice"
// CHECK: "onnx.Pad"{{.*}} -> !cameo.tensor<[N, 4], f32>
// CHECK: "onnx.Concat"{{.*}} -> !cameo.tensor<[N, 6], f32>
func.func @feature_vectorizer(%x: !cameo.tensor<[N, M], f32>, %y: !cameo.tensor<[N, 2], f32>) -> !cameo.tensor<[N, 6], f32> {
  %0 = "onnx.ml.FeatureVectorizer"(%x, %y) <{inputdimensions = array<i64: 4, 2>}> : (!cameo.tensor<[N, M], f32>, !cameo.tensor<[N, 2], f32>) -> !cameo.tensor<[N, 6], f32>
  func.return %0 : !cameo.tensor<[N, 6], f32>
}

// -----

// Constant strings are taken by their numbers.
// CHECK-LABEL: @array_feature_extractor
// CHECK: %[[NUMBERS:.*]] = "onnx.Gather"{{.*}}: (!cameo.tensor<[3], i64>, !cameo.tensor<[K], i64>) -> !cameo.tensor<[K], i64>
// CHECK: %[[NAMES:.*]] = "onnx.ml.LabelEncoder"(%[[NUMBERS]])
// CHECK: "onnx.Reshape"(%[[NAMES]]
func.func @array_feature_extractor(%y: !cameo.tensor<[K], i64>) -> !cameo.tensor<[1, K], !cameo.string> {
  %x = "onnx.Constant"() <{value = dense<["a", "b", "c"]> : tensor<3x!cameo.string>}> : () -> !cameo.tensor<[3], !cameo.string>
  %0 = "onnx.ml.ArrayFeatureExtractor"(%x, %y) : (!cameo.tensor<[3], !cameo.string>, !cameo.tensor<[K], i64>) -> !cameo.tensor<[1, K], !cameo.string>
  func.return %0 : !cameo.tensor<[1, K], !cameo.string>
}

// -----

// What is no category ends the run, since no table has its number.
// CHECK-LABEL: @one_hot_encoder
// CHECK: %[[NUMBER:.*]] = "onnx.ml.LabelEncoder"(%arg0) <{{{.*}}default_tensor = dense<2>
// CHECK: "onnx.Gather"(%{{.*}}, %[[NUMBER]])
// CHECK: "onnx.Equal"{{.*}} -> !cameo.tensor<[N, 2], i1>
func.func @one_hot_encoder(%x: !cameo.tensor<[N], !cameo.string>) -> !cameo.tensor<[N, 2], f32> {
  %0 = "onnx.ml.OneHotEncoder"(%x) <{cats_strings = ["a", "b"], zeros = 0 : i64}> : (!cameo.tensor<[N], !cameo.string>) -> !cameo.tensor<[N, 2], f32>
  func.return %0 : !cameo.tensor<[N, 2], f32>
}

// -----

// The scores as they are.
// CHECK-LABEL: @zip_map
// CHECK-NEXT: return %arg0
func.func @zip_map(%x: !cameo.tensor<[N, 2], f32>) -> !cameo.tensor<[N, 2], f32> {
  %0 = "onnx.ml.ZipMap"(%x) <{classlabels_int64s = array<i64: 4, 2>}> : (!cameo.tensor<[N, 2], f32>) -> !cameo.tensor<[N, 2], f32>
  func.return %0 : !cameo.tensor<[N, 2], f32>
}

// -----

// CHECK-LABEL: @linear_regressor
// CHECK: %[[SUMS:.*]] = "onnx.Gemm"{{.*}} -> !cameo.tensor<[N, 2], f32>
// CHECK: "onnx.Softmax"(%[[SUMS]])
func.func @linear_regressor(%x: !cameo.tensor<[N, F], f32>) -> !cameo.tensor<[N, 2], f32> {
  %0 = "onnx.ml.LinearRegressor"(%x) <{coefficients = array<f32: 1.0, 2.0, 3.0, 4.0>, intercepts = array<f32: 1.0, 2.0>, post_transform = "SOFTMAX", targets = 2 : i64}> : (!cameo.tensor<[N, F], f32>) -> !cameo.tensor<[N, 2], f32>
  func.return %0 : !cameo.tensor<[N, 2], f32>
}

// -----

// One sum for two classes; their names come last.
// CHECK-LABEL: @linear_classifier
// CHECK: %[[SUM:.*]] = "onnx.Gemm"{{.*}} -> !cameo.tensor<[N, 1], f32>
// CHECK: %[[SECOND:.*]] = "onnx.Greater"(%[[SUM]]
// CHECK: "onnx.ml.LabelEncoder"{{.*}} -> !cameo.tensor<[N], !cameo.string>
func.func @linear_classifier(%x: !cameo.tensor<[N, 3], i64>) -> (!cameo.tensor<[N], !cameo.string>, !cameo.tensor<[N, 2], f32>) {
  %0:2 = "onnx.ml.LinearClassifier"(%x) <{classlabels_strings = ["no", "yes"], coefficients = array<f32: 1.0, 2.0, 3.0>, intercepts = array<f32: 1.0>, post_transform = "LOGISTIC"}>
      : (!cameo.tensor<[N, 3], i64>) -> (!cameo.tensor<[N], !cameo.string>, !cameo.tensor<[N, 2], f32>)
  func.return %0#0, %0#1 : !cameo.tensor<[N], !cameo.string>, !cameo.tensor<[N, 2], f32>
}

// -----

// By differences, which no product of matrices would keep.
// CHECK-LABEL: @svm_regressor
// CHECK: %[[APART:.*]] = "onnx.Sub"{{.*}} -> !cameo.tensor<[N, 2, 3], f32>
// CHECK: "onnx.ReduceSumSquare"(%[[APART]]
// CHECK: "onnx.Exp"
// CHECK: "onnx.Gemm"{{.*}} -> !cameo.tensor<[N, 1], f32>
func.func @svm_regressor(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<[N, 1], f32> {
  %0 = "onnx.ml.SVMRegressor"(%x) <{coefficients = array<f32: 1.0, -1.0>, kernel_params = array<f32: 0.5, 0.0, 3.0>, kernel_type = "RBF", n_supports = 2 : i64, rho = array<f32: 0.5>, support_vectors = array<f32: 1.0, 2.0, 3.0, 4.0, 5.0, 6.0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<[N, 1], f32>
  func.return %0 : !cameo.tensor<[N, 1], f32>
}

// -----

// Each class' vectors speak against both others; pairs are sums of two opinions, classes of votes.
// CHECK-LABEL: @svm_classifier
// CHECK: %[[OPINIONS:.*]] = "onnx.Concat"{{.*}} -> !cameo.tensor<[N, 6], f32>
// CHECK: "onnx.Gather"(%[[OPINIONS]]{{.*}} -> !cameo.tensor<[N, 3], f32>
// CHECK: "onnx.Gather"(%[[OPINIONS]]{{.*}} -> !cameo.tensor<[N, 3], f32>
// CHECK: "onnx.ReduceSum"{{.*}} -> !cameo.tensor<[N, 3], f32>
// CHECK: "onnx.ArgMax"
func.func @svm_classifier(%x: !cameo.tensor<[N, 2], f32>) -> (!cameo.tensor<[N], i64>, !cameo.tensor<[N, 3], f32>) {
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{classlabels_ints = array<i64: 4, 5, 6>, coefficients = array<f32: 1.0, -1.0, 2.0, -2.0, 3.0, -3.0>, rho = array<f32: 0.5, 0.25, 0.0>, support_vectors = array<f32: 1.0, 2.0, 3.0, 4.0, 5.0, 6.0>, vectors_per_class = array<i64: 1, 1, 1>}>
      : (!cameo.tensor<[N, 2], f32>) -> (!cameo.tensor<[N], i64>, !cameo.tensor<[N, 3], f32>)
  func.return %0#0, %0#1 : !cameo.tensor<[N], i64>, !cameo.tensor<[N, 3], f32>
}
