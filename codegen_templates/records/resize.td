// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def resize : KernelTemplate<"resize.h"> {
  let arguments = (with Enumerated<"resize_mode", ["nearest", "linear", "cubic"]>:$MODE);
  let params = (with Rank<>:$rank, Array<"rank">:$input, Array<"rank">:$output,
                       Keyword<"coordinate_mode", ["half_pixel", "half_pixel_symmetric",
                                                   "pytorch_half_pixel", "align_corners",
                                                   "asymmetric", "tf_crop_and_resize"]>:$coordinate,
                       Keyword<"nearest_rounding", ["round_prefer_floor", "round_prefer_ceil",
                                                    "floor", "ceil"]>:$nearest_mode,
                       Optional<Reals<"rank">, "up / down">:$scale,
                       Optional<Array<"rank">, "output">:$up,
                       Optional<Array<"rank">, "input">:$down,
                       Optional<Reals<"2 * rank">, "the whole input">:$roi,
                       Optional<Real, "0">:$extrapolation_value,
                       Optional<StaticFlag, "false">:$antialias,
                       Optional<Flag, "false">:$exclude_outside,
                       Optional<Real, "-0.75">:$cubic_coeff_a);
  let operands = (with In<"T">:$x);
  let functors = (with Store<"rank", "sampled(MODE, T)">:$store);
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let scratchTypes = ["MODE", "x"];
  let takesCounts = 1;
  let description = [{
    scale, or the fractions up / down; roi: starts, then ends (tf_crop_and_resize). Axes with input ==
    output and scale 1 are copied through. Order: taps row-major over the axes.
  }];
}
