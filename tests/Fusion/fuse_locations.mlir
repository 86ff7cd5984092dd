// RUN: cameo-opt %s --cameo-set-target=name=cuda --cameo-fuse --mlir-print-debuginfo | FileCheck %s

// A fused op has the locations of its members in program order, that of a view that is gone among
// them, and the names of its results; a call is first.
// CHECK-DAG: #[[NEG:.*]] = loc("Neg:neg"
// CHECK-DAG: #[[SHAPE:.*]] = loc("Reshape:shape"
// CHECK-DAG: #[[ABS:.*]] = loc("Abs:abs"
// CHECK-DAG: #[[MUL:.*]] = loc("MatMul:mul"
// CHECK-DAG: loc(fused<["a"]>[#[[NEG]], #[[SHAPE]], #[[ABS]]])
// CHECK-DAG: loc(fused<["m", "e"]>[#[[MUL]], #{{.*}}])
#neg = loc("Neg:neg"(fused<["n"]>[unknown]))
#shape = loc("Reshape:shape"(fused<["s"]>[unknown]))
#abs = loc("Abs:abs"(fused<["a"]>[unknown]))
#mul = loc("MatMul:mul"(fused<["m"]>[unknown]))
#exp = loc("Exp:exp"(fused<["e"]>[unknown]))
func.func @locations(%x: !cameo.tensor<[2, 8], f32, host>)
    -> (!cameo.tensor<[16], f32, host>, !cameo.tensor<[8, 8], f32, host>, !cameo.tensor<[8, 8], f32, host>) {
  %0 = prog.kernel [#cameo.extent<2>, #cameo.extent<8>] ins(%x : !cameo.tensor<[2, 8], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1]
      : !cameo.tensor<[2, 8], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_neg %a : f32
    prog.yield %n : f32
  } loc(#neg)
  %1 = "prog.view"(%0) <{offset = #cameo.extent<0>}> : (!cameo.tensor<[2, 8], f32, host>) -> !cameo.tensor<[16], f32, host> loc(#shape)
  %2 = prog.kernel [#cameo.extent<16>] ins(%1 : !cameo.tensor<[16], f32, host>)
      maps [affine_map<(d0) -> (d0)>] -> [affine_map<(d0) -> (d0)>] symbols [] ties [-1]
      : !cameo.tensor<[16], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_abs %a : f32
    prog.yield %n : f32
  } loc(#abs)
  %3 = prog.call "gemm" [] {batch_rank = 0, k = #cameo.extent<2>, m = #cameo.extent<8>, n = #cameo.extent<8>, trans_a = true, trans_b = false}
      ins(%x, %x : !cameo.tensor<[2, 8], f32, host>, !cameo.tensor<[2, 8], f32, host>)
      ties [-1] {scalar_names = []} : !cameo.tensor<[8, 8], f32, host> {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  } loc(#mul)
  %4 = prog.kernel [#cameo.extent<8>, #cameo.extent<8>] ins(%3 : !cameo.tensor<[8, 8], f32, host>)
      maps [affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] ties [-1]
      : !cameo.tensor<[8, 8], f32, host> {
  ^bb0(%a: f32):
    %n = prog.s_exp %a : f32
    prog.yield %n : f32
  } loc(#exp)
  func.return %2, %3, %4 : !cameo.tensor<[16], f32, host>, !cameo.tensor<[8, 8], f32, host>, !cameo.tensor<[8, 8], f32, host>
}
