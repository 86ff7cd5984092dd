// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Prog/IR/ChannelBlocks.h"

#include "Dialect/Prog/IR/KernelTemplates.h"

using namespace cameo;

ChannelBlocks ChannelBlocks::lookup(mlir::Operation *op) {
  core::TargetAttr target = core::TargetAttr::lookup(op);
  const prog::KernelTemplate &conv = *prog::findTemplate("conv_blocked");
  if (!target || !conv.isIn(target.getComputing().getKernels()))
    return {};
  return {conv.getBlockOf("x"), target.getComputing().getMachine().getFact("max_planes")};
}
