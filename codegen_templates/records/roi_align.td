// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def roi_align : KernelTemplate<"roi_align.h"> {
  let arguments = (with Enumerated<"roi_align_mode", ["avg", "max"]>:$MODE);
  let params = (with Int<>:$regions, Int<>:$batch, Int<>:$channels, Array<"2">:$input,
                     Array<"2">:$output, Int<>:$sampling_ratio, Real:$spatial_scale,
                     Flag:$half_pixel);
  let operands = (with In<"T", FloatTypes>:$x, In<"T">:$rois, In<"int64_t">:$batch_indices);
  let functors = (with Store<"4", "accumulator(T)">:$store);
  let mayRaise = 1;
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let scratchTypes = ["x"];
  let takesCounts = 1;
  let description = [{
    x: batch, channels, input...; rois: regions, 4 (left, top, right, bottom; times spatial_scale, less
    half an element with half_pixel they are places in x); output: bins along each axis. Each bin has
    sampling_ratio^2 samples or, where that is 0, as many along an axis as it is long, rounded up;
    without half_pixel no region is less than 1 long. A sample more than 1 outside x, or at a NaN,
    is 0, others are bilinear, beyond the outermost elements constant. avg: their mean; max: the
    greatest of the weighted elements that make up the samples, as ONNX has it, and NaN wins.
    A bin without samples is 0, as is a region whose batch index is out of range. Order: samples
    row-major; computed in accumulator_t<T>.
  }];
}
