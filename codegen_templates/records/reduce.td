// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

class Reduce : KernelTemplate<"reduce.h"> {
  let arguments = (with Argument<"class", ["combine::sum<T>", "combine::prod<T>",
                                                "combine::max<T>", "combine::min<T>"]>:$COMBINE);
  let groups = [RowMembers<0>];
  let params = (with AcrossRows:$across_rows);
  let functors = (with Load<RowIndex>:$load, Store<"outer_rank", "combined(COMBINE)">:$store);
  let takesCounts = 1;
}

def reduce : Reduce {
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let scratchTypes = ["COMBINE"];
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

def reduce_held : Reduce {
  let sets = [Cuda];
  let replaces = "reduce";
  let description = [{
    reduce of rows whose length is a constant up to 8192, else it is reduce itself.
    Order: a chunk is the neighbours that the functors move at once, V, at most 16 bytes of the widest.
    A row has a team of as many threads as it has chunks, rounded up to a power of two, at most 32; of
    256 beyond 1024 elements. Thread t takes the chunks t, t + team, ... ascending, each of its V places
    by itself, then folds places by halves; then threads of a warp, then warps are folded by halves.
  }];
}

def arg_reduce : KernelTemplate<"reduce.h"> {
  let arguments = (with Argument<"class", ["arg_max<T, LAST>", "arg_min<T, LAST>"]>:$CMP);
  let groups = [RowMembers<1, 1>];
  let params = (with AcrossRows:$across_rows);
  let functors = (with Load<RowIndex>:$load, Store<"outer_rank", "position()">:$store);
  let takesCounts = 1;
  let description = [{
    The position of a row's extreme. LAST = select_last_index. NaN beats every number in both; ties by
    LAST. Row extent 0: position 0. `across_rows` as for reduce.
  }];
}
