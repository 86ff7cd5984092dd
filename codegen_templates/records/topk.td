// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def topk : KernelTemplate<"topk.h"> {
  let groups = [RowMembers<1, 1>];
  let params = (with Int<>:$k, Flag:$largest, Flag:$sorted, AcrossRows:$across_rows);
  let functors = (with Load<RowIndex>:$load, Store<RowIndex, "load">:$store_value,
                           Store<RowIndex, "position()">:$store_index);
  let takesScratch = 1;
  let scratchTypes = ["load"];
  let takesCounts = 1;
  let description = [{
    k is 0..reduced[0]; the stores' last index is 0..k-1. Total order: NaN above every number, ties by
    lower index first (also when !largest). Always sorted, whatever `sorted` says. cpu loads an
    element up to twice, cuda up to k times where the row is longer than a block can sort and k is small.
    `across_rows` as for reduce.
  }];
}
