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

def scatter_nd : Scatter {
  let groups = [ExtentsMembers<"index">];
  let params = (with StaticInt<0, 64>:$tuple, Array<"tuple">:$axes, Int<>:$inner);
  let description = [{
    indices: index..., tuple; updates: index..., inner, the product of the remaining extents; 0:
    nothing is read.
  }];
}
