// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def grid_sample : KernelTemplate<"grid_sample.h"> {
  let arguments =
      (with Enumerated<"resize_mode", ["nearest", "linear", "cubic"]>:$MODE,
            Enumerated<"grid_padding", ["zeros", "border", "reflection"]>:$PADDING);
  let params = (with Rank<1, 6>:$spatial_rank, Int<>:$batch, Int<>:$channels,
                     Array<"spatial_rank">:$input, Array<"spatial_rank">:$output,
                     Flag:$align_corners);
  let operands = (with In<"T">:$x, In<"G", FloatTypes>:$grid);
  let functors = (with Store<"spatial_rank + 2", "sampled(MODE, T)">:$store);
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let scratchTypes = ["MODE", "x"];
  let takesCounts = 1;
  let description = [{
    x: batch, channels, input...; grid: batch, output..., spatial_rank: for each output the place it is
    sampled at, the last axis' coordinate first, -1 and 1 being the edges of the first and last
    element, or with align_corners their centres. nearest takes the even one of two that are as near;
    cubic is Keys' kernel with -0.75. What lies outside is 0, the element at the edge, or mirrored.
    Coordinates are computed in accumulator_t<G>. Order: taps row-major over the axes.
  }];
}
