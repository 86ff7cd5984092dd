// RUN: cameo-opt %s --cameo-simplify="max-growth=64" --split-input-file | FileCheck %s
//
// Operators on constants, within the budget.

// CHECK-LABEL: @elementwise_broadcasts
// CHECK: "onnx.Constant"() <{value = dense<{{\[}}[1.100000e+01, 1.200000e+01], [2.100000e+01, 2.200000e+01]]> : tensor<2x2xf32>}>
// CHECK-NOT: onnx.Add
func.func @elementwise_broadcasts() -> !cameo.tensor<[2, 2], f32> {
  %a = "onnx.Constant"() <{value = dense<[[10.0], [20.0]]> : tensor<2x1xf32>}> : () -> !cameo.tensor<[2, 1], f32>
  %b = "onnx.Constant"() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %0 = "onnx.Add"(%a, %b) : (!cameo.tensor<[2, 1], f32>, !cameo.tensor<[2], f32>) -> !cameo.tensor<[2, 2], f32>
  func.return %0 : !cameo.tensor<[2, 2], f32>
}

// -----

// Total, as at run time: x / 0 = 0, and the least integer has no absolute value.
// CHECK-LABEL: @integers_are_total
// CHECK: dense<[0, -128]> : tensor<2xi8>
func.func @integers_are_total() -> !cameo.tensor<[2], i8> {
  %a = "onnx.Constant"() <{value = dense<[7, -128]> : tensor<2xi8>}> : () -> !cameo.tensor<[2], i8>
  %b = "onnx.Constant"() <{value = dense<[0, 1]> : tensor<2xi8>}> : () -> !cameo.tensor<[2], i8>
  %d = "onnx.Div"(%a, %b) : (!cameo.tensor<[2], i8>, !cameo.tensor<[2], i8>) -> !cameo.tensor<[2], i8>
  %0 = "onnx.Abs"(%d) : (!cameo.tensor<[2], i8>) -> !cameo.tensor<[2], i8>
  func.return %0 : !cameo.tensor<[2], i8>
}

// -----

