// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Select/ConvVariants.h"

#include "Dialect/Core/IR/ConstantSteps.h"
#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/Convolutions.h"
#include "Dialect/Prog/IR/Views.h"
#include "Kernels/Kept.h"
#include "Select/RangedCalls.h"
#include "Select/Templates.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

//===----------------------------------------------------------------------===//
// How operands lie
//===----------------------------------------------------------------------===//

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
std::optional<SmallVector<int64_t, 2>> getHalo(CallOp call) {
  auto ends = call->getAttrOfType<ArrayAttr>(kPadEnd);
  if (!ends)
    return std::nullopt;
  SmallVector<int64_t, 2> halo;
  for (auto [pad, padEnd] :
       llvm::zip_equal(getExtents(call, "pad"), ends.getAsRange<ExtentAttr>())) {
    std::optional<int64_t> begin = pad.getConstant(), end = ExtentAttr(padEnd).getConstant();
    if (!begin || !end)
      return std::nullopt;
    halo.push_back(std::max(*begin, *end));
  }
  if (llvm::all_of(halo, [](int64_t zeros) { return zeros == 0; }))
    halo.clear();
  return halo;
}

class ConvolvedOperands {
public:
  ConvolvedOperands(CallOp call, ImageForm &form, const ChannelBlocks &blocks)
      : call(call), form(form), blocks(blocks), x(getTensor(call.getIns()[0])),
        w(getTensor(call.getIns()[1])), groups(*getNumber(call, "groups")),
        outputs(form.channels.count) {
    inputs = x.getRank() == 4 ? x.getExtents()[1].getConstant() : std::nullopt;
  }

  bool add() {
    std::optional<SmallVector<int64_t, 2>> halo = getHalo(call);
    auto weights = call.getIns()[1].getDefiningOp<WeightOp>();
    bool isKnown = halo && weights && !weights.getSteps() && getNumber(call, "spatial_rank") == 2 &&
                   call.getStores().size() == 1;
    if (!isKnown)
      return false;
    form.sharing = std::max<int64_t>(1, outputs / groups);
    form.depth = 1;
    // The weights are a constant, so all of their extents are.
    for (ExtentAttr extent : w.getExtents().drop_front())
      form.depth *= *extent.getConstant();
    return call.getCallee() == kConvInteger ? addBytes(*halo) : addFloats(*halo);
  }

private:
  int64_t getGroupInputs() const { return *w.getExtents()[1].getConstant(); }
  bool isBlockable() const { return inputs && *inputs > 1; }
  void set(ImageUse image, ImageUse weights) {
    form.operands[&call.getInsMutable()[0]] = std::move(image);
    form.operands[&call.getInsMutable()[1]] = std::move(weights);
  }

  bool addFloats(ArrayRef<int64_t> halo) {
    // One input channel per output channel, one weight per tap.
    bool isDepthwise = groups > 1 && inputs == groups && outputs == groups;
    bool isPlanar = groups == 1 && getGroupInputs() <= blocks.maxPlanes;
    bool isFilled = groups == 1 || isDepthwise || fillsBlocks(groups, outputs, blocks.block);
    if (!x.getElementType().isF32() || !isFilled || (!isPlanar && !isBlockable()))
      return false;
    ImageUse image;
    image.halo.assign(halo.begin(), halo.end());
    if (!isPlanar)
      image.axes = {1};
    set(image, isDepthwise || isPlanar ? ImageUse{{0}, {}, {}} : ImageUse{{1, 0}, {}, {}});
    return true;
  }

  /// A tap on padding reads what the image's zero point is, which is in the halo.
  bool addBytes(ArrayRef<int64_t> halo) {
    ByteChannels channels{groups, getGroupInputs(), outputs, inputs};
    if (!channels.haveKernel(blocks))
      return false;
    ImageUse image{{1}, {}, {}, *getNumber(call, "pad_value")};
    image.halo.assign(halo.begin(), halo.end());
    if (channels.areShort())
      image.blocks = {kQuad};
    set(image, ImageUse{{0, 1}, {}, {blocks.block, kQuad}});
    form.isRequired = true;
    return true;
  }

