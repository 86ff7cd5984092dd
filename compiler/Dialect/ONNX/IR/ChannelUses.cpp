// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/ONNX/IR/ChannelGather.h"
#include "Dialect/Prog/IR/KernelTemplates.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

constexpr int64_t kImageRank = 4;
constexpr int64_t kChannelAxis = 1;
/// Bytes whose products kernels add up at once, and the blocks of images that have no more
/// channels.
constexpr int64_t kQuad = 4;

/// An image with its channels in blocks.
ChannelUse image() { return {{kChannelAxis}, {}, {}}; }
/// A vector with a number per channel.
ChannelUse perChannel() { return {{0}, {}, {}}; }

/// How a scalar function reads an operand that is broadcast to an image.
std::optional<ChannelUse> getBroadcastUse(Value operand, int64_t channels) {
  auto type = dyn_cast<SymTensorType>(operand.getType());
  if (!type || !type.hasRank() || type.getRank() > kImageRank)
    return std::nullopt;
  int64_t axis = kChannelAxis - (kImageRank - type.getRank());
  if (axis < 0 || type.getExtents()[axis].isConstant(1))
    return ChannelUse{};
  if (!type.getExtents()[axis].isConstant(channels))
    return std::nullopt;
  return ChannelUse{{axis}, {}, {}};
}

/// Whether a value is a constant of the model, packed or not.
bool isConstant(Value value) {
  if (auto repack = value.getDefiningOp<prog::RepackOp>())
    value = repack.getSource();
  return value.getDefiningOp<ConstantOp>() != nullptr;
}

/// Whether a product has so few rows that they are multiplied with rows of a transposed matrix as
/// they lie (gemm.h).
bool hasFewRows(SymTensorType product) {
  constexpr int64_t kFewRows = 4;
  int64_t rows = 1;
  for (ExtentAttr extent : product.getExtents().drop_back()) {
    std::optional<int64_t> count = extent.getConstant();
    if (!count || *count > kFewRows)
      return false;
    rows *= *count;
  }
  return rows <= kFewRows;
}

/// The type of a constant of floats that is a matrix, or one for each direction, and not empty;
/// else null.
SymTensorType getConstantMatrix(Value value, int64_t rank) {
  auto type = dyn_cast<SymTensorType>(value.getType());
  bool isMatrix =
      type && type.hasRank() && type.getRank() == rank && type.getElementType().isF32() &&
      isConstant(value) &&
      none_of(type.getExtents(), [](ExtentAttr extent) { return extent.isConstant(0); });
  return isMatrix ? type : SymTensorType();
}

/// Whether convolutions in groups, which compute all lanes of each block that a group has a channel
/// in, compute no more than two for each channel.
bool fillsBlocks(int64_t groups, int64_t channels, int64_t block) {
  int64_t width = channels / groups, lanes = 0;
  for (int64_t first = 0; width > 0 && first < channels; first += width)
    lanes += (llvm::divideCeil(first + width, block) - first / block) * block;
  return lanes <= 2 * channels;
}

/// The zeros that windows read around their input, empty when there are none; nullopt when their
/// number is not a constant.
std::optional<SmallVector<int64_t, 2>> getHalo(ArrayRef<WindowAxis> window) {
  SmallVector<int64_t, 2> halo;
  for (const WindowAxis &axis : window) {
    std::optional<int64_t> begin = axis.padBegin.getConstant(), end = axis.padEnd.getConstant();
    if (!begin || !end)
      return std::nullopt;
    halo.push_back(std::max(*begin, *end));
  }
  if (llvm::all_of(halo, [](int64_t zeros) { return zeros == 0; }))
    halo.clear();
  return halo;
}

/// The particulars of a convolution of bytes.
struct ByteForm {
  SmallVector<int64_t, 2> halo;
  /// The input channels are so few that they make a block of their own.
  bool isShort;
};

/// Nullopt for a convolution that kernels of bytes cannot do: groups are whole blocks, since there
/// is nothing to add up in shorter ones.
std::optional<ByteForm> getByteForm(Value x, Value w, Value y, int64_t group,
                                    const FailureOr<SmallVector<WindowAxis>> &window,
                                    const ChannelBlocks &target) {
  if (target.block <= 0 || failed(window) || !getBlockableChannels(y) || !isConstant(w))
    return std::nullopt;
  std::optional<SmallVector<int64_t, 2>> halo = getHalo(*window);
  ArrayRef<ExtentAttr> weights = cast<SymTensorType>(w.getType()).getExtents();
  ExtentAttr in = cast<SymTensorType>(x.getType()).getExtents()[kChannelAxis];
  int64_t blocks = group * target.block;
  bool isShort = group == 1 && *weights[1].getConstant() <= kQuad;
  bool isWhole = in.mod(blocks).isConstant(0) && weights.front().mod(blocks).isConstant(0);
  if (!halo || (group != 1 && !isWhole) || (!isShort && !getBlockableChannels(x)))
    return std::nullopt;
  return ByteForm{std::move(*halo), isShort};
}

} // namespace

