// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow. A graph attribute is a region of one block that ends in onnx.Yield; what it captures from
// enclosing graphs are plain uses of their values.

#ifndef CAMEO_DIALECT_ONNX_IR_CONTROL_TD
#define CAMEO_DIALECT_ONNX_IR_CONTROL_TD

include "Dialect/ONNX/IR/OnnxBase.td"

def ONNX_YieldOp : Op<ONNX_Dialect, "Yield", [
    Pure, Terminator, ParentOneOf<["IfOp", "LoopOp", "ScanOp", "SequenceMapOp"]>,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>]> {
  let summary = "The outputs of a graph attribute (not an ONNX operator)";
  let description = [{
    Behind the Shape stage, `extents` are the values of the symbols that an If
    has behind the branch, or a Loop in the next iteration.
  }];
  let arguments = (ins Variadic<ONNX_AnyValue>:$outputs, OptionalAttr<Core_ExtentArray>:$extents);
  let builders = [OpBuilder<(ins "mlir::ValueRange":$outputs), [{
    build($_builder, $_state, outputs, mlir::ArrayAttr());
  }]>];
}

/// Their results are values of their own: one that nobody reads can go, but CSE leaves two alone. From
/// outside, operators that differ in their graphs only look alike, and CSE would compare each with
/// every other.
class ONNX_ControlOp<string opType, int since, list<Trait> traits = []>
    : ONNX_Op<opType, since, [SingleBlock, RecursiveMemoryEffects,
                              DeclareOpInterfaceMethods<MemoryEffectsOpInterface>] # traits> {
  let hasVerifier = 1;
  let symbolVisit = "(void)visit;";
}

def ONNX_IfOp : ONNX_ControlOp<"If", 25, [
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["areTypesCompatible"]>]> {
  let summary = "One of two graphs, chosen by a condition";
  let description = [{
    A result has the extents that both branches agree on; the others are unknown
    until the Shape stage names them: by `symbols`, defined by the branch that is
    taken as the extents that it yields.

    With `selects`, both branches are computed on the device, where `cond` chooses
    between what they yield, and an error of the other one is ignored.

    Constraints:
    * C1: `cond` has one element.
    * C2: branches take no arguments and yield one value per result.
    * C3: both branches yield the same kind of value, of one element type.
  }];
  let symbolVisit = "";
  let arguments = (ins Host<ONNX_BoolTensor>:$cond, ONNX_StageAttr<Core_SymbolArray>:$symbols,
                       ONNX_StageAttr<UnitAttr>:$selects);
  let results = (outs Variadic<ONNX_AnyValue>:$outputs);
  let regions = (region SizedRegion<1>:$else_branch, SizedRegion<1>:$then_branch);
}

def ONNX_LoopOp : ONNX_ControlOp<"Loop", 25, [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
                              ["getEntrySuccessorOperands", "areTypesCompatible"]>]> {
  let summary = "A graph run a number of times, or while a condition holds";
  let description = [{
    The body takes the number of the iteration, the condition and N carried
    values; it yields the next condition, the next carried values and K elements
    of scan outputs, which the loop stacks along a new first axis.

    The Shape stage names extents that change: `symbols` start as `init_extents`
    and become the extents that the body yields; afterwards they have the last
    ones. `iteration` is the number of the iteration, `count`, if it is first
    known afterwards, how many there were; `trip` limits both, where it can.

    Constraints:
    * C1: `M` and `cond` have one element.
    * C2: the body takes 2 + N arguments, `v_initial` being N values.
    * C3: the body yields 1 + N + K values, N + K being the number of results.
    * C4: a carried value keeps its kind and element type.
    * C5: the next condition is a bool tensor of one element.
    * C6: elements of scan outputs are tensors.
  }];
  let symbolVisit = "";
  let arguments = (ins Optional<Host<ONNX_I64Tensor>>:$M, Optional<Host<ONNX_BoolTensor>>:$cond,
                       Variadic<Data<ONNX_AnyValue>>:$v_initial,
                       ONNX_StageAttr<Core_SymbolAttr>:$iteration,
                       ONNX_StageAttr<Core_Extent>:$trip, ONNX_StageAttr<Core_SymbolAttr>:$count,
                       ONNX_StageAttr<Core_SymbolArray>:$symbols,
                       ONNX_StageAttr<Core_ExtentArray>:$init_extents);
  let results = (outs Variadic<ONNX_AnyValue>:$v_final_and_scan_outputs);
  let regions = (region SizedRegion<1>:$body);
  let extraDecls = [{
    /// The number of carried values.
    unsigned getNumCarried() { return getVInitial().size(); }
    llvm::SmallVector<mlir::Type> getBodyArgumentTypes(ExtentInference &infer);
  }];
}

def ONNX_ScanOp : ONNX_ControlOp<"Scan", 25, [
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
                              ["getEntrySuccessorOperands", "areTypesCompatible"]>]> {
  let summary = "A graph run for each slice of its scan inputs";
  let description = [{
    The body takes N states and one slice of each of M scan inputs; it yields the
    next states and K elements of scan outputs. Axes and directions that are not
    given are 0. With `batched` all that is done for each entry of the first axis
    of operands and results, as in operator set 8.

    Constraints:
    * C1: `num_scan_inputs` is M, 1 <= M <= the number of operands.
    * C2: the body takes N + M arguments, where N + M is the number of operands.
    * C3: the body yields N + K values, the number of results.
    * C4: a state keeps its element type.
    * C5: elements of scan outputs are tensors.
    * C6: axes and directions have one entry per scan input (output).
    * C7: axes are in [-r, r), r being the rank of the input (output); directions
      are 0 or 1.
    * C8: all scan inputs have the same extent along their axis.
  }];
  let arguments = (ins Variadic<Data<ONNX_MixedTensor>>:$initial_state_and_scan_inputs,
                       UnitAttr:$batched, ONNX_Int:$num_scan_inputs,
                       OptionalAttr<DenseI64ArrayAttr>:$scan_input_axes,
                       OptionalAttr<DenseI64ArrayAttr>:$scan_input_directions,
                       OptionalAttr<DenseI64ArrayAttr>:$scan_output_axes,
                       OptionalAttr<DenseI64ArrayAttr>:$scan_output_directions);
  let results = (outs Variadic<ONNX_MixedTensor>:$final_state_and_scan_outputs);
  let regions = (region SizedRegion<1>:$body);
  let extraDecls = [{
    /// The number of states; 0 while num_scan_inputs is out of range.
    unsigned getNumStates();
    mlir::OperandRange getStates() { return getOperands().take_front(getNumStates()); }
    mlir::OperandRange getScanInputs() { return getOperands().drop_front(getNumStates()); }
    llvm::SmallVector<mlir::Type> getBodyArgumentTypes(ExtentInference &infer);
  }];
}

#endif // CAMEO_DIALECT_ONNX_IR_CONTROL_TD
