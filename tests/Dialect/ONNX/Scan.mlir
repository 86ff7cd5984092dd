// RUN: cameo-opt %s --split-input-file --verify-diagnostics

func.func @scan_c1(%x: !cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has num_scan_inputs out of range (C1, got 2, need [1, 1])}}
  %0 = "onnx.Scan"(%x) <{num_scan_inputs = 2 : i64}> ({
  ^bb0(%e: !cameo.tensor<[N], f32>):
    "onnx.Yield"(%e) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @scan_c2(%x: !cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a body with a wrong number of inputs (C2, got 0, need 1)}}
  %0 = "onnx.Scan"(%x) <{num_scan_inputs = 1 : i64}> ({
    "onnx.Yield"(%x) : (!cameo.tensor<[T, N], f32>) -> ()
  }) : (!cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @scan_c3(%x: !cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a body with a wrong number of outputs (C3, got 2, need 1)}}
  %0 = "onnx.Scan"(%x) <{num_scan_inputs = 1 : i64}> ({
  ^bb0(%e: !cameo.tensor<[N], f32>):
    "onnx.Yield"(%e, %e) : (!cameo.tensor<[N], f32>, !cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @scan_c4(%s: !cameo.tensor<[N], f64>, %x: !cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f64> {
  // expected-error @+1 {{along control flow edge}}
  %0 = "onnx.Scan"(%s, %x) <{num_scan_inputs = 1 : i64}> ({
  ^bb0(%a: !cameo.tensor<[N], f64>, %e: !cameo.tensor<[N], f32>):
    // expected-note @+1 {{region branch point}}
    "onnx.Yield"(%e) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[N], f64>, !cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f64>
  func.return %0 : !cameo.tensor<*, f64>
}

// -----

func.func @scan_c6(%x: !cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a wrong number of scan_input_axes (C6, got 2, need 1)}}
  %0 = "onnx.Scan"(%x) <{num_scan_inputs = 1 : i64, scan_input_axes = array<i64: 0, 1>}> ({
  ^bb0(%e: !cameo.tensor<[N], f32>):
    "onnx.Yield"(%e) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @scan_c7(%x: !cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a direction in scan_output_directions other than 0 and 1 (C7, got 2)}}
  %0 = "onnx.Scan"(%x) <{num_scan_inputs = 1 : i64, scan_output_directions = array<i64: 2>}> ({
  ^bb0(%e: !cameo.tensor<[N], f32>):
    "onnx.Yield"(%e) : (!cameo.tensor<[N], f32>) -> ()
  }) : (!cameo.tensor<[T, N], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
