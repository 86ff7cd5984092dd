// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// Activations are functors; operands that are absent are null pointers.
// CHECK-LABEL: @gru
// CHECK: %[[NONE:.*]] = prog.null
// CHECK: prog.call "gru" [] {batch = #cameo.extent<B>, {{.*}}, directions = 1 : i64, hidden = #cameo.extent<2>
// CHECK-SAME: ins({{.*}}%[[NONE]]
// CHECK: prog.load 1 values 1
// CHECK: prog.s_sigmoid
// CHECK: prog.load 1 values 1
// CHECK: prog.s_tanh
func.func @gru(%x: !cameo.tensor<[S, B, 4], f32, host>, %w: !cameo.tensor<[1, 6, 4], f32, host>, %r: !cameo.tensor<[1, 6, 2], f32, host>) -> !cameo.tensor<[S, 1, B, 2], f32, host> {
  %0:2 = "onnx.GRU"(%x, %w, %r) <{hidden_size = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>}>
      : (!cameo.tensor<[S, B, 4], f32, host>, !cameo.tensor<[1, 6, 4], f32, host>, !cameo.tensor<[1, 6, 2], f32, host>)
      -> (!cameo.tensor<[S, 1, B, 2], f32, host>, !cameo.tensor<[1, B, 2], f32, host>)
  func.return %0#0 : !cameo.tensor<[S, 1, B, 2], f32, host>
}
