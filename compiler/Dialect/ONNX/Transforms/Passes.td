// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of onnx into onnx.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_PASSES_TD
#define CAMEO_DIALECT_ONNX_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandScanPass : Pass<"cameo-expand-scan", "mlir::ModuleOp"> {
  let summary = "Writes Scan as Loop";
  let description = [{
    Each iteration gathers its slices of the scan inputs; scan outputs along an
    axis other than the first are transposed afterwards, reversed ones read
    backward. Later stages then know one kind of loop.

    Assumes onnx IR as the importer builds it, and leaves no onnx.Scan.
  }];
  let dependentDialects = ["::cameo::onnx::ONNXDialect"];
}

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_PASSES_TD
