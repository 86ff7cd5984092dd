// RUN: cameo-opt %s --cameo-couple-probabilities | FileCheck %s
//
// A loop over guesses, behind a classifier that has none.

// CHECK-LABEL: @probabilities
// CHECK-NEXT: %[[LABEL:.*]], %[[SUMS:.*]] = "onnx.ml.SVMClassifier"(%arg0)
// CHECK-NOT: prob_a
// CHECK: "onnx.Slice"(%[[SUMS]]
// CHECK: %[[LOOP:.*]] = "onnx.Loop"(%{{.*}}, %{{.*}})
// CHECK: return %[[LABEL]], %[[LOOP]]
func.func @probabilities(%x: !cameo.tensor<[N, 2], f32>) -> (!cameo.tensor<[N], i64>, !cameo.tensor<[N, 2], f32>) {
  %0:2 = "onnx.ml.SVMClassifier"(%x) <{classlabels_ints = array<i64: 4, 5>, coefficients = array<f32: 1.0, -1.0>, prob_a = array<f32: -1.0>, prob_b = array<f32: 0.5>, rho = array<f32: 0.5>, support_vectors = array<f32: 1.0, 2.0, 3.0, 4.0>, vectors_per_class = array<i64: 1, 1>}>
      : (!cameo.tensor<[N, 2], f32>) -> (!cameo.tensor<[N], i64>, !cameo.tensor<[N, 2], f32>)
  func.return %0#0, %0#1 : !cameo.tensor<[N], i64>, !cameo.tensor<[N, 2], f32>
}
