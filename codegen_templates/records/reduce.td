// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def reduce : KernelTemplate<"reduce.h"> {
  let arguments = (with Argument<"class", ["combine::sum<T>", "combine::prod<T>",
                                                "combine::max<T>", "combine::min<T>"]>:$COMBINE);
  let groups = [RowMembers<0>];
  let params = (with AcrossRows:$across_rows);
  let functors = (with Load<RowIndex>:$load, Store<"outer_rank", "combined(COMBINE)">:$store);
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let scratchTypes = ["COMBINE"];
  let takesCounts = 1;
  let description = [{
    NaN wins in max and min. In C++ COMBINE is any struct with `type`, `static identity()`, `static
    apply(a, b)`; apply must be associative and commutative up to rounding. What load returns is
    converted by `cast<type>`. Empty row: identity (sum 0, prod 1, max lowest or -inf, min highest or
    +inf).
    `across_rows`: set it when neighbouring *rows* (consecutive last outer index) rather than
    neighbouring elements of a row are adjacent in memory. Speed only, same result.
    Order, cpu: reduced elements are numbered t = 0.. row-major; lane t mod 32 takes them ascending
    from the identity, then lanes l and l + h are combined for h = 16, 8, 4, 2, 1; every 65536
    elements are combined so on their own, and the results in turn. cuda: the same with 32 lanes for
    rows up to 1024 elements; with 256 for longer ones, first each 32 neighbouring lanes, then their
    eight results by halves.
  }];
}

def arg_reduce : KernelTemplate<"reduce.h"> {
  let arguments = (with Argument<"class", ["arg_max<T, LAST>", "arg_min<T, LAST>"]>:$CMP);
  let groups = [RowMembers<1, 1>];
  let functors = (with Load<RowIndex>:$load, Store<"outer_rank", "position()">:$store);
  let takesCounts = 1;
  let description = [{
    The position of a row's extreme. LAST = select_last_index. NaN beats every number in both; ties by
    LAST. Row extent 0: position 0.
  }];
}
