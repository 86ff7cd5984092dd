// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Select stage.

#ifndef CAMEO_SELECT_PASSES_TD
#define CAMEO_SELECT_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectPass : Pass<"cameo-select", "mlir::ModuleOp"> {
  let summary = "Says how each call is computed: layouts, variants, templates";
  let description = [{
    In front of it calls say what is computed, over logical indices. First the
    channels of trunks are put into blocks. A trunk is a connected set of ops
    that have a form on blocks: convolutions, pools, and kernels between them.
    The values inside get the layout, each with the widest halo that one of its
    readers needs; their kernels and functors iterate over blocks and lanes, and
    convolutions become their cheapest variants. Repacks stand at the borders.

    ```mlir
    %1 = prog.call "conv" ... ins(%x, %w) { prog.store 4 ... maps [] -> [(n, c, y, x) -> (n, c, y, x)] }
    ```
    becomes
    ```mlir
    %0 = prog.call "pack_channels" ... ins(%x) -> tensor<[N, 64, H, W], #cameo.blocked<[1] by [16] halo [1, 1]>>
    %p = prog.weight ... through [#cameo.blocked<[1, 0] by [16, 16]>]
    %1 = prog.call "conv_blocked" ... ins(%0, %p) { prog.store 5 ... -> [(n, b, y, x, l) -> (n, b, y, x, l)] }
    ```
    A trunk that would save less than its repacks cost stays dense, and so does
    every op that is better off outside: README.md has the costs. Nothing of
    this happens where the target's convolutions know no blocks.

    Then what is dense goes on: convolutions of single elements are products,
    constant matrices get blocks of columns, rows that lie as one are one, and
    calls on a device are those of the template that takes them over there.

    Assumes fused prog ops in front of Plan. Extents do not change. Each call is
    one of a template of its side's set behind it.
  }];
  let options = [Option<"weightsBudget", "weights-budget", "double", "0",
                        "how many times the model's weights those of the program may be, where "
                        "variants have a choice; 0: twice, or 16 MiB more where that is more">];
  let statistics = [Statistic<"numBlocked", "blocked", "ops on channels in blocks">,
                    Statistic<"numRepacks", "repacks", "repacks of values that are no constants">,
                    Statistic<"numProducts", "products", "convolutions that are products">,
                    Statistic<"numReplaced", "replaced",
                              "calls on the device of templates that another one takes over">];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
}

#endif // CAMEO_SELECT_PASSES_TD