  CallOp call;
  ImageForm &form;
  const ChannelBlocks &blocks;
  SymTensorType x, w;
  int64_t groups, outputs;
  std::optional<int64_t> inputs;
};

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// An image and the windows over it.
struct Image {
  Value x;
  SmallVector<ExtentAttr> kernel, output, stride, dilation, pad;

  Image(CallOp call, Value x)
      : x(x), kernel(getExtents(call, "kernel")), output(getExtents(call, "output")),
        stride(getExtents(call, "stride")), dilation(getExtents(call, "dilation")),
        pad(getExtents(call, "pad")) {}

  SymTensorType getType() const { return getTensor(x); }
  /// Whether its channels are not in blocks.
  bool isPlanes() const {
    BlockedLayoutAttr layout = getType().getBlockedLayout();
    return !layout || layout.getAxes().empty();
  }
  /// Members of calls over the image with its halo, by the names that all records have for them.
  NamedAttrList getMembers() const;
  /// Whether taps lie so far apart that whole tiles may have one in the halo.
  bool isMostlyHalo() const;
  Attribute getHaloWidths() const;
};

bool Image::isMostlyHalo() const {
  constexpr int64_t far = 4;
  BlockedLayoutAttr layout = getType().getBlockedLayout();
  return layout && llvm::any_of(llvm::seq<unsigned>(0, 2), [&](unsigned axis) {
           return !kernel[axis].isConstant(1) &&
                  dilation[axis].getConstant().value_or(far) >= far &&
                  layout.getHaloOf(2 + axis, getType().getRank()) >= far;
         });
}

Attribute Image::getHaloWidths() const {
  SymTensorType type = getType();
  auto width = [&](int64_t axis) {
    return ExtentAttr::constant(type.getContext(),
                                type.getBlockedLayout().getHaloOf(axis, type.getRank()));
  };
  return getList(type.getContext(), {width(2), width(3)});
}

NamedAttrList Image::getMembers() const {
  SymTensorType type = getType();
  BlockedLayoutAttr layout = type.getBlockedLayout();
  SmallVector<ExtentAttr> physical = type.getPhysicalExtents();
  NamedAttrList members;
  auto list = [&](StringRef name, ArrayRef<ExtentAttr> extents) {
    members.set(name, getList(type.getContext(), extents));
  };
  auto first = [&](unsigned axis) {
    return -pad[axis] + (layout ? layout.getHaloOf(2 + axis, type.getRank()) : 0);
  };
  list("kernel", kernel);
  list("output", output);
  list("stride", stride);
  list("dilation", dilation);
  members.set("batch", type.getExtents()[0]);
  members.set("in_channels", type.getExtents()[1]);
  members.set("rows", physical[2]);
  members.set("cols", physical[3]);
  members.set("top", first(0));
  members.set("left", first(1));
  return members;
}

/// Whether `type` has all zeros around its planes that `reader` has.
bool hasHaloOf(SymTensorType type, SymTensorType reader) {
  BlockedLayoutAttr layout = type.getBlockedLayout(), wanted = reader.getBlockedLayout();
  return llvm::all_of(llvm::seq<int64_t>(0, type.getRank()), [&](int64_t axis) {
    return layout.getHaloOf(axis, type.getRank()) >= wanted.getHaloOf(axis, type.getRank());
  });
}

bool isSmaller(SymTensorType a, SymTensorType b) {
  std::optional<int64_t> ofA = a.getNumElements().getConstant(),
                         ofB = b.getNumElements().getConstant();
  return ofA && ofB && *ofA < *ofB;
}

/// The op that makes the last of what a call reads beside an image, where that is behind all other
/// readers of the image: with the image packed in front of it, its result takes the image's memory.
/// The call itself where there is none.
Operation *findLastOperand(CallOp call, Value image) {
  Operation *last = nullptr;
  auto visit = [&](Value operand) {
    Operation *def = operand == image ? nullptr : operand.getDefiningOp();
    if (def && def->getBlock() == call->getBlock() && !isa<WeightOp>(def) &&
        (!last || last->isBeforeInBlock(def)))
      last = def;
  };
  forEachRead(call, visit);
  auto isInFront = [&](Operation *op) {
    Operation *own = op ? call->getBlock()->findAncestorOpInBlock(*op) : nullptr;
    return own && own->isBeforeInBlock(last);
  };
  bool isBehind = last && isInFront(image.getDefiningOp()) &&
                  llvm::all_of(image.getUsers(),
                               [&](Operation *user) { return user == call || isInFront(user); });
  return isBehind ? last : call;
}

