// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @negative_log_likelihood_loss_of_each
// CHECK: "onnx.NegativeLogLikelihoodLoss"{{.*}} -> !cameo.tensor<[N, H], f32>
func.func @negative_log_likelihood_loss_of_each(%x: !cameo.tensor<[N, C, H], f32>, %t: !cameo.tensor<[N, H], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.NegativeLogLikelihoodLoss"(%x, %t) <{reduction = "none"}>
      : (!cameo.tensor<[N, C, H], f32>, !cameo.tensor<[N, H], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @negative_log_likelihood_loss_is_a_scalar
// CHECK: "onnx.NegativeLogLikelihoodLoss"{{.*}} -> !cameo.tensor<[], f32>
func.func @negative_log_likelihood_loss_is_a_scalar(%x: !cameo.tensor<[N, C, H], f32>, %t: !cameo.tensor<[N, H], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.NegativeLogLikelihoodLoss"(%x, %t)
      : (!cameo.tensor<[N, C, H], f32>, !cameo.tensor<[N, H], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @negative_log_likelihood_loss_c2(%x: !cameo.tensor<[N, C, 5], f32>, %t: !cameo.tensor<[N, 4], i64>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the labels (C2) (got 4, need 5)}}
  %0 = "onnx.NegativeLogLikelihoodLoss"(%x, %t)
      : (!cameo.tensor<[N, C, 5], f32>, !cameo.tensor<[N, 4], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
