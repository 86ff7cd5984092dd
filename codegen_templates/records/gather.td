// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def gather : KernelTemplate<"gather.h"> {
  let groups = [ExtentsMembers<"outer">, ExtentsMembers<"index">, ExtentsMembers<"inner">];
  let params = (with Int<>:$axis_extent);
  let operands = (with In<"T">:$data, In<"I", IndexTypes>:$indices);
  let functors = (with Store<"outer_rank + index_rank + inner_rank", "T">:$store);
  let mayRaise = 1;
  let takesCounts = 1;
  let description = [{
    data: outer..., axis_extent, inner...; indices: index.... A negative index counts from the end,
    once, here and below.
  }];
}

def gather_elements : KernelTemplate<"gather.h"> {
  let params = (with Rank<1>:$rank, Array<"rank">:$data_dims, Array<"rank">:$index_dims,
                       Axis:$axis);
  let operands = (with In<"T">:$data, In<"I", IndexTypes>:$indices);
  let functors = (with Store<"rank", "T">:$store);
  let mayRaise = 1;
  let takesCounts = 1;
  let description = "data: data_dims...; indices: index_dims....";
}

def gather_nd : KernelTemplate<"gather.h"> {
  let groups = [ExtentsMembers<"batch">, ExtentsMembers<"index">, ExtentsMembers<"inner">];
  let params = (with StaticInt<0, 64>:$tuple, Array<"tuple">:$axes);
  let operands = (with In<"T">:$data, In<"I", IndexTypes>:$indices);
  let functors = (with Store<"batch_rank + index_rank + inner_rank", "T">:$store);
  let mayRaise = 1;
  let takesCounts = 1;
  let description = [{
    data: batch..., axes..., inner...; indices: batch..., index..., tuple, which is the length of one
    index tuple.
  }];
}
