// RUN: not cameo-opt %s --cameo-infer-shapes="asserts='k <='" 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not cameo-opt %s --cameo-infer-shapes="asserts='kk <= 3'" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not cameo-opt %s --cameo-infer-shapes="asserts='y.shape[0] == 5' values=k=3" 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not cameo-opt %s --cameo-infer-shapes="dims=n=4..9 asserts='n <= 3'" 2>&1 | FileCheck %s --check-prefix=DIM
// RUN: not cameo-opt %s --cameo-infer-shapes="asserts='x[0] == 3'" 2>&1 | FileCheck %s --check-prefix=FLOAT
// RUN: not cameo-opt %s --cameo-infer-shapes="values='k=[1, 2]'" 2>&1 | FileCheck %s --check-prefix=COUNT

// TEXT: error: --assert cannot be read: expected an extent at 'k <=^'
// NAME: error: --assert 'kk <= 3': the model has no value and no dim 'kk'
// WRONG: error: {{.*}}contradicts the assertion 'y.shape[0] == 5' (got 3, need 5)
// DIM: error: contradicts the assertion 'n <= 3' (got n, which is in 4..9, need at most 3)
// FLOAT: error: assertion 'x[0] == 3': 'x' has no integers (got 'f32')
// COUNT: error: assertion 'k=[1, 2]' has 2 elements, but the value has 1
func.func @main(%x: !cameo.tensor<[n], f32> {onnx.name = "x"}, %k: !cameo.tensor<[1], i64> {onnx.name = "k"})
    -> !cameo.tensor<*, f32> {
  %y = "onnx.ConstantOfShape"(%k) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32> loc("ConstantOfShape:fill"(fused<["y"]>[unknown]))
  func.return %y : !cameo.tensor<*, f32>
}
