// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Select/BlockedBodies.h"

#include "Dialect/Prog/IR/CallMembers.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

constexpr int64_t kImageRank = 4;
constexpr int64_t kChannelAxis = 1;

/// The axis whose coordinate alone depends on a dim; nullopt where several do, and the rank where
/// none does.
std::optional<unsigned> findOnlyAxis(AffineMap map, unsigned dim) {
  unsigned found = map.getNumResults();
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (found != map.getNumResults())
      return std::nullopt;
    found = axis;
  }
  return found;
}

/// The number that a coordinate adds to a dim; nullopt for another expression.
std::optional<int64_t> getOffset(AffineExpr expr, unsigned dim, AffineMap map) {
  AffineExpr rest = simplifyAffineExpr(expr - getAffineDimExpr(dim, map.getContext()),
                                       map.getNumDims(), map.getNumSymbols());
  auto constant = dyn_cast<AffineConstantExpr>(rest);
  return constant ? std::optional(constant.getValue()) : std::nullopt;
}

/// Whether an axis is one of channels: the second of an image, or where that is broadcast from.
bool isChannelAxis(SymTensorType tensor, unsigned axis) {
  std::optional<int64_t> extent = tensor.getExtents()[axis].getConstant();
  if (!extent || *extent < 2 || !tensor.getElementType().isIntOrFloat())
    return false;
  return tensor.getRank() == 1 ||
         (tensor.getRank() <= kImageRank && axis + kImageRank == kChannelAxis + tensor.getRank());
}

class BlockIteration {
public:
  BlockIteration(AffineMap map, const ChannelDim &channels) : map(map), channels(channels) {
    for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
      dims.push_back(getDim(dim < channels.lane ? dim : dim + 1));
    blockDim = dims[channels.dim];
    dims[channels.dim] = blockDim * channels.block + getDim(channels.lane);
  }

  /// `map` into a tensor as it lies.
  AffineMap apply(SymTensorType tensor) const {
    BlockedLayoutAttr layout = tensor ? tensor.getBlockedLayout() : BlockedLayoutAttr();
    SmallVector<AffineExpr> results, lanes;
    for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
      bool isBlocked = layout && llvm::is_contained(layout.getAxes(), int64_t(axis));
      AffineExpr at = expr.replaceDims(dims);
      if (isBlocked) {
        at = blockDim + *getOffset(expr, channels.dim, map) / channels.block;
        lanes.push_back(getDim(channels.lane));
      }
      results.push_back(layout ? at + layout.getHaloOf(axis, tensor.getRank()) : at);
    }
    llvm::append_range(results, lanes);
    return AffineMap::get(map.getNumDims() + 1, map.getNumSymbols(), results, map.getContext());
  }

private:
  AffineExpr getDim(unsigned dim) const { return getAffineDimExpr(dim, map.getContext()); }

  AffineMap map;
  const ChannelDim &channels;
  SmallVector<AffineExpr> dims;
  AffineExpr blockDim;
};

SmallVector<AffineMap> iterateByBlocks(ArrayRef<AffineMap> maps, ValueRange tensors,
                                       const ChannelDim &channels) {
  return llvm::map_to_vector(llvm::zip_equal(maps, tensors), [&](auto access) {
    auto [map, tensor] = access;
    return BlockIteration(map, channels).apply(getTensor(tensor));
  });
}

MutableArrayRef<OpOperand> getInputOperands(BodyOpInterface body) {
  // A functor has no other operands, a kernel has them first.
  return body->getOpOperands().take_front(body.getBodyInputs().size());
}

/// Whether lanes beyond the channels that are written are none of what lies behind them.
bool isEndOfBlocks(AffineMap map, SymTensorType tensor, const ChannelDim &channels) {
  std::optional<unsigned> axis = findOnlyAxis(map, channels.dim);
  if (channels.isWhole() || axis == map.getNumResults())
    return true;
  int64_t end = channels.count + *getOffset(map.getResult(*axis), channels.dim, map);
  return tensor.getExtents()[*axis].isConstant(end);
}

} // namespace

