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

// Strings are moved, not computed with.
func.func @strings(%x: !cameo.tensor<[2], !cameo.string, host>) -> !cameo.tensor<[2], i1, host> {
  // expected-error @+1 {{Equal is not supported yet: text is not computed with: make words and their numbers in the caller}}
  %0 = "onnx.Equal"(%x, %x) : (!cameo.tensor<[2], !cameo.string, host>, !cameo.tensor<[2], !cameo.string, host>) -> !cameo.tensor<[2], i1, host>
  func.return %0 : !cameo.tensor<[2], i1, host>
}

// -----

func.func @strings_of_numbers(%x: !cameo.tensor<[2], f32, host>) -> !cameo.tensor<[2], !cameo.string, host> {
  // expected-error @+1 {{Cast is not supported yet: it computes with strings}}
  %0 = "onnx.Cast"(%x) <{to = 8 : i64}> : (!cameo.tensor<[2], f32, host>) -> !cameo.tensor<[2], !cameo.string, host>
  func.return %0 : !cameo.tensor<[2], !cameo.string, host>
}

// -----

func.func @hot_strings(%i: !cameo.tensor<[2], i64, host>, %v: !cameo.tensor<[2], !cameo.string, host>) -> !cameo.tensor<[2, 3], !cameo.string, host> {
  %d = "onnx.Constant"() <{value = dense<3> : tensor<i64>}> : () -> !cameo.tensor<[], i64, host>
  // expected-error @+1 {{OneHot is not supported yet: text is not computed with: make words and their numbers in the caller}}
  %0 = "onnx.OneHot"(%i, %d, %v) : (!cameo.tensor<[2], i64, host>, !cameo.tensor<[], i64, host>, !cameo.tensor<[2], !cameo.string, host>) -> !cameo.tensor<[2, 3], !cameo.string, host>
  func.return %0 : !cameo.tensor<[2, 3], !cameo.string, host>
}

// -----

// There is nothing to fill with, whatever the mode and whether a value is given.
func.func @no_zero(%x: !cameo.tensor<[N, 2], !cameo.string, host>, %z: !cameo.tensor<[N, 2], complex<f32>, host>, %v: !cameo.tensor<[], !cameo.string, host>)
    -> (!cameo.tensor<[N, 2], !cameo.string, host>, !cameo.tensor<[N, 2], complex<f32>, host>, !cameo.tensor<[N + 2, 4], !cameo.string, host>, !cameo.tensor<[N + 2, 4], complex<f32>, host>) {
  %p = "onnx.Constant"() <{value = dense<1> : tensor<4xi64>}> : () -> !cameo.tensor<[4], i64, host>
  // expected-error @+1 {{Trilu is not supported yet: text is not computed with: make words and their numbers in the caller}}
  %0 = "onnx.Trilu"(%x) : (!cameo.tensor<[N, 2], !cameo.string, host>) -> !cameo.tensor<[N, 2], !cameo.string, host>
  // expected-error @+1 {{Trilu is not supported yet: what it fills with is a string or a complex number}}
  %1 = "onnx.Trilu"(%z) : (!cameo.tensor<[N, 2], complex<f32>, host>) -> !cameo.tensor<[N, 2], complex<f32>, host>
  // expected-error @+1 {{Pad is not supported yet: text is not computed with: make words and their numbers in the caller}}
  %2 = "onnx.Pad"(%x, %p, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}>
      : (!cameo.tensor<[N, 2], !cameo.string, host>, !cameo.tensor<[4], i64, host>, !cameo.tensor<[], !cameo.string, host>) -> !cameo.tensor<[N + 2, 4], !cameo.string, host>
  // expected-error @+1 {{Pad is not supported yet: what it fills with is a string or a complex number}}
  %3 = "onnx.Pad"(%z, %p) <{mode = "edge", operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 2], complex<f32>, host>, !cameo.tensor<[4], i64, host>) -> !cameo.tensor<[N + 2, 4], complex<f32>, host>
  func.return %0, %1, %2, %3 : !cameo.tensor<[N, 2], !cameo.string, host>, !cameo.tensor<[N, 2], complex<f32>, host>, !cameo.tensor<[N + 2, 4], !cameo.string, host>, !cameo.tensor<[N + 2, 4], complex<f32>, host>
}

// -----

