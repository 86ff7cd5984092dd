// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @quantize_linear_defaults_to_u8
// CHECK: "onnx.QuantizeLinear"{{.*}} -> !cameo.tensor<[N, 3], ui8>
func.func @quantize_linear_defaults_to_u8(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[], f32>)
    -> !cameo.tensor<*, ui8> {
  %0 = "onnx.QuantizeLinear"(%x, %s) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}

// -----

// CHECK-LABEL: @quantize_linear_takes_the_type_of_the_zero_point
// CHECK: "onnx.QuantizeLinear"{{.*}} -> !cameo.tensor<[N, 3], i8>
func.func @quantize_linear_takes_the_type_of_the_zero_point(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[3], f32>, %z: !cameo.tensor<[3], i8>)
    -> !cameo.tensor<*, i8> {
  %0 = "onnx.QuantizeLinear"(%x, %s, %z)
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[3], f32>, !cameo.tensor<[3], i8>) -> !cameo.tensor<*, i8>
  func.return %0 : !cameo.tensor<*, i8>
}

// -----

// CHECK-LABEL: @quantize_linear_by_blocks
// CHECK: "onnx.QuantizeLinear"{{.*}} -> !cameo.tensor<[4, 7], i4>
func.func @quantize_linear_by_blocks(%x: !cameo.tensor<[4, 7], f32>, %s: !cameo.tensor<[4, 3], f32>)
    -> !cameo.tensor<*, i4> {
  %0 = "onnx.QuantizeLinear"(%x, %s) <{block_size = 3 : i64, output_dtype = 22 : i64}>
      : (!cameo.tensor<[4, 7], f32>, !cameo.tensor<[4, 3], f32>) -> !cameo.tensor<*, i4>
  func.return %0 : !cameo.tensor<*, i4>
}

// -----

func.func @quantize_linear_c1(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[], f32>, %z: !cameo.tensor<[], i8>)
    -> !cameo.tensor<*, i8> {
  // expected-error @+1 {{has a zero point of another type than output_dtype (C1, got 'i8' and 'ui8')}}
  %0 = "onnx.QuantizeLinear"(%x, %s, %z) <{output_dtype = 2 : i64}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[], i8>) -> !cameo.tensor<*, i8>
  func.return %0 : !cameo.tensor<*, i8>
}

// -----

func.func @quantize_linear_c2(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[3], f32>)
    -> !cameo.tensor<*, ui8> {
  // expected-error @+1 {{axis (C2) is out of range (got 2, need [-2, 2))}}
  %0 = "onnx.QuantizeLinear"(%x, %s) <{axis = 2 : i64}>
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[3], f32>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}

// -----

func.func @quantize_linear_c3(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[4], f32>)
    -> !cameo.tensor<*, ui8> {
  // expected-error @+1 {{does not fit in the places along axis (C3) (got 4, need 3)}}
  %0 = "onnx.QuantizeLinear"(%x, %s)
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[4], f32>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}

// -----

func.func @quantize_linear_c4(%x: !cameo.tensor<[4, 7], f32>, %s: !cameo.tensor<[4, 4], f32>)
    -> !cameo.tensor<*, ui8> {
  // expected-error @+1 {{does not fit in the blocks along an axis (C4) (got 4, need 3)}}
  %0 = "onnx.QuantizeLinear"(%x, %s) <{block_size = 3 : i64}>
      : (!cameo.tensor<[4, 7], f32>, !cameo.tensor<[4, 4], f32>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}

// -----

func.func @quantize_linear_c5(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[3], f32>, %z: !cameo.tensor<[2], i8>)
    -> !cameo.tensor<*, i8> {
  // expected-error @+1 {{does not fit in the scale (C5) (got 2, need 3)}}
  %0 = "onnx.QuantizeLinear"(%x, %s, %z)
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[3], f32>, !cameo.tensor<[2], i8>) -> !cameo.tensor<*, i8>
  func.return %0 : !cameo.tensor<*, i8>
}

// -----

func.func @quantize_linear_c7(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, ui8> {
  %s = "onnx.Constant"() <{value = dense<0.0> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  // expected-error @+1 {{has a scale that is not a positive number (C7, got 0.00)}}
  %0 = "onnx.QuantizeLinear"(%x, %s) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}

// -----

func.func @quantize_linear_c7_nan(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, ui8> {
  %s = "onnx.Constant"() <{value = dense<0x7FC00000> : tensor<f32>}> : () -> !cameo.tensor<[], f32>
  // expected-error @+1 {{has a scale that is not a positive number (C7, got nan)}}
  %0 = "onnx.QuantizeLinear"(%x, %s) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[], f32>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}

// -----

// One element by each of its names: what the run has to check.
// CHECK-LABEL: @quantize_linear_c5_open
// CHECK: -> !cameo.tensor<[N, 3], i8>
func.func @quantize_linear_c5_open(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[], f32>, %z: !cameo.tensor<[M], i8>)
    -> !cameo.tensor<*, i8> {
  %0 = "onnx.QuantizeLinear"(%x, %s, %z)
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[M], i8>) -> !cameo.tensor<*, i8>
  func.return %0 : !cameo.tensor<*, i8>
}

// -----

func.func @quantize_linear_c5_rank(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[], f32>, %z: !cameo.tensor<[3], i8>)
    -> !cameo.tensor<*, i8> {
  // expected-error @+1 {{has a wrong rank of the zero point (C5) (got 1, need 0)}}
  %0 = "onnx.QuantizeLinear"(%x, %s, %z)
      : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[], f32>, !cameo.tensor<[3], i8>) -> !cameo.tensor<*, i8>
  func.return %0 : !cameo.tensor<*, i8>
}

// -----

func.func @quantize_linear_c3_open(%x: !cameo.tensor<[N, 3], f32>, %s: !cameo.tensor<[M, 2], f32>)
    -> !cameo.tensor<*, ui8> {
  // expected-error @+1 {{does not fit in one scale (C3) (got 2, need 1)}}
  %0 = "onnx.QuantizeLinear"(%x, %s) : (!cameo.tensor<[N, 3], f32>, !cameo.tensor<[M, 2], f32>) -> !cameo.tensor<*, ui8>
  func.return %0 : !cameo.tensor<*, ui8>
}
