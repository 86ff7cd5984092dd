// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: their axes became an input.

#include "Import/Upgrade/Upgrade.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;

namespace {

LogicalResult axesToInput(Upgrader &upgrader, Node &) {
  upgrader.attributeToInput("axes", 1);
  return success();
}

constexpr UpgradeRow kRows[] = {
    {"ReduceL1", 18, axesToInput},     {"ReduceL2", 18, axesToInput},
    {"ReduceLogSum", 18, axesToInput}, {"ReduceLogSumExp", 18, axesToInput},
    {"ReduceMax", 18, axesToInput},    {"ReduceMean", 18, axesToInput},
    {"ReduceMin", 18, axesToInput},    {"ReduceProd", 18, axesToInput},
    {"ReduceSum", 13, axesToInput},    {"ReduceSumSquare", 18, axesToInput},
};

} // namespace

ArrayRef<UpgradeRow> cameo::importer::getReductionUpgrades() { return kRows; }
