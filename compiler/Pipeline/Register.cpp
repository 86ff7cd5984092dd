// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Register.h"

#include "Conversion/OnnxToProg/Passes.h"
#include "Dialect/ONNX/Transforms/Passes.h"
#include "Finish/Passes.h"
#include "Fusion/Passes.h"
#include "Placement/Passes.h"
#include "Plan/Passes.h"
#include "Prepare/Passes.h"
#include "Select/Passes.h"
#include "Shape/Passes.h"
#include "Target/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

void cameo::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<core::CoreDialect, prog::ProgDialect, host::HostDialect, onnx::ONNXDialect,
                  mlir::func::FuncDialect>();
}

void cameo::registerPasses() {
  registerFinishPasses();
  registerFusionPasses();
  registerOnnxToProgPasses();
  registerOnnxTransformsPasses();
  registerPlacementPasses();
  registerPlanPasses();
  registerPreparePasses();
  registerSelectPasses();
  registerShapePasses();
  registerTargetPasses();
  mlir::registerTransformsPasses();
}
