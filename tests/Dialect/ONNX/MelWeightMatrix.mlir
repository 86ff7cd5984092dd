// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @mel_weight_matrix_of_bins
// CHECK: "onnx.MelWeightMatrix"{{.*}} -> !cameo.tensor<[9, 8], f32>
func.func @mel_weight_matrix_of_bins(%r: !cameo.tensor<[], i64>, %l: !cameo.tensor<[], f32>, %u: !cameo.tensor<[], f32>)
    -> !cameo.tensor<*, f32> {
  %n = "onnx.Constant"() <{value = dense<8> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %d = "onnx.Constant"() <{value = dense<16> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.MelWeightMatrix"(%n, %d, %r, %l, %u)
      : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
