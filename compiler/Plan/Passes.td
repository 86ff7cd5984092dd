// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Plan stage.

#ifndef CAMEO_PLAN_PASSES_TD
#define CAMEO_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def GrowInPlacePass : Pass<"cameo-grow-in-place", "mlir::ModuleOp"> {
  let summary = "Carries tensors that grow along an inner axis in the room of their last iteration";
  let description = [{
    A value that a `prog.loop` carries, and to which each iteration appends along an
    axis that is not its first, is carried as a tensor whose extent along that axis is
    the most that it can be: what is there already stays where it is.

    ```mlir
    prog.loop <"i"> to %n carry(%x : tensor<[H, P, 8]>) symbols [<"m">] = [P] {
    ^(%v: tensor<[H, m, 8]>):
      %0 = prog.empty : tensor<[H, m + 1, 8]>
      %1 = prog.kernel [H, m, 8] ins(%v) dests(%0) { copies }
      %2 = prog.kernel [H, 1, 8] ins(%w) dests(%1) { writes at [d0, d1 + m, d2] }
      prog.call "gemm" {b_batch_stride = [8 * (m + 1)]} ins(%q, %2)
      prog.yield %2 extents [m + 1] }
    ```
    becomes, where n is at most N,
    ```mlir
    %r = prog.kernel [H, P, 8] ins(%x) { copies } -> tensor<[H, P + N, 8]>
    prog.loop <"i"> to %n carry(%r : tensor<[H, P + N, 8]>) symbols [<"m">] = [P] {
    ^(%v: tensor<[H, P + N, 8]>):
      %2 = prog.kernel [H, 1, 8] ins(%w) dests(%v) { writes at [d0, d1 + m, d2] }
      prog.call "gemm" {b_batch_stride = [8 * (P + N)]} ins(%q, %2)
      prog.yield %2 extents [m + 1] }
    ```
    and one copy behind the loop for those who want it dense. Bodies of kernels and
    functors read by indices, and are as they were; of a call's operands the record says
    whether they may lie so (`Apart`). Where the body reads it in any other way nothing
    changes.

    Assumes fused IR, in front of cameo-settle-counts.
  }];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
  let statistics = [Statistic<"numGrowing", "growing", "values that grow in their room">];
}

def SettleCountsPass : Pass<"cameo-settle-counts", "mlir::ModuleOp"> {
  let summary = "Reads back the counts that the host has to know";
  let description = [{
    A `prog.count` whose symbol something of the host's needs (a loop, a branch, a
    check, a view, a kernel that takes it as a number only) becomes a fetch, an
    await behind all that does not need the symbol, and a `prog.bind`. The others
    stay. Kernels run by multiples of one count; another extent that follows
    from counts gets a symbol, which a kernel computes and a `prog.count` defines,
    where it has a bound. So is a symbol that a branch or a loop of the host gives an extent
    with counts, and one in which the branches of a `prog.if` differ, where the device could
    choose the branch and the host waits for nothing else: the mark `cameo.counted` has
    its number. A loop of the host in which it waits for nothing but such branches is the
    device's (`cameo.repeats`), with a condition that always holds. A loop that the device is to
    run is the host's again where the host needs a symbol of it, or has more to do in it than
    to enqueue. Where outputs have counted
    extents, a kernel behind all others stores these for a `prog.extents`.

    Behind it a counted symbol is named by kernels of the device, by types of its
    tensors, and by nothing else.
  }];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
  let statistics = [Statistic<"numCounted", "counted", "counts that stay on the device">,
                    Statistic<"numReadBack", "readback", "counts that the host reads back">];
}

def CarryCountsPass : Pass<"cameo-carry-counts", "mlir::ModuleOp"> {
  let summary = "Gives branches and loops that decide counts lists of these";
  let description = [{
    A `prog.loop` that the host runs, with the mark `cameo.counted`, carries a list of
    the values of those of its symbols first; a `prog.if` yields one.

    ```mlir
    prog.loop <"i"> to %n carry(%x) symbols [<"m">] = [0] attributes {cameo.counted = [0]} { ^(%v):
      prog.count <"k"> = %c
      prog.yield %w extents [m + k] }
    ```
    becomes
    ```mlir
    %s = prog.kernel { 0 }
    prog.loop <"i"> to %n carry(%s, %x) symbols [<"m">] = [0] attributes {cameo.counted = [0]} { ^(%t, %v):
      prog.count <"k"> = %c
      %u = prog.kernel { m + k }
      prog.yield %u, %w extents [m + k] }
    ```

    Assumes IR behind cameo-settle-counts.
  }];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
  let statistics = [Statistic<"numCarried", "carried", "branches and loops that decide counts">];
}

