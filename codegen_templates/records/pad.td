// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def pad : KernelTemplate<"pad.h"> {
  let arguments =
      (with Enumerated<"pad_mode", ["constant", "reflect", "edge", "wrap"]>:$MODE);
  let params = (with Rank<>:$rank, Array<"rank">:$input, Array<"rank">:$output,
                       Array<"rank">:$begin);
  let operands = (with In<"T">:$x, Value<"T">:$value);
  let functors = (with Store<"rank", "T">:$store);
  let takesCounts = 1;
  let description = [{
    begin may be negative: crops. Output o reads input o - begin; outside: constant gives value; edge
    clamps; wrap is modulo; reflect mirrors without repeating the border, as often as needed. An input
    extent 0 gives value in every mode.
  }];
}
