// RUN: cameo-opt %s --split-input-file --verify-diagnostics
//
// Windows over an image read no element that it does not have: its halo is as wide as they need it.

!x = !cameo.tensor<[1, 32, 56, 56], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>>
!w = !cameo.tensor<[32, 32, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>
!y = !cameo.tensor<[1, 32, 56, 56], f32, host, #cameo.blocked<[1] by [16]>>
func.func @fits(%x: !x, %w: !w) {
  %0 = prog.call "conv_blocked" [] {batch = 1, cols = #cameo.extent<58>, dilation = [#cameo.extent<1>, #cameo.extent<1>], groups = 1, in_channels = 32, kernel = [#cameo.extent<3>, #cameo.extent<3>], left = 0, out_channels = 32, output = [#cameo.extent<56>, #cameo.extent<56>], rows = #cameo.extent<58>, stride = [#cameo.extent<1>, #cameo.extent<1>], top = 0} ins(%x, %w : !x, !w) ties [-1] {scalar_names = []} : !y {
    prog.store 5 values 1 maps [] -> [affine_map<(n, c, h, w, l) -> (n, c, h, w, l)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  func.return
}

// -----

// The same for an image without the halo that the members have.
!x = !cameo.tensor<[1, 32, 56, 56], f32, host, #cameo.blocked<[1] by [16]>>
!w = !cameo.tensor<[32, 32, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>
!y = !cameo.tensor<[1, 32, 56, 56], f32, host, #cameo.blocked<[1] by [16]>>
func.func @without_its_halo(%x: !x, %w: !w) {
  // expected-error @below {{of 'conv_blocked': operand 'x' along axis 2: has 56 elements with its halo, not 58}}
  %0 = prog.call "conv_blocked" [] {batch = 1, cols = #cameo.extent<58>, dilation = [#cameo.extent<1>, #cameo.extent<1>], groups = 1, in_channels = 32, kernel = [#cameo.extent<3>, #cameo.extent<3>], left = 0, out_channels = 32, output = [#cameo.extent<56>, #cameo.extent<56>], rows = #cameo.extent<58>, stride = [#cameo.extent<1>, #cameo.extent<1>], top = 0} ins(%x, %w : !x, !w) ties [-1] {scalar_names = []} : !y {
  }
  func.return
}

// -----

!x = !cameo.tensor<[1, 32, H, W], f32, host, #cameo.blocked<[1] by [16] halo [2, 1]>>
!w = !cameo.tensor<[32, 32, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>
!y = !cameo.tensor<[1, 32, H, W], f32, host, #cameo.blocked<[1] by [16]>>
func.func @open(%x: !x, %w: !w) {
  // Two elements of halo are enough for taps 2 apart, one is not.
  // expected-error @below {{operand 'x' along axis 3: windows end at W + 4, and it has W + 2 elements with its halo}}
  %0 = prog.call "conv_blocked" [] {batch = 1, cols = #cameo.extent<W + 2>, dilation = [#cameo.extent<2>, #cameo.extent<2>], groups = 1, in_channels = 32, kernel = [#cameo.extent<3>, #cameo.extent<3>], left = 0, out_channels = 32, output = [#cameo.extent<H>, #cameo.extent<W>], rows = #cameo.extent<H + 4>, stride = [#cameo.extent<1>, #cameo.extent<1>], top = 0} ins(%x, %w : !x, !w) ties [-1] {scalar_names = []} : !y {
  }
  func.return
}

// -----

!x = !cameo.tensor<[1, 32, 56, 56], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>>
!u = !cameo.tensor<[36, 32, 32], f32, host, #cameo.blocked<[2, 1] by [16, 16]>>
!y = !cameo.tensor<[1, 32, 56, 56], f32, host, #cameo.blocked<[1] by [16]>>
func.func @begins_in_front(%x: !x, %u: !u) {
  // expected-error @below {{of 'conv_winograd': operand 'x' along axis 2: windows begin at -1, in front of its halo}}
  %0 = prog.call "conv_winograd" [] {batch = 1, cols = #cameo.extent<58>, groups = 1, in_channels = 32, left = 0, out_channels = 32, output = [#cameo.extent<56>, #cameo.extent<56>], rows = #cameo.extent<58>, taps = 3, tile = 4, top = #cameo.extent<-1>} ins(%x, %u : !x, !u) ties [-1] {scalar_names = []} : !y {
  }
  func.return
}

// -----

!x = !cameo.tensor<[1, 32, 56, 56], f32, host, #cameo.blocked<[1] by [16]>>
!channels = !cameo.tensor<[32], i32, host>
!y = !cameo.tensor<[1, 32, 57, 56], f32, host, #cameo.blocked<[1] by [16]>>
func.func @picks_more(%x: !x, %channels: !channels) {
  // expected-error @below {{of 'pick_channels': operand 'x' along axis 2: windows end at 57, and it has 56 elements with its halo}}
  %0 = prog.call "pick_channels" [] {batch = 1, cols = #cameo.extent<56>, in_channels = 32, left = 0, out_channels = 32, output = [#cameo.extent<57>, #cameo.extent<56>], rows = #cameo.extent<56>, top = 0} ins(%x, %channels : !x, !channels) ties [-1] {scalar_names = []} : !y {
  }
  func.return
}

// -----

// Patches read nothing beyond the last row, and make zeros of it; they do not begin in front of the first.
!x = !cameo.tensor<[1, 16, 9, 9], f32, host, #cameo.blocked<[1] by [16]>>
!y = !cameo.tensor<[1, 64, 5, 5], f32, host, #cameo.blocked<[1] by [16]>>
func.func @patches(%x: !x) {
  %0 = prog.call "pack_patches" [] {batch = 1, cols = #cameo.extent<9>, dilation = [#cameo.extent<1>, #cameo.extent<1>], in_channels = 16, kernel = [#cameo.extent<2>, #cameo.extent<2>], left = 0, output = [#cameo.extent<5>, #cameo.extent<5>], rows = #cameo.extent<9>, stride = [#cameo.extent<2>, #cameo.extent<2>], top = 0} ins(%x : !x) ties [-1] {scalar_names = []} : !y {
  }
  // expected-error @below {{operand 'x' along axis 3: windows begin at -1, in front of its halo}}
  %1 = prog.call "pack_patches" [] {batch = 1, cols = #cameo.extent<9>, dilation = [#cameo.extent<1>, #cameo.extent<1>], in_channels = 16, kernel = [#cameo.extent<2>, #cameo.extent<2>], left = #cameo.extent<-1>, output = [#cameo.extent<5>, #cameo.extent<5>], rows = #cameo.extent<9>, stride = [#cameo.extent<2>, #cameo.extent<2>], top = 0} ins(%x : !x) ties [-1] {scalar_names = []} : !y {
  }
  func.return
}

// -----

// No window reads anything.
!x = !cameo.tensor<[1, 32, 1, 1], f32, host, #cameo.blocked<[1] by [16]>>
!w = !cameo.tensor<[32, 32, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>
!y = !cameo.tensor<[1, 32, 0, 0], f32, host, #cameo.blocked<[1] by [16]>>
func.func @empty(%x: !x, %w: !w) {
  %0 = prog.call "conv_blocked" [] {batch = 1, cols = #cameo.extent<1>, dilation = [#cameo.extent<1>, #cameo.extent<1>], groups = 1, in_channels = 32, kernel = [#cameo.extent<3>, #cameo.extent<3>], left = 0, out_channels = 32, output = [#cameo.extent<0>, #cameo.extent<0>], rows = #cameo.extent<1>, stride = [#cameo.extent<1>, #cameo.extent<1>], top = 0} ins(%x, %w : !x, !w) ties [-1] {scalar_names = []} : !y {
    prog.store 5 values 1 maps [] -> [affine_map<(n, c, h, w, l) -> (n, c, h, w, l)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  func.return
}
