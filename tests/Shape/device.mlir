// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file | FileCheck %s --check-prefixes=CHECK,HOST
// RUN: cameo-opt %s --cameo-infer-shapes="device=true" --split-input-file | FileCheck %s --check-prefixes=CHECK,DEVICE
//
// Symbols are bound as early as values can be followed; where there is a device, as early as they
// are on the host.

// CHECK-LABEL: func.func @two_scalars_that_meet(
// HOST-COUNT-2: prog.bind_elements
// HOST: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[v, v_1], f32>
// DEVICE: %[[BOTH:.*]] = "onnx.Concat"
// DEVICE-NEXT: prog.bind_elements [#cameo.symbol<"v_0" in [*, *]>, #cameo.symbol<"v_1" in [*, *]>] = %[[BOTH]]
// DEVICE: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[v_0, v_1], f32>
func.func @two_scalars_that_meet(%x: !cameo.tensor<[N], i64>) -> !cameo.tensor<*, f32> {
  %m = "onnx.ReduceMax"(%x) : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64>
  %n = "onnx.ReduceMin"(%x) : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64>
  %s = "onnx.Concat"(%m, %n) <{axis = 0 : i64}> : (!cameo.tensor<*, i64>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  %0 = "onnx.ConstantOfShape"(%s) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// What is read back once keeps its relation to what follows from it.
// CHECK-LABEL: func.func @one_scalar_that_parts(
// CHECK: %[[M:.*]] = "onnx.ReduceMax"
// CHECK-NEXT: prog.bind_elements [#cameo.symbol<"v" in [*, *]>] = %[[M]]
// CHECK-NOT: prog.bind_elements
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[v], f32>
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[v + 1], f32>
func.func @one_scalar_that_parts(%x: !cameo.tensor<[N], i64>) -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %one = "onnx.Constant"() <{value = dense<1> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %m = "onnx.ReduceMax"(%x) : (!cameo.tensor<[N], i64>) -> !cameo.tensor<*, i64>
  %n = "onnx.Add"(%m, %one) : (!cameo.tensor<*, i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<*, i64>
  %0 = "onnx.ConstantOfShape"(%m) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  %1 = "onnx.ConstantOfShape"(%n) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %0, %1 : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}

// -----

// Both follow from one float, which is what is read back: the first integers are on the host.
// CHECK-LABEL: func.func @one_float_behind_both(
// CHECK: "onnx.Cast"
// CHECK-NEXT: prog.bind_elements
// CHECK: "onnx.Cast"
// CHECK-NEXT: prog.bind_elements
// CHECK: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[v, v_1], f32>
func.func @one_float_behind_both(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32> {
  %m = "onnx.ReduceMax"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<*, f32>
  %a = "onnx.Cast"(%m) <{to = 7 : i64}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, i64>
  %r = "onnx.Ceil"(%m) : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, f32>
  %b = "onnx.Cast"(%r) <{to = 7 : i64}> : (!cameo.tensor<*, f32>) -> !cameo.tensor<*, i64>
  %s = "onnx.Concat"(%a, %b) <{axis = 0 : i64}> : (!cameo.tensor<*, i64>, !cameo.tensor<*, i64>) -> !cameo.tensor<*, i64>
  %0 = "onnx.ConstantOfShape"(%s) : (!cameo.tensor<*, i64>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
