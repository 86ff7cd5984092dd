// RUN: cameo-opt %s --cameo-simplify --split-input-file | FileCheck %s
//
// Operators that ONNX defines by others. Numbers are tests/models/decomposed.py's business.

// CHECK-LABEL: @nll_with_ignored_labels
// CHECK: "onnx.Equal"
// CHECK: "onnx.GatherElements"
// CHECK: %[[LOSS:.*]] = "onnx.ReduceSum"
// CHECK: %[[COUNT:.*]] = "onnx.ReduceSum"
// CHECK: "onnx.Div"(%[[LOSS]], %[[COUNT]])
func.func @nll_with_ignored_labels(%x: !cameo.tensor<[N, 5, D], f32>, %t: !cameo.tensor<[N, D], i64>) -> !cameo.tensor<[], f32> {
  %0 = "onnx.NegativeLogLikelihoodLoss"(%x, %t) <{ignore_index = -1 : i64, reduction = "mean"}>
      : (!cameo.tensor<[N, 5, D], f32>, !cameo.tensor<[N, D], i64>) -> !cameo.tensor<[], f32>
  func.return %0 : !cameo.tensor<[], f32>
}

// -----

// CHECK-LABEL: @cross_entropy
// CHECK: %[[LOG:.*]] = "onnx.LogSoftmax"(%arg0) <{axis = 1 : i64}>
// CHECK: "onnx.GatherElements"(%[[LOG]]
// CHECK: return %{{.*}}, %[[LOG]] : !cameo.tensor<[N, D], f32>, !cameo.tensor<[N, 5, D], f32>
func.func @cross_entropy(%x: !cameo.tensor<[N, 5, D], f32>, %t: !cameo.tensor<[N, D], i64>)
    -> (!cameo.tensor<[N, D], f32>, !cameo.tensor<[N, 5, D], f32>) {
  %0:2 = "onnx.SoftmaxCrossEntropyLoss"(%x, %t) <{reduction = "none"}>
      : (!cameo.tensor<[N, 5, D], f32>, !cameo.tensor<[N, D], i64>) -> (!cameo.tensor<[N, D], f32>, !cameo.tensor<[N, 5, D], f32>)
  func.return %0#0, %0#1 : !cameo.tensor<[N, D], f32>, !cameo.tensor<[N, 5, D], f32>
}

// -----

// CHECK-LABEL: @mean_variance
// CHECK: onnx.ReduceMean
// CHECK: onnx.Sqrt
// CHECK-NOT: onnx.MeanVarianceNormalization
func.func @mean_variance(%x: !cameo.tensor<[N, C, H, W], f32>) -> !cameo.tensor<[N, C, H, W], f32> {
  %0 = "onnx.MeanVarianceNormalization"(%x) : (!cameo.tensor<[N, C, H, W], f32>) -> !cameo.tensor<[N, C, H, W], f32>
  func.return %0 : !cameo.tensor<[N, C, H, W], f32>
}

// -----

// CHECK-LABEL: @norms
// CHECK: onnx.ReduceL1
// CHECK: onnx.ReduceL2
func.func @norms(%x: !cameo.tensor<[N, C, H], f32>) -> (!cameo.tensor<[N, C, H], f32>, !cameo.tensor<[N, C, 1], f32>) {
  %0 = "onnx.LpNormalization"(%x) <{p = 1 : i64}> : (!cameo.tensor<[N, C, H], f32>) -> !cameo.tensor<[N, C, H], f32>
  %1 = "onnx.GlobalLpPool"(%x) : (!cameo.tensor<[N, C, H], f32>) -> !cameo.tensor<[N, C, 1], f32>
  func.return %0, %1 : !cameo.tensor<[N, C, H], f32>, !cameo.tensor<[N, C, 1], f32>
}

// -----

// CHECK-LABEL: @hardmax
// CHECK: "onnx.ArgMax"(%arg0) <{axis = 1 : i64
// CHECK: "onnx.Equal"{{.*}}(!cameo.tensor<[C, 1], i64>, !cameo.tensor<[N, 1, H], i64>) -> !cameo.tensor<[N, C, H], i1>
func.func @hardmax(%x: !cameo.tensor<[N, C, H], f32>) -> !cameo.tensor<[N, C, H], f32> {
  %0 = "onnx.Hardmax"(%x) <{axis = 1 : i64}> : (!cameo.tensor<[N, C, H], f32>) -> !cameo.tensor<[N, C, H], f32>
  func.return %0 : !cameo.tensor<[N, C, H], f32>
}

