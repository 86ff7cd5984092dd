// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

class Normalize : KernelTemplate<"normalize.h"> {
  let groups = [RowMembers<>];
  let params = (with Real:$epsilon, Flag:$centered, AcrossRows:$across_rows);
  let functors = (with Load<RowIndex, "3">:$load, Store<RowIndex, "accumulator(load)">:$store,
                           Store<"outer_rank", "accumulator(load)">:$store_mean,
                           Store<"outer_rank", "accumulator(load)">:$store_inv_std);
  let takesCounts = 1;
}

def normalize : Normalize {
  let description = [{
    mean = sum(x) / n; var = sum((x - mean)^2) / n (two passes, reduce's order);
    inv_std = 1 / sqrt(var + epsilon); store gets (x - mean) * inv_std. Without `centered` mean is
    taken as 0 and stored as 0 (RMS normalisation). `across_rows` as for reduce.
  }];
}

def normalize_held : Normalize {
  let sets = [Cuda];
  let replaces = "normalize";
  let description = [{
    normalize of rows that stay in registers: of a length that is a constant up to 8192, else it is
    normalize itself. Sums are in reduce_held's order.
  }];
}
