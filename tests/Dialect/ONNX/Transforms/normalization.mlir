// RUN: cameo-opt %s --cameo-simplify --split-input-file | FileCheck %s
//
// Normalisations by constants. The factors here are [2, 3] / sqrt([4, 1]) = [1, 3].

// CHECK-LABEL: @into_convolution
// CHECK-DAG: %[[W:.*]] = "onnx.Constant"() <{value = dense<{{\[\[\[\[}}7.000000e+00]]], {{\[\[\[}}2.400000e+01]]]]> : tensor<2x1x1x1xf32>}>
// CHECK-DAG: %[[B:.*]] = "onnx.Constant"() <{value = dense<[-2.000000e+00, -1.000000e+01]> : tensor<2xf32>}>
// CHECK: "onnx.Conv"(%arg0, %[[W]], %[[B]])
// CHECK-NOT: onnx.BatchNormalization
func.func @into_convolution(%x: !cameo.tensor<[N, 1, H, W], f32>) -> !cameo.tensor<[N, 2, H, W], f32> {
  %w = "onnx.Constant"() <{value = dense<[[[[7.0]]], [[[8.0]]]]> : tensor<2x1x1x1xf32>}> : () -> !cameo.tensor<[2, 1, 1, 1], f32>
  %b = "onnx.Constant"() <{value = dense<[1.0, 1.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %scale = "onnx.Constant"() <{value = dense<[2.0, 3.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %shift = "onnx.Constant"() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %mean = "onnx.Constant"() <{value = dense<[4.0, 5.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %var = "onnx.Constant"() <{value = dense<[4.0, 1.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %c = "onnx.Conv"(%x, %w, %b) : (!cameo.tensor<[N, 1, H, W], f32>, !cameo.tensor<[2, 1, 1, 1], f32>, !cameo.tensor<[2], f32>) -> !cameo.tensor<[N, 2, H, W], f32>
  %0:3 = "onnx.BatchNormalization"(%c, %scale, %shift, %mean, %var) <{epsilon = 0.0 : f32}>
      : (!cameo.tensor<[N, 2, H, W], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>) -> (!cameo.tensor<[N, 2, H, W], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>)
  func.return %0#0 : !cameo.tensor<[N, 2, H, W], f32>
}

// -----

// The convolution has another use, whose result must stay.
// CHECK-LABEL: @shared_convolution_stays
// CHECK: "onnx.Conv"(%arg0, %arg1)
// CHECK: onnx.Mul
// CHECK: onnx.Add
func.func @shared_convolution_stays(%x: !cameo.tensor<[N, 1, H, W], f32>, %w: !cameo.tensor<[2, 1, 1, 1], f32>) -> (!cameo.tensor<[N, 2, H, W], f32>, !cameo.tensor<[N, 2, H, W], f32>) {
  %scale = "onnx.Constant"() <{value = dense<[2.0, 3.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %shift = "onnx.Constant"() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %mean = "onnx.Constant"() <{value = dense<[4.0, 5.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %var = "onnx.Constant"() <{value = dense<[4.0, 1.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %c = "onnx.Conv"(%x, %w) : (!cameo.tensor<[N, 1, H, W], f32>, !cameo.tensor<[2, 1, 1, 1], f32>) -> !cameo.tensor<[N, 2, H, W], f32>
  %0:3 = "onnx.BatchNormalization"(%c, %scale, %shift, %mean, %var) <{epsilon = 0.0 : f32}>
      : (!cameo.tensor<[N, 2, H, W], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>) -> (!cameo.tensor<[N, 2, H, W], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>)
  func.return %c, %0#0 : !cameo.tensor<[N, 2, H, W], f32>, !cameo.tensor<[N, 2, H, W], f32>
}

// -----

// x * [1, 3] + ([1, 2] - [4, 5] * [1, 3])
// CHECK-LABEL: @alone
// CHECK-DAG: %[[F:.*]] = "onnx.Constant"() <{value = dense<{{\[\[\[}}1.000000e+00]], {{\[\[}}3.000000e+00]]]> : tensor<2x1x1xf32>}>
// CHECK-DAG: %[[S:.*]] = "onnx.Constant"() <{value = dense<{{\[\[\[}}-3.000000e+00]], {{\[\[}}-1.300000e+01]]]> : tensor<2x1x1xf32>}>
// CHECK: %[[P:.*]] = "onnx.Mul"(%arg0, %[[F]])
// CHECK: "onnx.Add"(%[[P]], %[[S]])
func.func @alone(%x: !cameo.tensor<[N, 2, H, W], f32>) -> !cameo.tensor<[N, 2, H, W], f32> {
  %scale = "onnx.Constant"() <{value = dense<[2.0, 3.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %shift = "onnx.Constant"() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %mean = "onnx.Constant"() <{value = dense<[4.0, 5.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %var = "onnx.Constant"() <{value = dense<[4.0, 1.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %0:3 = "onnx.BatchNormalization"(%x, %scale, %shift, %mean, %var) <{epsilon = 0.0 : f32}>
      : (!cameo.tensor<[N, 2, H, W], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>) -> (!cameo.tensor<[N, 2, H, W], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>)
  func.return %0#0 : !cameo.tensor<[N, 2, H, W], f32>
}

// -----

// CHECK-LABEL: @statistics_of_the_run_stay
// CHECK: onnx.BatchNormalization
func.func @statistics_of_the_run_stay(%x: !cameo.tensor<[N, 2, H, W], f32>, %mean: !cameo.tensor<[2], f32>) -> !cameo.tensor<[N, 2, H, W], f32> {
  %scale = "onnx.Constant"() <{value = dense<[2.0, 3.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %shift = "onnx.Constant"() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %var = "onnx.Constant"() <{value = dense<[4.0, 1.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %0:3 = "onnx.BatchNormalization"(%x, %scale, %shift, %mean, %var) <{epsilon = 0.0 : f32}>
      : (!cameo.tensor<[N, 2, H, W], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>) -> (!cameo.tensor<[N, 2, H, W], f32>, !cameo.tensor<[2], f32>, !cameo.tensor<[2], f32>)
  func.return %0#0 : !cameo.tensor<[N, 2, H, W], f32>
}
