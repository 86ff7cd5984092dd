// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

def sum_neighbours : Contract {
  let params = (with Int<>:$batch, Int<>:$channels, Int<>:$rows, Int<>:$cols, Int<>:$before,
                       Int<>:$after);
  let functors = (with Load<"4">:$load, Store<"4", "accumulator(load)">:$store);
  let description = [{
    store({n, c, y, x}) gets the sum of what load gives for the channels c - before..c + after that there are.
    Nothing that load gives is negative.
  }];
}

def sum_channels : CpuTemplate<"sum_channels.h"> {
  let params = (with Int<>:$batch, Int<>:$channels, Int<>:$rows, Int<>:$cols, Int<>:$before,
                       Int<>:$after);
  let functors = (with Load<"5", "1", FloatTypes>:$load,
                           Store<"5", "accumulator(load)">:$store);
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let scratchTypes = ["load"];
  let description = [{
    store gets the sum of the channels c - before..c + after that there are, where load and store have
    index<5>{n, c / 16, y, x, c % 16}, for all lanes of every block; sums of lanes beyond the last
    channel are anything. Order: ascending channels.
  }];
}