// -----

// Whether the axis is cut or padded is known at run time; the other one stays.
// CHECK-LABEL: @center
// CHECK: "onnx.Slice"(%arg0
// CHECK: "onnx.Pad"{{.*}} -> !cameo.tensor<[C, 8], f32>
func.func @center(%x: !cameo.tensor<[C, H], f32>) -> !cameo.tensor<[C, 8], f32> {
  %s = "onnx.Constant"() <{value = dense<8> : tensor<1xi64>}> : () -> !cameo.tensor<[1], i64>
  %0 = "onnx.CenterCropPad"(%x, %s) <{axes = array<i64: 1>}> : (!cameo.tensor<[C, H], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[C, 8], f32>
  func.return %0 : !cameo.tensor<[C, 8], f32>
}

// -----

// CHECK-LABEL: @windows
// CHECK: prog.from_extents [#cameo.extent<L - 1>]
// CHECK: "onnx.Cos"{{.*}} -> !cameo.tensor<[L], f32>
// CHECK: "onnx.Cast"{{.*}} -> !cameo.tensor<[L], f64>
func.func @windows() -> !cameo.tensor<[L], f64> {
  %s = prog.from_extents [#cameo.extent<L>] -> <[], i64>
  %0 = "onnx.HannWindow"(%s) <{output_datatype = 11 : i64, periodic = 0 : i64}> : (!cameo.tensor<[], i64>) -> !cameo.tensor<[L], f64>
  func.return %0 : !cameo.tensor<[L], f64>
}

// -----

// CHECK-LABEL: @dynamic_quantize
// CHECK: onnx.ReduceMin
// CHECK: onnx.ReduceMax
// CHECK: "onnx.Cast"{{.*}} -> !cameo.tensor<[N], ui8>
func.func @dynamic_quantize(%x: !cameo.tensor<[N], f32>)
    -> (!cameo.tensor<[N], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>) {
  %0:3 = "onnx.DynamicQuantizeLinear"(%x) : (!cameo.tensor<[N], f32>)
      -> (!cameo.tensor<[N], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>)
  func.return %0#0, %0#1, %0#2 : !cameo.tensor<[N], ui8>, !cameo.tensor<[], f32>, !cameo.tensor<[], ui8>
}

// -----

// More operands than a kernel takes: from the left, in the same order.
// CHECK-LABEL: @sum_of_17
// CHECK: %[[SOME:.*]] = "onnx.Sum"(%arg0, {{(%arg0, )+}}%arg0)
// CHECK-NEXT: %[[ALL:.*]] = "onnx.Sum"(%[[SOME]], %arg0, %arg0)
// CHECK-NEXT: return %[[ALL]]
func.func @sum_of_17(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32> {
  %0 = "onnx.Sum"(%x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x)
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  func.return %0 : !cameo.tensor<[N], f32>
}

// -----

// What gave the type is not computed.
// CHECK-LABEL: @cast_like
// CHECK-NOT: onnx.Exp
// CHECK: %[[Y:.*]] = "onnx.Cast"(%arg0) <{round_mode = "down", saturate = 0 : i64, to = 10 : i64}>
// CHECK: return %[[Y]]
func.func @cast_like(%x: !cameo.tensor<[N], f32>, %y: !cameo.tensor<[3, M], f16>) -> !cameo.tensor<[N], f16> {
  %like = "onnx.Exp"(%y) : (!cameo.tensor<[3, M], f16>) -> !cameo.tensor<[3, M], f16>
  %0 = "onnx.CastLike"(%x, %like) <{round_mode = "down", saturate = 0 : i64}>
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[3, M], f16>) -> !cameo.tensor<[N], f16>
  func.return %0 : !cameo.tensor<[N], f16>
}

// -----

// A probability in a half is compared in f32, in which small ones are drawn too.
// CHECK-LABEL: @bernoulli
// CHECK-DAG: %[[CHANCE:.*]] = "onnx.Cast"(%arg0)
// CHECK-DAG: %[[DRAWN:.*]] = "onnx.RandomUniformLike"({{.*}}) <{{{.*}}seed = 3.0{{.*}}}> : {{.*}} -> !cameo.tensor<[N], f32>
// CHECK: "onnx.Less"(%[[DRAWN]], %[[CHANCE]])
func.func @bernoulli(%x: !cameo.tensor<[N], f16>) -> !cameo.tensor<[N], i32> {
  %0 = "onnx.Bernoulli"(%x) <{dtype = 6 : i64, seed = 3.0 : f32}> : (!cameo.tensor<[N], f16>) -> !cameo.tensor<[N], i32>
  func.return %0 : !cameo.tensor<[N], i32>
}

// -----

// CHECK-LABEL: @multinomial
// CHECK: %[[SUMS:.*]] = "onnx.CumSum"
// CHECK: %[[SUM:.*]] = "onnx.ReduceMax"(%[[SUMS]]
// CHECK: %[[DRAWN:.*]] = "onnx.RandomUniformLike"({{.*}} -> !cameo.tensor<[N, 7], f32>
// CHECK: "onnx.Mul"(%[[DRAWN]], %[[SUM]])
// CHECK: "onnx.LessOrEqual"
// CHECK: "onnx.ReduceSum"
func.func @multinomial(%x: !cameo.tensor<[N, C], f32>) -> !cameo.tensor<[N, 7], i32> {
  %0 = "onnx.Multinomial"(%x) <{sample_size = 7 : i64}> : (!cameo.tensor<[N, C], f32>) -> !cameo.tensor<[N, 7], i32>
  func.return %0 : !cameo.tensor<[N, 7], i32>
}

// -----

// Heads that share keys are one product; what a query may see is a function of positions.
// CHECK-LABEL: @attention
// CHECK-SAME: %[[Q:[^:]*]]: !cameo.tensor<[B, 4, L, 8], f32>, %[[K:[^:]*]]: !cameo.tensor<[B, 2, S, 8], f32>
// CHECK: %[[PRESENT:.*]] = "onnx.Concat"(%{{.*}}, %[[K]]) <{axis = 2
// CHECK: %[[SCALED:.*]] = "onnx.Mul"(%[[Q]]
// CHECK: %[[JOINED:.*]] = "onnx.Reshape"(%[[SCALED]]{{.*}} -> !cameo.tensor<[B, 2, 2 * L, 8], f32>
// CHECK: %[[TURNED:.*]] = "onnx.Transpose"(%[[PRESENT]])
// CHECK: "onnx.MatMul"(%[[JOINED]], %[[TURNED]])
// CHECK: "onnx.LessOrEqual"
// CHECK: "onnx.Where"
// CHECK: "onnx.Softmax"
// CHECK: "onnx.MatMul"
// CHECK-NOT: onnx.Attention
func.func @attention(%q: !cameo.tensor<[B, 4, L, 8], f32>, %k: !cameo.tensor<[B, 2, S, 8], f32>,
                     %v: !cameo.tensor<[B, 2, S, 8], f32>, %pk: !cameo.tensor<[B, 2, P, 8], f32>,
                     %pv: !cameo.tensor<[B, 2, P, 8], f32>) -> !cameo.tensor<[B, 4, L, 8], f32> {
  %0:4 = "onnx.Attention"(%q, %k, %v, %pk, %pv) <{is_causal = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0>}>
      : (!cameo.tensor<[B, 4, L, 8], f32>, !cameo.tensor<[B, 2, S, 8], f32>, !cameo.tensor<[B, 2, S, 8], f32>,
         !cameo.tensor<[B, 2, P, 8], f32>, !cameo.tensor<[B, 2, P, 8], f32>)
      -> (!cameo.tensor<[B, 4, L, 8], f32>, !cameo.tensor<[B, 2, P + S, 8], f32>, !cameo.tensor<[B, 2, P + S, 8], f32>,
          !cameo.tensor<[B, 4, L, P + S], f32>)
  func.return %0#0 : !cameo.tensor<[B, 4, L, 8], f32>
}

// -----

// Only the run knows how many heads share keys: queries are joined by their quotient.
// CHECK-LABEL: @attention_of_any_heads
// CHECK-NOT: onnx.Attention
// CHECK: prog.from_extents [{{.*}}floordiv{{.*}}]
// CHECK: "onnx.MatMul"
func.func @attention_of_any_heads(%q: !cameo.tensor<[B, H, L, 8], f32>, %k: !cameo.tensor<[B, G, S, 8], f32>)
    -> !cameo.tensor<[B, H, L, 8], f32> {
  %0:4 = "onnx.Attention"(%q, %k, %k) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>}>
      : (!cameo.tensor<[B, H, L, 8], f32>, !cameo.tensor<[B, G, S, 8], f32>, !cameo.tensor<[B, G, S, 8], f32>)
      -> (!cameo.tensor<[B, H, L, 8], f32>, !cameo.tensor<[B, G, S, 8], f32>, !cameo.tensor<[B, G, S, 8], f32>,
          !cameo.tensor<[B, H, L, S], f32>)
  func.return %0#0 : !cameo.tensor<[B, H, L, 8], f32>
}

// -----

// What both have and somebody reads later is the batch of a product.
// CHECK-LABEL: @einsum
// CHECK: "onnx.MatMul"(%{{.*}}, %{{.*}}) : (!cameo.tensor<[B, 3, Q, 5], f32>, !cameo.tensor<[B, 3, 5, K], f32>)
func.func @einsum(%q: !cameo.tensor<[B, Q, 3, 5], f32>, %k: !cameo.tensor<[B, K, 3, 5], f32>)
    -> !cameo.tensor<[B, 3, Q, K], f32> {
  %0 = "onnx.Einsum"(%q, %k) <{equation = "bqhd,bkhd->bhqk"}>
      : (!cameo.tensor<[B, Q, 3, 5], f32>, !cameo.tensor<[B, K, 3, 5], f32>) -> !cameo.tensor<[B, 3, Q, K], f32>
  func.return %0 : !cameo.tensor<[B, 3, Q, K], f32>
}

// -----

// Weights less a zero point that fit signed bytes are those; the rows' zero point meets the sums of their columns.
// CHECK-LABEL: @centred_weights
// CHECK-DAG: %[[W:.*]] = "onnx.Constant"() <{value = dense<{{\[\[}}-2, 127], [3, -128]]> : tensor<2x2xi8>}>
// CHECK-DAG: %[[SUMS:.*]] = "onnx.Constant"() <{value = dense<[1, -1]> : tensor<2xi32>}>
// CHECK: %[[Y:.*]] = "onnx.MatMulInteger"(%arg0, %[[W]]) {{.*}} -> !cameo.tensor<[M, 2], i32>
// CHECK: %[[OFF:.*]] = "onnx.Mul"(%{{.*}}, %[[SUMS]])
// CHECK: "onnx.Sub"(%[[Y]], %[[OFF]])
// CHECK-NOT: onnx.ReduceSum
func.func @centred_weights(%x: !cameo.tensor<[M, 2], ui8>, %z: !cameo.tensor<[], ui8>) -> !cameo.tensor<[M, 2], i32> {
  %w = "onnx.Constant"() <{value = dense<[[126, 255], [131, 0]]> : tensor<2x2xui8>}> : () -> !cameo.tensor<[2, 2], ui8>
  %wz = "onnx.Constant"() <{value = dense<128> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8>
  %0 = "onnx.MatMulInteger"(%x, %w, %z, %wz) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}>
      : (!cameo.tensor<[M, 2], ui8>, !cameo.tensor<[2, 2], ui8>, !cameo.tensor<[], ui8>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[M, 2], i32>
  func.return %0 : !cameo.tensor<[M, 2], i32>
}

// -----

// Those that do not are moved by 128, and what is left of their zero point meets the sums of the rows.
// CHECK-LABEL: @moved_weights
// CHECK-DAG: %[[W:.*]] = "onnx.Constant"() <{value = dense<{{\[\[}}-2, 127], [3, -128]]> : tensor<2x2xi8>}>
// CHECK-DAG: %[[SUMS:.*]] = "onnx.Constant"() <{value = dense<[17, 15]> : tensor<2xi32>}>
// CHECK-DAG: %[[ZERO:.*]] = "onnx.Constant"() <{value = dense<-8> : tensor<1xi32>}>
// CHECK: %[[Y:.*]] = "onnx.MatMulInteger"(%arg0, %[[W]])
// CHECK: %[[ROWS:.*]] = "onnx.ReduceSum"
// CHECK: "onnx.Mul"(%[[ZERO]], %[[ROWS]])
func.func @moved_weights(%x: !cameo.tensor<[M, 2], ui8>, %z: !cameo.tensor<[], ui8>) -> !cameo.tensor<[M, 2], i32> {
  %w = "onnx.Constant"() <{value = dense<[[126, 255], [131, 0]]> : tensor<2x2xui8>}> : () -> !cameo.tensor<[2, 2], ui8>
  %wz = "onnx.Constant"() <{value = dense<120> : tensor<ui8>}> : () -> !cameo.tensor<[], ui8>
  %0 = "onnx.MatMulInteger"(%x, %w, %z, %wz) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}>
      : (!cameo.tensor<[M, 2], ui8>, !cameo.tensor<[2, 2], ui8>, !cameo.tensor<[], ui8>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[M, 2], i32>
  func.return %0 : !cameo.tensor<[M, 2], i32>
}

// -----

// Sums of 9 products of bytes fit a float, those of 360 do not.
// CHECK-LABEL: @short_sums
// CHECK: "onnx.Conv"{{.*}} -> !cameo.tensor<[N, 6, H - 2, W - 2], f32>
// CHECK: "onnx.Cast"{{.*}} -> !cameo.tensor<[N, 6, H - 2, W - 2], i32>
func.func @short_sums(%x: !cameo.tensor<[N, 1, H, W], ui8>, %w: !cameo.tensor<[6, 1, 3, 3], ui8>)
    -> !cameo.tensor<[N, 6, H - 2, W - 2], i32> {
  %0 = "onnx.ConvInteger"(%x, %w) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 1, H, W], ui8>, !cameo.tensor<[6, 1, 3, 3], ui8>) -> !cameo.tensor<[N, 6, H - 2, W - 2], i32>
  func.return %0 : !cameo.tensor<[N, 6, H - 2, W - 2], i32>
}

