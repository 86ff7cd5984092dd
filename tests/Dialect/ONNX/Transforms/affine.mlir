// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-simplify --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-set-target="name=cuda precision=fp16" --cameo-simplify --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-simplify --split-input-file | FileCheck %s --check-prefix=EXACT
//
// Sums and products with constants: one of each, where the user allows that they are rounded otherwise.

// ((x * 2 + 3) / 4 - 1) * -8 is x * -4 + 2.
// CHECK-LABEL: @chain
// CHECK-DAG: %[[FACTOR:.*]] = "onnx.Constant"() <{value = dense<-4.000000e+00> : tensor<f32>}>
// CHECK-DAG: %[[SHIFT:.*]] = "onnx.Constant"() <{value = dense<2.000000e+00> : tensor<f32>}>
// CHECK: %[[SCALED:.*]] = "onnx.Mul"(%arg0, %[[FACTOR]])
// CHECK: %[[Y:.*]] = "onnx.Add"(%[[SCALED]], %[[SHIFT]])
// CHECK: return %[[Y]]
// EXACT-LABEL: @chain
// EXACT-COUNT-5: onnx.{{Add|Sub|Mul|Neg}}
func.func @chain(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32> {
  %1 = "onnx.Constant"() <{value = dense<1.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %2 = "onnx.Constant"() <{value = dense<2.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %3 = "onnx.Constant"() <{value = dense<3.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %4 = "onnx.Constant"() <{value = dense<4.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %8 = "onnx.Constant"() <{value = dense<-8.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %a = "onnx.Mul"(%x, %2) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  %b = "onnx.Add"(%3, %a) : (!cameo.tensor<[], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %c = "onnx.Div"(%b, %4) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  %d = "onnx.Sub"(%c, %1) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  %e = "onnx.Mul"(%d, %8) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  func.return %e : !cameo.tensor<[N], f32>
}

// -----

// What is taken away first may be most of x, and stays in front: -(100000 - x) * 2 - 3.
// CHECK-LABEL: @lead
// CHECK-DAG: %[[LEAD:.*]] = "onnx.Constant"() <{value = dense<-1.000000e+05> : tensor<f32>}>
// CHECK-DAG: %[[FACTOR:.*]] = "onnx.Constant"() <{value = dense<2.000000e+00> : tensor<f32>}>
// CHECK-DAG: %[[SHIFT:.*]] = "onnx.Constant"() <{value = dense<-3.000000e+00> : tensor<f32>}>
// CHECK: %[[CENTRED:.*]] = "onnx.Add"(%arg0, %[[LEAD]])
// CHECK: %[[SCALED:.*]] = "onnx.Mul"(%[[CENTRED]], %[[FACTOR]])
// CHECK: "onnx.Add"(%[[SCALED]], %[[SHIFT]])
func.func @lead(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32> {
  %2 = "onnx.Constant"() <{value = dense<2.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %3 = "onnx.Constant"() <{value = dense<3.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %m = "onnx.Constant"() <{value = dense<100000.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %a = "onnx.Sub"(%m, %x) : (!cameo.tensor<[], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %b = "onnx.Neg"(%a) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %c = "onnx.Mul"(%b, %2) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  %d = "onnx.Sub"(%c, %3) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  func.return %d : !cameo.tensor<[N], f32>
}

// -----

// A byte less its zero point is exact, and so it stays. Constants of channels and of all become those of channels.
// CHECK-LABEL: @byte
// CHECK-DAG: %[[FACTOR:.*]] = "onnx.Constant"() <{value = dense<{{\[\[}}1.000000e+00], [2.000000e+00]]> : tensor<2x1xf32>}>
// CHECK-DAG: %[[LEAD:.*]] = "onnx.Constant"() <{value = dense<-1.280000e+02> : tensor<f32>}>
// CHECK: %[[X:.*]] = "onnx.Cast"(%arg0)
// CHECK: %[[CENTRED:.*]] = "onnx.Add"(%[[X]], %[[LEAD]])
// CHECK: "onnx.Mul"(%[[CENTRED]], %[[FACTOR]])
func.func @byte(%x: !cameo.tensor<[2, N], ui8>) -> !cameo.tensor<[2, N], f32> {
  %half = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %zero = "onnx.Constant"() <{value = dense<128.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %each = "onnx.Constant"() <{value = dense<[[2.0], [4.0]]> : tensor<2x1xf32>}> : () -> !cameo.tensor<[2, 1], f32>
  %r = "onnx.Cast"(%x) <{to = 1 : i64}> : (!cameo.tensor<[2, N], ui8>) -> !cameo.tensor<[2, N], f32>
  %a = "onnx.Sub"(%r, %zero) : (!cameo.tensor<[2, N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[2, N], f32>
  %b = "onnx.Mul"(%a, %half) : (!cameo.tensor<[2, N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[2, N], f32>
  %c = "onnx.Mul"(%b, %each) : (!cameo.tensor<[2, N], f32>, !cameo.tensor<[2, 1], f32>) -> !cameo.tensor<[2, N], f32>
  func.return %c : !cameo.tensor<[2, N], f32>
}

// -----

// A row and a column are small, what they are together is not.
// CHECK-LABEL: @outer
// CHECK: "onnx.Mul"(%arg0, %{{.*}})
// CHECK: "onnx.Mul"
// CHECK-NOT: f64
func.func @outer(%x: !cameo.tensor<[128, 128], f32>) -> !cameo.tensor<[128, 128], f32> {
  %row = "onnx.Constant"() <{value = dense<3.0> : tensor<128xf32>}> : () -> !cameo.tensor<[128], f32>
  %column = "onnx.Constant"() <{value = dense<3.0> : tensor<128x1xf32>}> : () -> !cameo.tensor<[128, 1], f32>
  %a = "onnx.Mul"(%x, %row) : (!cameo.tensor<[128, 128], f32>, !cameo.tensor<[128], f32>) -> !cameo.tensor<[128, 128], f32>
  %b = "onnx.Mul"(%a, %column) : (!cameo.tensor<[128, 128], f32>, !cameo.tensor<[128, 1], f32>) -> !cameo.tensor<[128, 128], f32>
  func.return %b : !cameo.tensor<[128, 128], f32>
}

// -----

// Short already; read by somebody else; widened by a constant; in a type that is rounded at each step; few enough to be
// extents.
// CHECK-LABEL: @stays
// CHECK: %[[A:.*]] = "onnx.Add"(%arg0, %{{.*}})
// CHECK: %[[B:.*]] = "onnx.Mul"(%[[A]], %{{.*}})
// CHECK: %[[C:.*]] = "onnx.Mul"(%[[B]], %{{.*}})
// CHECK: %[[D:.*]] = "onnx.Mul"(%arg1, %{{.*}}) {{.*}} -> !cameo.tensor<[3], f32>
// CHECK: %[[E:.*]] = "onnx.Mul"(%[[D]], %{{.*}})
// CHECK: %[[F:.*]] = "onnx.Mul"(%arg2, %{{.*}})
// CHECK: %[[G:.*]] = "onnx.Mul"(%[[F]], %{{.*}})
// CHECK: %[[H:.*]] = "onnx.Mul"(%arg3, %{{.*}})
// CHECK: %[[I:.*]] = "onnx.Mul"(%[[H]], %{{.*}})
// CHECK: return %[[B]], %[[C]], %[[E]], %[[G]], %[[I]]
func.func @stays(%x: !cameo.tensor<[N], f32>, %one: !cameo.tensor<[1], f32>, %small: !cameo.tensor<[N], f16>,
                 %few: !cameo.tensor<[4], f32>)
    -> (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[3], f32>, !cameo.tensor<[N], f16>, !cameo.tensor<[4], f32>) {
  %3 = "onnx.Constant"() <{value = dense<3.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %wide = "onnx.Constant"() <{value = dense<5.0> : tensor<3xf32>}> : () -> !cameo.tensor<[3], f32>
  %half = "onnx.Constant"() <{value = dense<3.0> : tensor<f16>}> : () -> !cameo.tensor<[], f16>
  %a = "onnx.Add"(%x, %3) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  %b = "onnx.Mul"(%a, %3) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  %c = "onnx.Mul"(%b, %3) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  %d = "onnx.Mul"(%one, %wide) : (!cameo.tensor<[1], f32>, !cameo.tensor<[3], f32>) -> !cameo.tensor<[3], f32>
  %e = "onnx.Mul"(%d, %3) : (!cameo.tensor<[3], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[3], f32>
  %f = "onnx.Mul"(%small, %half) : (!cameo.tensor<[N], f16>, !cameo.tensor<[], f16>) -> !cameo.tensor<[N], f16>
  %g = "onnx.Mul"(%f, %half) : (!cameo.tensor<[N], f16>, !cameo.tensor<[], f16>) -> !cameo.tensor<[N], f16>
  %h = "onnx.Mul"(%few, %3) : (!cameo.tensor<[4], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[4], f32>
  %i = "onnx.Mul"(%h, %3) : (!cameo.tensor<[4], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[4], f32>
  func.return %b, %c, %e, %g, %i
      : !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[3], f32>, !cameo.tensor<[N], f16>, !cameo.tensor<[4], f32>
}

// -----

// Of what is no tensor there is no chain.
// CHECK-LABEL: @sequences
// CHECK: "onnx.SequenceInsert"
func.func @sequences(%s: !cameo.seq<!cameo.tensor<[N], f32>>, %x: !cameo.tensor<[N], f32>) -> !cameo.seq<!cameo.tensor<[N], f32>> {
  %y = "onnx.Neg"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %0 = "onnx.SequenceInsert"(%s, %y)
      : (!cameo.seq<!cameo.tensor<[N], f32>>, !cameo.tensor<[N], f32>) -> !cameo.seq<!cameo.tensor<[N], f32>>
  func.return %0 : !cameo.seq<!cameo.tensor<[N], f32>>
}
