// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Layout stage.

#ifndef CAMEO_LAYOUT_PASSES_TD
#define CAMEO_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignLayoutsPass : Pass<"cameo-assign-layouts", "mlir::ModuleOp"> {
  let summary = "Puts the channels of convolution trunks into blocks";
  let description = [{
    A trunk is a connected set of operators whose records say how they work on
    channels in blocks (ChannelUses.h): convolutions, pools, and what is
    computed element by element between them. The values inside get the layout,
    each with the widest halo that one of its readers needs; `prog.repack`
    stands at the borders, one per value and layout, and in front of weights.

    ```mlir
    %1 = "onnx.Conv"(%x, %w) : (tensor<[N, 64, H, W]>, ...) -> tensor<[N, 64, H, W]>
    ```
    becomes
    ```mlir
    %0 = prog.repack %x : ... -> tensor<[N, 64, H, W], #cameo.blocked<[1] by [16] halo [1, 1]>>
    %p = prog.repack %w : ... -> tensor<[64, 64, 3, 3], #cameo.blocked<[1, 0] by [16, 16]>>
    %1 = "onnx.Conv"(%0, %p) : ... -> tensor<[N, 64, H, W], #cameo.blocked<[1] by [16]>>
    ```
    A trunk that would save less than its repacks cost stays dense, and so does
    every operator that is better off outside: README.md has the costs.

    Assumes placed IR. Extents do not change. Nothing happens where the target's
    convolutions know no blocks.
  }];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
  let statistics = [Statistic<"numBlocked", "blocked", "operators on channels in blocks">,
                    Statistic<"numRepacks", "repacks", "repacks of values that are no constants">];
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

def VerifyLayoutsPass : Pass<"cameo-verify-layouts", "mlir::ModuleOp"> {
  let summary = "Rejects an operator that sees a layout which it does not accept";
  let description = [{
    Only `prog.repack` changes a layout. An operator that has one among its
    operands or results must have exactly the axes in blocks that its record
    names, in the target's block, with at least the halo that it reads; inputs
    and outputs of elements below a byte are packed; every other tensor is dense.
  }];
}

#endif // CAMEO_LAYOUT_PASSES_TD
