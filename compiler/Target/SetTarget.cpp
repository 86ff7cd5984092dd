// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Target/Passes.h"

#include "Dialect/Core/IR/BoundedMemory.h"
#include "Target/Target.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace cameo {
#define GEN_PASS_DEF_SETTARGETPASS
#include "Target/Passes.h.inc"
} // namespace cameo

namespace {

struct SetTargetPass : cameo::impl::SetTargetPassBase<SetTargetPass> {
  using SetTargetPassBase::SetTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const Platform *platform = findPlatform(name);
    std::optional<Precision> exactness = symbolizePrecision(precision);
    if (!platform || !exactness) {
      module.emitError() << "no target '" << StringRef(name) << "' or no precision '"
                         << StringRef(precision) << "'";
      return signalPassFailure();
    }
    if (failed(readNumbers()))
      return signalPassFailure();
    module->setAttr("cameo.target", getTarget(*platform->target));
    module->setAttr("cameo.precision", PrecisionAttr::get(&getContext(), *exactness));
    setBounded(module, bounded);
    if (!others.empty()) {
      module.emitError() << "the machine has no '" << others.begin()->getKey() << "'";
      signalPassFailure();
    }
  }

private:
  LogicalResult readNumbers() {
    for (StringRef text : numbers) {
      auto [number, digits] = text.split('=');
      if (digits.getAsInteger(10, others[number]))
        return getOperation().emitError() << "expected NAME=NUMBER, got '" << text << "'";
    }
    return success();
  }

  DictionaryAttr getNumbers(ArrayRef<MachineNumber> rows, bool areOthers = false) {
    Builder builder(&getContext());
    SmallVector<NamedAttribute> named;
    for (const MachineNumber &row : rows) {
      int64_t value = row.value;
      if (auto other = others.find(row.name); areOthers && other != others.end()) {
        value = other->second;
        others.erase(other);
      }
      named.push_back(builder.getNamedAttr(row.name, builder.getI64IntegerAttr(value)));
    }
    return builder.getDictionaryAttr(named);
  }

  TargetSideAttr getSide(const TargetSide &side, bool computes) {
    auto machines = llvm::map_to_vector(side.machines, [&](const MachineRecord &machine) {
      return MachineAttr::get(&getContext(), machine.name, getNumbers(machine.facts, computes),
                              getNumbers(machine.prices, computes));
    });
    return TargetSideAttr::get(&getContext(), side.kernels->name, machines);
  }

  TargetAttr getTarget(const Target &target) {
    bool hasDevice = target.device.has_value();
    return TargetAttr::get(&getContext(), target.name, getSide(target.host, !hasDevice),
                           hasDevice ? getSide(*target.device, true) : TargetSideAttr(),
                           hasDevice ? getNumbers(target.crossing) : DictionaryAttr());
  }

  /// Numbers that are asked for and not used yet.
  llvm::StringMap<int64_t> others;
};

} // namespace
