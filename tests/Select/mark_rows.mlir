// RUN: cameo-opt %s --cameo-set-target --cameo-onnx-to-prog --canonicalize --cse --cameo-fuse --cameo-select --split-input-file | FileCheck %s

// Rows along the second axis lie crosswise, those along the last do not.
// CHECK-LABEL: @crosswise
// CHECK: prog.call "reduce" ["combine::sum<float>"] {across_rows = true, outer = [#cameo.extent<N>, #cameo.extent<48>]
// CHECK: prog.call "softmax" ["false"] {across_rows = true, outer = [#cameo.extent<N>, #cameo.extent<48>]
// CHECK: prog.call "softmax" ["false"] {outer = [#cameo.extent<N>, #cameo.extent<32>]
func.func @crosswise(%x: !cameo.tensor<[N, 32, 48], f32, host>)
    -> (!cameo.tensor<[N, 48], f32, host>, !cameo.tensor<[N, 32, 48], f32, host>, !cameo.tensor<[N, 32, 48], f32, host>) {
  %axes = "onnx.Constant"() <{value = dense<1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64, host>
  %0 = "onnx.ReduceSum"(%x, %axes) <{keepdims = 0 : i64}>
      : (!cameo.tensor<[N, 32, 48], f32, host>, !cameo.tensor<[1], i64, host>) -> !cameo.tensor<[N, 48], f32, host>
  %1 = "onnx.Softmax"(%x) <{axis = 1 : i64}> : (!cameo.tensor<[N, 32, 48], f32, host>) -> !cameo.tensor<[N, 32, 48], f32, host>
  %2 = "onnx.Softmax"(%x) <{axis = 2 : i64}> : (!cameo.tensor<[N, 32, 48], f32, host>) -> !cameo.tensor<[N, 32, 48], f32, host>
  func.return %0, %1, %2 : !cameo.tensor<[N, 48], f32, host>, !cameo.tensor<[N, 32, 48], f32, host>, !cameo.tensor<[N, 32, 48], f32, host>
}
