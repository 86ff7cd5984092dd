// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The prog dialect: the program that will be printed. One op is one construct of the output, and its
// description shows the C++ that Emit writes for it.

#ifndef CAMEO_DIALECT_PROG_IR_PROGDIALECT_TD
#define CAMEO_DIALECT_PROG_IR_PROGDIALECT_TD

include "Dialect/Core/IR/CoreDialect.td"
include "Dialect/Core/IR/SymbolDefiningOp.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpBase.td"

def Prog_Dialect : Dialect {
  let name = "prog";
  let cppNamespace = "::cameo::prog";
  let summary = "The program that Emit prints: kernels, calls, views, host scalars, transfers";
  let description = [{
    Values are tensors (`!cameo.tensor`, on one side, with symbolic extents) and
    host scalars (builtin types). Programs are in value semantics until Plan
    assigns a buffer to every tensor; an op that writes part of a tensor takes
    it as a destination and returns it as a result tied to that destination.

    Symbols are C++ variables: extents may name any symbol that is a dim of an
    input, or that an op defines (SymbolDefiningOp) in front of them or around
    them.
  }];
  let dependentDialects = ["::cameo::core::CoreDialect"];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Prog_Op<string mnemonic, list<Trait> traits = []>
    : Op<Prog_Dialect, mnemonic, traits>;

def Prog_TicketType : TypeDef<Prog_Dialect, "Ticket"> {
  let mnemonic = "ticket";
  let summary = "A copy from the device under way";
  let parameters = (ins "::cameo::core::SymTensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
}

def Prog_BufferAttr : AttrDef<Prog_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "One row of Plan's table of buffers";
  let description = [{
    `#prog.buffer<device, 4 * N, 2, 5>`: so many bytes on a side, live from step
    2 to step 5 in stream order; Emit gives it a place in that side's arena.
    `#prog.buffer<device, 4 * N, 2, 5, output 1>`: memory of the caller, bound
    as output 1. `#prog.buffer<device, 1024, 2, 5, at 256>`: its place in the
    arena, where Plan knows it. The table is the function's attribute `prog.buffers`; ops name
    the rows of their results in `buffers`, -1 for a result without storage of
    its own (unused, an alias of its source, or scalars).
  }];
  let parameters = (ins EnumParameter<Core_Side>:$side, "::cameo::core::ExtentAttr":$bytes,
                        "int64_t":$first, "int64_t":$last, "int64_t":$output,
                        "int64_t":$offset);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Whether it has a place in its arena before anything runs.
    bool isPlaced() const { return getOffset() >= 0; }
    /// Whether the caller's memory of an output holds it, not the arena.
    bool isOutput() const { return getOutput() >= 0; }
  }];
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

def Prog_Tensor : Type<CPred<"::llvm::isa<::cameo::core::SymTensorType>($_self)">, "tensor",
                       "::cameo::core::SymTensorType">;
def Prog_HostTensor
    : Type<And<[Prog_Tensor.predicate,
                CPred<"::llvm::cast<::cameo::core::SymTensorType>($_self).isHost()">]>,
           "host tensor", "::cameo::core::SymTensorType">;
def Prog_DeviceTensor
    : Type<And<[Prog_Tensor.predicate,
                CPred<"::llvm::cast<::cameo::core::SymTensorType>($_self).isDevice()">]>,
           "device tensor", "::cameo::core::SymTensorType">;
def Prog_Scalar
    : Type<CPred<"::llvm::isa<::mlir::IntegerType, ::mlir::FloatType, ::mlir::ComplexType>($_self)">,
           "scalar of an ONNX element type">;
defvar Prog_Extent = Core_Extent;
defvar Prog_ExtentArray = Core_ExtentArray;

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

