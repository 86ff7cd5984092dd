// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rule for each contract whose kernels know blocks, and one for all kernels.

#include "Select/ImageForms.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Select/BlockedBodies.h"
#include "Select/ConvVariants.h"
#include "Select/Templates.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

ArrayAttr ChannelDim::getBlockedExtents(ArrayRef<ExtentAttr> extents) const {
  MLIRContext *context = extents.front().getContext();
  SmallVector<ExtentAttr> blocked(extents);
  blocked[dim] = ExtentAttr::constant(context, llvm::divideCeil(count, block));
  blocked.push_back(ExtentAttr::constant(context, block));
  return getList(context, blocked);
}

namespace {

bool isInBlocks(const ImageUse &use) { return !use.axes.empty(); }

/// Whether any operand or result lies in blocks.
bool hasBlocks(const ImageForm &form) {
  return llvm::any_of(form.results, isInBlocks) ||
         llvm::any_of(form.operands, [](auto &entry) { return isInBlocks(entry.second); });
}

/// A form whose channels are dim `dim` of `elements`.
std::optional<ImageForm> beginForm(SmallVector<ExtentAttr> elements, unsigned dim, unsigned lane,
                                   const ChannelBlocks &blocks) {
  std::optional<int64_t> count = elements[dim].getConstant();
  if (!count || *count < 2)
    return std::nullopt;
  ImageForm form;
  form.channels = {dim, *count, blocks.block, lane};
  form.elements = std::move(elements);
  return form;
}

/// Adds all functors of a call.
bool addFunctors(CallOp call, ImageForm &form) {
  form.results.resize(call.getNumResults());
  return llvm::all_of(call.getFunctors().front(), [&](Operation &functor) {
    auto body = cast<BodyOpInterface>(functor);
    return addOperands(body, form) && addResults(body, call, form);
  });
}

void blockFunctors(CallOp call, const ImageForm &form) {
  for (Operation &functor : call.getFunctors().front()) {
    iterateByBlocks(cast<BodyOpInterface>(functor), form.channels);
    auto rank = functor.getAttrOfType<IntegerAttr>("rank");
    functor.setAttr("rank", Builder(call.getContext()).getI64IntegerAttr(rank.getInt() + 1));
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The dims that walk channels of images, those of results first.
llvm::SmallSetVector<unsigned, 4> findChannelDims(KernelOp kernel) {
  llvm::SmallSetVector<unsigned, 4> dims;
  auto add = [&](ArrayRef<AffineMap> maps, ValueRange tensors) {
    for (auto [map, tensor] : llvm::zip_equal(maps, tensors))
      if (std::optional<unsigned> dim = findChannelDim(map, getTensor(tensor)))
        dims.insert(*dim);
  };
  add(kernel.getOutputMaps(), kernel.getResults());
  add(kernel.getInputMaps(), kernel.getIns());
  return dims;
}

std::optional<ImageForm> matchKernel(KernelOp kernel, const ChannelBlocks &blocks) {
  auto body = cast<BodyOpInterface>(*kernel);
  for (unsigned dim : findChannelDims(kernel)) {
    std::optional<ImageForm> form =
        beginForm(llvm::to_vector(kernel.getExtents().getAsRange<ExtentAttr>()), dim,
                  kernel.getRank(), blocks);
    if (form && addOperands(body, *form) && addResults(body, kernel, *form) && hasBlocks(*form))
      return form;
  }
  return std::nullopt;
}

void applyToKernel(KernelOp kernel, const ImageForm &form) {
  iterateByBlocks(cast<BodyOpInterface>(*kernel), form.channels);
  kernel.setExtentsAttr(form.channels.getBlockedExtents(form.elements));
}

//===----------------------------------------------------------------------===//
// Pools and sums over channels
//===----------------------------------------------------------------------===//

/// Functors whose index is that of an image.
std::optional<ImageForm> matchImage(CallOp call, SmallVector<ExtentAttr> elements,
                                    const ChannelBlocks &blocks) {
  std::optional<ImageForm> form = beginForm(std::move(elements), 1, 4, blocks);
  bool isMatched = form && addFunctors(call, *form) && hasBlocks(*form);
  return isMatched ? form : std::nullopt;
}

std::optional<ImageForm> matchPool(CallOp call, const ChannelBlocks &blocks) {
  if (getNumber(call, "spatial_rank") != 2 || call.getStores().size() != 1)
    return std::nullopt;
  SmallVector<ExtentAttr> elements{getExtent(call, "batch"), getExtent(call, "channels")};
  llvm::append_range(elements, getExtents(call, "output"));
  return matchImage(call, std::move(elements), blocks);
}

std::optional<ImageForm> matchSumNeighbours(CallOp call, const ChannelBlocks &blocks) {
  return matchImage(call,
                    {getExtent(call, "batch"), getExtent(call, "channels"), getExtent(call, "rows"),
                     getExtent(call, "cols")},
                    blocks);
}

template <const StringLiteral &callee> Operation *applyToImage(CallOp call, const ImageForm &form) {
  blockFunctors(call, form);
  setTemplate(call, callee, NamedAttrList(call.getParams()));
  return call;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Rows of an image's planes, one for each channel. Lanes of a block are neighbouring rows.
std::optional<ImageForm> matchReduce(CallOp call, const ChannelBlocks &blocks) {
  SmallVector<ExtentAttr> outer = getExtents(call, "outer");
  for (LoadOp load : call.getLoads())
    for (auto [map, operand] :
         llvm::zip_equal(cast<BodyOpInterface>(*load).getInputMaps(), load.getIns())) {
      std::optional<unsigned> dim = findChannelDim(map, getTensor(operand));
      if (!dim || *dim >= outer.size())
        continue;
      std::optional<ImageForm> form = beginForm(outer, *dim, outer.size(), blocks);
      if (form && addFunctors(call, *form) && hasBlocks(*form))
        return form;
    }
  return std::nullopt;
}

Operation *applyToReduce(CallOp call, const ImageForm &form) {
  blockFunctors(call, form);
  NamedAttrList members(call.getParams());
  ArrayAttr outer = form.channels.getBlockedExtents(form.elements);
  members.set("outer", outer);
  members.set("outer_rank", Builder(call.getContext()).getI64IntegerAttr(outer.size()));
  setTemplate(call, call.getCallee(), members);
  return call;
}

//===----------------------------------------------------------------------===//
// Gathers of channels
//===----------------------------------------------------------------------===//

std::optional<ImageForm> matchGather(CallOp call, const ChannelBlocks &blocks) {
  SymTensorType data = getTensor(call.getIns().front());
  std::optional<SmallVector<int64_t>> gathered = getGatheredChannels(call);
  if (!gathered || !data.getElementType().isF32())
    return std::nullopt;
  SmallVector<ExtentAttr> elements = getExtents(call, "outer");
  elements.push_back(ExtentAttr::constant(call.getContext(), gathered->size()));
  llvm::append_range(elements, getExtents(call, "inner"));
  std::optional<ImageForm> form = matchImage(call, std::move(elements), blocks);
  if (form)
    form->operands[&call.getInsMutable()[0]] = ImageUse{{1}, {}, {}};
  return form;
}

Operation *applyToGather(CallOp call, const ImageForm &form) {
  blockFunctors(call, form);
  pickChannels(call);
  return call;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

struct Rule {
  StringLiteral contract;
  std::optional<ImageForm> (*match)(CallOp, const ChannelBlocks &);
  Operation *(*apply)(CallOp, const ImageForm &);
};

std::optional<ImageForm> matchConvolution(CallOp call, const ChannelBlocks &blocks) {
  std::optional<ImageForm> form = beginForm(getConvolvedExtents(call), 1, 4, blocks);
  if (!form || !addConvolved(call, *form, blocks))
    return std::nullopt;
  ImageForm detached = *form;
  if (addFunctors(call, *form))
    return form;
  detached.isDetached = true;
  detached.results.resize(call.getNumResults());
  return detached;
}

Operation *applyToConvolution(CallOp call, const ImageForm &form) {
  blockFunctors(call, form);
  return convolveBlocks(call, form);
}

const Rule rules[] = {
    {kConv, matchConvolution, applyToConvolution},
    {kConvInteger, matchConvolution, applyToConvolution},
    {kGather, matchGather, applyToGather},
    {kPool, matchPool, applyToImage<kPoolBlocked>},
    {kReduce, matchReduce, applyToReduce},
    {kSumNeighbours, matchSumNeighbours, applyToImage<kSumChannels>},
};

const Rule *findRule(CallOp call) {
  const Rule *rule =
      llvm::find_if(rules, [&](const Rule &rule) { return rule.contract == call.getCallee(); });
  return rule == std::end(rules) ? nullptr : rule;
}

} // namespace

std::optional<ImageForm> cameo::getImageForm(Operation *op, const ChannelBlocks &blocks) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return matchKernel(kernel, blocks);
  auto call = dyn_cast<CallOp>(op);
  const Rule *rule = call ? findRule(call) : nullptr;
  return rule ? rule->match(call, blocks) : std::nullopt;
}

Operation *cameo::detach(Operation *op, const ImageForm &form) {
  if (form.isDetached)
    return detachStore(cast<CallOp>(op), form.elements);
  for (auto [number, use] : llvm::enumerate(form.results))
    if (use.isCopied)
      detachResult(cast<CallOp>(op), number, form.elements);
  return op;
}

Operation *cameo::applyImageForm(Operation *op, const ImageForm &form) {
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    applyToKernel(kernel, form);
    return op;
  }
  auto call = cast<CallOp>(op);
  return findRule(call)->apply(call, form);
}

std::optional<SmallVector<int64_t>> cameo::getGatheredChannels(CallOp call) {
  auto list = call.getIns()[1].getDefiningOp<WeightOp>();
  std::optional<int64_t> channels = getNumber(call, "axis_extent");
  if (!channels || !list || getNumber(call, "outer_rank") != 1 ||
      getNumber(call, "inner_rank") != 2)
    return std::nullopt;
  return getListedChannels(list.getValue(), *channels);
}