// -----

// CHECK-LABEL: @long_sums
// CHECK: "onnx.Conv"{{.*}} -> !cameo.tensor<[N, 6, H - 2, W - 2], f64>
func.func @long_sums(%x: !cameo.tensor<[N, 40, H, W], ui8>, %w: !cameo.tensor<[6, 40, 3, 3], ui8>)
    -> !cameo.tensor<[N, 6, H - 2, W - 2], i32> {
  %0 = "onnx.ConvInteger"(%x, %w) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 40, H, W], ui8>, !cameo.tensor<[6, 40, 3, 3], ui8>) -> !cameo.tensor<[N, 6, H - 2, W - 2], i32>
  func.return %0 : !cameo.tensor<[N, 6, H - 2, W - 2], i32>
}

// -----

// One scale for a whole tensor: elementwise operators, through which layouts and fusion see.
// CHECK-LABEL: @quantize_whole
// CHECK: %[[Q:.*]] = "onnx.Div"(%arg0
// CHECK: %[[R:.*]] = "onnx.Round"(%[[Q]])
// CHECK: %[[Z:.*]] = "onnx.Add"(%[[R]]
// CHECK: "onnx.Cast"(%[[Z]]){{.*}} -> !cameo.tensor<[N, 3], ui8>
// CHECK-NOT: onnx.QuantizeLinear
func.func @quantize_whole(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[1], f32>, %z: !cameo.tensor<[], ui8>)
    -> !cameo.tensor<[N, 3], ui8> {
  %0 = "onnx.QuantizeLinear"(%x, %s, %z)
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[1], f32>, !cameo.tensor<[], ui8>) -> !cameo.tensor<[N, 3], ui8>
  func.return %0 : !cameo.tensor<[N, 3], ui8>
}

