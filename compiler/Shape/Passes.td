// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Shape stage.

#ifndef CAMEO_SHAPE_PASSES_TD
#define CAMEO_SHAPE_PASSES_TD

include "mlir/Pass/PassBase.td"

def InferShapesPass : Pass<"cameo-infer-shapes", "mlir::ModuleOp"> {
  let summary = "Gives every value its extents, and integer values their elements";
  let description = [{
    Runs every operator's inferExtents with known values tracked. An integer
    tensor whose elements all follow from dims becomes `prog.from_extents` or
    `onnx.Constant`, so that chains of Shape, Gather, Concat and arithmetic
    vanish. An integer that decides an extent and cannot be followed further
    gets a symbol (`prog.bind_elements`), at the earliest value of its chain
    that is an integer tensor of at most 16 elements and, where there is a
    device, on the host: that is, where Place would read it back.

    ```mlir
    %s = onnx.Shape(%x) : tensor<[N, 3], f32> -> tensor<[2], i64>
    ```
    becomes `prog.from_extents [N, 3]`. What would be a long expression becomes a
    symbol of its own (`prog.define`).

    What the user asserts is a fact from where the values are that it names, and is
    checked there (`prog.assert`, `prog.check`).

    Assumes verified onnx IR as the importer builds it. A result that is needed
    and whose rank or extents stay open is refused. Afterwards every extent is a
    constant or an expression of symbols. Those of inputs are listed in
    `cameo.symbols` of the function with what is known of them, the others by the
    ops that define them (SymbolDefiningOp).
  }];
  let options = [
    ListOption<"dims", "dims", "std::string",
               "what the user says of symbols: name=4 or name=1..64">,
    ListOption<"asserts", "asserts", "std::string",
               "what the user asserts of values: k in 1..64, y.shape[0] == 4 * batch">,
    ListOption<"values", "values", "std::string", "what whole values are: pads=[0, 0, 1, 1]">,
    Option<"algebra", "algebra", "bool", "true",
           "whether integers are followed through the operators that compute with them">,
    Option<"maxBranchGrowth", "max-branch-growth", "int64_t", "4",
           "how many times the operators there may be once what reads results of another rank in each branch is in both">];
  let dependentDialects = ["::cameo::prog::ProgDialect", "::cameo::onnx::ONNXDialect"];
  let statistics = [
    Statistic<"numFolded", "folded", "integer tensors that became extents">,
    Statistic<"numBound", "bound", "symbols bound to values first known at run time">];
}

def VerifySymbolsPass : Pass<"cameo-verify-symbols", "mlir::ModuleOp"> {
  let summary = "Rejects an extent that names a symbol where that has no value";
  let description = [{
    Ends every stage from this one on. Extents are attributes, in types and of
    ops; that they stand behind the definitions of their symbols, or inside the
    regions that define them, is what dominance is to values.
  }];
}

#endif // CAMEO_SHAPE_PASSES_TD