ChannelBlocks cameo::onnx::getChannelBlocks(Operation *op) {
  TargetAttr target = TargetAttr::lookup(op);
  const prog::KernelTemplate &conv = *prog::findTemplate("conv_blocked");
  if (!target || !conv.isIn(target.getComputing().getKernels()))
    return {0, 0};
  return {conv.getBlockOf("x"), target.getComputing().getMachine().getFact("max_planes")};
}

std::optional<int64_t> cameo::onnx::getBlockableChannels(Value image) {
  auto type = dyn_cast<SymTensorType>(image.getType());
  if (!type || !type.hasRank() || type.getRank() != kImageRank ||
      !type.getElementType().isIntOrFloat())
    return std::nullopt;
  std::optional<int64_t> channels = type.getExtents()[kChannelAxis].getConstant();
  return channels && *channels > 1 ? channels : std::nullopt;
}

std::optional<ChannelUses> cameo::onnx::getElementwiseChannelUses(Operation *op) {
  std::optional<int64_t> channels = getBlockableChannels(op->getResult(0));
  if (!channels)
    return std::nullopt;
  ChannelUses uses;
  for (Value operand : op->getOperands()) {
    std::optional<ChannelUse> use = getBroadcastUse(operand, *channels);
    if (!use)
      return std::nullopt;
    uses.operands.push_back(*use);
  }
  uses.results.push_back(image());
  return uses;
}

std::optional<ChannelUses> cameo::onnx::getChannelwiseUses(Operation *op) {
  auto isUnused = [](Value result) { return result.use_empty(); };
  if (!getBlockableChannels(op->getOperand(0)) ||
      !llvm::all_of(op->getResults().drop_front(), isUnused))
    return std::nullopt;
  ChannelUses uses;
  uses.operands.push_back(image());
  uses.operands.append(op->getNumOperands() - 1, perChannel());
  uses.results.push_back(image());
  uses.results.resize(op->getNumResults());
  return uses;
}

std::optional<ChannelUses> cameo::onnx::getConcatChannelUses(Operation *op, int64_t axis,
                                                             const ChannelBlocks &target) {
  if (!getBlockableChannels(op->getResult(0)) ||
      (axis != kChannelAxis && axis != kChannelAxis - kImageRank))
    return std::nullopt;
  ChannelUses uses;
  for (Value input : op->getOperands()) {
    std::optional<int64_t> channels = getBlockableChannels(input);
    bool isLast = uses.operands.size() + 1 == op->getNumOperands();
    if (!channels || (*channels % target.block != 0 && !isLast))
      return std::nullopt;
    uses.operands.push_back(image());
  }
  uses.results.push_back(image());
  return uses;
}

std::optional<ChannelUses> cameo::onnx::getGatherChannelUses(GatherOp gather) {
  if (!elementTypeOf(gather.getData()).isF32() || !getBlockableChannels(gather.getOutput()) ||
      !getGatheredChannels(gather))
    return std::nullopt;
  ChannelUses uses;
  uses.operands = {image(), {}};
  uses.results.push_back(image());
  return uses;
}

std::optional<SmallVector<int64_t>> cameo::onnx::getGatheredChannels(GatherOp gather) {
  std::optional<int64_t> channels = getBlockableChannels(gather.getData());
  auto constant = gather.getIndices().getDefiningOp<ConstantOp>();
  auto indices = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : nullptr;
  if (!channels || !indices || indices.getType().getRank() != 1 ||
      (gather.getAxis() != kChannelAxis && gather.getAxis() != kChannelAxis - kImageRank))
    return std::nullopt;
  SmallVector<int64_t> gathered;
  for (const APInt &index : indices) {
    int64_t channel = index.getSExtValue();
    gathered.push_back(channel < 0 ? channel + *channels : channel);
    if (gathered.back() < 0 || gathered.back() >= *channels)
      return std::nullopt;
  }
  return gathered;
}

