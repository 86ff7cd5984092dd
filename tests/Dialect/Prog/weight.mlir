// RUN: cameo-opt %s --split-input-file --verify-diagnostics | FileCheck %s
//
// The steps that a constant goes through: each takes the type in front of it, the last one gives the weight's.

// CHECK-LABEL: @all
func.func @all() {
  // CHECK: through [#cameo.blocked<[1, 0] by [16, 16]>] :
  %0 = prog.weight dense<1.0> : tensor<32x19x3x3xf32> through [#cameo.blocked<[1, 0] by [16, 16]>]
      : !cameo.tensor<[32, 19, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>
  // CHECK: through [#prog.phases<stride = 2, block = 16>, #prog.winograd<tile = 4>, #cameo.blocked<[2, 1] by [16, 16]>] :
  %1 = prog.weight dense<1.0> : tensor<32x19x5x5xf32>
      through [#prog.phases<stride = 2, block = 16>, #prog.winograd<tile = 4>, #cameo.blocked<[2, 1] by [16, 16]>]
      : !cameo.tensor<[36, 32, 128], f32, host, #cameo.blocked<[2, 1] by [16, 16]>>
  // CHECK: through [#prog.sum<factor = -3>] :
  %2 = prog.weight dense<1> : tensor<8x4x3x3xi8> through [#prog.sum<factor = -3>] : !cameo.tensor<[8], i32, host>
  // CHECK: through [#cameo.packed] :
  %3 = prog.weight dense<1> : tensor<5xi4> through [#cameo.packed] : !cameo.tensor<[5], i4, device, #cameo.packed>
  // CHECK: through [#prog.columns<axis = 1, lanes = 16, bits = 4>] :
  %4 = prog.weight dense<1> : tensor<40x19xui4> through [#prog.columns<axis = 1, lanes = 16, bits = 4>]
      : !cameo.tensor<[2, 5, 16], ui32, host>
  // CHECK: through [#prog.joined_groups<groups = 8, count = 4>, #cameo.blocked<[1, 0] by [16, 16]>] :
  %6 = prog.weight dense<1.0> : tensor<32x4x3x3xf32> through [#prog.joined_groups<groups = 8, count = 4>, #cameo.blocked<[1, 0] by [16, 16]>]
      : !cameo.tensor<[32, 16, 3, 3], f32, host, #cameo.blocked<[1, 0] by [16, 16]>>
  // CHECK: through [#prog.columns<axis = 0, lanes = 16>] :
  %5 = prog.weight dense<1.0> : tensor<19x3xf32> through [#prog.columns<axis = 0, lanes = 16>] : !cameo.tensor<[2, 3, 16], f32, host>
  func.return
}

// -----

func.func @groups_that_are_left_over() {
  // expected-error @below {{needs groups, and a count that divides them}}
  %0 = prog.weight dense<1.0> : tensor<6x4x3x3xf32> through [#prog.joined_groups<groups = 6, count = 4>] : !cameo.tensor<[6, 16, 3, 3], f32, host>
  func.return
}

// -----

func.func @groups_of_no_outputs() {
  // expected-error @below {{#prog.joined_groups<groups = 4, count = 2> does not take '!cameo.tensor<[6, 4, 3, 3], f32>': need taps [OC, IC, ...] with outputs for each group}}
  %0 = prog.weight dense<1.0> : tensor<6x4x3x3xf32> through [#prog.joined_groups<groups = 4, count = 2>] : !cameo.tensor<[6, 8, 3, 3], f32, host>
  func.return
}

// -----

func.func @codes_of_other_bits() {
  // expected-error @below {{#prog.columns<axis = 0, lanes = 16, bits = 4> does not take '!cameo.tensor<[4, 4], i8>': need a matrix of floats, or of integers of `bits` bits}}
  %0 = prog.weight dense<1> : tensor<4x4xi8> through [#prog.columns<axis = 0, lanes = 16, bits = 4>] : !cameo.tensor<[1, 1, 16], ui32, host>
  func.return
}

// -----

func.func @origin_beyond_bits() {
  // expected-error @below {{needs 2, 4 or 8 bits for each element, and an origin of as many}}
  %0 = prog.weight dense<1> : tensor<4x4xi8> through [#prog.columns<axis = 0, lanes = 16, bits = 4, origin = 16>] : !cameo.tensor<[1, 1, 16], ui32, host>
  func.return
}

// -----

// A stride that is not that of the type: 3 x 3 taps of nine phases, not of four.
func.func @wrong_stride() {
  // expected-error @below {{is '!cameo.tensor<[8, 36, 2, 2], f32>' behind its steps, need '!cameo.tensor<[8, 16, 3, 3], f32, host>'}}
  %0 = prog.weight dense<1.0> : tensor<8x4x5x5xf32> through [#prog.phases<stride = 3>] : !cameo.tensor<[8, 16, 3, 3], f32, host>
  func.return
}

// -----

func.func @two_layouts() {
  // expected-error @below {{#cameo.blocked<[1] by [4]> would overlap #cameo.blocked<[0] by [16]>}}
  %0 = prog.weight dense<1.0> : tensor<32x32xf32> through [#cameo.blocked<[0] by [16]>, #cameo.blocked<[1] by [4]>]
      : !cameo.tensor<[32, 32], f32, host, #cameo.blocked<[1] by [4]>>
  func.return
}

// -----

func.func @step_behind_layout() {
  // expected-error @below {{#prog.winograd<tile = 4> does not take '!cameo.tensor<[32, 32, 3, 3], f32, #cameo.blocked<[1, 0] by [16, 16]>>': need a dense tensor}}
  %0 = prog.weight dense<1.0> : tensor<32x32x3x3xf32> through [#cameo.blocked<[1, 0] by [16, 16]>, #prog.winograd<tile = 4>]
      : !cameo.tensor<[36, 32, 32], f32, host>
  func.return
}

// -----

func.func @layout_without_step() {
  // expected-error @below {{is '!cameo.tensor<[32], f32>' behind its steps, need}}
  %0 = prog.weight dense<1.0> : tensor<32xf32> : !cameo.tensor<[32], f32, host, #cameo.blocked<[0] by [16]>>
  func.return
}

// -----

func.func @layout_beyond_rank() {
  // expected-error @below {{does not fit the rank of the tensor}}
  %0 = prog.weight dense<1.0> : tensor<32xf32> through [#cameo.blocked<[1] by [16]>] : !cameo.tensor<[32], f32, host>
  func.return
}

// -----

func.func @no_such_tiles() {
  // expected-error @below {{#prog.winograd<tile = 3> does not take '!cameo.tensor<[8, 4, 3, 3], f32>': need taps of f32 for which there are such tiles}}
  %0 = prog.weight dense<1.0> : tensor<8x4x3x3xf32> through [#prog.winograd<tile = 3>] : !cameo.tensor<[25, 8, 4], f32, host>
  func.return
}

// -----

func.func @taps_of_a_rectangle() {
  // expected-error @below {{#prog.phases<stride = 2> does not take '!cameo.tensor<[8, 4, 3, 5], f32>': need taps [OC, IC, K, K]}}
  %0 = prog.weight dense<1.0> : tensor<8x4x3x5xf32> through [#prog.phases<stride = 2>] : !cameo.tensor<[8, 16, 2, 3], f32, host>
  func.return
}

// -----

func.func @sum_of_floats() {
  // expected-error @below {{#prog.sum<factor = 1> does not take '!cameo.tensor<[8, 4], f32>': need i8 along an axis or more}}
  %0 = prog.weight dense<1.0> : tensor<8x4xf32> through [#prog.sum<factor = 1>] : !cameo.tensor<[8], i32, host>
  func.return
}

// -----

func.func @no_step() {
  // expected-error @below {{#cameo.precision<fast> is no step of a constant}}
  %0 = prog.weight dense<1.0> : tensor<8xf32> through [#cameo.precision<fast>] : !cameo.tensor<[8], f32, host>
  func.return
}

// -----

// expected-error @below {{needs a stride and a block of 1 or more}}
#no_stride = #prog.phases<stride = 0>
