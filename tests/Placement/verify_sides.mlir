// RUN: cameo-opt %s --cameo-verify-sides --split-input-file --verify-diagnostics

// A single element of the host is a kernel argument, constants are everywhere.
func.func @accepts(%x: !cameo.tensor<[N], f32, device>, %s: !cameo.tensor<[], f32, host>) -> !cameo.tensor<[N], f32, device> {
  %c = "onnx.Constant"() <{value = dense<[1.0, 2.0]> : tensor<2xf32>}> : () -> !cameo.tensor<[2], f32, host>
  %0 = "onnx.Add"(%x, %s) : (!cameo.tensor<[N], f32, device>, !cameo.tensor<[], f32, host>) -> !cameo.tensor<[N], f32, device>
  %1 = "onnx.Add"(%0, %c) : (!cameo.tensor<[N], f32, device>, !cameo.tensor<[2], f32, host>) -> !cameo.tensor<[N], f32, device>
  func.return %1 : !cameo.tensor<[N], f32, device>
}

// -----

func.func @device_reads_host(%x: !cameo.tensor<[N], f32, device>, %h: !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, device> {
  // expected-error @+1 {{reads operand 1 from the wrong side (got host, need device)}}
  %0 = "onnx.Add"(%x, %h) : (!cameo.tensor<[N], f32, device>, !cameo.tensor<[N], f32, host>) -> !cameo.tensor<[N], f32, device>
  func.return %0 : !cameo.tensor<[N], f32, device>
}

// -----

func.func @host_reads_device(%x: !cameo.tensor<[N], f32, device>) -> !cameo.tensor<[N], f32, host> {
  // expected-error @+1 {{reads operand 0 from the wrong side (got device, need host)}}
  %0 = "onnx.Relu"(%x) : (!cameo.tensor<[N], f32, device>) -> !cameo.tensor<[N], f32, host>
  func.return %0 : !cameo.tensor<[N], f32, host>
}

// -----

func.func @extent_is_read_from_the_device(%k: !cameo.tensor<[1], i64, device>) {
  // expected-error @+1 {{reads operand 0 from the wrong side (got device, need host)}}
  prog.bind_elements [#cameo.symbol<"k">] = %k : <[1], i64, device>
  func.return
}

// -----

func.func @condition_on_the_device(%c: !cameo.tensor<[], i1, device>, %x: !cameo.tensor<[N], f32, device>) -> !cameo.tensor<[N], f32, device> {
  // expected-error @+1 {{reads operand 0 from the wrong side (got device, need host)}}
  %0 = "onnx.If"(%c) ({
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32, device>) -> ()
  }, {
    "onnx.Yield"(%x) : (!cameo.tensor<[N], f32, device>) -> ()
  }) : (!cameo.tensor<[], i1, device>) -> !cameo.tensor<[N], f32, device>
  func.return %0 : !cameo.tensor<[N], f32, device>
}

// -----

func.func @unplaced(%x: !cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32, host> {
  // expected-error @+1 {{reads operand 0 from the wrong side (got unplaced, need a side)}}
  %0 = "onnx.Relu"(%x) : (!cameo.tensor<[N], f32>) -> !cameo.tensor<[N], f32, host>
  func.return %0 : !cameo.tensor<[N], f32, host>
}
