// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @softmax_cross_entropy_loss_gives_log_prob
// CHECK: "onnx.SoftmaxCrossEntropyLoss"{{.*}} -> (!cameo.tensor<[], f32>, !cameo.tensor<[N, C], f32>)
func.func @softmax_cross_entropy_loss_gives_log_prob(%x: !cameo.tensor<[N, C], f32>, %t: !cameo.tensor<[N], i64>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:2 = "onnx.SoftmaxCrossEntropyLoss"(%x, %t)
      : (!cameo.tensor<[N, C], f32>, !cameo.tensor<[N], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}
