// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @dropout_gives_a_mask
// CHECK: "onnx.Dropout"{{.*}} -> (!cameo.tensor<[N, 3], f16>, !cameo.tensor<[N, 3], i1>)
func.func @dropout_gives_a_mask(%x: !cameo.tensor<[N, 3], f16>)
    -> (!cameo.tensor<*, f16>, !cameo.tensor<*, i1>) {
  %0:2 = "onnx.Dropout"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
      : (!cameo.tensor<[N, 3], f16>) -> (!cameo.tensor<*, f16>, !cameo.tensor<*, i1>)
  func.return %0#0, %0#1 : !cameo.tensor<*, f16>, !cameo.tensor<*, i1>
}
