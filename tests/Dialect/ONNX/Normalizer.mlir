// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s
// RUN: cameo-opt %s --cameo-infer-shapes --cameo-place --cameo-onnx-to-prog --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s --check-prefix=PROG

// CHECK-LABEL: @normalizer_makes_floats
// CHECK: "onnx.ml.Normalizer"{{.*}} -> !cameo.tensor<[N, 3], f32>
// PROG-LABEL: @normalizer_makes_floats
// PROG: %[[NORMS:.*]] = prog.call "reduce" ["combine::sum<float>"]
// PROG: prog.kernel [#cameo.extent<N>, #cameo.extent<3>] ins(%{{.*}}, %[[NORMS]]
func.func @normalizer_makes_floats(%x: !cameo.tensor<[N, 3], i64>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.Normalizer"(%x) <{norm = "L2"}> : (!cameo.tensor<[N, 3], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @normalizer_c1(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an unknown norm (C1)}}
  %0 = "onnx.ml.Normalizer"(%x) <{norm = "L3"}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @normalizer_c2(%x: !cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{X (C2)}}
  %0 = "onnx.ml.Normalizer"(%x) : (!cameo.tensor<[N, 3, 4], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
