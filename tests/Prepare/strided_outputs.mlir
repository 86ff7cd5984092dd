// RUN: cameo-opt %s --cameo-plan-weights --cameo-plan-buffers '--cameo-prepare=strided-outputs=true' --cameo-verify-host --split-input-file | FileCheck %s
// RUN: cameo-opt %s --cameo-plan-weights --cameo-plan-buffers --cameo-prepare --split-input-file | FileCheck %s --check-prefix=OFF

// A kernel that alone writes an output has a launch more, for rows that the caller has farther apart; the
// choice is the run's.

#id = affine_map<(d0, d1) -> (d0, d1)>

// OFF-NOT: host.strided
// OFF-NOT: host.stride
// CHECK-LABEL: func.func @main
// CHECK-SAME: host.strided, onnx.name = "y"
// CHECK: %[[N:.*]] = host.symbol "N"
// CHECK: %[[M:.*]] = host.symbol "M"
// CHECK: %[[Y:.*]] = host.bind_output 0 "y"
// CHECK: host.step 1
// CHECK-NEXT: %[[IS:.*]] = host.strided [0]
// CHECK-NEXT: host.if %[[IS]] [] {
// CHECK-NEXT: %[[STRIDE:.*]] = host.stride 0 dim 0
// CHECK-NEXT: host.launch ["N", "M", "y_stride"] = (%[[N]], %[[M]], %[[STRIDE]] : i64, i64, i64)
// CHECK-SAME: strides {{\[}}[#cameo.extent<y_stride>, #cameo.extent<1>]]
// CHECK-NEXT: prog.kernel {{.*}} dests(%[[Y]]
// CHECK: } else {
// CHECK-NEXT: host.launch ["N", "M"] = (%[[N]], %[[M]] : i64, i64) {
// CHECK-NEXT: prog.kernel {{.*}} dests(%[[Y]]
// CHECK: host.done
module {
  func.func @main(%x: !cameo.tensor<[N, M], f32, host> {onnx.name = "x"}) -> (!cameo.tensor<[N, M], f32, host> {onnx.name = "y"}) {
    %y = prog.kernel [#cameo.extent<N>, #cameo.extent<M>] ins(%x : !cameo.tensor<[N, M], f32, host>) maps [#id] -> [#id] symbols [] ties [-1] : !cameo.tensor<[N, M], f32, host> {
    ^bb0(%e: f32):
      %n = prog.s_neg %e : f32
      prog.yield %n : f32
    }
    func.return %y : !cameo.tensor<[N, M], f32, host>
  }
}

// -----

// Not an output whose memory another kernel reads, and not one of one dim.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @main
// CHECK: host.ready
// CHECK-NOT: host.strided [0]
// CHECK-NOT: host.strided [1]
// CHECK: host.strided [2]
// CHECK: host.done
module {
  func.func @main(%x: !cameo.tensor<[N, M], f32, host> {onnx.name = "x"}, %v: !cameo.tensor<[M], f32, host> {onnx.name = "v"}) -> (!cameo.tensor<[N, M], f32, host> {onnx.name = "y"}, !cameo.tensor<[M], f32, host> {onnx.name = "w"}, !cameo.tensor<[N, M], f32, host> {onnx.name = "z"}) {
    %y = prog.kernel [#cameo.extent<N>, #cameo.extent<M>] ins(%x : !cameo.tensor<[N, M], f32, host>) maps [#id] -> [#id] symbols [] ties [-1] : !cameo.tensor<[N, M], f32, host> {
    ^bb0(%e: f32):
      %n = prog.s_neg %e : f32
      prog.yield %n : f32
    }
    %w = prog.kernel [#cameo.extent<M>] ins(%v : !cameo.tensor<[M], f32, host>) maps [#row] -> [#row] symbols [] ties [-1] : !cameo.tensor<[M], f32, host> {
    ^bb0(%e: f32):
      %n = prog.s_neg %e : f32
      prog.yield %n : f32
    }
    %z = prog.kernel [#cameo.extent<N>, #cameo.extent<M>] ins(%y : !cameo.tensor<[N, M], f32, host>) maps [#id] -> [#id] symbols [] ties [-1] : !cameo.tensor<[N, M], f32, host> {
    ^bb0(%e: f32):
      %0 = prog.s_neg %e : f32
      prog.yield %0 : f32
    }
    func.return %y, %w, %z : !cameo.tensor<[N, M], f32, host>, !cameo.tensor<[M], f32, host>, !cameo.tensor<[N, M], f32, host>
  }
}
