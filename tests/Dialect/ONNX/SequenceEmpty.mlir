// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @sequence_empty_of_a_type
// CHECK: "onnx.SequenceEmpty"{{.*}} -> !cameo.seq<!cameo.tensor<*, i64>>
func.func @sequence_empty_of_a_type() -> !cameo.seq<!cameo.tensor<*, i64>> {
  %0 = "onnx.SequenceEmpty"() <{dtype = 7 : i64}> : () -> !cameo.seq<!cameo.tensor<*, i64>>
  func.return %0 : !cameo.seq<!cameo.tensor<*, i64>>
}
