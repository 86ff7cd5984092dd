// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @svm_classifier_has_both_signs_of_a_pair
// CHECK: "onnx.ml.SVMClassifier"{{.*}} -> (!cameo.tensor<[N], i64>, !cameo.tensor<[N, 2], f32>)
func.func @svm_classifier_has_both_signs_of_a_pair(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, vectors_per_class = array<i64: 1, 1>, classlabels_ints = array<i64: 4, 5>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @svm_classifier_has_the_sums_of_pairs
// CHECK: "onnx.ml.SVMClassifier"{{.*}} -> (!cameo.tensor<[N], !cameo.string>, !cameo.tensor<[N, 6], f32>)
func.func @svm_classifier_has_the_sums_of_pairs(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, !cameo.string>, !cameo.tensor<*, f32>) {
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0>, coefficients = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0>, rho = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, vectors_per_class = array<i64: 1, 1, 1, 1>, classlabels_strings = ["a", "b", "c", "d"]}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, !cameo.string>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, !cameo.string>, !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @svm_classifier_has_sums_of_classes
// CHECK: "onnx.ml.SVMClassifier"{{.*}} -> (!cameo.tensor<[N], i64>, !cameo.tensor<[N, 2], f32>)
func.func @svm_classifier_has_sums_of_classes(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{coefficients = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, rho = array<f32: 0.0>, classlabels_ints = array<i64: 4, 5>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c1(%x: !cameo.tensor<[1, N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a wrong rank of X (C1) (got 3, need 1 to 2)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, vectors_per_class = array<i64: 1, 1>, classlabels_ints = array<i64: 4, 5>}> : (!cameo.tensor<[1, N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c2(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a kernel_type that ONNX does not have (C2, got COSINE)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, vectors_per_class = array<i64: 1, 1>, classlabels_ints = array<i64: 4, 5>, kernel_type = "COSINE"}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c3(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has not one of classlabels_ints and classlabels_strings (C3)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, vectors_per_class = array<i64: 1, 1>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c3_one(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has one label (C3, need two)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, vectors_per_class = array<i64: 2>, classlabels_ints = array<i64: 1>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c4(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a wrong number of vectors_per_class (C4, got 1, need 2)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, vectors_per_class = array<i64: 2>, classlabels_ints = array<i64: 4, 5>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c4_number(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a wrong number in vectors_per_class (C4, got 9223372036854775807, of 6 numbers in support_vectors)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, vectors_per_class = array<i64: 1, 9223372036854775807>, classlabels_ints = array<i64: 4, 5>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c4_vectors(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{does not fit in support_vectors (C4) (got 3, need 4)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, vectors_per_class = array<i64: 1, 1>, classlabels_ints = array<i64: 4, 5>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c5(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a wrong number of coefficients (C5, got 1, need 2)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0>, rho = array<f32: 0.0>, vectors_per_class = array<i64: 1, 1>, classlabels_ints = array<i64: 4, 5>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c5_linear(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a number of coefficients that is not one for each feature of each class (C5, got 3, need a multiple of 2)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{coefficients = array<f32: 1.0, 2.0, 3.0>, rho = array<f32: 0.0>, classlabels_ints = array<i64: 4, 5>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c6(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a wrong number of rho (C6, got 2, need 3)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0>, coefficients = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, rho = array<f32: 0.0, 1.0>, vectors_per_class = array<i64: 1, 1, 1>, classlabels_ints = array<i64: 4, 5, 6>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c6_probabilities(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a wrong number of prob_b (C6, got 0, need 1)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, vectors_per_class = array<i64: 1, 1>, classlabels_ints = array<i64: 4, 5>, prob_a = array<f32: 1.0>}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}

// -----

func.func @svm_classifier_c7(%x: !cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has post_transform PROBIT for one pair of classes (C7)}}
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{support_vectors = array<f32: 0.0, 1.0, 2.0, 3.0, 4.0, 5.0>, coefficients = array<f32: 1.0, -1.0>, rho = array<f32: 0.0>, vectors_per_class = array<i64: 1, 1>, classlabels_ints = array<i64: 4, 5>, post_transform = "PROBIT"}> : (!cameo.tensor<[N, 3], f32>) -> (!cameo.tensor<*, i64>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, i64>, !cameo.tensor<*, f32>
}