// Kernels have limits, which their records tell.
func.func @four_spatial_axes(%x: !cameo.tensor<[N, 2, 3, 3, 3, 3], f32, host>) -> !cameo.tensor<[N, 2, 2, 2, 2, 2], f32, host> {
  // expected-error @+1 {{is not supported yet: 'spatial_rank' of the kernel 'pool' is 4, need 1 to 3}}
  %0 = "onnx.LpPool"(%x) <{kernel_shape = array<i64: 2, 2, 2, 2>}> : (!cameo.tensor<[N, 2, 3, 3, 3, 3], f32, host>) -> !cameo.tensor<[N, 2, 2, 2, 2, 2], f32, host>
  func.return %0 : !cameo.tensor<[N, 2, 2, 2, 2, 2], f32, host>
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

// -----

func.func @strings_that_are_not_zero(%x: !cameo.tensor<[N], !cameo.string, host>) -> !cameo.tensor<[1, nonzero], i64, host> {
  // expected-error @+1 {{NonZero is not supported yet: text is not computed with: make words and their numbers in the caller}}
  %0 = "onnx.NonZero"(%x) {cameo.counts = [#cameo.symbol<"nonzero" bound N>]}
      : (!cameo.tensor<[N], !cameo.string, host>) -> !cameo.tensor<[1, nonzero], i64, host>
  func.return %0 : !cameo.tensor<[1, nonzero], i64, host>
}

// -----

func.func @strings_that_are_kept(%x: !cameo.tensor<[N], !cameo.string, host>, %c: !cameo.tensor<[N], i1, host>)
    -> !cameo.tensor<[compressed], !cameo.string, host> {
  // expected-error @+1 {{Compress is not supported yet: text is not computed with: make words and their numbers in the caller}}
  %0 = "onnx.Compress"(%x, %c) {cameo.counts = [#cameo.symbol<"compressed" bound N>]}
      : (!cameo.tensor<[N], !cameo.string, host>, !cameo.tensor<[N], i1, host>) -> !cameo.tensor<[compressed], !cameo.string, host>
  func.return %0 : !cameo.tensor<[compressed], !cameo.string, host>
}

// -----

func.func @complex_numbers_have_no_order(%x: !cameo.tensor<[N], complex<f32>, host>) -> !cameo.tensor<[unique], complex<f32>, host> {
  // expected-error @+1 {{Unique is not supported yet: strings and complex numbers are not supported}}
  %0:4 = "onnx.Unique"(%x) {cameo.counts = [#cameo.symbol<"unique" bound N>]}
      : (!cameo.tensor<[N], complex<f32>, host>)
      -> (!cameo.tensor<[unique], complex<f32>, host>, !cameo.tensor<[unique], i64, host>, !cameo.tensor<[N], i64, host>, !cameo.tensor<[unique], i64, host>)
  func.return %0#0 : !cameo.tensor<[unique], complex<f32>, host>
}

// -----

func.func @a_number_of_boxes_on_the_device(%b: !cameo.tensor<[1, P, 4], f32, device>, %s: !cameo.tensor<[1, C, P], f32, device>,
                                           %m: !cameo.tensor<[1], i64, device>) -> !cameo.tensor<[selected, 3], i64, device> {
  // expected-error @+1 {{NonMaxSuppression is not supported yet: max_output_boxes_per_class is not on the host}}
  %0 = "onnx.NonMaxSuppression"(%b, %s, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}>
      {cameo.counts = [#cameo.symbol<"selected" bound C * P>]}
      : (!cameo.tensor<[1, P, 4], f32, device>, !cameo.tensor<[1, C, P], f32, device>, !cameo.tensor<[1], i64, device>) -> !cameo.tensor<[selected, 3], i64, device>
  func.return %0 : !cameo.tensor<[selected, 3], i64, device>
}

// -----

// A target has kernels for convolutions of bytes, or there are none.
func.func @bytes(%x: !cameo.tensor<[N, 16, 8, 8], ui8, host>) -> !cameo.tensor<[N, 16, 8, 8], i32, host> {
  %w = "onnx.Constant"() <{value = dense<1> : tensor<16x16x1x1xi8>}> : () -> !cameo.tensor<[16, 16, 1, 1], i8, host>
  // expected-error @+1 {{ConvInteger is not supported yet: the target has no kernel for it}}
  %0 = "onnx.ConvInteger"(%x, %w) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}>
      : (!cameo.tensor<[N, 16, 8, 8], ui8, host>, !cameo.tensor<[16, 16, 1, 1], i8, host>) -> !cameo.tensor<[N, 16, 8, 8], i32, host>
  func.return %0 : !cameo.tensor<[N, 16, 8, 8], i32, host>
}