std::optional<ImageUse> cameo::getUseThrough(AffineMap map, SymTensorType tensor,
                                             const ChannelDim &channels) {
  std::optional<unsigned> axis = findOnlyAxis(map, channels.dim);
  if (axis == map.getNumResults())
    return ImageUse();
  std::optional<int64_t> offset =
      axis ? getOffset(map.getResult(*axis), channels.dim, map) : std::nullopt;
  if (offset && *offset >= 0 && *offset % channels.block == 0 && isChannelAxis(tensor, *axis))
    return ImageUse{{*axis}, {}, {}};
  return channels.isWhole() ? std::optional(ImageUse()) : std::nullopt;
}

bool cameo::addOperands(BodyOpInterface body, ImageForm &form) {
  if (asksForIndex(body))
    return false;
  for (auto [operand, map] : llvm::zip_equal(getInputOperands(body), body.getInputMaps())) {
    SymTensorType tensor = getTensor(operand.get());
    if (!tensor)
      continue;
    std::optional<ImageUse> use = getUseThrough(map, tensor, form.channels);
    if (!use)
      return false;
    form.operands[&operand] = *use;
  }
  return true;
}

bool cameo::addResults(BodyOpInterface body, Operation *op, ImageForm &form) {
  form.results.resize(op->getNumResults());
  for (auto [result, map] : llvm::zip_equal(body.getStoredResults(), body.getOutputMaps())) {
    SymTensorType tensor = getTensor(result);
    std::optional<ImageUse> use = getUseThrough(map, tensor, form.channels);
    bool isPart = findChannelDim(map, tensor) == form.channels.dim;
    bool fits = use && isEndOfBlocks(map, tensor, form.channels) && (!isPart || !use->axes.empty());
    if (!fits && isa<CallOp>(op) && form.isImage()) {
      use = ImageUse();
      use->isCopied = true;
    } else if (!use || !isEndOfBlocks(map, tensor, form.channels)) {
      return false;
    }
    form.results[cast<OpResult>(result).getResultNumber()] = *use;
  }
  return true;
}

std::optional<unsigned> cameo::findChannelDim(AffineMap map, SymTensorType image) {
  if (!image || image.getRank() != kImageRank || map.getNumResults() != kImageRank)
    return std::nullopt;
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
    if (map.getResult(kChannelAxis).isFunctionOfDim(dim))
      return dim;
  return std::nullopt;
}

void cameo::iterateByBlocks(BodyOpInterface body, const ChannelDim &channels) {
  SmallVector<AffineMap> inputs =
      ::iterateByBlocks(body.getInputMaps(), body.getBodyInputs(), channels);
  SmallVector<AffineMap> outputs =
      ::iterateByBlocks(body.getOutputMaps(), body.getStoredResults(), channels);
  Builder builder(body->getContext());
  body->setAttr("in_maps", builder.getAffineMapArrayAttr(inputs));
  if (!outputs.empty())
    body->setAttr("out_maps", builder.getAffineMapArrayAttr(outputs));
}

/// A result is a new tensor, no part of a destination.
static void untie(CallOp call, unsigned number) {
  SmallVector<int64_t> ties(call.getTies());
  int64_t tie = ties[number];
  if (tie < 0)
    return;
  call.getDestsMutable().erase(tie);
  for (int64_t &other : ties)
    other -= other > tie;
  ties[number] = -1;
  call.setTies(ties);
}

