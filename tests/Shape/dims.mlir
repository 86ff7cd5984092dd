// RUN: cameo-opt %s --cameo-infer-shapes="dims=N=4" | FileCheck %s --check-prefix=VALUE
// RUN: cameo-opt %s --cameo-infer-shapes="dims=N=2..8" | FileCheck %s --check-prefix=RANGE
// RUN: not cameo-opt %s --cameo-infer-shapes="dims=N=many" 2>&1 | FileCheck %s --check-prefix=WRONG

// VALUE: cameo.symbols = [#cameo.symbol<"N" in [4, 4]>]
// VALUE: "onnx.Concat"{{.*}} -> !cameo.tensor<[8], f32>
// RANGE: cameo.symbols = [#cameo.symbol<"N" in [2, 8]>]
// RANGE: "onnx.Concat"{{.*}} -> !cameo.tensor<[2 * N], f32>
// WRONG: --dim expected name=4 or name=1..64, got 'N=many'
func.func @dims_of_the_user(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Concat"(%x, %x) <{axis = 0 : i64}>
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
