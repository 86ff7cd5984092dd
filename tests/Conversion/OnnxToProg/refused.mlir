// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file --verify-diagnostics

// What has no lowering is reported with its operator, all of it at once.
func.func @training(%x: !cameo.tensor<[N, 3, W], f32, host>, %c: !cameo.tensor<[3], f32, host>, %t: !cameo.tensor<[], i1, host>)
    -> (!cameo.tensor<[N, 3, W], f32, host>, !cameo.tensor<[N, 3, W], f32, host>) {
  // expected-error @+1 {{BatchNormalization is not supported yet}}
  %0:3 = "onnx.BatchNormalization"(%x, %c, %c, %c, %c) <{training_mode = 1 : i64}>
      : (!cameo.tensor<[N, 3, W], f32, host>, !cameo.tensor<[3], f32, host>, !cameo.tensor<[3], f32, host>, !cameo.tensor<[3], f32, host>, !cameo.tensor<[3], f32, host>)
      -> (!cameo.tensor<[N, 3, W], f32, host>, !cameo.tensor<[3], f32, host>, !cameo.tensor<[3], f32, host>)
  // expected-error @+1 {{Dropout is not supported yet}}
  %1:2 = "onnx.Dropout"(%0#0, %t) <{operandSegmentSizes = array<i32: 1, 0, 1>}>
      : (!cameo.tensor<[N, 3, W], f32, host>, !cameo.tensor<[], i1, host>) -> (!cameo.tensor<[N, 3, W], f32, host>, !cameo.tensor<[N, 3, W], i1, host>)
  func.return %0#0, %1#0 : !cameo.tensor<[N, 3, W], f32, host>, !cameo.tensor<[N, 3, W], f32, host>
}

// -----

// A value that a kernel needs on the host and that is on the device is no reason to fall back.
func.func @fill_on_the_device(%x: !cameo.tensor<[N], f32, device>, %v: !cameo.tensor<[], f32, device>) -> !cameo.tensor<[N + 2], f32, device> {
  %p = "onnx.Constant"() <{value = dense<1> : tensor<2xi64>}> : () -> !cameo.tensor<[2], i64, host>
  // expected-error @+1 {{Pad is not supported yet}}
  %0 = "onnx.Pad"(%x, %p, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[N], f32, device>, !cameo.tensor<[2], i64, host>, !cameo.tensor<[], f32, device>) -> !cameo.tensor<[N + 2], f32, device>
  func.return %0 : !cameo.tensor<[N + 2], f32, device>
}

// -----

// Strings are moved, not computed with.
func.func @strings(%x: !cameo.tensor<[2], !cameo.string, host>) -> !cameo.tensor<[2], i1, host> {
  // expected-error @+1 {{Equal is not supported yet: it computes with strings}}
  %0 = "onnx.Equal"(%x, %x) : (!cameo.tensor<[2], !cameo.string, host>, !cameo.tensor<[2], !cameo.string, host>) -> !cameo.tensor<[2], i1, host>
  func.return %0 : !cameo.tensor<[2], i1, host>
}

// -----

// expected-error @+2 {{input 0 is a sequence, which is not supported yet}}
// expected-error @+1 {{output 0 is a sequence, which is not supported yet}}
func.func @sequence(%x: !cameo.seq<!cameo.tensor<[N], f32>>) -> !cameo.seq<!cameo.tensor<[N], f32>> {
  func.return %x : !cameo.seq<!cameo.tensor<[N], f32>>
}

// -----

func.func @string_constant() -> !cameo.tensor<[2], !cameo.string, host> {
  // expected-error @+1 {{is a constant of strings, which is not supported yet}}
  %0 = "onnx.Constant"() <{value = dense<["a", "b"]> : tensor<2x!cameo.string>}> : () -> !cameo.tensor<[2], !cameo.string, host>
  func.return %0 : !cameo.tensor<[2], !cameo.string, host>
}
