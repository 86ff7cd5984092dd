// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-place --cameo-verify-sides --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-place --cameo-verify-sides --split-input-file | FileCheck %s --check-prefix=HOST

// Without a device everything is on the host.
// HOST-NOT: , device
// HOST-NOT: prog.fetch
// HOST-NOT: prog.upload

//===--- Operand classes ---===//

// Data is on the device; an input that only a Host operand reads is not.
// CHECK-LABEL: func.func @data_and_host
// CHECK-SAME: %{{.*}}: !cameo.tensor<[N], f32, device>, %{{.*}}: !cameo.tensor<[1], i64, host>
// CHECK: "onnx.Relu"({{.*}}) : (!cameo.tensor<[N], f32, device>) -> !cameo.tensor<[N], f32, device>
// CHECK-NOT: prog.fetch
func.func @data_and_host(%x: !cameo.tensor<[N], f32>, %k: !cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32> {
  prog.bind_elements [#cameo.symbol<"k">] = %k : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.Relu"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  %values, %indices = "onnx.TopK"(%y, %e) : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], i64>)
      -> (!cameo.tensor<[k], f32>, !cameo.tensor<[k], i64>)
  func.return %values : !cameo.tensor<[k], f32>
}

// -----

// A tensor of which only the extents matter stays where it is, and nothing waits for it.
// CHECK-LABEL: func.func @dims_only
// CHECK: %[[SUM:.*]] = "onnx.Add"{{.*}} -> !cameo.tensor<[N, N], f32, device>
// CHECK: "onnx.EyeLike"(%[[SUM]]){{.*}} : (!cameo.tensor<[N, N], f32, device>)
// CHECK-NOT: prog.fetch
func.func @dims_only(%x: !cameo.tensor<[N, N], f32>) -> !cameo.tensor<[N, N], f32> {
  %0 = "onnx.Add"(%x, %x) : (!cameo.tensor<[N, N], f32>, !cameo.tensor<[N, N], f32>) -> !cameo.tensor<[N, N], f32>
  %1 = "onnx.EyeLike"(%0) : (!cameo.tensor<[N, N], f32>) -> !cameo.tensor<[N, N], f32>
  func.return %1 : !cameo.tensor<[N, N], f32>
}

// -----

// A Param operand is read where the operator runs: no readback for a bound of Clip.
// CHECK-LABEL: func.func @param
// CHECK: %[[LEAST:.*]] = "onnx.ReduceMin"{{.*}} -> !cameo.tensor<[], f32, device>
// CHECK-NOT: prog.fetch
// CHECK: "onnx.Clip"(%{{.*}}, %[[LEAST]])
func.func @param(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32> {
  %0 = "onnx.ReduceMin"(%x) <{keepdims = 0 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[], f32>
  %1 = "onnx.Clip"(%x, %0) <{operandSegmentSizes = array<i32: 1, 1, 0>}>
      : (!cameo.tensor<[N], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<[N], f32>
  func.return %1 : !cameo.tensor<[N], f32>
}

// -----

//===--- Crossings ---===//

// What decides an extent and is computed on the device is fetched at its producer, and awaited behind
// the work that does not depend on it.
// CHECK-LABEL: func.func @fetch_and_await
// CHECK: %[[K:.*]] = "onnx.ArgMax"
// CHECK-NEXT: %[[TICKET:.*]] = prog.fetch %[[K]]
// CHECK-NEXT: "onnx.Exp"
// CHECK-NEXT: %[[HERE:.*]] = prog.await %[[TICKET]] : <<[1], i64, device>> -> <[1], i64, host>
// CHECK-NEXT: prog.bind_elements [#cameo.symbol<"k">] = %[[HERE]]
func.func @fetch_and_await(%x: !cameo.tensor<[N], f32>) -> (!cameo.tensor<[k], f32>, !cameo.tensor<[N], f32>) {
  %a = "onnx.ArgMax"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %a : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %values, %indices = "onnx.TopK"(%x, %e) : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], i64>)
      -> (!cameo.tensor<[k], f32>, !cameo.tensor<[k], i64>)
  %other = "onnx.Exp"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32>
  func.return %values, %other : !cameo.tensor<[k], f32>, !cameo.tensor<[N], f32>
}

// -----

// A value that both sides read has two replicas and one crossing.
// CHECK-LABEL: func.func @dual_residency
// CHECK: %[[K:.*]] = "onnx.ArgMax"
// CHECK-COUNT-1: prog.fetch
// CHECK-NOT: prog.fetch
// CHECK: "onnx.Gather"(%{{.*}}, %[[K]]) {{.*}} device>
func.func @dual_residency(%x: !cameo.tensor<[N], f32>)
    -> (!cameo.tensor<[k], f32>, !cameo.tensor<[k2], f32>, !cameo.tensor<[1], f32>) {
  %a = "onnx.ArgMax"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %a : <[1], i64>
  prog.bind_elements [#cameo.symbol<"k2">] = %a : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %e2 = prog.from_extents [#cameo.extent<k2>] -> <[1], i64>
  %v:2 = "onnx.TopK"(%x, %e) : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], i64>)
      -> (!cameo.tensor<[k], f32>, !cameo.tensor<[k], i64>)
  %w:2 = "onnx.TopK"(%x, %e2) : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], i64>)
      -> (!cameo.tensor<[k2], f32>, !cameo.tensor<[k2], i64>)
  %g = "onnx.Gather"(%x, %a) : (!cameo.tensor<[N], f32>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[1], f32>
  func.return %v#0, %w#0, %g : !cameo.tensor<[k], f32>, !cameo.tensor<[k2], f32>, !cameo.tensor<[1], f32>
}

// -----

// A host tensor that kernels read is staged once; a single element is a kernel argument instead.
// CHECK-LABEL: func.func @stage_once
// CHECK: %[[PADS:.*]] = "onnx.Neg"{{.*}} -> !cameo.tensor<[2], i64, host>
// CHECK-NEXT: %[[COPY:.*]] = prog.upload %[[PADS]]
// CHECK-NOT: prog.upload
// CHECK: "onnx.Add"(%{{.*}}, %[[COPY]])
// CHECK: "onnx.Mul"(%{{.*}}, %[[COPY]])
// CHECK: "onnx.Sub"(%{{.*}}, %{{.*}}) : (!cameo.tensor<[N, 2], i64, device>, !cameo.tensor<[1], i64, host>)
func.func @stage_once(%x: !cameo.tensor<[N, 2], i64>, %h: !cameo.tensor<[2], i64>, %one: !cameo.tensor<[1], i64>)
    -> !cameo.tensor<[N, 2], i64> {
  prog.bind_elements [#cameo.symbol<"a">, #cameo.symbol<"b">] = %h : <[2], i64>
  prog.bind_elements [#cameo.symbol<"c">] = %one : <[1], i64>
  %n = "onnx.Neg"(%h) : (!cameo.tensor<[2], i64>) -> !cameo.tensor<[2], i64>
  %0 = "onnx.Add"(%x, %n) : (!cameo.tensor<[N, 2], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[N, 2], i64>
  %1 = "onnx.Mul"(%0, %n) : (!cameo.tensor<[N, 2], i64>, !cameo.tensor<[2], i64>) -> !cameo.tensor<[N, 2], i64>
  %2 = "onnx.Sub"(%1, %one) : (!cameo.tensor<[N, 2], i64>, !cameo.tensor<[1], i64>) -> !cameo.tensor<[N, 2], i64>
  func.return %2 : !cameo.tensor<[N, 2], i64>
}

// -----

// Constants and extents are on both sides.
// CHECK-LABEL: func.func @both_sides
// CHECK-NOT: prog.upload
// CHECK: return
func.func @both_sides(%x: !cameo.tensor<[N, 4], f32>) -> !cameo.tensor<[N, 4], f32> {
  %c = "onnx.Constant"() <{value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>}> : () -> !cameo.tensor<[4], f32>
  %0 = "onnx.Add"(%x, %c) : (!cameo.tensor<[N, 4], f32>, !cameo.tensor<[4], f32>) -> !cameo.tensor<[N, 4], f32>
  func.return %0 : !cameo.tensor<[N, 4], f32>
}

// -----

//===--- Chains that start at inputs ---===//

// Needs go back through small float work to the input, which is then on the host, and so is all of the chain.
// CHECK-LABEL: func.func @from_an_input
// CHECK-SAME: %{{.*}}: !cameo.tensor<[1], f32, host>
// CHECK-NOT: prog.fetch
// CHECK: prog.bind_elements [#cameo.symbol<"k">] = %{{.*}} : <[1], i64, host>
func.func @from_an_input(%r: !cameo.tensor<[1], f32>) -> !cameo.tensor<[k], f32> {
  %0 = "onnx.Ceil"(%r) : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], f32>
  %1 = "onnx.Cast"(%0) <{to = 7 : i64}> : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %1 : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32>
  func.return %y : !cameo.tensor<[k], f32>
}

// -----

// Where the other operand comes from the device, the input would be on the host in vain.
// CHECK-LABEL: func.func @in_vain
// CHECK-SAME: %{{.*}}: !cameo.tensor<[N], f32, device>, %{{.*}}: !cameo.tensor<[1], f32, device>
// CHECK: prog.fetch
func.func @in_vain(%x: !cameo.tensor<[N], f32>, %r: !cameo.tensor<[1], f32>) -> !cameo.tensor<[k], f32> {
  %m = "onnx.ReduceMin"(%x) <{keepdims = 1 : i64}> : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[1], f32>
  %0 = "onnx.Mul"(%m, %r) : (!cameo.tensor<[1], f32>, !cameo.tensor<[1], f32>) -> !cameo.tensor<[1], f32>
  %1 = "onnx.Cast"(%0) <{to = 7 : i64}> : (!cameo.tensor<[1], f32>) -> !cameo.tensor<[1], i64>
  prog.bind_elements [#cameo.symbol<"k">] = %1 : <[1], i64>
  %e = prog.from_extents [#cameo.extent<k>] -> <[1], i64>
  %y = "onnx.ConstantOfShape"(%e) : (!cameo.tensor<[1], i64>) -> !cameo.tensor<[k], f32>
  func.return %y : !cameo.tensor<[k], f32>
}

// -----

// A sequence is on the host, and so is what goes into one.
// CHECK-LABEL: @sequence
// CHECK: prog.fetch %arg0
// CHECK: %[[H:.*]] = prog.await
// CHECK: "onnx.SequenceConstruct"(%[[H]])
// HOST-LABEL: @sequence
// HOST: "onnx.SequenceConstruct"(%arg0)
func.func @sequence(%x: !cameo.tensor<[N], f32>) -> !cameo.seq<!cameo.tensor<[N], f32>> {
  %0 = "onnx.SequenceConstruct"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.seq<!cameo.tensor<[N], f32>>
  func.return %0 : !cameo.seq<!cameo.tensor<[N], f32>>
}

// -----

// What is computed from strings is made on the host, where they are, and goes to the device from there.
// CHECK-LABEL: func.func @labels_of_strings
// CHECK: %[[IDS:.*]] = "onnx.ml.LabelEncoder"{{.*}} -> !cameo.tensor<[N], i64, host>
// CHECK: %[[COPY:.*]] = prog.upload %[[IDS]]
// CHECK: "onnx.Gather"(%{{.*}}, %[[COPY]])
func.func @labels_of_strings(%words: !cameo.tensor<[N], !cameo.string>, %table: !cameo.tensor<[4, 3], f32>) -> !cameo.tensor<[N, 3], f32> {
  %ids = "onnx.ml.LabelEncoder"(%words) <{keys_strings = ["a", "b"], values_int64s = array<i64: 0, 1>}> : (!cameo.tensor<[N], !cameo.string>) -> !cameo.tensor<[N], i64>
  %y = "onnx.Gather"(%table, %ids) : (!cameo.tensor<[4, 3], f32>, !cameo.tensor<[N], i64>) -> !cameo.tensor<[N, 3], f32>
  func.return %y : !cameo.tensor<[N, 3], f32>
}
