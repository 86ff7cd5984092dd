// RUN: cameo-opt %s --cameo-infer-shapes | FileCheck %s

// How many it finds is all that is asked of NonZero, which without its elements would go, and the count with it.
// CHECK-LABEL: func.func @count
// CHECK: %[[FOUND:.*]] = "onnx.NonZero"
// CHECK-NEXT: prog.keep %[[FOUND]]
// CHECK: prog.from_extents
func.func @count(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, i64> {
  %0 = "onnx.NonZero"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, i64>
  %1 = "onnx.Shape"(%0) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  func.return %1 : !cameo.tensor<*, i64>
}

// What nobody asks anything of goes.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: prog.keep
func.func @nothing(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32> {
  %0 = "onnx.NonZero"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, i64>
  func.return %x : !cameo.tensor<[N], f32>
}