/// Whether a call stores what it gathers as it is, one channel behind the other.
bool isPlain(CallOp gather) {
  StoreOp store = gather.getStores().front();
  Block &body = store.getBody().front();
  return gather.getNumResults() == 1 && gather.getDests().empty() && store.getIns().empty() &&
         body.getTerminator()->getOperands() == body.getArguments().take_front(1);
}

/// The gather of channels that a convolution in groups can read through, which names each of its
/// inputs anyway; null where there is none.
CallOp findGather(CallOp call) {
  auto gather = call.getIns()[0].getDefiningOp<CallOp>();
  if (!gather || gather.getCallee() != kGather || getNumber(call, "groups") == 1)
    return {};
  SymTensorType data = getTensor(gather.getIns()[0]), result = getTensor(call.getIns()[0]);
  // Each lane of a depthwise convolution reads its own channel.
  bool mixes = getTensor(call.getIns()[1]).getBlockedLayout().getAxes().size() > 1;
  bool isWhole = data.getExtents() == result.getExtents();
  return mixes && isWhole && data.getBlockedLayout() && isPlain(gather) && hasHaloOf(data, result)
             ? gather
             : CallOp();
}

Value makeList(OpBuilder &builder, Location loc, ArrayRef<int64_t> channels, Side side) {
  auto count = static_cast<int64_t>(channels.size());
  auto elements =
      llvm::map_to_vector(channels, [](int64_t channel) { return static_cast<int32_t>(channel); });
  Type element = builder.getI32Type();
  auto value = DenseElementsAttr::get(RankedTensorType::get({count}, element), ArrayRef(elements));
  auto type =
      SymTensorType::get({ExtentAttr::constant(builder.getContext(), count)}, element, side);
  return WeightOp::create(builder, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

class ConvBuilder {
public:
  explicit ConvBuilder(CallOp call)
      : call(call), gather(findGather(call)), builder(call),
        image(call, gather ? gather.getIns()[0] : call.getIns()[0]) {}

  /// The call as variants for floats see it. The facts outlive it.
  Problem makeProblem(const ExtentFacts &facts);
  /// The bytes of the images of the weights that a choice reads.
  int64_t getWeightBytes(const RangedChoice &choice);
  /// The bytes of the largest image that the compiler makes by transforming them; 0 where it makes
  /// none.
  int64_t getLargestImage(const RangedChoice &choice);
  void buildFloats(const Range &range);
  void buildBytes();

private:
  /// The image of what all taps read, a channel for each, in blocks, and the window of one tap over
  /// it.
  Image packPatches(const Image &from);
  /// The phases of an image, and the window of their taps. A phase has all that the taps of one
  /// residue read, so it has the patches of a square of the stride.
  Image packPhases(int64_t taps);
  /// The weights as a variant reads them in the place of its contract's.
  SymTensorType getPackedType(const Range &range, const VariantPack &pack);
  Value packWeights(const Range &range, const VariantPack &pack);
  /// The channels of the image that the groups read, one after the other.
  Value listInputs();
  NamedAttrList getMembers();
  /// Sets members of a template to numbers.
  void setNumbers(NamedAttrList &members, StringRef callee, const ChosenNumbers &numbers);
  void replace(StringRef callee, const NamedAttrList &members, ArrayRef<Value> ins);

  ExtentAttr constant(int64_t value) const {
    return ExtentAttr::constant(call->getContext(), value);
  }

  CallOp call, gather;
  OpBuilder builder;
  Image image;
};

void ConvBuilder::setNumbers(NamedAttrList &members, StringRef callee,
                             const ChosenNumbers &numbers) {
  for (auto [name, number] : numbers.numbers) {
    const TemplateParam *param = findTemplate(callee)->findParam(name);
    if (param && param->isStatic)
      members.set(name, builder.getI64IntegerAttr(number));
    else
      members.set(name, constant(number));
  }
}

NamedAttrList ConvBuilder::getMembers() {
  NamedAttrList members = image.getMembers();
  for (StringRef own : {"groups", "out_channels"})
    members.set(own, call.getParams().get(own));
  return members;
}

Problem ConvBuilder::makeProblem(const ExtentFacts &facts) {
  Problem problem(call, facts);
  problem.set(getMembers())
      .setConstant("w", call.getIns()[1].getDefiningOp<WeightOp>() != nullptr)
      .setPlanes("x", image.isPlanes())
      .setListed("x", gather != nullptr);
  return problem;
}

void ConvBuilder::buildFloats(const Range &range) {
  const Candidate &chosen = range.candidate;
  const KernelTemplate *kernel = findTemplate(chosen.variant->function);
  if (chosen.variant->expansion == Expansion::Phases)
    image = packPhases(*chosen.members.find("taps"));
  else if (chosen.variant->expansion == Expansion::Patches)
    image = packPatches(image);
  SmallVector<Value> ins;
  for (const TemplateOperand &operand : kernel->operands) {
    const VariantPack *pack = chosen.variant->findPack(operand.name);
    ins.push_back(pack                  ? packWeights(range, *pack)
                  : operand.name == "x" ? image.x
                  : operand.name == "w" ? call.getIns()[1]
                                        : listInputs());
  }
  NamedAttrList members = getMembers();
  // By definition a zero of the halo times an infinite weight is no number.
  bool isExact = PrecisionAttr::lookup(call) == Precision::Exact;
  if (kernel->name == kConvBlocked && image.isMostlyHalo() && !isExact)
    members.set("halo", image.getHaloWidths());
  setNumbers(members, kernel->name, chosen.members);
  replace(kernel->name, members, ins);
}

void ConvBuilder::buildBytes() {
  NamedAttrList members = getMembers();
  int64_t lanes = image.getType().getBlockedLayout().getBlocks().front();
  members.set("lanes", builder.getI64IntegerAttr(lanes));
  replace(kConvBlockedBytes, members, llvm::to_vector(call.getIns()));
}

void ConvBuilder::replace(StringRef callee, const NamedAttrList &members, ArrayRef<Value> ins) {
  setTemplate(call, callee, members);
  call.getInsMutable().assign(ins);
}

Image ConvBuilder::packPatches(const Image &from) {
  SymTensorType x = from.getType();
  int64_t block = findTemplate(kConvBlocked)->getBlockOf("x");
  ExtentAttr channels =
      from.isPlanes() ? x.getExtents()[1] : x.getExtents()[1].ceilDiv(block) * block;
  for (ExtentAttr taps : from.kernel)
    channels = channels * taps;
  auto to = SymTensorType::get({x.getExtents()[0], channels, from.output[0], from.output[1]},
                               x.getElementType(), x.getSide(),
                               BlockedLayoutAttr::get(x.getContext(), {1}, {block}, {}));
  Image patches = from;
  OpBuilder::InsertionGuard guard(builder);
  if (isSmaller(to, x))
    builder.setInsertionPoint(findLastOperand(call, from.x));
  patches.x =
      createCall(builder, getOwnLocation(call.getLoc()),
                 from.isPlanes() ? kPackPlanePatches : kPackPatches, from.getMembers(), from.x, to);
  patches.kernel = patches.stride = patches.dilation = {constant(1), constant(1)};
  patches.pad = {constant(0), constant(0)};
  return patches;
}

Image ConvBuilder::packPhases(int64_t taps) {
  Image square = image;
  square.kernel = image.stride;
  for (ExtentAttr &output : square.output)
    output = output + (taps - 1);
  Image phases = packPatches(square);
  phases.kernel = {constant(taps), constant(taps)};
  phases.output = image.output;
  return phases;
}

static SmallVector<Attribute> getSteps(const Range &range, const VariantPack &pack) {
  return pack.getSteps(range.problem, range.candidate.choices);
}

SymTensorType ConvBuilder::getPackedType(const Range &range, const VariantPack &pack) {
  SymTensorType type = getTensor(call.getIns()[1]).withLayout({});
  auto layout = BlockedLayoutAttr::get(call->getContext(), pack.axes, pack.blocks, {});
  ArrayAttr steps = makeSteps(call->getContext(), getSteps(range, pack), layout);
  bool isTaken = succeeded(applySteps(steps, type, [&] { return call.emitError(); }));
  assert(isTaken && "guards of a variant allow what its steps take");
  (void)isTaken;
  return type;
}

static int64_t getBytes(Type type) {
  return getStorageBytes(cast<SymTensorType>(type)).getConstant().value_or(0);
}

static const VariantPack *findCompiledWeights(const Range &range) {
  return range.candidate.variant->findCompiledPack("w");
}

int64_t ConvBuilder::getWeightBytes(const RangedChoice &choice) {
  llvm::SetVector<Type> images;
  for (const Range &range : choice.ranges) {
    const VariantPack *pack = findCompiledWeights(range);
    images.insert(pack ? getPackedType(range, *pack) : getTensor(call.getIns()[1]));
  }
  int64_t bytes = 0;
  for (Type image : images)
    bytes += getBytes(image);
  return bytes;
}

int64_t ConvBuilder::getLargestImage(const RangedChoice &choice) {
  int64_t largest = 0;
  for (const Range &range : choice.ranges)
    if (const VariantPack *pack = findCompiledWeights(range))
      largest = std::max(largest, getBytes(getPackedType(range, *pack)));
  return largest;
}

Value ConvBuilder::packWeights(const Range &range, const VariantPack &pack) {
  SymTensorType type = getPackedType(range, pack);
  auto weight = call.getIns()[1].getDefiningOp<WeightOp>();
  if (pack.call.empty())
    return WeightOp::create(builder, weight.getLoc(), type, weight.getValue(),
                            getSteps(range, pack));
  NamedAttrList members = getMembers();
  setNumbers(members, pack.call, range.candidate.members);
  setNumbers(members, pack.call,
             evaluateMembers(pack.members, range.problem, range.candidate.choices));
  return createCall(builder, getOwnLocation(call.getLoc()), pack.call, members, weight.getOutput(),
                    type);
}

Value ConvBuilder::listInputs() {
  int64_t count = *getTensor(call.getIns()[0]).getExtents()[1].getConstant();
  auto channels =
      gather ? *getGatheredChannels(gather) : llvm::to_vector(llvm::seq<int64_t>(0, count));
  return makeList(builder, getOwnLocation(call.getLoc()), channels,
                  getTensor(call.getIns()[0]).getSide());
}

} // namespace

SmallVector<ExtentAttr> cameo::getConvolvedExtents(CallOp call) {
  SmallVector<ExtentAttr> extents{getExtent(call, "batch"), getExtent(call, "out_channels")};
  llvm::append_range(extents, getExtents(call, "output"));
  return extents;
}

bool cameo::addConvolved(CallOp call, ImageForm &form, const ChannelBlocks &blocks) {
  return ConvolvedOperands(call, form, blocks).add();
}

namespace {
/// A convolution as it is chosen, and with a smaller image of its weights.
class WeightsChoice {
public:
  WeightsChoice(ConvMember member, const ExtentFacts &facts)
      : builder(member.first), problem(builder.makeProblem(facts)), form(*member.second) {}

  LogicalResult choose();

  int64_t getBytes() const { return bytes; }
  /// Finds the next smaller image; false where there is none.
  bool findSmaller();
  /// Takes it.
  void shrink() {
    form.choice = std::move(smaller);
    bytes = smallerBytes;
  }
  /// Whether the smaller image loses less by a byte that it saves.
  bool losesLess(const WeightsChoice &other) const {
    Amount own = lost * other.getSaved(), others = other.lost * getSaved();
    return own == others ? getSaved() > other.getSaved() : own < others;
  }

private:
  int64_t getSaved() const { return bytes - smallerBytes; }
  static Amount getUsualPrice(const RangedChoice &choice) {
    const Range &usual = choice.ranges[choice.usual];
    return *getPriceIn(usual.problem, usual.candidate);
  }

  ConvBuilder builder;
  Problem problem;
  ImageForm &form;
  RangedChoice smaller;
  int64_t bytes = 0, smallerBytes = 0;
  Amount lost;
};
} // namespace

LogicalResult WeightsChoice::choose() {
  FailureOr<RangedChoice> choice = chooseByRanges(kConvBlocked, problem);
  if (failed(choice))
    return failure();
  assert(!choice->ranges.empty() && "one of the direct variants takes each convolution");
  form.choice = std::move(*choice);
  bytes = builder.getWeightBytes(*form.choice);
  return success();
}

bool WeightsChoice::findSmaller() {
  int64_t largest = builder.getLargestImage(*form.choice);
  if (largest == 0 || isKept(problem))
    return false;
  smaller = *chooseByRanges(kConvBlocked, problem.setBudget(largest - 1));
  smallerBytes = builder.getWeightBytes(smaller);
  lost = std::max<int64_t>(0, (getUsualPrice(smaller) - getUsualPrice(*form.choice)).get());
  return smallerBytes < bytes && builder.getLargestImage(smaller) < largest;
}

LogicalResult cameo::chooseConvolutions(ArrayRef<ConvMember> members, const ExtentFacts &facts,
                                        int64_t budget) {
  std::vector<WeightsChoice> choices;
  int64_t bytes = 0;
  for (ConvMember member : members) {
    if (failed(choices.emplace_back(member, facts).choose()))
      return failure();
    bytes += choices.back().getBytes();
  }
  if (bytes <= budget)
    return success();
  std::vector<WeightsChoice *> shrinking;
  for (WeightsChoice &choice : choices)
    if (choice.findSmaller())
      shrinking.push_back(&choice);
  while (bytes > budget && !shrinking.empty()) {
    auto least = llvm::min_element(
        shrinking, [](const WeightsChoice *a, const WeightsChoice *b) { return a->losesLess(*b); });
    bytes -= (*least)->getBytes();
    (*least)->shrink();
    bytes += (*least)->getBytes();
    if (!(*least)->findSmaller())
      shrinking.erase(least);
  }
  return success();
}

Operation *cameo::convolveBlocks(CallOp call, const ImageForm &form) {
  if (call.getCallee() == kConvInteger) {
    ConvBuilder(call).buildBytes();
    return call;
  }
  RangedChoice choice = *form.choice;
  RangedCalls calls = branchByRanges(call, kConvBlocked, choice);
  for (auto [copy, range] : llvm::zip_equal(calls.copies, choice.ranges))
    ConvBuilder(copy).buildFloats(range);
  return calls.whole;
}

void cameo::pickChannels(CallOp gather) {
  OpBuilder builder(gather);
  Value x = gather.getIns()[0];
  SymTensorType data = getTensor(x), result = getTensor(gather.getResult(0));
  BlockedLayoutAttr layout = data.getBlockedLayout();
  SmallVector<ExtentAttr> physical = data.getPhysicalExtents();
  SmallVector<int64_t> channels = *getGatheredChannels(gather);
  auto constant = [&](int64_t value) { return ExtentAttr::constant(gather.getContext(), value); };
  SmallVector<ExtentAttr> inner = getExtents(gather, "inner");
  NamedAttrList members;
  members.set("batch", data.getExtents()[0]);
  members.set("in_channels", data.getExtents()[1]);
  members.set("out_channels", constant(static_cast<int64_t>(channels.size())));
  members.set("rows", physical[2]);
  members.set("cols", physical[3]);
  members.set("top", constant(layout.getHaloOf(2, data.getRank())));
  members.set("left", constant(layout.getHaloOf(3, data.getRank())));
  members.set("output", getList(gather.getContext(), inner));
  Value list = makeList(builder, gather.getLoc(), channels, result.getSide());
  setTemplate(gather, kPickChannels, members);
  gather.getInsMutable().assign({x, list});
}
