// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @constant_of_shape_defaults_to_float
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[2, 3], f32>
func.func @constant_of_shape_defaults_to_float() -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[2, 3]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %0 = "onnx.ConstantOfShape"(%s) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @constant_of_shape_takes_the_type_of_value
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[2], ui8>
func.func @constant_of_shape_takes_the_type_of_value() -> !cameo.tensor<*, ui8> {
  %s = "onnx.Constant"() <{value = dense<[2]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.ConstantOfShape"(%s) <{value = dense<7> : tensor<1xui8>}>
      : (!cameo.tensor<[1], i64>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}

// -----

func.func @constant_of_shape_c1() -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[2, -3]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  // expected-error @+1 {{has a negative element in input (C1) (got -3)}}
  %0 = "onnx.ConstantOfShape"(%s) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @constant_of_shape_c2() -> !cameo.tensor<*, f32> {
  %s = "onnx.Constant"() <{value = dense<[2]> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  // expected-error @+1 {{needs one element in value (C2, got 2)}}
  %0 = "onnx.ConstantOfShape"(%s) <{value = dense<[1.0, 2.0]> : tensor<2xf32>}>
      : (!cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
