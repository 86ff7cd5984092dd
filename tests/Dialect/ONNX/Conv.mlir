// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @conv_of_symbols
// CHECK: "onnx.Conv"{{.*}} -> !cameo.tensor<[N, 8, H, W], f32>
func.func @conv_of_symbols(%x: !cameo.tensor<[N, 3, H, W], f32>, %w: !cameo.tensor<[8, 3, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1, 1, 1, 1>}>
      : (!cameo.tensor<[N, 3, H, W], f32>, !cameo.tensor<[8, 3, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @conv_strides_and_dilates
// CHECK: "onnx.Conv"{{.*}} -> !cameo.tensor<[N, 6, 9], f32>
func.func @conv_strides_and_dilates(%x: !cameo.tensor<[N, 4, 20], f32>, %w: !cameo.tensor<[6, 2, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Conv"(%x, %w) <{dilations = array<i64: 2>, group = 2 : i64, pads = array<i64: 0, 1>, strides = array<i64: 2>}>
      : (!cameo.tensor<[N, 4, 20], f32>, !cameo.tensor<[6, 2, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @conv_same
// CHECK: "onnx.Conv"{{.*}} -> !cameo.tensor<[N, 8, 4, (W + 1) floordiv 2], f32>
func.func @conv_same(%x: !cameo.tensor<[N, 3, 7, W], f32>, %w: !cameo.tensor<[8, 3, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  %0 = "onnx.Conv"(%x, %w) <{auto_pad = "SAME_UPPER", strides = array<i64: 2, 2>}>
      : (!cameo.tensor<[N, 3, 7, W], f32>, !cameo.tensor<[8, 3, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c1(%x: !cameo.tensor<[N, 3, H, W], f32>, %w: !cameo.tensor<[8, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an input and a weight of different ranks (C1, got 4 and 3)}}
  %0 = "onnx.Conv"(%x, %w)
      : (!cameo.tensor<[N, 3, H, W], f32>, !cameo.tensor<[8, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c2_group(%x: !cameo.tensor<[N, 3, 9], f32>, %w: !cameo.tensor<[8, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a group out of range (C2, got 0, need at least 1)}}
  %0 = "onnx.Conv"(%x, %w) <{group = 0 : i64}>
      : (!cameo.tensor<[N, 3, 9], f32>, !cameo.tensor<[8, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c2_channels(%x: !cameo.tensor<[N, 4, 9], f32>, %w: !cameo.tensor<[8, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the weight's channels times group (C2) (got 4, need 3)}}
  %0 = "onnx.Conv"(%x, %w) : (!cameo.tensor<[N, 4, 9], f32>, !cameo.tensor<[8, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c3_stride(%x: !cameo.tensor<[N, 3, 9], f32>, %w: !cameo.tensor<[8, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an entry of strides out of range (got 0, need [1, }}
  %0 = "onnx.Conv"(%x, %w) <{strides = array<i64: 0>}>
      : (!cameo.tensor<[N, 3, 9], f32>, !cameo.tensor<[8, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c3_dilation(%x: !cameo.tensor<[N, 3, 9], f32>, %w: !cameo.tensor<[8, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an entry of dilations out of range (got 0, need [1, }}
  %0 = "onnx.Conv"(%x, %w) <{dilations = array<i64: 0>}>
      : (!cameo.tensor<[N, 3, 9], f32>, !cameo.tensor<[8, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c3_pads(%x: !cameo.tensor<[N, 3, 9], f32>, %w: !cameo.tensor<[8, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong number of pads (got 1, need 2)}}
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 1>}>
      : (!cameo.tensor<[N, 3, 9], f32>, !cameo.tensor<[8, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c3_negative_pads(%x: !cameo.tensor<[N, 3, 9], f32>, %w: !cameo.tensor<[8, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an entry of pads out of range (got -100, need [0, }}
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: -100, 0>}>
      : (!cameo.tensor<[N, 3, 9], f32>, !cameo.tensor<[8, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c3_huge_pads(%x: !cameo.tensor<[N, 3, 9], f32>, %w: !cameo.tensor<[8, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an entry of pads out of range (got 4611686018427387904, need [0, }}
  %0 = "onnx.Conv"(%x, %w) <{pads = array<i64: 4611686018427387904, 0>}>
      : (!cameo.tensor<[N, 3, 9], f32>, !cameo.tensor<[8, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c3_kernel(%x: !cameo.tensor<[N, 3, 9], f32>, %w: !cameo.tensor<[8, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in kernel_shape (got 3, need 5)}}
  %0 = "onnx.Conv"(%x, %w) <{kernel_shape = array<i64: 5>}>
      : (!cameo.tensor<[N, 3, 9], f32>, !cameo.tensor<[8, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c3_auto_pad(%x: !cameo.tensor<[N, 3, 9], f32>, %w: !cameo.tensor<[8, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an unknown auto_pad (got }}
  %0 = "onnx.Conv"(%x, %w) <{auto_pad = "SAME"}>
      : (!cameo.tensor<[N, 3, 9], f32>, !cameo.tensor<[8, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c4(%x: !cameo.tensor<[N, 3, 2], f32>, %w: !cameo.tensor<[8, 3, 3], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a window larger than the padded input along spatial axis 0 (got 3, need at most 2)}}
  %0 = "onnx.Conv"(%x, %w) : (!cameo.tensor<[N, 3, 2], f32>, !cameo.tensor<[8, 3, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @conv_c5(%x: !cameo.tensor<[N, 3, 9], f32>, %w: !cameo.tensor<[8, 3, 3], f32>, %b: !cameo.tensor<[7], f32>)
    -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{does not fit in the output channels (C5) (got 7, need 8)}}
  %0 = "onnx.Conv"(%x, %w, %b)
      : (!cameo.tensor<[N, 3, 9], f32>, !cameo.tensor<[8, 3, 3], f32>, !cameo.tensor<[7], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
