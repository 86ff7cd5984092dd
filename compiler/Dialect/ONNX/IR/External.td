// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of the user's own, which a file declares and a function of the user's computes.

#ifndef CAMEO_DIALECT_ONNX_IR_EXTERNAL_TD
#define CAMEO_DIALECT_ONNX_IR_EXTERNAL_TD

include "Dialect/ONNX/IR/OnnxBase.td"

/// The name has a prefix that is no domain's, so no model can name the operator.
def ONNX_ExternalOp : ONNX_Op<"own.External", 1, [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A call of an operator that the user declares";
  let description = [{
    A node and its declaration (--external), as the importer puts them together:
    operand k of the op is operand `positions[k]` of the declaration, of which
    optional ones may be absent; element types of results are those that the
    operands' types give. Ranks are -1 where the declaration says none.

    `relations` are texts as --assert has them. One with an extent of a result on
    its left says what that is (`y.shape[0] == x.shape[0]`), or the most that it is
    (`y.shape[0] <= x.shape[0]`); the other ones are of operands, and hold in every
    run. A result of which `shapes_of` names an operand has that one's shape. An
    extent without an equation is counted: the function tells it.

    Unless it is `pure`, the operator runs as often as the model says, whether or
    not anything reads what it makes.

    Constraints:
    * C1: operands have the ranks that the declaration gives.
    * C2: the relations of operands hold.
    * C3: relations name axes that there are.
  }];
  let arguments = (ins Variadic<Data<ONNX_MixedTensor>>:$inputs, StrAttr:$function,
                       Core_Side:$side, UnitAttr:$pure, StrArrayAttr:$operand_names,
                       DenseI64ArrayAttr:$operand_ranks, DenseI64ArrayAttr:$positions,
                       StrArrayAttr:$result_names, TypeArrayAttr:$element_types,
                       DenseI64ArrayAttr:$result_ranks, DenseI64ArrayAttr:$shapes_of,
                       StrArrayAttr:$relations, StrArrayAttr:$value_names,
                       ArrayAttr:$values);
  let results = (outs Variadic<ONNX_MixedTensor>:$outputs);
  let hasVerifier = 1;
  let extraDecls = [{
    std::optional<core::Side> getOwnSide() { return getSide(); }
    /// The operand at a position of the declaration; null where it is absent.
    mlir::Value getOperandAt(int64_t position);
    /// The extents of a result, as the declaration has them; nullopt where the rank is not known.
    /// Fails with a diagnostic where a relation names what there is not.
    mlir::FailureOr<std::optional<llvm::SmallVector<DeclaredExtent>>>
    getDeclaredExtents(unsigned result, ExtentInference &infer);
  }];
}

#endif // CAMEO_DIALECT_ONNX_IR_EXTERNAL_TD
