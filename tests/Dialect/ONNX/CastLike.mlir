// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @cast_like_takes_the_other_type
// CHECK: "onnx.CastLike"{{.*}} -> !cameo.tensor<[N], f16>
func.func @cast_like_takes_the_other_type(%x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[3, 4], f16>)
    -> !cameo.tensor<*, f16> {
  %0 = "onnx.CastLike"(%x, %y) : (!cameo.tensor<[N], f32>, !cameo.tensor<[3, 4], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}

// -----

// Integers are followed, whatever gives the type.
// CHECK-LABEL: @cast_like_passes_integers
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[N], f32>
func.func @cast_like_passes_integers(%x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[3, M, 4], i64>) -> !cameo.tensor<*, f32> {
  %s = "onnx.Shape"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1], i64>
  %0 = "onnx.CastLike"(%s, %y) : (!cameo.tensor<[1], i64>, !cameo.tensor<[3, M, 4], i64>) -> !cameo.tensor<*, i64>
  %1 = "onnx.ConstantOfShape"(%0) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %1 : !cameo.tensor<*, f32>
}
