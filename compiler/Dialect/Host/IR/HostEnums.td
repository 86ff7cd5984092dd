// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The enumerations of the host dialect, in a file of their own: TableGen writes all that it sees.

#ifndef CAMEO_DIALECT_HOST_IR_HOSTENUMS_TD
#define CAMEO_DIALECT_HOST_IR_HOSTENUMS_TD

include "mlir/IR/EnumAttr.td"

def Host_Relation : I32EnumAttr<"Relation", "what a check holds two numbers to", [
    I32EnumAttrCase<"Equal", 0, "eq">,
    I32EnumAttrCase<"AtMost", 1, "le">,
    I32EnumAttrCase<"AtLeast", 2, "ge">,
    I32EnumAttrCase<"Broadcast", 3, "broadcast">]> {
  let cppNamespace = "::cameo::host";
}

def Host_DimKind : I32EnumAttr<"DimKind", "when a dim of an input or output is known", [
    I32EnumAttrCase<"Value", 0, "value">,
    I32EnumAttrCase<"Symbol", 1, "symbol">,
    I32EnumAttrCase<"Range", 2, "range">,
    I32EnumAttrCase<"Bounded", 3, "bounded">,
    I32EnumAttrCase<"Open", 4, "open">]> {
  let cppNamespace = "::cameo::host";
}

def Host_Memory : I32EnumAttr<"Memory", "what is known of the memory that a kernel is given", [
    I32EnumAttrCase<"Any", 0, "any">,
    I32EnumAttrCase<"Aligned", 1, "aligned">,
    I32EnumAttrCase<"Weight", 2, "weight">,
    I32EnumAttrCase<"UnalignedWeight", 3, "unaligned_weight">]> {
  let cppNamespace = "::cameo::host";
  let genSpecializedAttr = 0;
}

def Host_Held : I32EnumAttr<"Held", "what a number of 8 or 16 bits is held as until something is made of it", [
    I32EnumAttrCase<"Wide", 0, "wide">,
    I32EnumAttrCase<"LowBits", 1, "low_bits">,
    I32EnumAttrCase<"Float", 2, "float">]> {
  let cppNamespace = "::cameo::host";
  let genSpecializedAttr = 0;
}

#endif // CAMEO_DIALECT_HOST_IR_HOSTENUMS_TD
