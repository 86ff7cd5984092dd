// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Core/IR/ConstantSteps.h"

#include "Dialect/Core/IR/ElementTypes.h"

using namespace mlir;
using namespace cameo::core;

/// Refuses a second layout: the elements of two would overlap.
static LogicalResult setLayout(Attribute layout, SymTensorType &type,
                               function_ref<InFlightDiagnostic()> emitError) {
  if (type.getLayout())
    return emitError() << layout << " would overlap " << type.getLayout();
  if (failed(SymTensorType::verify(emitError, type.getRanked(), type.getExtents(),
                                   type.getElementType(), type.getSide(), layout)))
    return failure();
  type = type.withLayout(layout);
  return success();
}

LogicalResult BlockedLayoutAttr::apply(SymTensorType &type,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  return setLayout(*this, type, emitError);
}

LogicalResult PackedLayoutAttr::apply(SymTensorType &type,
                                      function_ref<InFlightDiagnostic()> emitError) const {
  return setLayout(*this, type, emitError);
}

LogicalResult cameo::core::applySteps(ArrayAttr steps, SymTensorType &type,
                                      function_ref<InFlightDiagnostic()> emitError) {
  for (Attribute attribute : getSteps(steps)) {
    auto step = dyn_cast<ConstantStepInterface>(attribute);
    if (!step)
      return emitError() << attribute << " is no step of a constant";
    if (failed(step.apply(type, emitError)))
      return failure();
  }
  return success();
}

ArrayAttr cameo::core::makeSteps(MLIRContext *context, ArrayRef<Attribute> steps,
                                 Attribute layout) {
  SmallVector<Attribute> all(steps);
  if (layout)
    all.push_back(layout);
  return all.empty() ? ArrayAttr() : ArrayAttr::get(context, all);
}
