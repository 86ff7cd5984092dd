// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def count : KernelTemplate<"count.h"> {
  let sets = [Cuda];
  let params = (with Int<>:$most);
  let operands = (with Out<"int64_t">:$y);
  let functors = (with Load<"1", "1", ["int64_t"]>:$load);
  let mayRaise = 1;
  let takesCounts = 1;
  let description = [{
    The integer that is loaded at 0 goes to y[0], where it is in 0..most, and the nearest of these
    otherwise. Kernels read it there as an extent (`counted`, cameo/counted.h).
  }];
}
