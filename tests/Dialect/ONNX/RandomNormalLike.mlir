// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @random_normal_like_takes_dtype
// CHECK: "onnx.RandomNormalLike"{{.*}} -> !cameo.tensor<[N, 3], f16>
func.func @random_normal_like_takes_dtype(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f16> {
  %0 = "onnx.RandomNormalLike"(%x) <{dtype = 10 : i64}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}