// -----

// A conversion to less than a byte does not saturate.
// CHECK-LABEL: @quantize_nibbles
// CHECK: %[[R:.*]] = "onnx.Round"
// CHECK: %[[L:.*]] = "onnx.Max"(%[[R]]
// CHECK: %[[M:.*]] = "onnx.Min"(%[[L]]
// CHECK: "onnx.Cast"(%[[M]]){{.*}} -> !cameo.tensor<[N, 3], i4>
func.func @quantize_nibbles(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[1], f32>) -> !cameo.tensor<[N, 3], i4> {
  %0 = "onnx.QuantizeLinear"(%x, %s) <{output_dtype = 22 : i64}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[1], f32>) -> !cameo.tensor<[N, 3], i4>
  func.return %0 : !cameo.tensor<[N, 3], i4>
}

// -----

// CHECK-LABEL: @dequantize_whole
// CHECK: %[[X:.*]] = "onnx.Cast"(%arg0)
// CHECK: "onnx.Mul"(%[[X]], %arg1)
// CHECK-NOT: onnx.DequantizeLinear
func.func @dequantize_whole(%x: !cameo.tensor<[N, 3], i8>, %s: !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 3], f32> {
  %0 = "onnx.DequantizeLinear"(%x, %s) : (!cameo.tensor<[N, 3], i8>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N, 3], f32>
  func.return %0 : !cameo.tensor<[N, 3], f32>
}

