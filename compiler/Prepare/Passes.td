// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Prepare stage.

#ifndef CAMEO_PREPARE_PASSES_TD
#define CAMEO_PREPARE_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckBoundsPass : Pass<"cameo-check-bounds", "mlir::ModuleOp"> {
  let summary = "Refuses values whose size nothing bounds";
  let description = [{
    Without a heap all memory is given beforehand, so every value's size must
    have a bound: an error for each dim that has none, naming the values it is a
    dim of and the flag that would bound it. Assumes a planned program.
  }];
}

def PreparePass : Pass<"cameo-prepare", "mlir::ModuleOp"> {
  let summary = "Turns a planned program into the functions of a generated library";
  let description = [{
    @main becomes `run()`, statement by statement in the host dialect; what
    computes extents from the inputs alone becomes @read_symbols, and what asks
    for them @infer_shapes, @memory and a function per arena that sizes its
    buffers.

    ```mlir
    func.func @main(%x: !cameo.tensor<[N, 64], f32, host>) -> !cameo.tensor<[N, 64], f32, host>
        attributes {prog.buffers = [#prog.buffer<host, 256 * N, 1, 1, output 0>]} {
      %y = prog.kernel [N, 64] ins(%x ...) ... {buffers = array<i64: 0>}
      return %y
    }
    ```
    becomes
    ```mlir
    func.func @read_symbols() {
      host.read_dims ["N"]
    }
    func.func @main(%arg0 ...) {
      host.read_symbols
      %N = host.symbol "N"
      host.plan
      %x = host.bind_input 0 "x"
      %0 = host.evaluate #cameo.extent<64>()
      %y = host.bind_output 0 "y" [%N, %0]
      host.ready
      host.step 1 [...]
      host.launch ["N"] = (%N) {
        %1 = prog.kernel [N, 64] ins(%x ...) dests(%y ...) ties [0]
      }
      host.done
      return %y
    }
    ```

    With `strided-outputs` a kernel that alone writes an output, element by
    element, is there twice: for dense memory, and for that of a caller whose rows
    lie farther apart.

    Assumes what Plan's README promises. README.md says what Emit may rely on.
  }];
  let dependentDialects = ["::cameo::host::HostDialect"];
  let options = [Option<"stridedOutputs", "strided-outputs", "bool", "false",
                        "write outputs at strides of the caller's where kernels can">];
}

def VerifyHostPass : Pass<"cameo-verify-host", "mlir::ModuleOp"> {
  let summary = "Ends the Prepare stage: holds its functions against the contract with Emit";
  let description = [{
    Every op is a statement; a kernel stands in a launch that gives it a value
    for each symbol; a run plans once and ends once, is ready behind every
    binding, takes the memory of a row behind the statement that placed it,
    writes no input, and binds every output before it delivers it.
  }];
}

#endif // CAMEO_PREPARE_PASSES_TD
