// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What puts a target into a module.

#ifndef CAMEO_TARGET_PASSES_TD
#define CAMEO_TARGET_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetTargetPass : Pass<"cameo-set-target", "mlir::ModuleOp"> {
  let summary = "Says in the module what it is compiled for";
  let description = [{
    ```mlir
    module attributes {cameo.precision = #cameo.precision<fast>,
                       cameo.target = #cameo.target<"cpu", host = #cameo.side<...>>} { ... }
    ```
    The numbers of the machines are those of Machines.td. First of all passes: each
    that has to know something of a machine, or how exact results are to be, asks
    the module.
  }];
  let options = [Option<"name", "name", "std::string", /*default=*/"\"cpu\"", "the target">,
                 Option<"precision", "precision", "std::string", /*default=*/"\"fast\"",
                        "a word of core::Precision">,
                 Option<"bounded", "bounded", "bool", /*default=*/"false",
                        "whether programs have no heap, so that every size has a bound">,
                 ListOption<"numbers", "numbers", "std::string",
                            "facts and prices of the computing machine that are otherwise: NAME=NUMBER">];
  let dependentDialects = ["::cameo::core::CoreDialect"];
}

#endif // CAMEO_TARGET_PASSES_TD
