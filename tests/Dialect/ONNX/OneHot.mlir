// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @one_hot_adds_the_depth
// CHECK: "onnx.OneHot"{{.*}} -> !cameo.tensor<[N, 5, M], f32>
func.func @one_hot_adds_the_depth(%i: !cameo.tensor<[N, M], i64>, %v: !cameo.tensor<[2], f32>)
    -> !cameo.tensor<*, f32> {
  %d = "onnx.Constant"() <{value = dense<5> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.OneHot"(%i, %d, %v) <{axis = 1 : i64}>
      : (!cameo.tensor<[N, M], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @one_hot_of_a_float_depth
// CHECK: "onnx.OneHot"{{.*}} -> !cameo.tensor<[N, 5], f32>
func.func @one_hot_of_a_float_depth(%i: !cameo.tensor<[N], i64>, %v: !cameo.tensor<[2], f32>)
    -> !cameo.tensor<*, f32> {
  %d = "onnx.Constant"() <{value = dense<5.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %0 = "onnx.OneHot"(%i, %d, %v)
      : (!cameo.tensor<[N], i64>, !cameo.tensor<[], f32>, !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @one_hot_c1(%i: !cameo.tensor<[N], i64>, %v: !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32> {
  %d = "onnx.Constant"() <{value = dense<-1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{has a negative depth (C1, got -1)}}
  %0 = "onnx.OneHot"(%i, %d, %v)
      : (!cameo.tensor<[N], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @one_hot_c2(%i: !cameo.tensor<[N], i64>, %v: !cameo.tensor<[3], f32>) -> !cameo.tensor<*, f32> {
  %d = "onnx.Constant"() <{value = dense<5> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{does not fit in values (C2) (got 3, need 2)}}
  %0 = "onnx.OneHot"(%i, %d, %v)
      : (!cameo.tensor<[N], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @one_hot_c3(%i: !cameo.tensor<[N], i64>, %v: !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32> {
  %d = "onnx.Constant"() <{value = dense<5> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{axis (C3) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.OneHot"(%i, %d, %v) <{axis = 2 : i64}>
      : (!cameo.tensor<[N], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @one_hot_of_a_float_of_the_run
// CHECK: "onnx.OneHot"{{.*}} -> !cameo.tensor<[N, depth], f32>
func.func @one_hot_of_a_float_of_the_run(%i: !cameo.tensor<[N], i64>, %d: !cameo.tensor<[], f32>, %v: !cameo.tensor<[2], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.OneHot"(%i, %d, %v)
      : (!cameo.tensor<[N], i64>, !cameo.tensor<[], f32>, !cameo.tensor<[2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
