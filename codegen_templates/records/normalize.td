// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def normalize : KernelTemplate<"normalize.h"> {
  let groups = [RowMembers<>];
  let params = (with Real:$epsilon, Flag:$centered, AcrossRows:$across_rows);
  let functors = (with Load<RowIndex, "3">:$load, Store<RowIndex, "accumulator(load)">:$store,
                           Store<"outer_rank", "accumulator(load)">:$store_mean,
                           Store<"outer_rank", "accumulator(load)">:$store_inv_std);
  let takesCounts = 1;
  let description = [{
    mean = sum(x) / n; var = sum((x - mean)^2) / n (two passes, reduce's order);
    inv_std = 1 / sqrt(var + epsilon); store gets (x - mean) * inv_std. Without `centered` mean is
    taken as 0 and stored as 0 (RMS normalisation). `across_rows` as for reduce.
  }];
}
