// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @average_pool_same
// CHECK: "onnx.AveragePool"{{.*}} -> !cameo.tensor<[N, 3, (H + 1) floordiv 2], f32>
func.func @average_pool_same(%x: !cameo.tensor<[N, 3, H], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.AveragePool"(%x) <{auto_pad = "SAME_UPPER", kernel_shape = array<i64: 3>, strides = array<i64: 2>}>
      : (!cameo.tensor<[N, 3, H], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
