// RUN: cameo-opt %s --cameo-infer-shapes="values=k=3" | FileCheck %s --check-prefix=VALUE
// RUN: cameo-opt %s --cameo-infer-shapes="asserts='k in 1..8'" | FileCheck %s --check-prefix=RANGE
// RUN: cameo-opt %s --cameo-infer-shapes="asserts='k == 2 * m - 1'" | FileCheck %s --check-prefix=EQUAL
// RUN: cameo-opt %s --cameo-infer-shapes="asserts='h.shape[0] <= 6'" | FileCheck %s --check-prefix=EXTENT
// RUN: cameo-opt %s --cameo-infer-shapes="asserts=n==3*m,(m)mod(4)==0" | FileCheck %s --check-prefix=DIMS
// RUN: cameo-opt %s --cameo-infer-shapes="asserts='n <= 2 * m'" | FileCheck %s --check-prefix=TWO
// RUN: cameo-opt %s --cameo-infer-shapes="asserts=n+m==m+n,h.shape[0]>=0" | FileCheck %s --check-prefix=FOLLOWS
// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-infer-shapes="asserts=t.shape[0]<=4,q<=5" | FileCheck %s --check-prefix=DEVICE
// RUN: cameo-opt %s --cameo-infer-shapes="asserts=(n)likely(8),(k)likely(3)" | FileCheck %s --check-prefix=LIKELY
// RUN: cameo-opt %s --cameo-infer-shapes="asserts=n==2*m,(n)likely(8)" | FileCheck %s --check-prefix=LIKELY-OTHER
//
// What is asserted is a fact from where the value is, and a check there.

// Nothing asks for the value: it is known. What reads it, reads the extent; the check reads it itself.
// VALUE: %[[K:.*]] = "onnx.Cast"
// VALUE-NEXT: prog.assert %[[K]] in [#cameo.extent<3>] to [#cameo.extent<3>]
// VALUE-NOT: bind_elements
// VALUE: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[3], f32>

// RANGE: prog.assert %[[K:.*]] in [#cameo.extent<1>] to [#cameo.extent<8>]
// RANGE-NEXT: prog.bind_elements [#cameo.symbol<"cast" in [1, 8]>] = %[[K]]

// EQUAL: cameo.symbols = [#cameo.symbol<"n">, #cameo.symbol<"m">]
// EQUAL: prog.assert %{{.*}} in [#cameo.extent<2 * m - 1>] to [#cameo.extent<2 * m - 1>]
// EQUAL: "onnx.ConstantOfShape"{{.*}} -> !cameo.tensor<[2 * m - 1], f32>

// Of extents that the host knows, the host checks the relation; a sum of dims bounds neither.
// EXTENT: "onnx.Concat"{{.*}} -> !cameo.tensor<[m + n], f32>
// EXTENT-NEXT: prog.check #cameo.extent<m + n> "le" #cameo.extent<6> else "assertion" "h.shape[0] <= 6"

// A dim that another one decides is none of its own.
// DIMS: %arg0: !cameo.tensor<[3 * m], f32> {onnx.name = "x"}
// DIMS-SAME: cameo.symbols = [#cameo.symbol<"m" by 4>]
// DIMS-NOT: prog.check
// DIMS: "onnx.Concat"{{.*}} -> !cameo.tensor<[4 * m], f32>

// What no table of inputs can say is checked before the first operator.
// TWO: cameo.assertions = [
// TWO-SAME: "n <= 2 * m", "checked"
// TWO: prog.check #cameo.extent<n> "le" #cameo.extent<2 * m> else "assertion" "n <= 2 * m"

// FOLLOWS: cameo.assertions = [
// FOLLOWS-SAME: "n+m==m+n", "follows from the model"
// FOLLOWS-SAME: "h.shape[0]>=0", "follows from the model"
// FOLLOWS-NOT: prog.check

// The most that a number on the device is said to be is room enough; a count of the device's is no number of the host's.
// DEVICE: cameo.assertions = [
// DEVICE-SAME: "t.shape[0]<=4", "not checked: the device counts an extent that it names"
// DEVICE-SAME: "q<=5", "checked"
// DEVICE: prog.assert %{{.*}} in [#cameo.extent<?>] to [#cameo.extent<5>]
// DEVICE: "onnx.TopK"{{.*}}#cameo.symbol<"k" in [0, 5] bound min(n, 5)>

// What is likely stands where the symbol is defined; nothing is checked, and nothing follows.
// LIKELY: cameo.assertions = [
// LIKELY-SAME: "(n)likely(8)", "expected, for costs only"
// LIKELY-SAME: "(k)likely(3)", "expected, for costs only"
// LIKELY-SAME: cameo.symbols = [#cameo.symbol<"n" likely 8>, #cameo.symbol<"m">]
// LIKELY-NOT: prog.assert
// LIKELY-NOT: prog.check
// LIKELY: prog.bind_elements [#cameo.symbol<"cast" in [*, *] likely 3>]

// Of a dim that another one decides, that one is likely to be half.
// LIKELY-OTHER: cameo.symbols = [#cameo.symbol<"m" likely 4>]
func.func @main(%x: !cameo.tensor<[n], f32> {onnx.name = "x"}, %y: !cameo.tensor<[m], f32> {onnx.name = "y"})
    -> (!cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>) {
  %most = "onnx.ReduceMax"(%x) <{keepdims = 1 : i64}> : (!cameo.tensor<[n], f32>) -> !cameo.tensor<[1], f32>
  %k = "onnx.Cast"(%most) <{to = 7 : i64}> : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], i64>
      loc("Cast:cast"(fused<["k"]>[unknown]))
  %filled = "onnx.ConstantOfShape"(%k) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<*, f32>
  %h = "onnx.Concat"(%x, %y) <{axis = 0 : i64}>
      : (!cameo.tensor<[n], f32>, !cameo.tensor<[m], f32>) -> !cameo.tensor<*, f32> loc("Concat:join"(fused<["h"]>[unknown]))
  %r = "onnx.ArgMax"(%x) <{axis = 0 : i64, keepdims = 1 : i64}> : (!cameo.tensor<[n], f32>) -> !cameo.tensor<[1], i64>
      loc("ArgMax:best"(fused<["q"]>[unknown]))
  %t, %i = "onnx.TopK"(%x, %r) <{axis = 0 : i64}> : (!cameo.tensor<[n], f32>, !cameo.tensor<[1], i64>)
      -> (!cameo.tensor<*, f32>, !cameo.tensor<*, i64>) loc("TopK:topk"(fused<["t", "i"]>[unknown]))
  func.return %filled, %h, %t : !cameo.tensor<*, f32>, !cameo.tensor<*, f32>, !cameo.tensor<*, f32>
}
