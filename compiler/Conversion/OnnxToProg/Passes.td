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

#endif // CAMEO_CONVERSION_ONNXTOPROG_PASSES_TD
