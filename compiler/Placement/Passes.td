// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Place stage.

#ifndef CAMEO_PLACEMENT_PASSES_TD
#define CAMEO_PLACEMENT_PASSES_TD

include "mlir/Pass/PassBase.td"

def PinSidesPass : Pass<"cameo-pin-sides", "mlir::ModuleOp"> {
  let summary = "Says in the functions where values have to be, whatever it costs";
  let description = [{
    In front of all that asks where values will be: by their names, in `cameo.pins`,
    until cameo-place has placed them.

    ```mlir
    func.func @main(...) attributes {cameo.pins = {lengths = "host", split = "no_kernel"}}
    ```
    Refuses an expression that matches no value.
  }];
  let options = [ListOption<"pins", "pins", "std::string",
                            "where the user wants values: REGEX=host or REGEX=device">,
                 ListOption<"onHost", "on-host", "std::string",
                            "names of values that the device has no kernel to make">];
}

def SelectBranchesPass : Pass<"cameo-select-branches", "mlir::ModuleOp"> {
  let summary = "Chooses on the device between branches that it can both compute";
  let description = [{
    For a target with a device. A condition that the device computes would be
    read back, and the run would wait for it. Where both branches are a few
    scalar functions and reductions, which cannot fail, they are computed and the
    results chosen from, unless the host has the condition anyway.

    ```mlir
    %y = onnx.If(%high) { onnx.Yield(onnx.Neg(%x)) } { onnx.Yield(onnx.Abs(%x)) }
    ```
    becomes `onnx.Where(%high, onnx.Neg(%x), onnx.Abs(%x))`.

    A branch with an operator whose kernel may raise an error (a Gather) stays
    where it is, and the If gets `selects`, by which Structure does the same.

    Assumes IR behind cameo-infer-shapes.
  }];
  let statistics = [Statistic<"numSelected", "selected", "Ifs whose condition stays on the device">];
}

def RepeatLoopsPass : Pass<"cameo-repeat-loops", "mlir::ModuleOp"> {
  let summary = "Leaves loops that end when the device says so to the device";
  let description = [{
    For a target with a device. A loop that ends when the device says so waits
    for it once an iteration, unless the device runs it: where its body is work
    for the device alone, the loop gets the mark `cameo.repeats`, and the device has
    the symbols that the loop defines. A loop whose body has graphs of its own is
    left alone; so is one with results that nothing bounds.

    Plan drops the mark where the host turns out to need such a symbol
    (cameo-settle-counts).

    Assumes IR behind cameo-infer-shapes.
  }];
  let statistics = [Statistic<"numRepeated", "repeated", "loops that the device runs">];
}

def PlacePass : Pass<"cameo-place", "mlir::ModuleOp"> {
  let summary = "Decides for every value whether it lives on the host or on the device";
  let description = [{
    Needs come from operand classes (a shape operand, a branch condition), what
    is available from host inputs and extents; both are followed to a fixpoint
    through branches and loops. A value that the host needs and the device
    computes is fetched (`prog.fetch`, awaited in front of its first use, with
    everything that does not depend on it queued before); one that the device
    reads and the host computes is uploaded, once (`prog.upload`), unless it is a
    single element, which kernels take as an argument. Values that have pins
    (cameo-pin-sides) are where these say, whatever is copied for it. Where the target has no
    device everything is on the host.

    Assumes IR behind cameo-infer-shapes. Afterwards every tensor type has a
    side, and no operator reads a value from the wrong one (cameo-verify-sides).
  }];
  let options = [Option<"reasons", "reasons", "bool", "false",
                        "whether to write down why each value is where it is, for as long as cameo-drop-side-reasons does not run">];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
  let statistics = [Statistic<"numFetched", "fetched", "values read back from the device">,
                    Statistic<"numUploaded", "uploaded", "host values copied to the device">];
}

def VerifySidesPass : Pass<"cameo-verify-sides", "mlir::ModuleOp"> {
  let summary = "Rejects an op that reads a value from the wrong side";
  let description = [{
    Only `prog.fetch`, `prog.await` and `prog.upload` cross; constants and
    extents are on both sides, and a host tensor of one element may be read by
    the device as a kernel argument.
  }];
}

def DropSideReasonsPass : Pass<"cameo-drop-side-reasons", "mlir::ModuleOp"> {
  let summary = "Removes what cameo-place wrote down of its reasons";
  let description = [{
    For a pipeline that has read them and goes on: no later stage carries them.
  }];
}

#endif // CAMEO_PLACEMENT_PASSES_TD
