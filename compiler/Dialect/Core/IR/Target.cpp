// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of a module that name its target and how exact its results are.

#include "Dialect/Core/IR/BoundedMemory.h"
#include "Dialect/Core/IR/CoreDialect.h"

using namespace mlir;
using namespace cameo::core;

/// That of the nearest op around `op` that has one; null if there is none.
template <class T> static T lookupAround(Operation *op, StringRef name) {
  for (; op; op = op->getParentOp())
    if (auto found = op->getAttrOfType<T>(name))
      return found;
  return {};
}

static LogicalResult verifyNumbers(function_ref<InFlightDiagnostic()> emitError,
                                   DictionaryAttr numbers) {
  for (NamedAttribute number : numbers)
    if (auto value = dyn_cast<IntegerAttr>(number.getValue());
        !value || !value.getType().isSignlessInteger(64) || value.getInt() < 0)
      return emitError() << "'" << number.getName().strref()
                         << "' is no number from 0 on: " << number.getValue();
  return success();
}

static int64_t getNumber(DictionaryAttr numbers, StringRef name) {
  auto number = numbers.getAs<IntegerAttr>(name);
  assert(number && "no record of this name");
  return number.getInt();
}

LogicalResult MachineAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef,
                                  DictionaryAttr facts, DictionaryAttr prices) {
  return success(succeeded(verifyNumbers(emitError, facts)) &&
                 succeeded(verifyNumbers(emitError, prices)));
}

int64_t MachineAttr::getFact(StringRef fact) const { return getNumber(getFacts(), fact); }
int64_t MachineAttr::getPrice(StringRef resource) const { return getNumber(getPrices(), resource); }

LogicalResult TargetSideAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef,
                                     ArrayRef<MachineAttr> machines) {
  return machines.empty() ? LogicalResult(emitError() << "a side needs a machine") : success();
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef,
                                 TargetSideAttr, TargetSideAttr device, DictionaryAttr crossing) {
  if (bool(device) != bool(crossing))
    return emitError() << "a device and what it costs to get there stand together";
  return crossing ? verifyNumbers(emitError, crossing) : success();
}

TargetAttr TargetAttr::lookup(Operation *op) {
  return lookupAround<TargetAttr>(op, "cameo.target");
}

int64_t TargetAttr::getCrossingCost(StringRef what) const { return getNumber(getCrossing(), what); }

static constexpr StringLiteral kBounded = "cameo.bounded";

void cameo::core::setBounded(ModuleOp module, bool bounded) {
  if (bounded)
    module->setAttr(kBounded, UnitAttr::get(module.getContext()));
  else
    module->removeAttr(kBounded);
}

bool cameo::core::isBounded(Operation *op) { return bool(lookupAround<UnitAttr>(op, kBounded)); }

Precision PrecisionAttr::lookup(Operation *op) {
  auto said = lookupAround<PrecisionAttr>(op, "cameo.precision");
  return said ? said.getValue() : Precision::Exact;
}
