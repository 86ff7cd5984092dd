// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Structure stage: operators become kernels, calls of templates, views and host scalars.

#ifndef CAMEO_CONVERSION_ONNXTOPROG_PASSES_TD
#define CAMEO_CONVERSION_ONNXTOPROG_PASSES_TD

include "mlir/Pass/PassBase.td"

def OnnxToProgPass : Pass<"cameo-onnx-to-prog", "mlir::ModuleOp"> {
  let summary = "Turns placed operators into the program";
  let description = [{
    Every operator becomes `prog.kernel` (a loop nest with its scalar body),
    `prog.call` (a kernel template with trivial functors), `prog.view`, host
    scalars, or control flow. What an operator takes for granted about extents
    and cannot be shown becomes a `prog.check` in front of it.

    Assumes placed IR whose extents are all known. Leaves no onnx op: one
    without a lowering is reported with its node, all of them at once.
  }];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
}

def PackPortsPass : Pass<"cameo-pack-ports", "mlir::ModuleOp"> {
  let summary = "Packs inputs and outputs whose elements have less than a byte";
  let description = [{
    Inside, such elements have a byte each; a caller holds them as ONNX does,
    several in a byte. An input gets `#cameo.packed`, with a `prog.repack` in
    front of all that reads it; an output is repacked in front of the return.
    Both happen on the side of the value.

    ```mlir
    func.func @main(%x: tensor<[N], i4, device>) -> tensor<[N], i4, device> {
      return %x : ...
    ```
    becomes
    ```mlir
    func.func @main(%x: tensor<[N], i4, device, #cameo.packed>) -> tensor<[N], i4, device, #cameo.packed> {
      %0 = prog.repack %x : ... -> tensor<[N], i4, device>
      %1 = prog.repack %0 : ... -> tensor<[N], i4, device, #cameo.packed>
      return %1 : ...
    ```
    No other op sees a packed tensor before Structure, whose kernels may read
    one.

    Assumes placed IR. Extents do not change.
  }];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
  let statistics = [Statistic<"numRepacks", "repacks", "inputs and outputs that are repacked">];
}

#endif // CAMEO_CONVERSION_ONNXTOPROG_PASSES_TD
