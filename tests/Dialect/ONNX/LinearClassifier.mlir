// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @linear_classifier_has_a_score_for_each_class
// CHECK: "onnx.ml.LinearClassifier"{{.*}} -> (!cameo.tensor<[N], i64>, !cameo.tensor<[N, 2], f32>)
func.func @linear_classifier_has_a_score_for_each_class(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  %0:2 = "onnx.ml.LinearClassifier"(%x) <{classlabels_ints = array<i64: 4, 5>, coefficients = array<f32: 1.0, 2.0, 3.0>, intercepts = array<f32: 0.0>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @linear_classifier_of_strings
// CHECK: "onnx.ml.LinearClassifier"{{.*}} -> (!cameo.tensor<[N], !cameo.string>, !cameo.tensor<[N, 3], f32>)
func.func @linear_classifier_of_strings(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, !cameo.string>, !cameo.tensor<*, f32>) {
  %0:2 = "onnx.ml.LinearClassifier"(%x) <{classlabels_strings = ["a", "b", "c"], coefficients = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, !cameo.string>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, !cameo.string>, !cameo.tensor<*, f32>
}

// -----

func.func @linear_classifier_c1(%x: !cameo.tensor<[N, 1, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a wrong rank of X (C1) (got 3, need 1 to 2)}}
  %0:2 = "onnx.ml.LinearClassifier"(%x) <{classlabels_ints = array<i64: 4, 5>, coefficients = array<f32: 1.0, 2.0, 3.0>}> : (!cameo.tensor<[N, 1, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @linear_classifier_c2(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has not one of classlabels_ints and classlabels_strings (C2)}}
  %0:2 = "onnx.ml.LinearClassifier"(%x) <{coefficients = array<f32: 1.0, 2.0, 3.0>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @linear_classifier_c2_number(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a wrong number of labels (C2, got 2, need one for each of 3 sums)}}
  %0:2 = "onnx.ml.LinearClassifier"(%x) <{classlabels_ints = array<i64: 4, 5>, coefficients = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0>, intercepts = array<f32: 0.0, 1.0, 2.0>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @linear_classifier_c3(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{does not fit in coefficients (C3) (got 3, need 4)}}
  %0:2 = "onnx.ml.LinearClassifier"(%x) <{classlabels_ints = array<i64: 4, 5>, coefficients = array<f32: 1.0, 2.0, 3.0, 4.0>, intercepts = array<f32: 0.0>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @linear_classifier_c4(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has post_transform PROBIT for one sum of two classes (C4)}}
  %0:2 = "onnx.ml.LinearClassifier"(%x) <{classlabels_ints = array<i64: 4, 5>, coefficients = array<f32: 1.0, 2.0, 3.0>, intercepts = array<f32: 0.0>, post_transform = "PROBIT"}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @linear_classifier_c4_unknown(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a post_transform that ONNX does not have (C4, got X)}}
  %0:2 = "onnx.ml.LinearClassifier"(%x) <{classlabels_ints = array<i64: 4, 5>, coefficients = array<f32: 1.0, 2.0, 3.0>, post_transform = "X"}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}