// Rounded once, to f16.
// CHECK-LABEL: @casts_round
// CHECK: dense<[1.000000e+00, 0x7C00]> : tensor<2xf16>
func.func @casts_round() -> !cameo.tensor<[2], f16> {
  %a = "onnx.Constant"() <{value = dense<[1.0001, 70000.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %0 = "onnx.Cast"(%a) <{to = 10 : i64}> : (!cameo.tensor<[2], f32>) -> !cameo.tensor<[2], f16>
  func.return %0 : !cameo.tensor<[2], f16>
}

// -----

// Libraries of mathematics differ in the last bit: left to run time.
// CHECK-LABEL: @transcendental_functions_stay
// CHECK: onnx.Exp
func.func @transcendental_functions_stay() -> !cameo.tensor<[2], f32> {
  %a = "onnx.Constant"() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %0 = "onnx.Exp"(%a) : (!cameo.tensor<[2], f32>) -> !cameo.tensor<[2], f32>
  func.return %0 : !cameo.tensor<[2], f32>
}

// -----

// CHECK-LABEL: @movement
// CHECK-DAG: dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
// CHECK-DAG: dense<{{\[}}[6], [3]]> : tensor<2x1xi32>
// CHECK-DAG: dense<{{\[}}[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]> : tensor<2x6xi32>
// CHECK-DAG: dense<{{\[}}[3, 1], [6, 4]]> : tensor<2x2xi32>
// CHECK: return
func.func @movement() -> (!cameo.tensor<[3, 2], i32>, !cameo.tensor<[2, 1], i32>, !cameo.tensor<[2, 6], i32>,
                          !cameo.tensor<[2, 2], i32>) {
  %x = "onnx.Constant"() <{value = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>}> : () -> !cameo.tensor<[2, 3], i32>
  %t = "onnx.Transpose"(%x) : (!cameo.tensor<[2, 3], i32>) -> !cameo.tensor<[3, 2], i32>
  %a = "onnx.Constant"() <{value = dense<[-1, -1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %e = "onnx.Constant"() <{value = dense<[-9, -2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %p = "onnx.Constant"() <{value = dense<[0, 1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %s = "onnx.Slice"(%x, %a, %e, %p, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}>
      : (!cameo.tensor<[2, 3], i32>, !cameo.tensor<[2], i64>, !cameo.tensor<[2], i64>, !cameo.tensor<[2], i64>,
         !cameo.tensor<[2], i64>) -> !cameo.tensor<[2, 1], i32>
  %c = "onnx.Concat"(%x, %x) <{axis = -1 : i64}>
      : (!cameo.tensor<[2, 3], i32>, !cameo.tensor<[2, 3], i32>) -> !cameo.tensor<[2, 6], i32>
  %i = "onnx.Constant"() <{value = dense<[-1, 0]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %g = "onnx.Gather"(%x, %i) <{axis = 1 : i64}> : (!cameo.tensor<[2, 3], i32>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[2, 2], i32>
  func.return %t, %s, %c, %g : !cameo.tensor<[3, 2], i32>, !cameo.tensor<[2, 1], i32>, !cameo.tensor<[2, 6], i32>,
                               !cameo.tensor<[2, 2], i32>
}

// -----

// CHECK-LABEL: @repetition
// CHECK-DAG: dense<{{\[}}[1, 1], [2, 2]]> : tensor<2x2xi8>
// CHECK-DAG: dense<{{\[}}[1], [2], [1], [2]]> : tensor<4x1xi8>
// CHECK: return
func.func @repetition() -> (!cameo.tensor<[2, 2], i8>, !cameo.tensor<[4, 1], i8>) {
  %x = "onnx.Constant"() <{value = dense<[[1], [2]]> : tensor<2x1xi8>}> : () -> !cameo.tensor<[2, 1], i8>
  %s = "onnx.Constant"() <{value = dense<[2, 2]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %e = "onnx.Expand"(%x, %s) : (!cameo.tensor<[2, 1], i8>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[2, 2], i8>
  %r = "onnx.Constant"() <{value = dense<[2, 1]> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64>
  %t = "onnx.Tile"(%x, %r) : (!cameo.tensor<[2, 1], i8>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[4, 1], i8>
  func.return %e, %t : !cameo.tensor<[2, 2], i8>, !cameo.tensor<[4, 1], i8>
}

// -----

// An index that is out of range is an error of the run.
// CHECK-LABEL: @wrong_indices_stay
// CHECK: onnx.Gather
func.func @wrong_indices_stay() -> !cameo.tensor<[1], i32> {
  %x = "onnx.Constant"() <{value = dense<[1, 2, 3]> : tensor<3xi32>}> : () -> !cameo.tensor<[3], i32>
  %i = "onnx.Constant"() <{value = dense<5> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.Gather"(%x, %i) : (!cameo.tensor<[3], i32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1], i32>
  func.return %0 : !cameo.tensor<[1], i32>
}

// -----

// 128 bytes out of 4 are more than the limit of 64.
// CHECK-LABEL: @growth_is_limited
// CHECK: onnx.Expand
func.func @growth_is_limited() -> !cameo.tensor<[32], f32> {
  %x = "onnx.Constant"() <{value = dense<1.0> : tensor<1xf32>}> : () -> !cameo.tensor<[1], f32>
  %s = "onnx.Constant"() <{value = dense<32> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.Expand"(%x, %s) : (!cameo.tensor<[1], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[32], f32>
  func.return %0 : !cameo.tensor<[32], f32>
}

// -----

// What takes the place of its operand may be as large; a constant that stays for another does not count.
// CHECK-LABEL: @a_shared_constant_is_not_copied
// CHECK: onnx.Neg
// CHECK-NOT: onnx.Abs
func.func @a_shared_constant_is_not_copied() -> (!cameo.tensor<[32], f32>, !cameo.tensor<[32], f32>, !cameo.tensor<[32], f32>) {
  %x = "onnx.Constant"() <{value = dense<1.0> : tensor<32xf32>}> : () -> !cameo.tensor<[32], f32>
  %y = "onnx.Constant"() <{value = dense<-2.0> : tensor<32xf32>}> : () -> !cameo.tensor<[32], f32>
  %0 = "onnx.Neg"(%x) : (!cameo.tensor<[32], f32>) -> !cameo.tensor<[32], f32>
  %1 = "onnx.Abs"(%y) : (!cameo.tensor<[32], f32>) -> !cameo.tensor<[32], f32>
  func.return %x, %0, %1 : !cameo.tensor<[32], f32>, !cameo.tensor<[32], f32>, !cameo.tensor<[32], f32>
}

// -----

// The type may come from a constant of more axes, and of no elements.
// CHECK-LABEL: @cast_like
// CHECK: value = dense<[1, 2]> : tensor<2xi64>
func.func @cast_like() -> !cameo.tensor<[2], i64> {
  %x = "onnx.Constant"() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %like = "onnx.Constant"() <{value = dense<> : tensor<1x0x1xi64>}> : () -> !cameo.tensor<[1, 0, 1], i64>
  %0 = "onnx.CastLike"(%x, %like) : (!cameo.tensor<[2], f32>, !cameo.tensor<[1, 0, 1], i64>) -> !cameo.tensor<[2], i64>
  func.return %0 : !cameo.tensor<[2], i64>
}

// -----

// Nothing is computed: what a conversion from f32 would saturate stays.
// CHECK-LABEL: @cast_to_its_own_type
// CHECK: "onnx.Constant"() <{value = dense<[0x7C, 0x7D]> : tensor<2xf8E5M2>}>
func.func @cast_to_its_own_type() -> !cameo.tensor<[2], f8E5M2> {
  %a = "onnx.Constant"() <{value = dense<[0x7C, 0x7D]> : tensor<2xf8E5M2>}> : () -> !cameo.tensor<[2], f8E5M2>
  %0 = "onnx.Cast"(%a) <{to = 19 : i64}> : (!cameo.tensor<[2], f8E5M2>) -> !cameo.tensor<[2], f8E5M2>
  func.return %0 : !cameo.tensor<[2], f8E5M2>
}

// -----

// Scales along an axis, by rows.
// CHECK-LABEL: @dequantized_rows
// CHECK: dense<{{\[}}[5.000000e-01, 1.000000e+00], [-6.000000e+00, 0.000000e+00]]> : tensor<2x2xf32>
// CHECK-NOT: onnx.DequantizeLinear
func.func @dequantized_rows() -> !cameo.tensor<[2, 2], f32> {
  %x = "onnx.Constant"() <{value = dense<[[1, 2], [-3, 0]]> : tensor<2x2xi8>}> : () -> !cameo.tensor<[2, 2], i8>
  %s = "onnx.Constant"() <{value = dense<[0.5, 2.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32>
  %0 = "onnx.DequantizeLinear"(%x, %s) <{axis = 0 : i64}> : (!cameo.tensor<[2, 2], i8>, !cameo.tensor<[2], f32>) -> !cameo.tensor<[2, 2], f32>
  func.return %0 : !cameo.tensor<[2, 2], f32>
}

// -----

// Two places share a scale and a zero point.
// CHECK-LABEL: @dequantized_blocks
// CHECK: dense<{{\[}}[0.000000e+00, 1.000000e+00, 2.000000e+00, 4.000000e+00]]> : tensor<1x4xf32>
func.func @dequantized_blocks() -> !cameo.tensor<[1, 4], f32> {
  %x = "onnx.Constant"() <{value = dense<[[1, 2, 3, 4]]> : tensor<1x4xi8>}> : () -> !cameo.tensor<[1, 4], i8>
  %s = "onnx.Constant"() <{value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>}> : () -> !cameo.tensor<[1, 2], f32>
  %z = "onnx.Constant"() <{value = dense<[[1, 2]]> : tensor<1x2xi8>}> : () -> !cameo.tensor<[1, 2], i8>
  %0 = "onnx.DequantizeLinear"(%x, %s, %z) <{axis = 1 : i64, block_size = 2 : i64}>
      : (!cameo.tensor<[1, 4], i8>, !cameo.tensor<[1, 2], f32>, !cameo.tensor<[1, 2], i8>) -> !cameo.tensor<[1, 4], f32>
  func.return %0 : !cameo.tensor<[1, 4], f32>
}

// -----

// What a product reads would be in memory anyhow: beyond the budget of 64 bytes. What is added is computed on the way.
// CHECK-LABEL: @weights_are_folded
// CHECK: %[[W:.*]] = "onnx.Constant"() <{value = dense<1.500000e+00> : tensor<8x8xf32>}>
// CHECK: %[[X:.*]] = "onnx.Cast"({{.*}}!cameo.tensor<[8, 8], i8>) -> !cameo.tensor<[8, 8], f32>
// CHECK: %[[V:.*]] = "onnx.Mul"(%[[X]]
// CHECK: "onnx.MatMul"(%arg0, %[[W]])
// CHECK: "onnx.Add"(%arg1, %[[V]])
func.func @weights_are_folded(%a: !cameo.tensor<[N, 8], f32>, %b: !cameo.tensor<[8, 8], f32>)
    -> (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[8, 8], f32>) {
  %w = "onnx.Constant"() <{value = dense<3> : tensor<8x8xi8>}> : () -> !cameo.tensor<[8, 8], i8>
  %v = "onnx.Constant"() <{value = dense<5> : tensor<8x8xi8>}> : () -> !cameo.tensor<[8, 8], i8>
  %s = "onnx.Constant"() <{value = dense<0.5> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  %w_real = "onnx.DequantizeLinear"(%w, %s) : (!cameo.tensor<[8, 8], i8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[8, 8], f32>
  %v_real = "onnx.DequantizeLinear"(%v, %s) : (!cameo.tensor<[8, 8], i8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[8, 8], f32>
  %0 = "onnx.MatMul"(%a, %w_real) : (!cameo.tensor<[N, 8], f32>, !cameo.tensor<[8, 8], f32>) -> !cameo.tensor<[N, 8], f32>
  %1 = "onnx.Add"(%b, %v_real) : (!cameo.tensor<[8, 8], f32>, !cameo.tensor<[8, 8], f32>) -> !cameo.tensor<[8, 8], f32>
  func.return %0, %1 : !cameo.tensor<[N, 8], f32>, !cameo.tensor<[8, 8], f32>
}
