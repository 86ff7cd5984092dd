// RUN: cameo-opt %s --cameo-infer-shapes | FileCheck %s
// RUN: cameo-opt %s --cameo-infer-shapes --cameo-place --cameo-onnx-to-prog | FileCheck %s --check-prefix=BODY

// CHECK-LABEL: @binarizer_keeps_extents
// CHECK: "onnx.ml.Binarizer"{{.*}} -> !cameo.tensor<[N, 3], f32>
// BODY-LABEL: @binarizer_keeps_extents
// BODY: ^bb0(%[[X:.*]]: f32):
// BODY-DAG: %[[THRESHOLD:.*]] = prog.s_constant 2.5{{.*}} : f32
// BODY-DAG: %[[ABOVE:.*]] = prog.s_less %[[THRESHOLD]], %[[X]]
// BODY: %[[Y:.*]] = prog.s_select %[[ABOVE]]
// BODY: prog.yield %[[Y]]
func.func @binarizer_keeps_extents(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.Binarizer"(%x) <{threshold = 2.5 : f32}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// BODY-LABEL: @binarizer_compares_integers_in_f64
// BODY: ^bb0(%[[N:.*]]: i64):
// BODY: %[[WIDE:.*]] = prog.s_cast %[[N]] {{.*}}f64
// BODY: prog.s_less %{{.*}}, %[[WIDE]]
func.func @binarizer_compares_integers_in_f64(%x: !cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64> {
  %0 = "onnx.ml.Binarizer"(%x) <{threshold = 0.5 : f32}> : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