std::optional<ChannelUses>
cameo::onnx::getConvChannelUses(Value x, Value w, Value b, Value y, int64_t group,
                                const FailureOr<SmallVector<WindowAxis>> &window,
                                const ChannelBlocks &target) {
  if (failed(window) || !getBlockableChannels(y) || !elementTypeOf(x).isF32() || !isConstant(w))
    return std::nullopt;
  std::optional<SmallVector<int64_t, 2>> halo = getHalo(*window);
  ArrayRef<ExtentAttr> weights = cast<SymTensorType>(w.getType()).getExtents();
  ExtentAttr in = cast<SymTensorType>(x.getType()).getExtents()[kChannelAxis];
  // One input channel per output channel, one weight per tap.
  bool depthwise = group > 1 && in.isConstant(group) && weights.front().isConstant(group);
  bool planar =
      group == 1 && weights[1].isConstant() && *weights[1].getConstant() <= target.maxPlanes;
  bool fills =
      group == 1 || depthwise || fillsBlocks(group, *getBlockableChannels(y), target.block);
  if (!halo || !fills || (!planar && !getBlockableChannels(x)))
    return std::nullopt;

  ChannelUses uses;
  uses.operands.push_back(planar ? ChannelUse{{}, *halo, {}}
                                 : ChannelUse{{kChannelAxis}, *halo, {}});
  uses.operands.push_back(depthwise || planar ? ChannelUse{{0}, {}, {}}
                                              : ChannelUse{{1, 0}, {}, {}});
  if (b)
    uses.operands.push_back(perChannel());
  uses.results.push_back(image());
  uses.depth = 1;
  for (ExtentAttr extent : weights.drop_front())
    uses.depth *= *extent.getConstant();
  return uses;
}

std::optional<int64_t> cameo::onnx::getZeroPoint(Value value) {
  if (!value)
    return 0;
  auto constant = value.getDefiningOp<ConstantOp>();
  char byte = 0;
  if (!constant || !copyElements(constant.getValue(), {&byte, 1}))
    return std::nullopt;
  return elementTypeOf(value).isUnsignedInteger() ? int64_t{static_cast<uint8_t>(byte)}
                                                  : int64_t{static_cast<int8_t>(byte)};
}

bool cameo::onnx::canConvolveBytes(Value x, Value w, Value y, int64_t group,
                                   const FailureOr<SmallVector<WindowAxis>> &window,
                                   const ChannelBlocks &target) {
  return getByteForm(x, w, y, group, window, target).has_value();
}

std::optional<ChannelUses>
cameo::onnx::getConvIntegerChannelUses(Operation *op, int64_t group,
                                       const FailureOr<SmallVector<WindowAxis>> &window,
                                       const ChannelBlocks &target) {
  auto conv = cast<ConvIntegerOp>(op);
  std::optional<int64_t> zeroPoint = getZeroPoint(conv.getXZeroPoint());
  std::optional<ByteForm> form =
      getByteForm(conv.getX(), conv.getW(), conv.getY(), group, window, target);
  if (!form || !zeroPoint || conv.getWZeroPoint() ||
      !elementTypeOf(conv.getX()).isUnsignedInteger(8) ||
      !elementTypeOf(conv.getW()).isSignlessInteger(8))
    return std::nullopt;
  ChannelUses uses;
  uses.operands.push_back({{kChannelAxis}, form->halo, {}, *zeroPoint});
  if (form->isShort)
    uses.operands.back().blocks = {kQuad};
  uses.operands.push_back({{0, 1}, {}, {target.block, kQuad}});
  if (conv.getXZeroPoint())
    uses.operands.emplace_back();
  uses.results.push_back(image());
  uses.depth = 1;
  for (ExtentAttr extent : cast<SymTensorType>(conv.getW().getType()).getExtents().drop_front())
    uses.depth *= *extent.getConstant();
  uses.isRequired = true;
  return uses;
}

std::optional<ChannelUses> cameo::onnx::getProductChannelUses(Operation *op, bool transB,
                                                              const ChannelBlocks &target) {
  SymTensorType matrix = getConstantMatrix(op->getOperand(1), /*rank=*/2);
  auto product = dyn_cast<SymTensorType>(op->getResult(0).getType());
  if (!matrix || !product || !product.hasRank() || product.getRank() == 0 ||
      (transB && hasFewRows(product)))
    return std::nullopt;
  int64_t depth = *matrix.getExtents()[transB].getConstant();
  ChannelUses uses;
  uses.operands.resize(op->getNumOperands());
  uses.operands[1] =
      transB ? ChannelUse{{0}, {}, {}} : ChannelUse{{0, 1}, {}, {depth, target.block}};
  uses.results.resize(1);
  uses.depth = depth;
  return uses;
}

std::optional<ChannelUses> cameo::onnx::getRecurrentChannelUses(Operation *op) {
  SymTensorType matrix = getConstantMatrix(op->getOperand(1), /*rank=*/3);
  if (!matrix)
    return std::nullopt;
  ChannelUses uses;
  uses.operands.resize(op->getNumOperands());
  uses.operands[1] = ChannelUse{{1}, {}, {}};
  uses.results.resize(op->getNumResults());
  uses.depth = *matrix.getExtents()[2].getConstant();
  return uses;
}