void cameo::detachResult(CallOp call, unsigned number, ArrayRef<ExtentAttr> elements) {
  OpResult result = call->getResult(number);
  SymTensorType whole = getTensor(result);
  int64_t tie = call.getTies()[number];
  SmallVector<Value, 1> dest;
  if (tie >= 0)
    dest.push_back(call.getDests()[tie]);
  StoreOp store = *llvm::find_if(call.getStores(), [&](StoreOp candidate) {
    return llvm::is_contained(candidate.getTargets(), static_cast<int64_t>(number));
  });
  SmallVector<AffineMap> maps = cast<BodyOpInterface>(*store).getOutputMaps();
  AffineMap &map = maps[llvm::find(store.getTargets(), static_cast<int64_t>(number)) -
                        store.getTargets().begin()];
  OpBuilder builder(call.getContext());
  builder.setInsertionPointAfter(call);
  AffineMap identity = AffineMap::get(elements.size(), map.getNumSymbols(),
                                      builder.getMultiDimIdentityMap(elements.size()).getResults(),
                                      call.getContext());
  auto copy =
      KernelOp::create(builder, call.getLoc(), TypeRange{whole}, ValueRange{result}, dest,
                       getList(call.getContext(), elements),
                       builder.getAffineMapArrayAttr(identity), builder.getAffineMapArrayAttr(map),
                       store.getMapSymbols(), builder.getDenseI64ArrayAttr({tie < 0 ? -1 : 0}));
  Block *block = builder.createBlock(&copy.getBody());
  Value element = block->addArgument(whole.getElementType(), call.getLoc());
  YieldOp::create(builder, call.getLoc(), element);
  result.replaceAllUsesExcept(copy.getResult(0), copy);
  map = identity;
  store.setOutMapsAttr(builder.getAffineMapArrayAttr(maps));
  result.setType(whole.withExtents(elements));
  untie(call, number);
}

/// A call of one new image, as its template computes it.
static CallOp createPlain(OpBuilder &builder, CallOp call, ArrayRef<ExtentAttr> elements) {
  StoreOp store = call.getStores().front();
  Type computed = store.getBody().getArgument(0).getType();
  auto image = SymTensorType::get(elements, computed, getTensor(call->getResult(0)).getSide());
  Location location = getOwnLocation(call.getLoc());
  auto plain =
      CallOp::create(builder, location, TypeRange{image}, call.getCallee(), call.getParams(),
                     call.getTypes(), call.getIns(), ValueRange(), call.getScalars(),
                     call.getMask(), call.getScalarNames(), builder.getDenseI64ArrayAttr({-1}));
  plain->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&plain.getFunctors());
  ArrayAttr none = builder.getArrayAttr({});
  auto stored = StoreOp::create(
      builder, location, ValueRange(), elements.size(), 1, none,
      builder.getAffineMapArrayAttr(builder.getMultiDimIdentityMap(elements.size())), none,
      builder.getDenseI64ArrayAttr({0}));
  Block *block = builder.createBlock(&stored.getBody());
  YieldOp::create(builder, location, block->addArgument(computed, location));
  return plain;
}

CallOp cameo::detachStore(CallOp call, ArrayRef<ExtentAttr> elements) {
  OpBuilder builder(call);
  CallOp plain = createPlain(builder, call, elements);
  StoreOp store = call.getStores().front();
  auto body = cast<BodyOpInterface>(*store);
  SmallVector<Value> ins{plain->getResult(0)};
  llvm::append_range(ins, store.getIns());
  SmallVector<AffineMap> maps{AffineMap::get(
      elements.size(), body.getMapSymbolExtents().size(),
      builder.getMultiDimIdentityMap(elements.size()).getResults(), call.getContext())};
  llvm::append_range(maps, body.getInputMaps());
  SmallVector<Type> types;
  SmallVector<int64_t> ties;
  for (int64_t target : store.getTargets()) {
    types.push_back(call->getResult(target).getType());
    ties.push_back(call.getTies()[target]);
  }
  auto kernel = KernelOp::create(builder, call.getLoc(), types, ins, call.getDests(),
                                 getList(call.getContext(), elements),
                                 builder.getAffineMapArrayAttr(maps), store.getOutMaps(),
                                 store.getMapSymbols(), builder.getDenseI64ArrayAttr(ties));
  kernel.getBody().takeBody(store.getBody());
  for (auto [number, target] : llvm::enumerate(store.getTargets()))
    call->getResult(target).replaceAllUsesWith(kernel->getResult(number));
  call.erase();
  return plain;
}
