// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def det : KernelTemplate<"det.h"> {
  let groups = [ExtentsMembers<"batch">];
  let params = (with Int<>:$size);
  let operands = (with In<"T", FloatTypes>:$x);
  let functors = (with Store<"batch_rank", "accumulator(T)">:$store);
  let takesScratch = 1;
  let scratchTypes = ["x"];
  let takesCounts = 1;
  let description = [{
    x: batch..., size, size. The determinant of each matrix, by elimination with the greatest element
    of a column, NaN before all, as its pivot; 1 where the matrix is empty. In accumulator_t<T>.
  }];
}
