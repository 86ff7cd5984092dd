// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @softmax_keeps_extents
// CHECK: "onnx.Softmax"{{.*}} -> !cameo.tensor<[N, 3], f16>
func.func @softmax_keeps_extents(%x: !cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16> {
  %0 = "onnx.Softmax"(%x) : (!cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}

// -----

func.func @softmax_c1(%x: !cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16> {
  // expected-error @+1 {{axis (C1) is out of range (got -9223372036854775808, need [-2, 2))}}
  %0 = "onnx.Softmax"(%x) <{axis = -9223372036854775808 : i64}>
      : (!cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}
