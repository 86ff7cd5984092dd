// RUN: cameo-opt %s --cameo-pack-ports --split-input-file | FileCheck %s

// Inside, elements below a byte have one each: an input is unpacked once, for all that read it.
// CHECK-LABEL: func.func @unpacks_once
// CHECK-SAME: %arg0: !cameo.tensor<[N], i4, device, #cameo.packed>
// CHECK: %[[X:.*]] = prog.repack %arg0 : {{.*}} -> <[N], i4, device>
// CHECK-NOT: prog.repack
// CHECK: "onnx.Cast"(%[[X]])
// CHECK: "onnx.Cast"(%[[X]])
func.func @unpacks_once(%x: !cameo.tensor<[N], i4, device>) -> (!cameo.tensor<[N], f32, device>, !cameo.tensor<[N], i8, device>) {
  %0 = "onnx.Cast"(%x) <{to = 1}> : (!cameo.tensor<[N], i4, device>) -> !cameo.tensor<[N], f32, device>
  %1 = "onnx.Cast"(%x) <{to = 3}> : (!cameo.tensor<[N], i4, device>) -> !cameo.tensor<[N], i8, device>
  func.return %0, %1 : !cameo.tensor<[N], f32, device>, !cameo.tensor<[N], i8, device>
}

// -----

// An output that is an input too, and is there twice: each output is packed on its own.
// CHECK-LABEL: func.func @passes_through
// CHECK: %[[X:.*]] = prog.repack %arg0 : {{.*}} -> <[N], ui2, host>
// CHECK: %[[A:.*]] = prog.repack %[[X]] : {{.*}} -> <[N], ui2, host, #cameo.packed>
// CHECK: %[[B:.*]] = prog.repack %[[X]] : {{.*}} -> <[N], ui2, host, #cameo.packed>
// CHECK: return %[[A]], %[[B]]
func.func @passes_through(%x: !cameo.tensor<[N], ui2, host>) -> (!cameo.tensor<[N], ui2, host>, !cameo.tensor<[N], ui2, host>) {
  func.return %x, %x : !cameo.tensor<[N], ui2, host>, !cameo.tensor<[N], ui2, host>
}

// -----

// Of an input that nothing reads only the type changes; types of whole bytes stay as they are.
// CHECK-LABEL: func.func @dims_only
// CHECK-SAME: (%arg0: !cameo.tensor<[N], f4E2M1FN, host, #cameo.packed>, %arg1: !cameo.tensor<[N], f8E5M2, host>)
// CHECK-NOT: prog.repack
func.func @dims_only(%x: !cameo.tensor<[N], f4E2M1FN, host>, %y: !cameo.tensor<[N], f8E5M2, host>) -> !cameo.tensor<[N], f8E5M2, host> {
  func.return %y : !cameo.tensor<[N], f8E5M2, host>
}
