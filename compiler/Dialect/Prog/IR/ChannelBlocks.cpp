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

std::optional<llvm::SmallVector<int64_t>> cameo::getListedChannels(mlir::ElementsAttr list,
                                                                   int64_t count) {
  auto indices = mlir::dyn_cast_or_null<mlir::DenseIntElementsAttr>(list);
  if (!indices || indices.getType().getRank() != 1)
    return std::nullopt;
  llvm::SmallVector<int64_t> listed;
  for (const llvm::APInt &index : indices) {
    int64_t channel = index.getSExtValue();
    listed.push_back(channel < 0 ? channel + count : channel);
    if (listed.back() < 0 || listed.back() >= count)
      return std::nullopt;
  }
  return listed;
}
