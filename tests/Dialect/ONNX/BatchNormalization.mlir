// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @batch_normalization_gives_statistics
// CHECK: "onnx.BatchNormalization"{{.*}} -> (!cameo.tensor<[N, 3, H], f16>, !cameo.tensor<[3], f32>, !cameo.tensor<[3], f32>)
func.func @batch_normalization_gives_statistics(%x: !cameo.tensor<[N, 3, H], f16>, %s: !cameo.tensor<[3], f32>, %b: !cameo.tensor<[3], f32>, %m: !cameo.tensor<[3], f32>, %v: !cameo.tensor<[3], f32>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:3 = "onnx.BatchNormalization"(%x, %s, %b, %m, %v)
      : (!cameo.tensor<[N, 3, H], f16>, !cameo.tensor<[3], f32>, !cameo.tensor<[3], f32>, !cameo.tensor<[3], f32>, !cameo.tensor<[3], f32>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @batch_normalization_c2(%x: !cameo.tensor<[N, 3, H], f32>, %s: !cameo.tensor<[3], f32>, %b: !cameo.tensor<[3], f32>, %m: !cameo.tensor<[4], f32>, %v: !cameo.tensor<[3], f32>)
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{does not fit in the channels (C2) (got 4, need 3)}}
  %0:3 = "onnx.BatchNormalization"(%x, %s, %b, %m, %v)
      : (!cameo.tensor<[N, 3, H], f32>, !cameo.tensor<[3], f32>, !cameo.tensor<[3], f32>, !cameo.tensor<[4], f32>, !cameo.tensor<[3], f32>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}
