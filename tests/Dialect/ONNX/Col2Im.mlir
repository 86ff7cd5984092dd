// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @col2im_takes_the_image
// CHECK: "onnx.Col2Im"{{.*}} -> !cameo.tensor<[N, 2, 5, 6], f32>
func.func @col2im_takes_the_image(%x: !cameo.tensor<[N, 18, 12], f32>) -> !cameo.tensor<*, f32> {
  %i = "onnx.Constant"() <{value = dense<[5, 6]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %b = "onnx.Constant"() <{value = dense<[3, 3]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.Col2Im"(%x, %i, %b)
      : (!cameo.tensor<[N, 18, 12], f32>, !cameo.tensor<[2], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @col2im_c1(%x: !cameo.tensor<[N, 18, 12], f32>) -> !cameo.tensor<*, f32> {
  %i = "onnx.Constant"() <{value = dense<[5, 6]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %b = "onnx.Constant"() <{value = dense<[3]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{has shapes of different lengths (C1, got 2 and 1)}}
  %0 = "onnx.Col2Im"(%x, %i, %b)
      : (!cameo.tensor<[N, 18, 12], f32>, !cameo.tensor<[2], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @col2im_c3(%x: !cameo.tensor<[N, 17, 12], f32>) -> !cameo.tensor<*, f32> {
  %i = "onnx.Constant"() <{value = dense<[5, 6]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %b = "onnx.Constant"() <{value = dense<[3, 3]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has blocks that do not divide the channels (C3, got 9 and 17)}}
  %0 = "onnx.Col2Im"(%x, %i, %b)
      : (!cameo.tensor<[N, 17, 12], f32>, !cameo.tensor<[2], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
