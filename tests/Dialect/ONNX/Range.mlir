// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @range_counts_up
// CHECK: "onnx.Range"{{.*}} -> !cameo.tensor<[3], i64>
func.func @range_counts_up() -> !cameo.tensor<*, i64> {
  %a = "onnx.Constant"() <{value = dense<3> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %b = "onnx.Constant"() <{value = dense<10> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %c = "onnx.Constant"() <{value = dense<3> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.Range"(%a, %b, %c)
      : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

// CHECK-LABEL: @range_counts_down
// CHECK: "onnx.Range"{{.*}} -> !cameo.tensor<[3], i64>
func.func @range_counts_down() -> !cameo.tensor<*, i64> {
  %a = "onnx.Constant"() <{value = dense<10> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %b = "onnx.Constant"() <{value = dense<4> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %c = "onnx.Constant"() <{value = dense<-2> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.Range"(%a, %b, %c)
      : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

// CHECK-LABEL: @range_may_be_empty
// CHECK: "onnx.Range"{{.*}} -> !cameo.tensor<[0], i64>
func.func @range_may_be_empty() -> !cameo.tensor<*, i64> {
  %a = "onnx.Constant"() <{value = dense<5> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %b = "onnx.Constant"() <{value = dense<2> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %c = "onnx.Constant"() <{value = dense<1> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %0 = "onnx.Range"(%a, %b, %c)
      : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

// CHECK-LABEL: @range_of_floats
// CHECK: "onnx.Range"{{.*}} -> !cameo.tensor<[4], f32>
func.func @range_of_floats() -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %b = "onnx.Constant"() <{value = dense<1.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %c = "onnx.Constant"() <{value = dense<0.3> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %0 = "onnx.Range"(%a, %b, %c)
      : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @range_c1() -> !cameo.tensor<*, i64> {
  %a = "onnx.Constant"() <{value = dense<[3, 4]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %b = "onnx.Constant"() <{value = dense<10> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %c = "onnx.Constant"() <{value = dense<3> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{needs one element in start (C1), got 2}}
  %0 = "onnx.Range"(%a, %b, %c)
      : (!cameo.tensor<[2], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

func.func @range_c2() -> !cameo.tensor<*, i64> {
  %a = "onnx.Constant"() <{value = dense<3> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %b = "onnx.Constant"() <{value = dense<10> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  %c = "onnx.Constant"() <{value = dense<0> : tensor<i64>}> : () -> !cameo.tensor<[], i64>
  // expected-error @+1 {{has a delta of 0 (C2)}}
  %0 = "onnx.Range"(%a, %b, %c)
      : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}

// -----

func.func @range_c2_float() -> !cameo.tensor<*, f32> {
  %a = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %b = "onnx.Constant"() <{value = dense<0x7F800000> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %c = "onnx.Constant"() <{value = dense<1.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  // expected-error @+1 {{needs finite numbers and a delta other than 0 (C2)}}
  %0 = "onnx.Range"(%a, %b, %c)
      : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @range_of_floats_of_the_run
// CHECK: "onnx.Range"{{.*}} -> !cameo.tensor<[steps], f32>
func.func @range_of_floats_of_the_run(%s: !cameo.tensor<[], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.Range"(%s, %s, %s) : (!cameo.tensor<[], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @range_of_steps_of_either_sign
// CHECK: prog.define <"[[COUNT:[^"]*]]" {{.*}}> = #cameo.extent<max({{[^?]*floordiv[^?]*}}, 0)>
// CHECK: "onnx.Range"{{.*}} -> !cameo.tensor<{{\[}}[[COUNT]]], i64>
func.func @range_of_steps_of_either_sign(%s: !cameo.tensor<[], i64>, %l: !cameo.tensor<[], i64>, %d: !cameo.tensor<[], i64>)
    -> !cameo.tensor<*, i64> {
  %0 = "onnx.Range"(%s, %l, %d) : (!cameo.tensor<[], i64>, !cameo.tensor<[], i64>, !cameo.tensor<[], i64>) -> !cameo.tensor<*, i64>
  func.return %0 : !cameo.tensor<*, i64>
}