def ChooseOnDevicePass : Pass<"cameo-choose-on-device", "mlir::ModuleOp"> {
  let summary = "Has the device choose branches where a run can be captured then";
  let description = [{
    Where the host waits for nothing but conditions of `prog.if` whose branches are
    work of the device alone, each condition is computed by a kernel, fetched as
    the bool that it is, and awaited in front of the first `prog.if` that it is the
    condition of, by an await that `chooses`: a captured run leaves those to the
    device. So are those in a loop that the device runs. Where the host waits for
    anything else nothing changes, since a run cannot be captured anyhow, and the
    host computes the conditions.

    Assumes IR behind cameo-settle-counts, cameo-repeat-on-device and
    cameo-carry-counts.
  }];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
  let statistics = [Statistic<"numChoices", "choices", "branches that the device can choose">];
}

def RepeatOnDevicePass : Pass<"cameo-repeat-on-device", "mlir::ModuleOp"> {
  let summary = "Gives loops that the device runs what it needs for that";
  let description = [{
    A `prog.loop` with the mark `cameo.repeats` carries a list of the values of its
    symbols, the number of iterations first, where kernels read them; and the await
    of its next condition `chooses`.

    ```mlir
    prog.loop <"i"> while %true carry(%x) symbols [<"n">] = [N] { ^(%v):
      %a = prog.await (prog.fetch %c)
      prog.yield (prog.element %a), %w extents [n + 1] }
    ```
    becomes
    ```mlir
    %s = prog.kernel { 0, N }
    prog.loop <"i"> while %true carry(%s, %x) symbols [<"n">] = [N] { ^(%t, %v):
      %a = prog.await (prog.fetch %c) chooses
      %u = prog.kernel { i + 1, n + 1 }
      prog.yield (prog.element %a), %u, %w extents [n + 1] }
    ```

    Assumes IR behind cameo-settle-counts.
  }];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
  let statistics = [Statistic<"numRepeated", "repeated", "loops that the device runs">];
}

def PackFetchesPass : Pass<"cameo-pack-fetches", "mlir::ModuleOp"> {
  let summary = "Makes one copy of what the host asks for before it waits";
  let description = [{
    Fetches of a block that start in front of the wait for one of them, of few
    elements: a kernel collects them, one `prog.fetch` copies the list where the
    last of them started, and one `prog.await` stands where the first was; the
    others become views of it. Elements of several types are a list of their bits
    as 64-bit integers, and are converted back on the host. Conditions that choose
    share a list with their like: a branch goes by its element of it.
  }];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
  let statistics = [Statistic<"numPacked", "packed", "fetches that share a copy">];
}

def PlanWeightsPass : Pass<"cameo-plan-weights", "mlir::ModuleOp"> {
  let summary = "Lays out the weights blob";
  let description = [{
    Gives every `prog.weight` its `offset` in program order, equal values one.
  }];
}

def PlanBuffersPass : Pass<"cameo-plan-buffers", "mlir::ModuleOp"> {
  let summary = "Gives every tensor memory: a row in the function's table of buffers";
  let description = [{
    Inserts copies where a value must be in memory that its producer cannot
    write (an input that is an output, two branches, a carried value), then
    assigns rows, lets results take the place of operands that nobody needs any
    more, computes intervals, and places the rows of an arena whose sizes are
    all constants. README.md has the contract.

    Assumes prog ops only. Adds no copy that a program without such values needs.
  }];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
  let statistics = [Statistic<"numRows", "rows", "buffers">,
                    Statistic<"numCopies", "copies", "copies inserted">,
                    Statistic<"numReused", "reused", "results written over an operand">];
}

def LeaveToFinishPass : Pass<"cameo-leave-to-finish", "mlir::ModuleOp"> {
  let summary = "Leaves waits at the end of a run to whoever finishes it";
  let description = [{
    Marks (`cameo.finished`) the awaits behind which the function has nothing but
    kernels and scalars of the host, on memory whose size the host has: a look-up
    of names behind all that the device does. The run only starts the copies.

    Assumes IR behind cameo-plan-buffers, which adds the last ops.
  }];
  let statistics = [Statistic<"numLeft", "left", "waits that are not the run's">];
}

def VerifyPlanPass : Pass<"cameo-verify-plan", "mlir::ModuleOp"> {
  let summary = "Holds a planned program against Plan's contract";
  let description = [{
    Follows which value each row holds; an error at the first op that would read
    another one, use a row outside its interval, or reuse what a copy to the
    host still reads; and an error where two rows that are alive at one step
    share bytes. Changes nothing.
  }];
}

#endif // CAMEO_PLAN_PASSES_TD
