// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def max_roi_pool : KernelTemplate<"max_roi_pool.h"> {
  let params = (with Int<>:$regions, Int<>:$batch, Int<>:$channels, Array<"2">:$input,
                     Array<"2">:$output, Real:$spatial_scale);
  let operands = (with In<"T", FloatTypes>:$x, In<"T">:$rois);
  let functors = (with Store<"4", "accumulator(T)">:$store);
  let mayRaise = 1;
  let takesCounts = 1;
  let description = [{
    x: batch, channels, input...; rois: regions, 5 (the number of the image; left, top, right, bottom,
    which times spatial_scale, rounded with halves away from 0, are its first and last elements);
    output: bins along each axis. Store gets the greatest element of each bin, which begins and ends
    at whole elements and may share them with its neighbours; NaN wins; 0 where the bin has none, or
    the image is not there.
  }];
}
