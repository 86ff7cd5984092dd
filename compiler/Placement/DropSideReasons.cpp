// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of what Place wrote down for reports.

#include "Dialect/ONNX/Analysis/SideReasons.h"
#include "Placement/Passes.h"

namespace cameo {
#define GEN_PASS_DEF_DROPSIDEREASONSPASS
#include "Placement/Passes.h.inc"
} // namespace cameo

namespace {

struct DropSideReasonsPass : cameo::impl::DropSideReasonsPassBase<DropSideReasonsPass> {
  void runOnOperation() override { cameo::dropSideReasons(getOperation()); }
};

} // namespace