// -----

// Scales along an axis of what a run computes: a kernel of its own.
// CHECK-LABEL: @dequantize_along_an_axis
// CHECK: onnx.DequantizeLinear
func.func @dequantize_along_an_axis(%x: !cameo.tensor<[N, 3], i8>, %s: !cameo.tensor<[3], f32>) -> !cameo.tensor<[N, 3], f32> {
  %0 = "onnx.DequantizeLinear"(%x, %s) <{axis = 1 : i64}>
      : (!cameo.tensor<[N, 3], i8>, !cameo.tensor<[3], f32>) -> !cameo.tensor<[N, 3], f32>
  func.return %0 : !cameo.tensor<[N, 3], f32>
}

// -----

// What the run alone knows to train draws, and chooses.
// CHECK-LABEL: @dropout
// CHECK: "onnx.RandomUniformLike"(%arg0) <{high = 1.000000e+00 : f32, low = 0.000000e+00 : f32, seed = 7.000000e+00 : f32}>
// CHECK: %[[KEPT:.*]] = "onnx.GreaterOrEqual"
// CHECK: "onnx.Or"({{.*}}, %[[KEPT]])
// CHECK-NOT: onnx.Dropout
func.func @dropout(%x: !cameo.tensor<[N], f32>, %t: !cameo.tensor<[], i1>) -> (!cameo.tensor<[N], f32>, !cameo.tensor<[N], i1>) {
  %0:2 = "onnx.Dropout"(%x, %t) <{operandSegmentSizes = array<i32: 1, 0, 1>, seed = 7 : i64}>
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[], i1>) -> (!cameo.tensor<[N], f32>, !cameo.tensor<[N], i1>)
  func.return %0#0, %0#1 : !cameo.tensor<[N], f32>, !cameo.tensor<[N], i1>
}

