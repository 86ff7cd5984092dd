// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @swiglu_keeps_extents
// CHECK: "onnx.SwiGLU"{{.*}} -> !cameo.tensor<[N, 3], f16>
func.func @swiglu_keeps_extents(%a: !cameo.tensor<[N, 3], f16>, %b: !cameo.tensor<[N, 3], f16>)
    -> !cameo.tensor<*, f16> {
  %0 = "onnx.SwiGLU"(%a, %b) : (!cameo.tensor<[N, 3], f16>, !cameo.tensor<[N, 3], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}

// -----

func.func @swiglu_c1(%a: !cameo.tensor<[N, 3], f16>, %b: !cameo.tensor<[N, 1], f16>)
    -> !cameo.tensor<*, f16> {
  // expected-error @+1 {{does not fit in A (C1) (got 1, need 3)}}
  %0 = "onnx.SwiGLU"(%a, %b) : (!cameo.tensor<[N, 3], f16>, !cameo.tensor<[N, 1], f16>) -> !cameo.tensor<*, f16>
  func.return %0 : !cameo.tensor<*, f16>
}
