// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The enumerations of the onnx dialect, on their own: one is generated for every file that sees it.

#ifndef CAMEO_DIALECT_ONNX_IR_ONNXENUMS_TD
#define CAMEO_DIALECT_ONNX_IR_ONNXENUMS_TD

include "mlir/IR/EnumAttr.td"

def ONNX_OperandClassEnum : I32EnumAttr<"OperandClass", "what must be known of an operand, and where", [
    I32EnumAttrCase<"Data", 0>, I32EnumAttrCase<"Host", 1>, I32EnumAttrCase<"HostBound", 2>,
    I32EnumAttrCase<"Param", 3>, I32EnumAttrCase<"DimsOnly", 4>, I32EnumAttrCase<"Symbolic", 5>,
    I32EnumAttrCase<"Bounded", 6>]> {
  let cppNamespace = "::cameo::onnx";
}

def ONNX_DemandKind : I32EnumAttr<"DemandKind", "by what the host asks for a value", [
    // An operand of an operator.
    I32EnumAttrCase<"Operand", 0, "operand">,
    // The value is a symbol, and extents are made of that.
    I32EnumAttrCase<"Symbol", 1, "symbol">,
    // A graph attribute ends in it: a result of its operator, or a state of its loop.
    I32EnumAttrCase<"Yield", 2, "yield">]> {
  let cppNamespace = "::cameo::onnx";
}

def ONNX_SideCause : I32EnumAttr<"SideCause", "what decided the side of a value", [
    I32EnumAttrCase<"Constant", 0, "constant">,
    // It follows from dims.
    I32EnumAttrCase<"Extents", 1, "extents">,
    // Sequences, optionals and strings.
    I32EnumAttrCase<"HostOnly", 2, "host_only">,
    // The number of an iteration, and whether there is one.
    I32EnumAttrCase<"Iteration", 3, "iteration">,
    // Either side could have it, and the cheapest cut has it here.
    I32EnumAttrCase<"Cut", 4, "cut">,
    // Nothing that the host could compute, or decides, reads it.
    I32EnumAttrCase<"Unasked", 5, "unasked">,
    // More work than the host is given.
    I32EnumAttrCase<"Large", 6, "large">,
    // The host need not compute the same bits.
    I32EnumAttrCase<"Inexact", 7, "inexact">,
    // A loop carries it where its state is.
    I32EnumAttrCase<"Carried", 8, "carried">,
    // A loop collects it, iteration by iteration.
    I32EnumAttrCase<"Collected", 9, "collected">,
    // The user wants it here.
    I32EnumAttrCase<"Pinned", 10, "pinned">,
    // The device has no kernel for its operator.
    I32EnumAttrCase<"NoKernel", 11, "no_kernel">,
    // The user's operator computes there.
    I32EnumAttrCase<"External", 12, "external">]> {
  let cppNamespace = "::cameo::onnx";
}

#endif // CAMEO_DIALECT_ONNX_IR_ONNXENUMS_TD