// -----

// Samples at every tap of every place, times the mask, are what the weights are multiplied by.
// CHECK-LABEL: @deform_conv
// CHECK: %[[SAMPLES:.*]] = "onnx.GridSample"{{.*}} -> !cameo.tensor<[N, 4, 9, P * Q], f32>
// CHECK: "onnx.MatMul"{{.*}} -> !cameo.tensor<[N, 1, 8, P * Q], f32>
func.func @deform_conv(%x: !cameo.tensor<[N, 4, H, W], f32>, %w: !cameo.tensor<[8, 4, 3, 3], f32>, %o: !cameo.tensor<[N, 18, P, Q], f32>, %m: !cameo.tensor<[N, 9, P, Q], f32>)
    -> !cameo.tensor<[N, 8, P, Q], f32> {
  %0 = "onnx.DeformConv"(%x, %w, %o, %m) <{pads = array<i64: 1, 1, 1, 1>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}>
      : (!cameo.tensor<[N, 4, H, W], f32>, !cameo.tensor<[8, 4, 3, 3], f32>, !cameo.tensor<[N, 18, P, Q], f32>, !cameo.tensor<[N, 9, P, Q], f32>) -> !cameo.tensor<[N, 8, P, Q], f32>
  func.return %0 : !cameo.tensor<[N, 8, P, Q], f32>
}

// -----

// A table for tokens, one for beginnings of one token, one for those of two; then columns are counted.
// CHECK-LABEL: @tf_idf
// CHECK-COUNT-3: "onnx.ml.LabelEncoder"
// CHECK: %[[COLUMNS:.*]] = "onnx.Gather"
// CHECK: "onnx.ScatterElements"({{.*}}, %[[COLUMNS]], {{.*}}) <{axis = 1 : i64, reduction = "add"}>
func.func @tf_idf(%x: !cameo.tensor<[N, C], i64>) -> !cameo.tensor<[N, 2], f32> {
  %0 = "onnx.TfIdfVectorizer"(%x) <{max_gram_length = 2 : i64, max_skip_count = 0 : i64, min_gram_length = 2 : i64, mode = "TF", ngram_counts = array<i64: 0, 1>, ngram_indexes = array<i64: 0, 1, 0>, pool_int64s = array<i64: 5, 5, 7, 7, 5>}>
      : (!cameo.tensor<[N, C], i64>) -> !cameo.tensor<[N, 2], f32>
  func.return %0 : !cameo.tensor<[N, 2], f32>
}
