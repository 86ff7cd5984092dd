// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo-opt: runs passes on .mlir, one by one or as the pipeline; for tests and for looking inside.

#include "Pipeline/Register.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  cameo::registerDialects(registry);
  cameo::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Cameo's optimizer driver\n", registry));
}
