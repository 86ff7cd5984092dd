// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @rms_normalization_takes_the_type_of_scale
// CHECK: "onnx.RMSNormalization"{{.*}} -> !cameo.tensor<[N, 8], f32>
func.func @rms_normalization_takes_the_type_of_scale(%x: !cameo.tensor<[N, 8], f16>, %s: !cameo.tensor<[8], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.RMSNormalization"(%x, %s)
      : (!cameo.tensor<[N, 8], f16>, !cameo.tensor<[8], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
