// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @arg_max_gives_positions
// CHECK: "onnx.ArgMax"{{.*}} -> !cameo.tensor<[N], i64>
func.func @arg_max_gives_positions(%x: !cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, i64> {
  %0 = "onnx.ArgMax"(%x) <{axis = -1 : i64, keepdims = 0 : i64}>
      : (!cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

func.func @arg_max_c1(%x: !cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, i64> {
  // expected-error @+1 {{axis (C1) is out of range (got 2147483647, need [-2, 2))}}
  %0 = "onnx.ArgMax"(%x) <{axis = 2147483647 : i64}> : (!cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
