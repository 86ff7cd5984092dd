// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def cumulative : KernelTemplate<"cumulative.h"> {
  let arguments = (with Argument<"class", ["combine::sum<T>", "combine::prod<T>",
                                                "combine::max<T>", "combine::min<T>"]>:$COMBINE);
  let groups = [RowMembers<>];
  let params = (with Flag:$exclusive, Flag:$reverse, AcrossRows:$across_rows);
  let functors = (with Load<RowIndex>:$load, Store<RowIndex, "combined(COMBINE)">:$store);
  let takesCounts = 1;
  let description = [{
    Running results along the row in row-major order. exclusive starts with the identity. `across_rows`
    as for reduce.
    Order, cpu: sequential along the row from its start (reverse: end). cuda: pieces of 32 (256 for
    rows longer than 1024) values in turn, each by a scan of doubling distances.
  }];
}
