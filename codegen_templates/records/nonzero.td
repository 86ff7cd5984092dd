// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def nonzero : KernelTemplate<"nonzero.h"> {
  let groups = [ExtentsMembers<"shape">];
  let operands = (with OptionalOut<"int64_t">:$positions, Out<"int64_t">:$count);
  let functors = (with Load<"shape_rank", "2", ["bool"]>:$load);
  let takesScratch = 1;
  let launches = "2";
  let takesCounts = 1;
  let description = [{
    The row-major positions of the elements of `shape` for which load gives true, ascending: as many
    as `count`, one element, says then. What `positions`, which has room for all, holds behind them
    is not written.
  }];
}
