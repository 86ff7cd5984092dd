// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// CHECK-LABEL: @resize
// CHECK: prog.call "resize" ["resize_mode::nearest"]
// CHECK-SAME: coordinate = "coordinate_mode::half_pixel"
// CHECK-SAME: output = [#cameo.extent<1>, #cameo.extent<1>, #cameo.extent<2 * H>, #cameo.extent<2 * W>]
func.func @resize(%x: !cameo.tensor<[1, 1, H, W], f32, host>) -> !cameo.tensor<[1, 1, 2 * H, 2 * W], f32, host> {
  %s = "onnx.Constant"() <{value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>}> : () -> !cameo.tensor<[4], f32, host>
  %0 = "onnx.Resize"(%x, %s) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>}>
      : (!cameo.tensor<[1, 1, H, W], f32, host>, !cameo.tensor<[4], f32, host>) -> !cameo.tensor<[1, 1, 2 * H, 2 * W], f32, host>
  func.return %0 : !cameo.tensor<[1, 1, 2 * H, 2 * W], f32, host>
}

// -----

// What operators require to be equal and nothing shows to be is checked in front of them.
// CHECK-LABEL: @grid_sample
// CHECK: prog.check #cameo.extent<M> "eq" #cameo.extent<N> else "invalid_argument"
// CHECK-NOT: prog.check
// CHECK: prog.call "grid_sample" ["resize_mode::cubic", "grid_padding::border"]
// CHECK-SAME: align_corners = true, batch = #cameo.extent<N>, channels = #cameo.extent<3>
// CHECK-SAME: input = [#cameo.extent<H>, #cameo.extent<W>], output = [#cameo.extent<5>, #cameo.extent<6>], spatial_rank = 2
// CHECK: prog.store 4 values 1
// CHECK-NEXT: ^bb0(%{{.*}}: f32)
func.func @grid_sample(%x: !cameo.tensor<[N, 3, H, W], f16, host>, %g: !cameo.tensor<[M, 5, 6, 2], f32, host>)
    -> !cameo.tensor<[N, 3, 5, 6], f16, host> {
  %0 = "onnx.GridSample"(%x, %g) <{align_corners = 1 : i64, mode = "cubic", padding_mode = "border"}>
      : (!cameo.tensor<[N, 3, H, W], f16, host>, !cameo.tensor<[M, 5, 6, 2], f32, host>) -> !cameo.tensor<[N, 3, 5, 6], f16, host>
  func.return %0 : !cameo.tensor<[N, 3, 5, 6], f16, host>
}

// -----

// CHECK-LABEL: @roi_align
// CHECK: prog.check #cameo.extent<M> "eq" #cameo.extent<R> else "invalid_argument"
// CHECK: prog.call "roi_align" ["roi_align_mode::max"] {batch = #cameo.extent<N>, channels = #cameo.extent<3>, half_pixel = false
// CHECK-SAME: input = [#cameo.extent<H>, #cameo.extent<W>], output = [#cameo.extent<5>, #cameo.extent<6>]
// CHECK-SAME: regions = #cameo.extent<R>, sampling_ratio = 2 : i64, spatial_scale = 2.500000e-01 : f32}
// CHECK: prog.store 4 values 1
// CHECK-NEXT: ^bb0(%{{.*}}: f32)
func.func @roi_align(%x: !cameo.tensor<[N, 3, H, W], f16, device>, %r: !cameo.tensor<[R, 4], f16, device>, %b: !cameo.tensor<[M], i64, device>)
    -> !cameo.tensor<[R, 3, 5, 6], f16, device> {
  %0 = "onnx.RoiAlign"(%x, %r, %b) <{coordinate_transformation_mode = "output_half_pixel", mode = "max", output_height = 5 : i64, output_width = 6 : i64, sampling_ratio = 2 : i64, spatial_scale = 0.25 : f32}>
      : (!cameo.tensor<[N, 3, H, W], f16, device>, !cameo.tensor<[R, 4], f16, device>, !cameo.tensor<[M], i64, device>) -> !cameo.tensor<[R, 3, 5, 6], f16, device>
  func.return %0 : !cameo.tensor<[R, 3, 5, 6], f16, device>
}

// -----

// CHECK-LABEL: @max_roi_pool
// CHECK: prog.call "max_roi_pool" [] {batch = #cameo.extent<N>, channels = #cameo.extent<3>, input = [#cameo.extent<H>, #cameo.extent<W>]
// CHECK-SAME: output = [#cameo.extent<2>, #cameo.extent<4>], regions = #cameo.extent<R>, spatial_scale = 5.000000e-01 : f32}
func.func @max_roi_pool(%x: !cameo.tensor<[N, 3, H, W], f32, device>, %r: !cameo.tensor<[R, 5], f32, device>)
    -> !cameo.tensor<[R, 3, 2, 4], f32, device> {
  %0 = "onnx.MaxRoiPool"(%x, %r) <{pooled_shape = array<i64: 2, 4>, spatial_scale = 0.5 : f32}>
      : (!cameo.tensor<[N, 3, H, W], f32, device>, !cameo.tensor<[R, 5], f32, device>) -> !cameo.tensor<[R, 3, 2, 4], f32, device>
  func.return %0 : !cameo.tensor<[R, 3, 2, 4], f32, device>
}
