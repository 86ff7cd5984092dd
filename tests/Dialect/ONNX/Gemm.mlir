// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @gemm_transposes
// CHECK: "onnx.Gemm"{{.*}} -> !cameo.tensor<[M, N], f32>
func.func @gemm_transposes(%a: !cameo.tensor<[K, M], f32>, %b: !cameo.tensor<[N, K], f32>, %c: !cameo.tensor<[N], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Gemm"(%a, %b, %c) <{transA = 1 : i64, transB = 1 : i64}>
      : (!cameo.tensor<[K, M], f32>, !cameo.tensor<[N, K], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @gemm_c1(%a: !cameo.tensor<[K], f32>, %b: !cameo.tensor<[K, N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong rank of A (C1) (got 1, need 2)}}
  %0 = "onnx.Gemm"(%a, %b) : (!cameo.tensor<[K], f32>, !cameo.tensor<[K, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @gemm_c2(%a: !cameo.tensor<[M, 3], f32>, %b: !cameo.tensor<[4, N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in A (C2) (got 4, need 3)}}
  %0 = "onnx.Gemm"(%a, %b) : (!cameo.tensor<[M, 3], f32>, !cameo.tensor<[4, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @gemm_c3(%a: !cameo.tensor<[M, 3], f32>, %b: !cameo.tensor<[3, 5], f32>, %c: !cameo.tensor<[4], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the product (C3) (got 4, need 5)}}
  %0 = "onnx.Gemm"(%a, %b, %c)
      : (!cameo.tensor<[M, 3], f32>, !cameo.tensor<[3, 5], f32>, !cameo.tensor<[4], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
