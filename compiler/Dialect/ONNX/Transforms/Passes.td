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
    backward. One with a batch becomes two. Later stages then know one kind of loop.

    Assumes onnx IR as the importer builds it, and leaves no onnx.Scan.
    Refused where an axis that is not the first needs a rank that is not known.
  }];
  let dependentDialects = ["::cameo::onnx::ONNXDialect"];
}

def CoupleProbabilitiesPass : Pass<"cameo-couple-probabilities", "mlir::ModuleOp"> {
  let summary = "Writes probabilities of support vector machines as a Loop";
  let description = [{
    An SVMClassifier with `prob_a` and `prob_b` becomes one without, whose sums of
    pairs of classes are made probabilities of classes: in rounds, until each row is
    near enough to the solution, at most 100.

    Assumes onnx IR as the importer builds it, so that the Shape stage sees the loop.
  }];
  let dependentDialects = ["::cameo::onnx::ONNXDialect"];
}

def ExpandSequencesPass : Pass<"cameo-expand-sequences", "mlir::ModuleOp"> {
  let summary = "Writes operators on sequences as operators on their tensors";
  let description = [{
    A sequence is known by what it is made of: its tensors, or one of which they
    are the pieces. Reading it at a position becomes a slice, or a choice by the
    position; what a Loop adds in each iteration becomes a scan output.

    Assumes onnx IR without onnx.Scan. Leaves operators on sequences that come
    from outside, or whose number of tensors is needed and not known.
  }];
  let dependentDialects = ["::cameo::onnx::ONNXDialect"];
}

def BoundLoopsPass : Pass<"cameo-bound-loops", "mlir::ModuleOp"> {
  let summary = "Gives loops that count up to a limit a trip count";
  let description = [{
    A Loop without a trip count that goes on while a carried counter is below a limit
    gets the trip count that follows: as a bound, and where nothing else ends it and
    integers are compared in place of the condition. Then the Shape stage knows how
    much such a loop stacks.

    Assumes onnx IR without sequences, in front of the Shape stage.
  }];
  let dependentDialects = ["::cameo::onnx::ONNXDialect"];
}

def RecognizeQuantisedPass : Pass<"cameo-recognize-quantised", "mlir::ModuleOp"> {
  let summary = "Writes operators between DequantizeLinear and QuantizeLinear as operators on bytes";
  let description = [{
    A convolution, or a product, of a dequantised tensor by dequantised weights is
    one of bytes, whose sums are scaled; all scales and zero points are constants,
    one for the tensor and one or one for each output channel for the weights.
    QLinearConv and QLinearMatMul are written as DequantizeLinear, the operator
    and QuantizeLinear first, at any target. Sums that are quantised again are of
    codes at any target, and times one factor. What
    only selects elements does so after they are quantised, where they were
    quantised before; QuantizeLinear goes where it undoes DequantizeLinear, and a
    Relu in front of it where its 0 is the least number.

    ```mlir
    %y = onnx.Conv(onnx.DequantizeLinear(%x, %xs, %xz), onnx.DequantizeLinear(%w, %ws, %wz), %b)
    %p = onnx.QuantizeLinear(onnx.MaxPool(onnx.DequantizeLinear(%q, %s, %z)), %s, %z)
    ```
    becomes
    ```mlir
    %i = onnx.ConvInteger(%x, %w, %xz)
    %y = onnx.Add(onnx.Mul(onnx.Cast(%i), %xs * %ws), %b)
    %p = onnx.MaxPool(%q)
    ```
    Sums are exact then, and rounded once; a result that is quantised again may be
    a step from what floats would give.

    Assumes onnx IR behind the Shape stage. Leaves what the target has no kernel
    for: depthwise convolutions, groups of less than a block of channels, weights
    that are computed; and sums so long that they might leave 32 bits. Nothing happens where results are to be those of the
    model's floats.
  }];
  let dependentDialects = ["::cameo::onnx::ONNXDialect", "::cameo::prog::ProgDialect"];
}

def SimplifyPass : Pass<"cameo-simplify", "mlir::ModuleOp"> {
  let summary = "Folds, decomposes and recognises operators";
  let description = [{
    Operators on constants become constants, where that does not make the model
    larger by more than a limit and every machine would compute the same bits.
    Operators that undo or repeat each other go; a normalisation by constants
    goes into the weights in front of it; what exporters spell out becomes the
    operator that it is, and what ONNX defines by other operators and has no
    lowering becomes those.

    ```mlir
    %m = onnx.ReduceMean(%x, [-1])
    %c = onnx.Sub(%x, %m)
    %v = onnx.ReduceMean(onnx.Mul(%c, %c), [-1])
    %y = onnx.Div(%c, onnx.Sqrt(onnx.Add(%v, 1.0e-5)))
    ```
    becomes `onnx.LayerNormalization(%x, 1.0)`.

    Assumes onnx IR behind the Shape stage, without common subexpressions. New
    values are typed as the Shape stage would have typed them; each names the
    nodes that it stands for. A decomposition that an operator's operands do not
    allow leaves the operator as it is.
  }];
  let options = [
    Option<"maxGrowth", "max-growth", "int64_t", /*default=*/"64 << 10",
           "bytes by which a folded constant may be larger than those it replaces">,
    Option<"maxWeightGrowth", "max-weight-growth", "int64_t", /*default=*/"16 << 20",
           "the same of a constant that every run would have to hold in memory">,
    Option<"maxElements", "max-elements", "int64_t", /*default=*/"16 << 20",
           "elements of what one operator folds to">,
    Option<"freesConstants", "free-constants", "bool", /*default=*/"false",
           "frees the memory of what was folded; no other module has the same constants">];
  let dependentDialects = ["::cameo::onnx::ONNXDialect", "::cameo::prog::ProgDialect"];
}

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_PASSES_TD
