// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Finish stage.

#ifndef CAMEO_FINISH_PASSES_TD
#define CAMEO_FINISH_PASSES_TD

include "mlir/Pass/PassBase.td"

def OutlineKernelsPass : Pass<"cameo-outline-kernels", "mlir::ModuleOp"> {
  let summary = "Makes functions of what launches hold";
  let description = [{
    Each `host.launch` of @main becomes a `host.launch_kernel` of a `host.kernel`
    behind it. Launches that are equal but for the names of values, symbols and
    nodes start one.
    ```mlir
    host.launch ["N"] = (%N) {
      %1 = prog.kernel [N, 64] ins(%x ...) dests(%y ...) ties [0] ...
    }
    ```
    becomes
    ```mlir
    host.launch_kernel @relu(%x, %y : ...) symbols (%N : i64) numbers [] writes [...]
    ...
    host.kernel @relu ["N"] attributes {...} {
    ^bb0(%x: ..., %y: ...):
      %1 = prog.kernel [N, 64] ins(%x ...) dests(%y ...) ties [0] ...
    }
    ```
  }];
  let dependentDialects = ["::cameo::host::HostDialect"];
}

def ReadTemplatesPass : Pass<"cameo-read-templates", "mlir::ModuleOp"> {
  let summary = "Takes what generated code has to know of templates from their records";
  let description = "`called_template` of each kernel that calls one; refuses one that its set lacks.";
}

def MergeLoopsPass : Pass<"cameo-merge-loops", "mlir::ModuleOp"> {
  let summary = "Makes one loop of those that every operand walks as one";
  let description = [{
    Maps of kernels and functors become maps of one result, the offset in elements
    (`prog.offsets`), by the layouts of types and the strides of launches. Dims of
    a kernel that all offsets walk as one are one, dims of extent 1 are gone, but
    for those that the body asks for. On the host a dim that offsets only divide by
    one extent, of which it is a multiple, is two.
    ```mlir
    prog.kernel [N, 64] maps [(d0, d1) -> (d0, d1), (d0, d1) -> (d0, d1)]
    prog.kernel [64 * N] maps [(d0) -> (d0), (d0) -> (d0)] {prog.offsets}
    ```
  }];
}

def HoldBytesPass : Pass<"cameo-hold-bytes", "mlir::ModuleOp"> {
  let summary = "Decides what narrow numbers are held as, and which bounds are hidden";
  let description = [{
    `host.held` of what becomes a number of 8 or 16 bits. `host.opaque` of a
    constant that bounds a float on the host: of a comparison with a constant and
    the selection behind it compilers make two instructions, of a variable one.
    `host.apart` of a store that narrows to bytes: the operands that kernels read
    many of before they compute anything.
  }];
  let dependentDialects = ["::cameo::host::HostDialect"];
}

def WidenFunctorsPass : Pass<"cameo-widen-functors", "mlir::ModuleOp"> {
  let summary = "Finds the functors whose neighbours move by one access";
  let description = "`host.wide` of functors whose set of kernels takes some.";
  let dependentDialects = ["::cameo::host::HostDialect"];
}

def MarkCrosswisePass : Pass<"cameo-mark-crosswise", "mlir::ModuleOp"> {
  let summary = "Finds the kernels with operands that lie crosswise";
  let description = [{
    `host.crosswise` of kernels on the host that store neighbours along the last dim
    and read operands whose neighbours are those along another one: the set of kernels
    turns tiles of these first.
  }];
  let dependentDialects = ["::cameo::host::HostDialect"];
}

def ShareKernelsPass : Pass<"cameo-share-kernels", "mlir::ModuleOp"> {
  let summary = "Makes one function of kernels that differ in a few numbers";
  let description = [{
    Kernels over other shapes may be the same loop now. What differs between those
    that are one becomes its numbers: floats, the bytes that operands span, a
    constant offset, the stride of the first coordinate. They name a symbol each;
    a float's is the attribute `host.number` of its constant.
  }];
}

def NameKernelsPass : Pass<"cameo-name-kernels", "mlir::ModuleOp"> {
  let summary = "Gives kernels their names and files, and stands them in that order";
}

def VerifyKernelsPass : Pass<"cameo-verify-kernels", "mlir::ModuleOp"> {
  let summary = "Ends the Finish stage: holds kernels against the contract with Emit";
  let description = [{
    No launch holds its kernel; every kernel is started, has a file and a name, says
    what its template is like, names no symbol but its own and its numbers; every body's maps are offsets.
  }];
}

#endif // CAMEO_FINISH_PASSES_TD
