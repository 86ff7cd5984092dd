// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @bit_shift_broadcasts
// CHECK: "onnx.BitShift"{{.*}} -> !cameo.tensor<[N, 3], ui8>
func.func @bit_shift_broadcasts(%x: !cameo.tensor<[N, 1], ui8>, %y: !cameo.tensor<[3], ui8>)
    -> !cameo.tensor<*, ui8> {
  %0 = "onnx.BitShift"(%x, %y) <{direction = "LEFT"}>
      : (!cameo.tensor<[N, 1], ui8>, !cameo.tensor<[3], ui8>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}

// -----

func.func @bit_shift_c1(%x: !cameo.tensor<[N], ui8>, %y: !cameo.tensor<[N], ui8>) -> !cameo.tensor<*, ui8> {
  // expected-error @+1 {{has an unknown direction (C1) (got }}
  %0 = "onnx.BitShift"(%x, %y) <{direction = "UP"}>
      : (!cameo.tensor<[N], ui8>, !cameo.tensor<[N], ui8>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}
