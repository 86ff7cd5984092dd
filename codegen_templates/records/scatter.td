// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

class Scatter : KernelTemplate<"scatter.h"> {
  let arguments =
      (with Enumerated<"scatter_reduction", ["none", "add", "mul", "max", "min"]>:$RED);
  let operands = (with In<"I", IndexTypes>:$indices, In<"T">:$updates, InPlace<"T">:$out);
  let mayRaise = 1;
  let takesCounts = 1;
}

def scatter_elements : Scatter {
  let params = (with Rank<1>:$rank, Array<"rank">:$data_dims, Array<"rank">:$index_dims,
                       Axis:$axis);
  let description = [{
    `out` (data_dims...) holds the data already; indices and updates: index_dims.... Updates to one
    element are applied in row-major order of the indices, here and below.
  }];
}

def tensor_scatter : KernelTemplate<"scatter.h"> {
  let arguments = (with Enumerated<"scatter_mode", ["linear", "circular"]>:$MODE);
  let params = (with Rank<2>:$rank, Array<"rank">:$data_dims, Array<"rank">:$shape, Axis:$axis);
  let operands = (with OptionalIn<"int64_t">:$begin, InPlace<"T">:$out);
  let functors = (with Load<"rank">:$load);
  let mayRaise = 1;
  let takesCounts = 1;
  let description = [{
    `out` (data_dims...) holds the data already; load gives what is written, shape... elements, of
    which those of entry b of the first axis begin at begin[b] of `axis`, null: at 0. circular goes on
    at the front of the axis, along which shape is at most data_dims; linear drops what is beyond it.
  }];
}

def scatter_nd : Scatter {
  let groups = [ExtentsMembers<"index">];
  let params = (with StaticInt<0, 64>:$tuple, Array<"tuple">:$axes, Int<>:$inner);
  let description = [{
    indices: index..., tuple; updates: index..., inner, the product of the remaining extents; 0:
    nothing is read.
  }];
}
