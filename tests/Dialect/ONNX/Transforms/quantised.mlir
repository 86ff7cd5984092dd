// RUN: cameo-opt %s --cameo-set-target --cameo-recognize-quantised --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-set-target=precision=tf32 --cameo-recognize-quantised --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-recognize-quantised --split-input-file | FileCheck %s --check-prefix=NONE
//
// Operators between DequantizeLinear and QuantizeLinear, on a target with kernels for bytes and on one without.

// NONE-NOT: {{onnx.(ConvInteger|MatMulInteger)}}

// A convolution of the codes, then the scales of the image and of each channel, then the bias.
// CHECK-LABEL: @convolution
// CHECK-DAG: %[[W:.*]] = "onnx.Constant"() <{value = dense<3> : tensor<32x16x1x1xi8>}>
// CHECK-DAG: %[[Z:.*]] = "onnx.Constant"() <{value = dense<7> : tensor<ui8>}>
// CHECK: %[[SUMS:.*]] = "onnx.ConvInteger"(%arg0, %[[W]], %[[Z]]) {{.*}} -> !cameo.tensor<[N, 32, H, W], i32>
// CHECK: %[[SCALE:.*]] = "onnx.Mul"{{.*}} -> !cameo.tensor<[32, 1, 1], f32>
// CHECK: %[[REAL:.*]] = "onnx.Cast"(%[[SUMS]])
// CHECK: %[[SCALED:.*]] = "onnx.Mul"(%[[REAL]], %[[SCALE]])
// CHECK: %[[BIAS:.*]] = "onnx.Reshape"(%arg1
// CHECK: "onnx.Add"(%[[SCALED]], %[[BIAS]])
func.func @convolution(%x: !cameo.tensor<[N, 16, H, W], ui8>, %b: !cameo.tensor<[32], f32>) -> !cameo.tensor<[N, 32, H, W], f32> {
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %z = "onnx.Constant"() <{value = dense<7> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8>
  %c = "onnx.Constant"() <{value = dense<3> : tensor<32x16x1x1xi8>}> : () -> !cameo.tensor<[32, 16, 1, 1], i8>
  %cs = "onnx.Constant"() <{value = dense<0.25> : tensor<32xf32>}> : () -> !cameo.tensor<[32], f32>
  %cz = "onnx.Constant"() <{value = dense<0> : tensor<32xi8>}> : () -> !cameo.tensor<[32], i8>
  %0 = "onnx.DequantizeLinear"(%x, %s, %z) : (!cameo.tensor<[N, 16, H, W], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 16, H, W], f32>
  %1 = "onnx.DequantizeLinear"(%c, %cs, %cz) <{axis = 0 : i64}> : (!cameo.tensor<[32, 16, 1, 1], i8>, !cameo.tensor<[32], f32>, !cameo.tensor<[32], i8>) -> !cameo.tensor<[32, 16, 1, 1], f32>
  %2 = "onnx.Conv"(%0, %1, %b) : (!cameo.tensor<[N, 16, H, W], f32>, !cameo.tensor<[32, 16, 1, 1], f32>, !cameo.tensor<[32], f32>) -> !cameo.tensor<[N, 32, H, W], f32>
  func.return %2 : !cameo.tensor<[N, 32, H, W], f32>
}

// -----

// A product of dequantised matrices is one of their codes, whose zero point meets the sums of the columns; weights may lie
// transposed, and a factor goes into the scale.
// CHECK-LABEL: @products
// CHECK-DAG: %[[W:.*]] = "onnx.Constant"() <{value = dense<{{\[\[}}1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>}>
// CHECK-DAG: %[[OF:.*]] = "onnx.Constant"() <{value = dense<[5, 7, 9]> : tensor<3xi32>}>
// CHECK: %[[CODES:.*]] = "onnx.MatMulInteger"(%arg0, %[[W]]) {{.*}} -> !cameo.tensor<[N, M, 3], i32>
// CHECK: %[[OFF:.*]] = "onnx.Mul"(%{{.*}}, %[[OF]])
// CHECK: %[[SUMS:.*]] = "onnx.Sub"(%[[CODES]], %[[OFF]])
// CHECK: %[[REAL:.*]] = "onnx.Cast"(%[[SUMS]])
// CHECK: %[[PRODUCT:.*]] = "onnx.Mul"(%[[REAL]], %{{.*}}) : {{.*}} -> !cameo.tensor<[N, M, 3], f32>
// CHECK: %[[FACTOR:.*]] = "onnx.Mul"(%{{.*}}, %{{.*}}) : (!cameo.tensor<[3], f32>, !cameo.tensor<[], f32>)
// CHECK: "onnx.MatMulInteger"(%arg1, %[[W]])
// CHECK: "onnx.Add"(%{{.*}}, %arg2)
// CHECK-NOT: onnx.Gemm
// NONE-LABEL: @products
// NONE: onnx.MatMul"
// NONE: onnx.Gemm
func.func @products(%x: !cameo.tensor<[N, M, 2], ui8>, %y: !cameo.tensor<[M, 2], ui8>, %b: !cameo.tensor<[3], f32>)
    -> (!cameo.tensor<[N, M, 3], f32>, !cameo.tensor<[M, 3], f32>) {
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %z = "onnx.Constant"() <{value = dense<7> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8>
  %c = "onnx.Constant"() <{value = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>}> : () -> !cameo.tensor<[2, 3], i8>
  %t = "onnx.Constant"() <{value = dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi8>}> : () -> !cameo.tensor<[3, 2], i8>
  %cs = "onnx.Constant"() <{value = dense<0.25> : tensor<3xf32>}> : () -> !cameo.tensor<[3], f32>
  %0 = "onnx.DequantizeLinear"(%x, %s, %z) : (!cameo.tensor<[N, M, 2], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, M, 2], f32>
  %1 = "onnx.DequantizeLinear"(%c, %cs) <{axis = -1 : i64}> : (!cameo.tensor<[2, 3], i8>, !cameo.tensor<[3], f32>) -> !cameo.tensor<[2, 3], f32>
  %2 = "onnx.MatMul"(%0, %1) : (!cameo.tensor<[N, M, 2], f32>, !cameo.tensor<[2, 3], f32>) -> !cameo.tensor<[N, M, 3], f32>
  %3 = "onnx.DequantizeLinear"(%y, %s) : (!cameo.tensor<[M, 2], ui8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[M, 2], f32>
  %4 = "onnx.DequantizeLinear"(%t, %cs) <{axis = 0 : i64}> : (!cameo.tensor<[3, 2], i8>, !cameo.tensor<[3], f32>) -> !cameo.tensor<[3, 2], f32>
  %5 = "onnx.Gemm"(%3, %4, %b) <{transB = 1 : i64, alpha = 2.0 : f32}> : (!cameo.tensor<[M, 2], f32>, !cameo.tensor<[3, 2], f32>, !cameo.tensor<[3], f32>) -> !cameo.tensor<[M, 3], f32>
  func.return %2, %5 : !cameo.tensor<[N, M, 3], f32>, !cameo.tensor<[M, 3], f32>
}

// -----

// Not of scales along the sum, of sums that might wrap, nor of what no constant is.
// CHECK-LABEL: @float_products
// CHECK-NOT: onnx.MatMulInteger
func.func @float_products(%x: !cameo.tensor<[N, 2], ui8>, %y: !cameo.tensor<[2, N], ui8>, %l: !cameo.tensor<[N, 33026], ui8>)
    -> (!cameo.tensor<[N, 2], f32>, !cameo.tensor<[N, N], f32>, !cameo.tensor<[N, 1], f32>) {
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %c = "onnx.Constant"() <{value = dense<[[1, 2], [4, 5]]> : tensor<2x2xi8>}> : () -> !cameo.tensor<[2, 2], i8>
  %cs = "onnx.Constant"() <{value = dense<0.25> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %d = "onnx.Constant"() <{value = dense<1> : tensor<33026x1xi8>}> : () -> !cameo.tensor<[33026, 1], i8>
  %0 = "onnx.DequantizeLinear"(%x, %s) : (!cameo.tensor<[N, 2], ui8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 2], f32>
  %1 = "onnx.DequantizeLinear"(%c, %cs) <{axis = 0 : i64}> : (!cameo.tensor<[2, 2], i8>, !cameo.tensor<[2], f32>) -> !cameo.tensor<[2, 2], f32>
  %2 = "onnx.MatMul"(%0, %1) : (!cameo.tensor<[N, 2], f32>, !cameo.tensor<[2, 2], f32>) -> !cameo.tensor<[N, 2], f32>
  %3 = "onnx.DequantizeLinear"(%y, %s) : (!cameo.tensor<[2, N], ui8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[2, N], f32>
  %4 = "onnx.MatMul"(%0, %3) : (!cameo.tensor<[N, 2], f32>, !cameo.tensor<[2, N], f32>) -> !cameo.tensor<[N, N], f32>
  %5 = "onnx.DequantizeLinear"(%l, %s) : (!cameo.tensor<[N, 33026], ui8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 33026], f32>
  %6 = "onnx.DequantizeLinear"(%d, %s) : (!cameo.tensor<[33026, 1], i8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[33026, 1], f32>
  %7 = "onnx.MatMul"(%5, %6) : (!cameo.tensor<[N, 33026], f32>, !cameo.tensor<[33026, 1], f32>) -> !cameo.tensor<[N, 1], f32>
  func.return %2, %4, %7 : !cameo.tensor<[N, 2], f32>, !cameo.tensor<[N, N], f32>, !cameo.tensor<[N, 1], f32>
}

// -----

// QLinear operators go the same way: on a target without kernels for bytes they are what other quantisers write, and what they
// are not where a scale is computed.
// CHECK-LABEL: @operators
// CHECK: "onnx.ConvInteger"(%arg0
// CHECK: "onnx.QuantizeLinear"
// CHECK: "onnx.MatMulInteger"(%arg1
// CHECK: "onnx.QuantizeLinear"
// CHECK: "onnx.QLinearMatMul"(%arg1, %arg2
// NONE-LABEL: @operators
// NONE: "onnx.Conv"
// NONE: "onnx.QuantizeLinear"
// NONE: "onnx.MatMul"
// NONE: "onnx.QuantizeLinear"
// NONE: "onnx.QLinearMatMul"(%arg1, %arg2
func.func @operators(%x: !cameo.tensor<[N, 16, H, W], ui8>, %y: !cameo.tensor<[N, 2], ui8>, %t: !cameo.tensor<[], f32>)
    -> (!cameo.tensor<[N, 32, H, W], ui8>, !cameo.tensor<[N, 3], ui8>, !cameo.tensor<[N, 3], ui8>) {
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %z = "onnx.Constant"() <{value = dense<7> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8>
  %c = "onnx.Constant"() <{value = dense<3> : tensor<32x16x1x1xi8>}> : () -> !cameo.tensor<[32, 16, 1, 1], i8>
  %cs = "onnx.Constant"() <{value = dense<0.25> : tensor<32xf32>}> : () -> !cameo.tensor<[32], f32>
  %cz = "onnx.Constant"() <{value = dense<0> : tensor<32xi8>}> : () -> !cameo.tensor<[32], i8>
  %b = "onnx.Constant"() <{value = dense<9> : tensor<32xi32>}> : () -> !cameo.tensor<[32], i32>
  %w = "onnx.Constant"() <{value = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>}> : () -> !cameo.tensor<[2, 3], i8>
  %ws = "onnx.Constant"() <{value = dense<0.25> : tensor<3xf32>}> : () -> !cameo.tensor<[3], f32>
  %wz = "onnx.Constant"() <{value = dense<1> : tensor<3xi8>}> : () -> !cameo.tensor<[3], i8>
  %0 = "onnx.QLinearConv"(%x, %s, %z, %c, %cs, %cz, %s, %z, %b)
      : (!cameo.tensor<[N, 16, H, W], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[32, 16, 1, 1], i8>,
         !cameo.tensor<[32], f32>, !cameo.tensor<[32], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[32], i32>)
      -> !cameo.tensor<[N, 32, H, W], ui8>
  %1 = "onnx.QLinearMatMul"(%y, %s, %z, %w, %ws, %wz, %s, %z)
      : (!cameo.tensor<[N, 2], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[2, 3], i8>,
         !cameo.tensor<[3], f32>, !cameo.tensor<[3], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 3], ui8>
  %2 = "onnx.QLinearMatMul"(%y, %t, %z, %w, %ws, %wz, %s, %z)
      : (!cameo.tensor<[N, 2], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>, !cameo.tensor<[2, 3], i8>,
         !cameo.tensor<[3], f32>, !cameo.tensor<[3], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 3], ui8>
  func.return %0, %1, %2 : !cameo.tensor<[N, 32, H, W], ui8>, !cameo.tensor<[N, 3], ui8>, !cameo.tensor<[N, 3], ui8>
}

// -----

// Sums that are quantised are of codes, on either target: one factor, the scale of the sums over that of the result, stands behind
// them; a bias of their scale is added in front of it.
// CHECK-LABEL: @requantised
// CHECK-DAG: %[[B:.*]] = "onnx.Constant"() <{value = dense<9> : tensor<32xi32>}>
// CHECK: %[[SUMS:.*]] = "onnx.ConvInteger"(%arg0
// CHECK: %[[BIASES:.*]] = "onnx.Reshape"(%[[B]]
// CHECK: %[[ALL:.*]] = "onnx.Add"(%[[SUMS]], %[[BIASES]])
// CHECK: %[[REAL:.*]] = "onnx.Cast"(%[[ALL]])
// CHECK: %[[FACTOR:.*]] = "onnx.Div"
// CHECK: %[[SCALED:.*]] = "onnx.Mul"(%[[REAL]], %[[FACTOR]])
// CHECK: "onnx.QuantizeLinear"(%[[SCALED]]
// CHECK: %[[L:.*]] = "onnx.DequantizeLinear"(%arg1, %[[ONE:[^,]*]], %{{.*}})
// CHECK: %[[R:.*]] = "onnx.DequantizeLinear"(%arg2, %[[ONE]])
// CHECK: %[[PRODUCT:.*]] = "onnx.MatMul"(%[[L]], %[[R]])
// CHECK: %[[OVER:.*]] = "onnx.Div"
// CHECK: %[[QUOTIENT:.*]] = "onnx.Mul"(%[[PRODUCT]], %[[OVER]])
// CHECK: "onnx.QuantizeLinear"(%[[QUOTIENT]]
// NONE-LABEL: @requantised
// NONE: %[[BIAS:.*]] = "onnx.Cast"{{.*}} -> !cameo.tensor<[32], f32>
// NONE: %[[SUMS:.*]] = "onnx.Conv"(%{{.*}}, %{{.*}}, %[[BIAS]])
// NONE: %[[FACTOR:.*]] = "onnx.Div"
// NONE: %[[SCALED:.*]] = "onnx.Mul"(%[[SUMS]], %[[FACTOR]])
// NONE: "onnx.QuantizeLinear"(%[[SCALED]]
func.func @requantised(%x: !cameo.tensor<[N, 16, H, W], ui8>, %l: !cameo.tensor<[N, 3], ui8>, %r: !cameo.tensor<[3, M], i8>)
    -> (!cameo.tensor<[N, 32, H, W], ui8>, !cameo.tensor<[N, M], ui8>) {
  %s = "onnx.Constant"() <{value = dense<0.1> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %t = "onnx.Constant"() <{value = dense<0.3> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %z = "onnx.Constant"() <{value = dense<7> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8>
  %c = "onnx.Constant"() <{value = dense<3> : tensor<32x16x1x1xi8>}> : () -> !cameo.tensor<[32, 16, 1, 1], i8>
  %cs = "onnx.Constant"() <{value = dense<0.25> : tensor<32xf32>}> : () -> !cameo.tensor<[32], f32>
  %bs = "onnx.Constant"() <{value = dense<0.025> : tensor<32xf32>}> : () -> !cameo.tensor<[32], f32>
  %b = "onnx.Constant"() <{value = dense<9> : tensor<32xi32>}> : () -> !cameo.tensor<[32], i32>
  %0 = "onnx.DequantizeLinear"(%x, %s, %z) : (!cameo.tensor<[N, 16, H, W], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 16, H, W], f32>
  %1 = "onnx.DequantizeLinear"(%c, %cs) <{axis = 0 : i64}> : (!cameo.tensor<[32, 16, 1, 1], i8>, !cameo.tensor<[32], f32>) -> !cameo.tensor<[32, 16, 1, 1], f32>
  %2 = "onnx.DequantizeLinear"(%b, %bs) <{axis = 0 : i64}> : (!cameo.tensor<[32], i32>, !cameo.tensor<[32], f32>) -> !cameo.tensor<[32], f32>
  %3 = "onnx.Conv"(%0, %1, %2) : (!cameo.tensor<[N, 16, H, W], f32>, !cameo.tensor<[32, 16, 1, 1], f32>, !cameo.tensor<[32], f32>) -> !cameo.tensor<[N, 32, H, W], f32>
  %4 = "onnx.QuantizeLinear"(%3, %t, %z) : (!cameo.tensor<[N, 32, H, W], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 32, H, W], ui8>
  %5 = "onnx.DequantizeLinear"(%l, %s, %z) : (!cameo.tensor<[N, 3], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 3], f32>
  %6 = "onnx.DequantizeLinear"(%r, %t) : (!cameo.tensor<[3, M], i8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[3, M], f32>
  %7 = "onnx.MatMul"(%5, %6) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[3, M], f32>) -> !cameo.tensor<[N, M], f32>
  %8 = "onnx.QuantizeLinear"(%7, %t, %z) : (!cameo.tensor<[N, M], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, M], ui8>
  func.return %4, %8 : !cameo.tensor<[N, 32, H, W], ui8>, !cameo.tensor<[N, M], ui8>
}

// -----

// A bias of another scale, or one with which sums might leave 32 bits, is added as a float.
// CHECK-LABEL: @float_bias
// CHECK: "onnx.MatMulInteger"
// CHECK-NOT: "onnx.Add"{{.*}}i32>
// CHECK: "onnx.Add"{{.*}} -> !cameo.tensor<[N, 2], f32>
// CHECK: "onnx.MatMulInteger"
// CHECK-NOT: "onnx.Add"{{.*}}i32>
// CHECK: "onnx.Add"{{.*}} -> !cameo.tensor<[N, 2], f32>
// CHECK: return
func.func @float_bias(%x: !cameo.tensor<[N, 2], ui8>) -> (!cameo.tensor<[N, 2], f32>, !cameo.tensor<[N, 2], f32>) {
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %c = "onnx.Constant"() <{value = dense<[[1, 2], [4, 5]]> : tensor<2x2xi8>}> : () -> !cameo.tensor<[2, 2], i8>
  %b = "onnx.Constant"() <{value = dense<[7, 8]> : tensor<2xi32>}> : () -> !cameo.tensor<[2], i32>
  %l = "onnx.Constant"() <{value = dense<[7, -2147483648]> : tensor<2xi32>}> : () -> !cameo.tensor<[2], i32>
  %t = "onnx.Constant"() <{value = dense<0.25> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %0 = "onnx.DequantizeLinear"(%x, %s) : (!cameo.tensor<[N, 2], ui8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 2], f32>
  %1 = "onnx.DequantizeLinear"(%c, %s) : (!cameo.tensor<[2, 2], i8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[2, 2], f32>
  %2 = "onnx.DequantizeLinear"(%b, %s) : (!cameo.tensor<[2], i32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[2], f32>
  %3 = "onnx.Gemm"(%0, %1, %2) : (!cameo.tensor<[N, 2], f32>, !cameo.tensor<[2, 2], f32>, !cameo.tensor<[2], f32>) -> !cameo.tensor<[N, 2], f32>
  %4 = "onnx.DequantizeLinear"(%l, %t) : (!cameo.tensor<[2], i32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[2], f32>
  %5 = "onnx.Gemm"(%0, %1, %4) : (!cameo.tensor<[N, 2], f32>, !cameo.tensor<[2, 2], f32>, !cameo.tensor<[2], f32>) -> !cameo.tensor<[N, 2], f32>
  func.return %3, %5 : !cameo.tensor<[N, 2], f32>, !cameo.tensor<[N, 2], f32>
}

// -----

// Signed codes become unsigned, weights lose their zero point.
// CHECK-LABEL: @signs
// CHECK-DAG: dense<-97> : tensor<32x16x1x1xi8>
// CHECK-DAG: %[[Z:.*]] = "onnx.Constant"() <{value = dense<121> : tensor<ui8>}>
// CHECK: %[[SHIFTED:.*]] = "onnx.Add"({{.*}}) : {{.*}} -> !cameo.tensor<[N, 16, H, W], i32>
// CHECK: %[[X:.*]] = "onnx.Cast"(%[[SHIFTED]]) {{.*}} -> !cameo.tensor<[N, 16, H, W], ui8>
// CHECK: "onnx.ConvInteger"(%[[X]], %{{.*}}, %[[Z]])
func.func @signs(%x: !cameo.tensor<[N, 16, H, W], i8>) -> !cameo.tensor<[N, 32, H, W], f32> {
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %z = "onnx.Constant"() <{value = dense<-7> : tensor<i8>}> : () -> !cameo.tensor<[], i8>
  %c = "onnx.Constant"() <{value = dense<3> : tensor<32x16x1x1xui8>}> : () -> !cameo.tensor<[32, 16, 1, 1], ui8>
  %cz = "onnx.Constant"() <{value = dense<100> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8>
  %0 = "onnx.DequantizeLinear"(%x, %s, %z) : (!cameo.tensor<[N, 16, H, W], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>) -> !cameo.tensor<[N, 16, H, W], f32>
  %1 = "onnx.DequantizeLinear"(%c, %s, %cz) : (!cameo.tensor<[32, 16, 1, 1], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[32, 16, 1, 1], f32>
  %2 = "onnx.Conv"(%0, %1) : (!cameo.tensor<[N, 16, H, W], f32>, !cameo.tensor<[32, 16, 1, 1], f32>) -> !cameo.tensor<[N, 32, H, W], f32>
  func.return %2 : !cameo.tensor<[N, 32, H, W], f32>
}

// -----

// Weights that do not fit into signed bytes without their zero point: it meets the sums of pixels.
// CHECK-LABEL: @wide_weights
// CHECK-DAG: %[[ZERO:.*]] = "onnx.Constant"() <{value = dense<-28> : tensor<1xi32>}>
// CHECK: %[[SUMS:.*]] = "onnx.ConvInteger"(%arg0
// CHECK: %[[PIXELS:.*]] = "onnx.ReduceSum"({{.*}} -> !cameo.tensor<[N, 1, H, W], i32>
// CHECK: %[[FACTOR:.*]] = "onnx.Reshape"(%[[ZERO]]
// CHECK: %[[OFF:.*]] = "onnx.Mul"(%[[PIXELS]], %[[FACTOR]])
// CHECK: "onnx.Sub"(%[[SUMS]], %[[OFF]])
func.func @wide_weights(%x: !cameo.tensor<[N, 16, H, W], ui8>) -> !cameo.tensor<[N, 32, H, W], f32> {
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %c = "onnx.Constant"() <{value = dense<100> : tensor<32x16x1x1xi8>}> : () -> !cameo.tensor<[32, 16, 1, 1], i8>
  %cz = "onnx.Constant"() <{value = dense<-28> : tensor<i8>}> : () -> !cameo.tensor<[], i8>
  %0 = "onnx.DequantizeLinear"(%x, %s) : (!cameo.tensor<[N, 16, H, W], ui8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 16, H, W], f32>
  %1 = "onnx.DequantizeLinear"(%c, %s, %cz) : (!cameo.tensor<[32, 16, 1, 1], i8>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>) -> !cameo.tensor<[32, 16, 1, 1], f32>
  %2 = "onnx.Conv"(%0, %1) : (!cameo.tensor<[N, 16, H, W], f32>, !cameo.tensor<[32, 16, 1, 1], f32>) -> !cameo.tensor<[N, 32, H, W], f32>
  func.return %2 : !cameo.tensor<[N, 32, H, W], f32>
}

// -----

// What selects elements does so among codes; what would quantise by the parameters that they have is gone, and by others
// comes first.
// CHECK-LABEL: @selects
// CHECK: %[[P:.*]], %{{.*}} = "onnx.MaxPool"(%arg0) {{.*}}ui8
// CHECK: %[[D:.*]] = "onnx.DequantizeLinear"(%arg1
// CHECK: %[[Q:.*]] = "onnx.QuantizeLinear"(%[[D]]
// CHECK: %[[C:.*]] = "onnx.Concat"(%[[P]], %[[Q]])
// CHECK: return %[[C]]
// NONE-LABEL: @selects
func.func @selects(%x: !cameo.tensor<[N, 16, 4, 4], ui8>, %y: !cameo.tensor<[N, 16, 2, 2], ui8>) -> !cameo.tensor<[N, 32, 2, 2], ui8> {
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %t = "onnx.Constant"() <{value = dense<0.75> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %z = "onnx.Constant"() <{value = dense<7> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8>
  %0 = "onnx.DequantizeLinear"(%x, %s, %z) : (!cameo.tensor<[N, 16, 4, 4], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 16, 4, 4], f32>
  %1:2 = "onnx.MaxPool"(%0) <{kernel_shape = array<i64: 2, 2>, strides = array<i64: 2, 2>}> : (!cameo.tensor<[N, 16, 4, 4], f32>)
      -> (!cameo.tensor<[N, 16, 2, 2], f32>, !cameo.tensor<[N, 16, 2, 2], i64>)
  %2 = "onnx.QuantizeLinear"(%1#0, %s, %z) : (!cameo.tensor<[N, 16, 2, 2], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 16, 2, 2], ui8>
  %3 = "onnx.DequantizeLinear"(%2, %s, %z) : (!cameo.tensor<[N, 16, 2, 2], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 16, 2, 2], f32>
  %4 = "onnx.DequantizeLinear"(%y, %t, %z) : (!cameo.tensor<[N, 16, 2, 2], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 16, 2, 2], f32>
  %5 = "onnx.Concat"(%3, %4) <{axis = 1 : i64}> : (!cameo.tensor<[N, 16, 2, 2], f32>, !cameo.tensor<[N, 16, 2, 2], f32>) -> !cameo.tensor<[N, 32, 2, 2], f32>
  %6 = "onnx.QuantizeLinear"(%5, %s, %z) : (!cameo.tensor<[N, 32, 2, 2], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 32, 2, 2], ui8>
  func.return %6 : !cameo.tensor<[N, 32, 2, 2], ui8>
}

// -----

// What reads the selected elements as floats too keeps them.
// CHECK-LABEL: @selected_floats
// CHECK: "onnx.Transpose"{{.*}} -> !cameo.tensor<[M, N], f32>
func.func @selected_floats(%x: !cameo.tensor<[N, M], ui8>) -> (!cameo.tensor<[M, N], f32>, !cameo.tensor<[M, N], ui8>) {
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %0 = "onnx.DequantizeLinear"(%x, %s) : (!cameo.tensor<[N, M], ui8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, M], f32>
  %1 = "onnx.Transpose"(%0) : (!cameo.tensor<[N, M], f32>) -> !cameo.tensor<[M, N], f32>
  %2 = "onnx.QuantizeLinear"(%1, %s) : (!cameo.tensor<[M, N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[M, N], ui8>
  func.return %1, %2 : !cameo.tensor<[M, N], f32>, !cameo.tensor<[M, N], ui8>
}

// -----

// Sums are scaled by the inverse of what they are quantised by; what comes of no sums is divided.
// CHECK-LABEL: @inverse
// CHECK-DAG: %[[TWO:.*]] = "onnx.Constant"() <{value = dense<2.000000e+00> : tensor<f32>}>
// CHECK-DAG: %[[ONE:.*]] = "onnx.Constant"() <{value = dense<1.000000e+00> : tensor<f32>}>
// CHECK-DAG: %[[HALF:.*]] = "onnx.Constant"() <{value = dense<5.000000e-01> : tensor<f32>}>
// CHECK: %[[R:.*]] = "onnx.Abs"
// CHECK: %[[P:.*]] = "onnx.Mul"(%[[R]], %[[TWO]])
// CHECK: "onnx.QuantizeLinear"(%[[P]], %[[ONE]])
// CHECK: "onnx.QuantizeLinear"(%arg1, %[[HALF]])
func.func @inverse(%x: !cameo.tensor<[N, 32, H, W], i32>, %y: !cameo.tensor<[N], f32>, %i: !cameo.tensor<[N, 16, H, W], ui8>)
    -> (!cameo.tensor<[N, 32, H, W], ui8>, !cameo.tensor<[N], ui8>) {
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %c = "onnx.Constant"() <{value = dense<3> : tensor<32x16x1x1xi8>}> : () -> !cameo.tensor<[32, 16, 1, 1], i8>
  %0 = "onnx.ConvInteger"(%i, %c) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (!cameo.tensor<[N, 16, H, W], ui8>, !cameo.tensor<[32, 16, 1, 1], i8>) -> !cameo.tensor<[N, 32, H, W], i32>
  %1 = "onnx.Cast"(%0) <{to = 1 : i64}> : (!cameo.tensor<[N, 32, H, W], i32>) -> !cameo.tensor<[N, 32, H, W], f32>
  %2 = "onnx.Abs"(%1) : (!cameo.tensor<[N, 32, H, W], f32>) -> !cameo.tensor<[N, 32, H, W], f32>
  %3 = "onnx.QuantizeLinear"(%2, %s) : (!cameo.tensor<[N, 32, H, W], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 32, H, W], ui8>
  %4 = "onnx.QuantizeLinear"(%y, %s) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], ui8>
  func.return %3, %4 : !cameo.tensor<[N, 32, H, W], ui8>, !cameo.tensor<[N], ui8>
}

// -----

// A Relu is none whose 0 is the least number: but not of signed bytes around 0, nor where a scale is negative.
// CHECK-LABEL: @relus
// CHECK-DAG: %[[Y:.*]] = "onnx.QuantizeLinear"(%arg0, %{{.*}}, %{{.*}}) {{.*}}ui8
// CHECK-DAG: %[[R:.*]] = "onnx.Relu"(%arg0)
// CHECK-DAG: %{{.*}} = "onnx.QuantizeLinear"(%[[R]], %{{.*}}, %{{.*}}) {{.*}}i8
// CHECK-DAG: %{{.*}} = "onnx.QuantizeLinear"(%[[R]], %{{.*}}, %{{.*}}) {{.*}}ui8
// CHECK: return %[[Y]]
func.func @relus(%x: !cameo.tensor<[N], f32>) -> (!cameo.tensor<[N], ui8>, !cameo.tensor<[N], i8>, !cameo.tensor<[N], ui8>) {
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %m = "onnx.Constant"() <{value = dense<-0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %u = "onnx.Constant"() <{value = dense<0> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8>
  %i = "onnx.Constant"() <{value = dense<0> : tensor<i8>}> : () -> !cameo.tensor<[], i8>
  %r = "onnx.Relu"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %0 = "onnx.QuantizeLinear"(%r, %s, %u) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N], ui8>
  %1 = "onnx.QuantizeLinear"(%r, %s, %i) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>) -> !cameo.tensor<[N], i8>
  %2 = "onnx.QuantizeLinear"(%r, %m, %u) : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N], ui8>
  func.return %0, %1, %2 : !cameo.tensor<[N], ui8>, !cameo.tensor<[N], i8>, !cameo.tensor<[N], ui8>
}
