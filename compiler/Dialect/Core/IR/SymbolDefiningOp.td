// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which symbols an op gives a value: what binding a value of the run, naming a long extent, branches, loops and counting
// operators have in common.

#ifndef CAMEO_DIALECT_CORE_IR_SYMBOLDEFININGOP_TD
#define CAMEO_DIALECT_CORE_IR_SYMBOLDEFININGOP_TD

include "mlir/IR/OpBase.td"

def Core_SymbolDefiningOp : OpInterface<"SymbolDefiningOp"> {
  let cppNamespace = "::cameo::core";
  let description = [{
    An op that may define symbols: extents name them behind it, inside its
    regions, or both. A symbol is defined once; the copy of a region defines
    others (SymbolRenaming.h). Those of a function's inputs are the function's
    own (`cameo.symbols`), as its arguments are.
  }];
  let methods = [
    InterfaceMethod<"Calls `visit` with each symbol that the op defines", "void", "visitSymbols",
                    (ins "::cameo::core::SymbolVisitor":$visit)>,
    InterfaceMethod<"Whether the op has to stay when nothing names its symbols: it checks them too",
                    "bool", "isCheck", (ins), "", "return false;">];
}

#endif // CAMEO_DIALECT_CORE_IR_SYMBOLDEFININGOP_TD
