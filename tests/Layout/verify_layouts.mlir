// RUN: cameo-opt %s --cameo-set-target --cameo-verify-layouts --split-input-file --verify-diagnostics

!blocks = !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16]>>
!bordered = !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>>
!dense = !cameo.tensor<[N, 64, H, W], f32, host>

// Halos may differ: each is part of its own value.
func.func @accepts(%x: !bordered) -> !dense {
  %0 = "onnx.Relu"(%x) : (!bordered) -> !blocks
  %1 = prog.repack %0 : !blocks -> !dense
  func.return %1 : !dense
}

// -----

!blocks = !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16]>>
!dense = !cameo.tensor<[N, 64, H, W], f32, host>

func.func @mixes_layouts(%x: !blocks, %y: !dense) -> !blocks {
  // expected-error @+1 {{has operand 1 in a layout that it does not work on (got dense)}}
  %0 = "onnx.Add"(%x, %y) : (!blocks, !dense) -> !blocks
  // expected-error @+1 {{has operand 0 in a layout that it does not work on (got #cameo.blocked<[1] by [16]>)}}
  func.return %0 : !blocks
}

// -----

!blocks = !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [8]>>

func.func @block_of_another_target(%x: !blocks) {
  // expected-error @+1 {{has operand 0 in a layout that it does not work on (got #cameo.blocked<[1] by [8]>)}}
  %0 = "onnx.Relu"(%x) : (!blocks) -> !blocks
  func.return
}

// -----

!blocks = !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16]>>

func.func @works_on_dense_tensors_only(%x: !blocks) {
  // expected-error @+1 {{has operand 0 in a layout that it does not work on (got #cameo.blocked<[1] by [16]>)}}
  %0 = "onnx.Transpose"(%x) <{perm = array<i64: 0, 2, 3, 1>}> : (!blocks) -> !cameo.tensor<[N, H, W, 64], f32, host>
  func.return
}

// -----

!blocks = !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16]>>
!filter = !cameo.tensor<[64, 64, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>

func.func @halo_too_narrow(%x: !blocks) {
  %w = "onnx.Constant"() <{value = dense<1.0> : tensor<64x64x3x3xf32>}> : () -> !cameo.tensor<[64, 64, 3, 3], f32, host>
  %p = prog.repack %w : !cameo.tensor<[64, 64, 3, 3], f32, host> -> !filter
  // expected-error @+1 {{has operand 0 in a layout that it does not work on (got #cameo.blocked<[1] by [16]>)}}
  %0 = "onnx.Conv"(%x, %p) <{pads = array<i64: 1, 1, 1, 1>}> : (!blocks, !filter) -> !blocks
  func.return
}

// -----

// expected-error @+1 {{has an input or output of type '!cameo.tensor<[N], i4, host>', which is not how a caller has it}}
func.func @input_not_packed(%x: !cameo.tensor<[N], i4, host>) {
  func.return
}

// -----

!packed = !cameo.tensor<[N], i4, host, #cameo.packed>

func.func @works_on_whole_elements(%x: !packed) {
  // expected-error @+1 {{has operand 0 in a layout that it does not work on (got #cameo.packed)}}
  %0 = "onnx.Cast"(%x) <{to = 1}> : (!packed) -> !cameo.tensor<[N], f32, host>
  func.return
}
