// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @cum_sum_keeps_extents
// CHECK: "onnx.CumSum"{{.*}} -> !cameo.tensor<[N, 3], f32>
func.func @cum_sum_keeps_extents(%x: !cameo.tensor<[N, 3], f32>, %a: !cameo.tensor<[], i64>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.CumSum"(%x, %a) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @cum_sum_c1(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<2> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{axis (C1) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.CumSum"(%x, %a) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
