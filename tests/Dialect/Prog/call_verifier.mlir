// RUN: cameo-opt %s --split-input-file --verify-diagnostics

// A call is held against its template's record: each test has one mistake.

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @unknown(%x: !rows) {
  // expected-error @below {{calls 'flip', which is no kernel template}}
  %0 = prog.call "flip" [] {} ins(%x : !rows) ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @no_argument(%x: !rows) {
  // expected-error @below {{of 'softmax': got 0 template arguments, need 1}}
  %0 = prog.call "softmax" [] {} ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @wrong_form() {
  // expected-error @below {{template argument COMBINE is "combine::mean<float>", need one of combine::sum<T>}}
  %0 = prog.call "reduce" ["combine::mean<float>"] {} ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @wrong_type_in_form() {
  // expected-error @below {{template argument COMBINE is "combine::sum<single>"}}
  %0 = prog.call "reduce" ["combine::sum<single>"] {} ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @unknown_member() {
  // expected-error @below {{of 'softmax': has no member 'rank'}}
  %0 = prog.call "softmax" ["false"] {rank = 2} ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @missing_member() {
  // expected-error @below {{member 'reduced_rank' is missing}}
  %0 = prog.call "softmax" ["false"] {outer_rank = 1} ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @no_number() {
  // expected-error @below {{member 'outer_rank' is no integer: "one"}}
  %0 = prog.call "softmax" ["false"] {outer_rank = "one", reduced_rank = 1} ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @not_static() {
  // expected-error @below {{member 'outer_rank' is not known to the compiler: #cameo.extent<N>}}
  %0 = prog.call "softmax" ["false"] {outer_rank = #cameo.extent<N>, reduced_rank = 1} ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @out_of_range() {
  // expected-error @below {{member 'reduced_rank' is 0, need 1 to 64}}
  %0 = prog.call "softmax" ["false"] {outer_rank = 1, reduced_rank = 0} ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @wrong_length() {
  // expected-error @below {{member 'outer' has 2 elements, need 1}}
  %0 = prog.call "softmax" ["false"] {outer = [#cameo.extent<N>, #cameo.extent<2>], outer_rank = 1, reduced = [#cameo.extent<8>], reduced_rank = 1} ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!image = !cameo.tensor<[N, 3, 4, 4], f32, host>
func.func @member_of_another_kind() {
  // expected-error @below {{member 'count_include_pad' is there only where KIND is average}}
  %0 = prog.call "pool" ["pool_kind::max"] {batch = 1, channels = 3, count_include_pad = true, spatial_rank = 2} ties [-1] {scalar_names = []} : !image {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @wrong_keyword(%x: !rows) {
  // expected-error @below {{member 'coordinate' is "coordinate_mode::centred", need coordinate_mode:: and one of half_pixel}}
  %0 = prog.call "resize" ["resize_mode::linear"] {coordinate = "coordinate_mode::centred", nearest_mode = "nearest_rounding::floor", rank = 2} ins(%x : !rows) ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @too_few_inputs(%x: !rows) {
  // expected-error @below {{of 'gather_elements': got 1 inputs, need 2}}
  %0 = prog.call "gather_elements" [] {axis = 0, data_dims = [#cameo.extent<8>], index_dims = [#cameo.extent<8>], rank = 1} ins(%x : !rows) ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[8], f32, host>
func.func @wrong_element(%x: !rows) {
  // expected-error @below {{operand 'indices' has elements of type 'f32', need one of int32_t int64_t}}
  %0 = prog.call "gather_elements" [] {axis = 0, data_dims = [#cameo.extent<8>], index_dims = [#cameo.extent<8>], rank = 1} ins(%x, %x : !rows, !rows) ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[8], f32, host>
!at = !cameo.tensor<[8], i64, host>
func.func @null(%at: !at) {
  %x = prog.null : !rows
  // expected-error @below {{input 'data' may not be null}}
  %0 = prog.call "gather_elements" [] {axis = 0, data_dims = [#cameo.extent<8>], index_dims = [#cameo.extent<8>], rank = 1} ins(%x, %at : !rows, !at) ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!dense = !cameo.tensor<[N, 20, 6, 6], f32, host>
func.func @wrong_layout(%x: !dense) {
  // expected-error @below {{operand 'y' lies in memory as it may not}}
  %0 = prog.call "pack_channels" [] {batch = 1, channels = 20, cols = 6, halo = [#cameo.extent<0>, #cameo.extent<0>], rows = 6} ins(%x : !dense) ties [-1] {scalar_names = []} : !dense {
  }
  func.return
}

// -----

!blocked = !cameo.tensor<[8], f32, host, #cameo.blocked<[0] by [16]>>
!at = !cameo.tensor<[8], i64, host>
func.func @works_on_dense_tensors_only(%x: !blocked, %at: !at) {
  // expected-error @below {{operand 'data' lies in memory as it may not: '!cameo.tensor<[8], f32, host, #cameo.blocked<[0] by [16]>>'}}
  %0 = prog.call "gather_elements" [] {axis = 0, data_dims = [#cameo.extent<8>], index_dims = [#cameo.extent<8>], rank = 1} ins(%x, %at : !blocked, !at) ties [-1] {scalar_names = []} : !cameo.tensor<[8], f32, host> {
  }
  func.return
}

// -----

!packed = !cameo.tensor<[8], i4, host, #cameo.packed>
!at = !cameo.tensor<[8], i64, host>
func.func @works_on_whole_elements(%x: !packed, %at: !at) {
  // expected-error @below {{operand 'data' lies in memory as it may not: '!cameo.tensor<[8], i4, host, #cameo.packed>'}}
  %0 = prog.call "gather_elements" [] {axis = 0, data_dims = [#cameo.extent<8>], index_dims = [#cameo.extent<8>], rank = 1} ins(%x, %at : !packed, !at) ties [-1] {scalar_names = []} : !cameo.tensor<[8], i4, host> {
  }
  func.return
}

// -----

// A map has a coordinate for each axis in memory: one that is right for the dense operand misses the lanes of the other.
!blocked = !cameo.tensor<[N, 20], f32, host, #cameo.blocked<[1] by [16]>>
!dense = !cameo.tensor<[N, 20], f32, host>
func.func @mixes_layouts(%x: !blocked, %y: !dense) {
  // expected-error @below {{map affine_map<(d0, d1) -> (d0, d1)> does not fit an index of rank 2, 0 symbols and '!cameo.tensor<[N, 20], f32, host, #cameo.blocked<[1] by [16]>>'}}
  %0 = prog.kernel [#cameo.extent<N>, #cameo.extent<20>] ins(%x, %y : !blocked, !dense)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] -> [affine_map<(d0, d1) -> (d0, d1)>]
      symbols [] ties [-1] : !dense {
  ^bb0(%a: f32, %b: f32):
    %c = prog.s_add %a, %b : f32
    prog.yield %c : f32
  }
  func.return
}

// -----

!dense = !cameo.tensor<[N, 20, 6, 6], f32, host>
!blocked = !cameo.tensor<[N, 20, 6, 6], f32, host, #cameo.blocked<[1] by [8]>>
func.func @lanes(%x: !dense) {
  // expected-error @below {{operand 'y' is in blocks of 8, need 16}}
  %0 = prog.call "pack_channels" [] {batch = 1, channels = 20, cols = 6, halo = [#cameo.extent<0>, #cameo.extent<0>], rows = 6} ins(%x : !dense) ties [-1] {scalar_names = []} : !blocked {
  }
  // As the member says.
  %1 = prog.call "pack_channels" [] {batch = 1, channels = 20, cols = 6, halo = [#cameo.extent<0>, #cameo.extent<0>], lanes = 8, rows = 6} ins(%x : !dense) ties [-1] {scalar_names = []} : !blocked {
  }
  func.return
}

// -----

!w = !cameo.tensor<[32, 32, 3, 3], f32, host, #cameo.blocked<[1, 0] by [8, 16]>>
!u = !cameo.tensor<[16, 32, 32], f32, host, #cameo.blocked<[2, 1] by [16, 16]>>
func.func @one_of_two_blocks(%w: !w) {
  // expected-error @below {{operand 'w' is in blocks of 8 by 16, need 16 by 16}}
  %0 = prog.call "winograd_weights" [] {in_channels = 32, out_channels = 32, taps = 3, tile = 2} ins(%w : !w) ties [-1] {scalar_names = []} : !u {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @no_store(%x: !rows) {
  // expected-error @below {{of 'softmax': got 1 results that no functor stores, need 0}}
  %0 = prog.call "softmax" ["false"] {outer = [#cameo.extent<N>], outer_rank = 1, reduced = [#cameo.extent<8>], reduced_rank = 1} ties [-1] {scalar_names = []} : !rows {
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @no_load() {
  // expected-error @below {{functor 'load' is no load}}
  %0 = prog.call "softmax" ["false"] {outer = [#cameo.extent<N>], outer_rank = 1, reduced = [#cameo.extent<8>], reduced_rank = 1} ties [-1] {scalar_names = []} : !rows {
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f32, host>
func.func @wrong_rank(%x: !rows) {
  // expected-error @below {{functor 'load' has an index of rank 3, need 2}}
  %0 = prog.call "softmax" ["false"] {outer = [#cameo.extent<N>], outer_rank = 1, reduced = [#cameo.extent<8>], reduced_rank = 1} ties [-1] {scalar_names = []} : !rows {
    prog.load 3 values 0 ins(%x : !rows) maps [affine_map<(d0, d1, d2) -> (d0, d1)>] symbols [] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f32):
      prog.yield %v : f32
    }
  }
  func.return
}

// -----

!rows = !cameo.tensor<[N, 8], f16, host>
func.func @wrong_value(%x: !rows) {
  // expected-error @below {{functor 'store' gets a value of type 'f16', need 'f32'}}
  %0 = prog.call "softmax" ["false"] {outer = [#cameo.extent<N>], outer_rank = 1, reduced = [#cameo.extent<8>], reduced_rank = 1} ties [-1] {scalar_names = []} : !rows {
    prog.load 2 values 0 ins(%x : !rows) maps [affine_map<(d0, d1) -> (d0, d1)>] symbols [] {
    ^bb0(%v: f16):
      prog.yield %v : f16
    }
    prog.store 2 values 1 maps [] -> [affine_map<(d0, d1) -> (d0, d1)>] symbols [] targets [0] {
    ^bb0(%v: f16):
      prog.yield %v : f16
    }
  }
  func.return
}
