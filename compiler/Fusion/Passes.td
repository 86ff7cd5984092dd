// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Fuse stage.

#ifndef CAMEO_FUSION_PASSES_TD
#define CAMEO_FUSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def FusePass : Pass<"cameo-fuse", "mlir::ModuleOp"> {
  let summary = "Makes one kernel of several";
  let description = [{
    Kernels become part of the kernel that reads them, the store functor of the
    call that they follow, or the load functor of the call that reads them:

    ```mlir
    %c = prog.call "conv" ... { prog.store 4 values 1 ... { prog.yield %acc } }
    %r = prog.kernel [N, C, H, W] ins(%c) ... { prog.yield max(%c0, 0) }
    // becomes
    %r = prog.call "conv" ... { prog.store 4 values 1 ... { prog.yield max(%acc, 0) } }
    ```

    Assumes placed prog ops in front of Plan: value semantics, no buffers. What
    is computed for each element stays the same operations in the same order.
    Ops move down only, to the last of those that they are fused with, so that
    symbols, checks and fetches that stood before an op still do. The location
    of a fused op is that of all its members (Support/NodeLocation.h); the node
    of a call is its first. README.md says what is fused and what it may cost, by
    the machine of the module's target.
  }];
  let options = [Option<"maxOps", "max-ops", "unsigned", "64",
                        "The most scalar ops of one body">,
                 Option<"maxOperands", "max-operands", "unsigned", "16",
                        "The most operands and results of one body">];
  let statistics = [Statistic<"numBefore", "kernels-before", "kernels and calls before">,
                    Statistic<"numAfter", "kernels-after", "kernels and calls after">,
                    Statistic<"numEpilogues", "epilogues", "kernels that became part of a store">,
                    Statistic<"numPrologues", "prologues",
                              "kernels that became part of a functor that reads them">,
                    Statistic<"numTurned", "turned",
                              "right operands that kernels make by columns instead">,
                    Statistic<"numAttentions", "attentions",
                              "products, softmaxes and products that became one call">,
                    Statistic<"numTransposes", "transposes",
                              "operands that products read where they lay before">,
                    Statistic<"numSunk", "sunk",
                              "ops that were moved to their first reader">];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
}

#endif // CAMEO_FUSION_PASSES_TD
