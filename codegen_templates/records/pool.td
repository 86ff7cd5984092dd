// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"

defvar PoolKinds = ["max", "average", "lp"];
defvar PoolMembers = (with Int<>:$batch, Int<>:$channels, HostArray<"spatial_rank">:$pad_end,
                             For<"KIND", "average", Flag>:$count_include_pad,
                             For<"KIND", "lp", AnyInt>:$p);
defvar PoolCovers = "covers(kernel, stride, dilation)";

def pool : KernelTemplate<"pool.h"> {
  let arguments = (with Enumerated<"pool_kind", PoolKinds>:$KIND);
  let groups = [WindowMembers<>];
  let params = !con(PoolMembers, (with Optional<Flag, "false">:$column_major));
  let functors = (with Load<"spatial_rank + 2", PoolCovers>:$load,
                           Store<"spatial_rank + 2", "pooled(KIND, load)">:$store,
                           OptionalStore<"spatial_rank + 2", "position()">:$store_index);
  let takesCounts = 1;
  let description = [{
    max: NaN wins, the first position on ties; lp: (sum |x|^p)^(1/p). Window order is row-major, one
    accumulator. average divides by the number of taps inside the input, with count_include_pad by
    those inside [-pad, input + pad_end). A window with no tap inside: max gives the identity, average
    and lp give 0.
    store_index, with max only: the flat position in the input tensor as ONNX MaxPool's Indices
    (column_major: the spatial part is column-major); -1 for a window with no tap inside.
  }];
}

def pool_blocked : CpuTemplate<"pool_blocked.h"> {
  let arguments = (with Enumerated<"pool_kind", PoolKinds>:$KIND);
  let groups = [WindowMembers<2, 2>];
  let params = PoolMembers;
  let functors = (with Load<"5", PoolCovers>:$load, Store<"5", "pooled(KIND, load)">:$store);
  let description = [{
    As pool, without indices; index<5>{n, c / 16, y, x, c % 16}, for all lanes of every block. Order as
    pool.
  }];
}
