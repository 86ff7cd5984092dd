// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def lookup : KernelTemplate<"lookup.h"> {
  let groups = [ExtentsMembers<"outer">];
  let params = (with Int<>:$count);
  let operands = (with In<"K">:$keys, In<"V">:$values);
  let functors = (with Load<"outer_rank">:$load, Store<"outer_rank", "V">:$store);
  let takesCounts = 1;
  let description = [{
    The value beside what is loaded, which is converted to K. keys: `count`, ascending and all
    different, NaN last; values: one more than keys, the last one for what is no key.
  }];
}
