// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @einsum_explicit
// CHECK: "onnx.Einsum"{{.*}} -> !cameo.tensor<[B, I, K], f32>
func.func @einsum_explicit(%a: !cameo.tensor<[B, I, J], f32>, %b: !cameo.tensor<[B, J, K], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Einsum"(%a, %b) <{equation = "bij, bjk -> bik"}>
      : (!cameo.tensor<[B, I, J], f32>, !cameo.tensor<[B, J, K], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @einsum_implicit
// CHECK: "onnx.Einsum"{{.*}} -> !cameo.tensor<[I, K], f32>
func.func @einsum_implicit(%a: !cameo.tensor<[I, J], f32>, %b: !cameo.tensor<[J, K], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Einsum"(%a, %b) <{equation = "ij,jk"}>
      : (!cameo.tensor<[I, J], f32>, !cameo.tensor<[J, K], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @einsum_ellipsis
// CHECK: "onnx.Einsum"{{.*}} -> !cameo.tensor<[2, 3, I], f32>
func.func @einsum_ellipsis(%a: !cameo.tensor<[2, 1, I, J], f32>, %b: !cameo.tensor<[2, 3, J], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Einsum"(%a, %b) <{equation = "...ij,...j->...i"}>
      : (!cameo.tensor<[2, 1, I, J], f32>, !cameo.tensor<[2, 3, J], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @einsum_diagonal
// CHECK: "onnx.Einsum"{{.*}} -> !cameo.tensor<[], f32>
func.func @einsum_diagonal(%a: !cameo.tensor<[3, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Einsum"(%a) <{equation = "ii"}> : (!cameo.tensor<[3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @einsum_c1(%a: !cameo.tensor<[I, J], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an equation that cannot be read: a term holds something else than letters and an ellipsis (C1)}}
  %0 = "onnx.Einsum"(%a) <{equation = "i.j"}> : (!cameo.tensor<[I, J], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @einsum_c2_terms(%a: !cameo.tensor<[I, J], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an equation that cannot be read: there are 2 terms for 1 operands (C2)}}
  %0 = "onnx.Einsum"(%a) <{equation = "ij,j"}> : (!cameo.tensor<[I, J], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @einsum_c2_rank(%a: !cameo.tensor<[I, J], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an equation that cannot be read: a term does not fit an operand of rank 2 (C2)}}
  %0 = "onnx.Einsum"(%a) <{equation = "ijk"}> : (!cameo.tensor<[I, J], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @einsum_c3(%a: !cameo.tensor<[I, J], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an equation that cannot be read: the result's term holds a letter twice, or one that no operand has (C3)}}
  %0 = "onnx.Einsum"(%a) <{equation = "ij->ik"}> : (!cameo.tensor<[I, J], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @einsum_c4(%a: !cameo.tensor<[2, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the axes of its letter (C4) (got 3, need 2)}}
  %0 = "onnx.Einsum"(%a) <{equation = "ii"}> : (!cameo.tensor<[2, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
