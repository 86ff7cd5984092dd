// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @non_max_suppression_counts
// CHECK: "onnx.NonMaxSuppression"{{.*}} -> !cameo.tensor<[selected, 3], i64>
func.func @non_max_suppression_counts(%b: !cameo.tensor<[1, B, 4], f32>, %s: !cameo.tensor<[1, 2, B], f32>)
    -> !cameo.tensor<*, i64> {
  %k = "onnx.Constant"() <{value = dense<5> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.NonMaxSuppression"(%b, %s, %k) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (!cameo.tensor<[1, B, 4], f32>, !cameo.tensor<[1, 2, B], f32>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

// CHECK-LABEL: @non_max_suppression_selects_none_by_default
// CHECK: "onnx.NonMaxSuppression"{{.*}} -> !cameo.tensor<[0, 3], i64>
func.func @non_max_suppression_selects_none_by_default(%b: !cameo.tensor<[1, B, 4], f32>, %s: !cameo.tensor<[1, 2, B], f32>)
    -> !cameo.tensor<*, i64> {
  %0 = "onnx.NonMaxSuppression"(%b, %s) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[1, B, 4], f32>, !cameo.tensor<[1, 2, B], f32>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

func.func @non_max_suppression_c1(%b: !cameo.tensor<[1, B, 5], f32>, %s: !cameo.tensor<[1, 2, B], f32>)
    -> !cameo.tensor<*, i64> {
  // expected-error @+1 {{does not fit in a box (C1) (got 5, need 4)}}
  %0 = "onnx.NonMaxSuppression"(%b, %s) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[1, B, 5], f32>, !cameo.tensor<[1, 2, B], f32>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

func.func @non_max_suppression_c2(%b: !cameo.tensor<[1, B, 4], f32>, %s: !cameo.tensor<[1, 2, B], f32>,
                                  %k: !cameo.tensor<[2], i64>) -> !cameo.tensor<*, i64> {
  // expected-error @+1 {{needs one element in max_output_boxes_per_class (C2), got 2}}
  %0 = "onnx.NonMaxSuppression"(%b, %s, %k) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      : (!cameo.tensor<[1, B, 4], f32>, !cameo.tensor<[1, 2, B], f32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