def BodyOpInterface : OpInterface<"BodyOpInterface"> {
  let cppNamespace = "::cameo::prog";
  let description = [{
    An op with a region of scalar ops that is evaluated once per point of an
    index space: a kernel, or a load or store functor of a call. Each operand is
    read at `map(index)[symbols]`; the region's arguments are the values that
    the template brings (a store's accumulator), then one scalar per operand.
  }];
  let methods = [
    InterfaceMethod<"The operands that are read at the index, tensors or host scalars",
                    "::mlir::OperandRange", "getBodyInputs">,
    InterfaceMethod<"One map per operand, from index and map symbols to the operand's index",
                    "::llvm::SmallVector<::mlir::AffineMap>", "getInputMaps">,
    InterfaceMethod<"One map per yielded value, to the index in the tensor it is stored to",
                    "::llvm::SmallVector<::mlir::AffineMap>", "getOutputMaps">,
    InterfaceMethod<"The extents that the maps' symbols stand for",
                    "::llvm::ArrayRef<::mlir::Attribute>", "getMapSymbolExtents">,
    InterfaceMethod<"The tensors the yielded values are stored to; none for a load",
                    "::llvm::SmallVector<::mlir::Value>", "getStoredResults">,
    InterfaceMethod<"The rank of the index space", "unsigned", "getIndexRank">,
    InterfaceMethod<"How many leading region arguments the template brings", "unsigned",
                    "getNumTemplateValues">,
    InterfaceMethod<"Replaces operands, maps and symbols; the body is the caller's to mend", "void",
                    "setBodyInputs",
                    (ins "::mlir::ValueRange":$inputs, "::llvm::ArrayRef<::mlir::AffineMap>":$maps,
                         "::llvm::ArrayRef<::mlir::Attribute>":$symbols)>,
    InterfaceMethod<"The region's only block", "::mlir::Block *", "getBodyBlock">];
}

def WaitOpInterface : OpInterface<"WaitOpInterface"> {
  let cppNamespace = "::cameo::prog";
  let description = [{
    A step at which the host waits for the device. Everything else that a run
    does on the device it only enqueues, so a run without such a step can be
    captured as a graph.
  }];
  let methods = [
    InterfaceMethod<"The tensor on the device that it waits for", "::mlir::Value", "getAwaited">,
    InterfaceMethod<"Whether a captured run does without it: the device takes the decision", "bool",
                    "isLeftToDevice", (ins), [{}], [{ return false; }]>];
}

def ScalarOpInterface : OpInterface<"ScalarOpInterface"> {
  let cppNamespace = "::cameo::prog";
  let description = "An op on scalars that is total and is one function of scalar.h.";
  let methods = [
    InterfaceMethod<"The function of scalar.h that it prints as", "::llvm::StringRef",
                    "getFunctionName">,
    InterfaceMethod<[{What one evaluation costs: 1 for an instruction or two, 4 for a division or
                     a root, 16 for a transcendental function.}],
                    "unsigned", "getCost">,
    InterfaceMethod<[{Whether every target computes the same bits: integers, and what IEEE 754
                     rounds correctly. The others come from a math library, within ulps.}],
                    "bool", "isExact">,
    InterfaceMethod<[{The function over arrays, for constants; null unless it is exact and defined
                     on the operands' types.}],
                    "::cameo::prog::ArrayFunction", "getArrayFunction">,
    InterfaceMethod<[{The value for symbolic integer operands, or a null attribute when the
                     algebra of extents cannot say it.}],
                    "::cameo::core::ExtentAttr", "evaluateExtents",
                    (ins "::llvm::ArrayRef<::cameo::core::ExtentAttr>":$operands,
                         "const ::cameo::core::ExtentFacts &":$facts)>,
    InterfaceMethod<"What is known of a float by what is known of the operands",
                    "::cameo::prog::NumberBound", "evaluateBounds",
                    (ins "::llvm::ArrayRef<::cameo::prog::NumberBound>":$operands)>,
    InterfaceMethod<[{Between which numbers the value lies by where the operands do, before it is
                     rounded to its type or wraps in it.}],
                    "::cameo::prog::NumberRange", "evaluateRange",
                    (ins "::llvm::ArrayRef<::cameo::prog::NumberRange>":$operands,
                         "const ::cameo::core::ExtentFacts &":$facts)>];
}

#endif // CAMEO_DIALECT_PROG_IR_PROGDIALECT_TD
