// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @instance_normalization_keeps_extents
// CHECK: "onnx.InstanceNormalization"{{.*}} -> !cameo.tensor<[N, 3, H], f32>
func.func @instance_normalization_keeps_extents(%x: !cameo.tensor<[N, 3, H], f32>, %s: !cameo.tensor<[3], f32>, %b: !cameo.tensor<[3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.InstanceNormalization"(%x, %s, %b)
      : (!cameo.tensor<[N, 3, H], f32>, !cameo.tensor<[3], f32>, !cameo.tensor<[3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @instance_normalization_c1(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[3], f32>, %b: !cameo.tensor<[3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of input (C1) (got 2, need at least 3)}}
  %0 = "onnx.InstanceNormalization"(%x, %s, %b)
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[3], f32>, !cameo.tensor<[3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
