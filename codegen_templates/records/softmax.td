// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def softmax : KernelTemplate<"softmax.h"> {
  let arguments = (with Bool:$LOG);
  let groups = [RowMembers<>];
  let params = (with AcrossRows:$across_rows);
  let functors = (with Load<RowIndex, "3">:$load, Store<RowIndex, "accumulator(load)">:$store);
  let takesCounts = 1;
  let description = [{
    m = max (NaN wins), s = sum of exp(x - m) in reduce's order, value = exp(x - m) / s, or
    (x - m) - log(s) with LOG. A row of -inf only gives NaN. `across_rows` as for reduce.
  }];
}
