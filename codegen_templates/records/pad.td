// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def pad : KernelTemplate<"pad.h"> {
  let arguments =
      (with Enumerated<"pad_mode", ["constant", "reflect", "edge", "wrap"]>:$MODE);
  let params = (with Rank<>:$rank, Array<"rank">:$input, Array<"rank">:$output,
                       Array<"rank">:$begin);
  let operands = (with In<"T">:$x);
  let functors = (with Load<"0", "volume(output)">:$value, Store<"rank", "T">:$store);
  let takesCounts = 1;
  let description = [{
    Output o reads input o - begin. A negative begin crops, and so does an output that ends in front
    of the input: what is left is padded. Outside of it constant gives value; edge clamps; wrap is
    modulo; reflect mirrors without repeating the border, as often as needed. Where nothing is left,
    value in every mode. It is of x's type.
  }];
}
