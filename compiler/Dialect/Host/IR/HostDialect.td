// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host dialect: a generated program's functions, statement by statement. One op is one construct
// of the output, and its description shows the C++ that Emit writes for it.

#ifndef CAMEO_DIALECT_HOST_IR_HOSTDIALECT_TD
#define CAMEO_DIALECT_HOST_IR_HOSTDIALECT_TD

include "Dialect/Host/IR/HostEnums.td"
include "Dialect/Prog/IR/ProgDialect.td"

def Host_Dialect : Dialect {
  let name = "host";
  let cppNamespace = "::cameo::host";
  let summary = "The host program: what the functions of a generated library do";
  let description = [{
    What Prepare makes of a planned program, and all that Emit prints of it. A
    tensor is a pointer now: it comes from a binding, a place in an arena, a
    weight or a local array, and what is launched writes through it. Extents that
    a statement needs are i64 values; no statement names a symbol, but for
    `host.symbol`, which is a member of what the shape program has computed.
    Symbols in types are for the kernels, whose launch says what they are.
  }];
  let dependentDialects = ["::cameo::prog::ProgDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

def Host_CountedType : TypeDef<Host_Dialect, "Counted"> {
  let mnemonic = "counted";
  let summary = "An integer on the device, of which the host knows the most that it can be";
  let description = [{
    Kernels take it as an extent. What needs a number, as `host.evaluate` does,
    does not take it.
  }];
}

def HostNamedOpInterface : OpInterface<"NamedOpInterface"> {
  let cppNamespace = "::cameo::host";
  let description = "An op whose values are variables of the generated program.";
  let methods = [
    InterfaceMethod<[{What a result, or an argument of its region, is called; "" for what has no
                     name. Emit makes an identifier of it.}],
                    "::llvm::StringRef", "getNameOf", (ins "::mlir::Value":$value)>];
}

def Host_DimAttr : AttrDef<Host_Dialect, "Dim"> {
  let mnemonic = "dim";
  let summary = "A dim of an input or output, as the model's table tells it";
  let description = [{
    `#host.dim<range, symbol 0, 1 to 64, "N">`: its kind, the number of the
    symbol that it is (-1: none), its least and greatest value (-1: no limit),
    and its text. They are the attribute `host.dims` of @main's arguments and
    results.
  }];
  let parameters = (ins EnumParameter<Host_DimKind>:$kind, "int64_t":$symbol, "int64_t":$least,
                        "int64_t":$most, StringRefParameter<>:$text);
  let assemblyFormat = "`<` $kind `,` `symbol` $symbol `,` $least `to` $most `,` $text `>`";
}

def Host_MemoryAttr : EnumAttr<Host_Dialect, Host_Memory, "memory"> {
  let assemblyFormat = "`<` $value `>`";
}

def Host_HeldAttr : EnumAttr<Host_Dialect, Host_Held, "held"> {
  let description = [{
    `host.held` of a `prog.s_cast` or `prog.s_quantize` that narrows: an int32_t that
    is the number (`wide`) or whose low bits are (`low_bits`), or the float that the
    number is made of, a whole one within the range. So vectors of it are as wide as
    those of floats. Without it the result is what its type says.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Host_WideAttr : AttrDef<Host_Dialect, "Wide"> {
  let mnemonic = "wide";
  let summary = "The form of a functor that moves neighbours by one access";
  let description = [{
    `host.wide` of a functor: how many neighbours along the last coordinate it moves
    at most, and of each operand whether these are neighbours in memory or all one
    element. Lines begin at multiples of that many elements.
  }];
  let parameters = (ins "int64_t":$width, "::mlir::DenseBoolArrayAttr":$lines);
  let assemblyFormat = "`<` $width `,` $lines `>`";
}

def Host_CrosswiseAttr : AttrDef<Host_Dialect, "Crosswise"> {
  let mnemonic = "crosswise";
  let summary = "The form of a kernel some of whose operands are turned by tiles";
  let description = [{
    `host.crosswise` of a kernel: the dim, not the last, along which neighbours of some
    operands are neighbours in memory, and which operands these are. Along the last
    dim their elements lie at a stride of their own.
  }];
  let parameters = (ins "int64_t":$dim, "::mlir::DenseBoolArrayAttr":$operands);
  let assemblyFormat = "`<` $dim `,` $operands `>`";
}

def Host_TemplateAttr : AttrDef<Host_Dialect, "Template"> {
  let mnemonic = "template";
  let summary = "Facts of a kernel template's record that the text of a call depends on";
  let description = [{
    The header that has it, whether it can end with an error, the members of p that
    are ranks (C++'s int), the extensions of an instruction set that it is faster by.
    `scratch` are the types, of C++ or of elements, that NAME_scratch takes; without it
    no function is asked for the scratch memory.
  }];
  let parameters = (ins "::mlir::StringAttr":$header, "bool":$raises, "::mlir::ArrayAttr":$ranks,
                        "::mlir::ArrayAttr":$extensions,
                        OptionalParameter<"::mlir::ArrayAttr">:$scratch);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // CAMEO_DIALECT_HOST_IR_HOSTDIALECT_TD
