// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a value is on its side: what the analysis that decides it knew then, as attributes that Place
// can write beside the values (Analysis/SideReasons.h).

#ifndef CAMEO_DIALECT_ONNX_IR_REASONS_TD
#define CAMEO_DIALECT_ONNX_IR_REASONS_TD

include "Dialect/ONNX/IR/OnnxBase.td"
include "Dialect/ONNX/IR/OnnxEnums.td"

/// Data where there is no operand.
def ONNX_OperandClassParameter : EnumParameter<ONNX_OperandClassEnum> {
  let defaultValue = "OperandClass::Data";
}

def ONNX_DemandAttr : AttrDef<ONNX_Dialect, "Demand"> {
  let mnemonic = "demand";
  let summary = "A step from a value to what the host asks for it for";
  let description = [{
    `#onnx.demand<kind = operand, node = loc("Cast:cast"(...)), name = "input", operand_class = Data, next = 7>`:
    the operator `cast` reads the value as its operand `input`, to compute the
    value whose reason has the number 7. Without a `next` the chain ends: the
    operand is of class Host, HostBound or Symbolic, or the extents of the node's result
    are made of the symbol `name`.
  }];
  let parameters = (ins EnumParameter<ONNX_DemandKind>:$kind, "::mlir::LocationAttr":$node,
                        "::mlir::StringAttr":$name,
                        ONNX_OperandClassParameter:$operand_class,
                        OptionalParameter<"std::optional<int64_t>">:$next);
  let assemblyFormat = "`<` struct(params) `>`";
}

def ONNX_SideReasonAttr : AttrDef<ONNX_Dialect, "SideReason"> {
  let mnemonic = "reason";
  let summary = "Why a value is on its side";
  let description = [{
    `number` is how other reasons of the function name this one's value;
    `because_of` such a number of another value: the one that is too large, or
    that it is computed from. With the cause `cut`, `host_cost` and
    `device_cost` are what the cheapest plans cost, in nanoseconds, that have
    the value on either side; absent where one is not possible, or too many
    values hang together to compare. `demands` are DemandAttrs, that of the
    shortest chain first; absent where nothing on the host asks for the value.
  }];
  let parameters = (ins "int64_t":$number, EnumParameter<ONNX_SideCause>:$cause,
                        OptionalParameter<"std::optional<int64_t>">:$because_of,
                        OptionalParameter<"std::optional<int64_t>">:$host_cost,
                        OptionalParameter<"std::optional<int64_t>">:$device_cost,
                        OptionalParameter<"::mlir::ArrayAttr">:$demands);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // CAMEO_DIALECT_ONNX_IR_REASONS_TD
