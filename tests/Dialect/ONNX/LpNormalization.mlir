// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @lp_normalization_keeps_extents
// CHECK: "onnx.LpNormalization"{{.*}} -> !cameo.tensor<[N, 3], f16>
func.func @lp_normalization_keeps_extents(%x: !cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16> {
  %0 = "onnx.LpNormalization"(%x) <{p = 1 : i64}> : (!cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}

// -----

func.func @lp_normalization_c1(%x: !cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16> {
  // expected-error @+1 {{axis (C1) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.LpNormalization"(%x) <{axis = 2 : i64}> : (!cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}

// -----

func.func @lp_normalization_c2(%x: !cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16> {
  // expected-error @+1 {{has p other than 1 and 2 (C2, got 3)}}
  %0 = "onnx.LpNormalization"(%x) <{p = 3 : i64}> : (!cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}
