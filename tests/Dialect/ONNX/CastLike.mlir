// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @cast_like_takes_the_other_type
// CHECK: "onnx.CastLike"{{.*}} -> !cameo.tensor<[N], f16>
func.func @cast_like_takes_the_other_type(%x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[3, 4], f16>)
    -> !cameo.tensor<*, f16> {
  %0 = "onnx.CastLike"(%x, %y) : (!cameo.tensor<[N], f32>, !cameo.tensor<[3, 4], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}
