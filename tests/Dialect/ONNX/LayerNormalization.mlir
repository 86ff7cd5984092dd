// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @layer_normalization_gives_statistics
// CHECK: "onnx.LayerNormalization"{{.*}} -> (!cameo.tensor<[N, S, 8], f16>, !cameo.tensor<[N, S, 1], f32>, !cameo.tensor<[N, S, 1], f32>)
func.func @layer_normalization_gives_statistics(%x: !cameo.tensor<[N, S, 8], f16>, %s: !cameo.tensor<[8], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %0:3 = "onnx.LayerNormalization"(%x, %s)
      : (!cameo.tensor<[N, S, 8], f16>, !cameo.tensor<[8], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @layer_normalization_c1(%x: !cameo.tensor<[N, S, 8], f16>, %s: !cameo.tensor<[8], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{axis (C1) is out of range (got 3, need [-3, 3))}}
  %0:3 = "onnx.LayerNormalization"(%x, %s) <{axis = 3 : i64}>
      : (!cameo.tensor<[N, S, 8], f16>, !cameo.tensor<[8], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @layer_normalization_c2(%x: !cameo.tensor<[N, S, 8], f16>, %s: !cameo.tensor<[7], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{does not fit in X (C2) (got 7, need 8)}}
  %0:3 = "onnx.LayerNormalization"(%x, %s)
      : (!cameo.tensor<[N, S, 8], f16>, !cameo.tensor<[7], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

func.func @layer_normalization_c3(%x: !cameo.tensor<[N, S, 8], f16>, %s: !cameo.tensor<[8], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  // expected-error @+1 {{has a stash_type other than 1 and 16 (C3, got 10)}}
  %0:3 = "onnx.LayerNormalization"(%x, %s) <{stash_type = 10 : i64}>
      : (!cameo.tensor<[N, S, 8], f16>, !cameo.tensor<[8], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<*, f16>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}
