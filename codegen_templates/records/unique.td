// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def unique : KernelTemplate<"unique.h"> {
  let params = (with Int<>:$rows, Int<>:$slices, Int<>:$columns, Flag:$sorted);
  let operands = (with In<"T">:$data, OptionalOut<"int64_t">:$indices,
                       OptionalOut<"int64_t">:$inverse, OptionalOut<"int64_t">:$counts,
                       Out<"int64_t">:$count);
  let takesScratch = 1;
  let takesCounts = 1;
  let description = [{
    data: rows, slices, columns. The distinct ones of the slices data[., s, .], ascending
    (lexicographically, rows first; NaN above every number and equal to itself) or, not `sorted`, as
    they first occur: `count`, one element, says how many; indices: the first slice that is it;
    counts: how many are. inverse: for each slice, which of them it is. What indices and counts,
    which have room for `slices`, hold behind them is not written.
  }];
}
