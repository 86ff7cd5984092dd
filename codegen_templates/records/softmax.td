// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

class Softmax : KernelTemplate<"softmax.h"> {
  let arguments = (with Bool:$LOG);
  let groups = [RowMembers<>];
  let params = (with AcrossRows:$across_rows);
  let functors = (with Load<RowIndex, "3">:$load, Store<RowIndex, "accumulator(load)">:$store);
  let takesCounts = 1;
}

def softmax : Softmax {
  let role = "Softmax";
  let description = [{
    m = max (NaN wins), s = sum of exp(x - m) in reduce's order, value = exp(x - m) / s, or
    (x - m) - log(s) with LOG. A row of -inf only gives NaN. `across_rows` as for reduce.
  }];
}

def softmax_held : Softmax {
  let sets = [Cuda];
  let replaces = "softmax";
  let description = [{
    softmax of rows that stay in registers: of a length that is a constant up to 8192, else it is
    softmax itself. Values are exp(x - m) * (1 / s), where load gives 16 bits or less by powers of two that are exact
    to 2^-21; s is summed in reduce_held's order.
  }];
}
