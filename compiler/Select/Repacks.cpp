// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Select/Repacks.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/Prog/IR/Views.h"
#include "Select/Templates.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// Where a value comes from, by whose name what is made of it is called.
Location getOrigin(Value value) {
  auto result = dyn_cast<OpResult>(value);
  return result ? getMakerLocation(result.getLoc(), result.getResultNumber(),
                                   result.getOwner()->getNumResults())
                : value.getLoc();
}

/// The layout of the two that has an axis in blocks; null when none has.
BlockedLayoutAttr getBlocks(SymTensorType from, SymTensorType to) {
  for (SymTensorType type : {from, to})
    if (BlockedLayoutAttr layout = type.getBlockedLayout(); layout && !layout.getAxes().empty())
      return layout;
  return {};
}

/// Whether the elements lie in one order: whole blocks of single elements, and no halo.
bool areInOneOrder(SymTensorType type, BlockedLayoutAttr layout) {
  if (!layout || layout.getAxes().size() != 1 || !layout.getHalo().empty())
    return false;
  int64_t axis = layout.getAxes().front();
  return type.getExtents()[axis].mod(layout.getBlocks().front()).isConstant(0) &&
         llvm::all_of(type.getExtents().drop_front(axis + 1),
                      [](ExtentAttr extent) { return extent.isConstant(1); });
}

/// The constant that a value is, seen under its extents; null for what is none.
ElementsAttr getConstant(Value value) {
  auto weight = stripViews(value).getDefiningOp<WeightOp>();
  if (!weight || weight.getSteps())
    return {};
  if (weight.getOutput() == value)
    return weight.getValue();
  SmallVector<int64_t> shape;
  for (ExtentAttr extent : getTensor(value).getExtents())
    if (std::optional<int64_t> count = extent.getConstant())
      shape.push_back(*count);
  bool isWhole = shape.size() == getTensor(value).getExtents().size() &&
                 getTensor(value).getNumElements() == weight.getType().getNumElements();
  return isWhole ? reshapeElements(weight.getValue(), shape) : ElementsAttr();
}

class Repacker {
public:
  Repacker(OpBuilder &builder, Value value, SymTensorType to)
      : builder(builder), value(value), from(getTensor(value)), to(to) {}

  Value build() {
    BlockedLayoutAttr blocks = getBlocks(from, to);
    if (Value weight = packWeight())
      return weight;
    if (areInOneOrder(to, blocks))
      return ViewOp::create(builder, getOrigin(value), to, value, constant(0));
    return blocks ? packChannels(blocks) : addHalo();
  }

private:
  ExtentAttr constant(int64_t number) const {
    return ExtentAttr::constant(builder.getContext(), number);
  }
  Value packWeight();
  Value packChannels(BlockedLayoutAttr blocks);
  Value addHalo();

  OpBuilder &builder;
  Value value;
  SymTensorType from, to;
};

Value Repacker::packWeight() {
  if (!to.getLayout())
    return {};
  if (ElementsAttr elements = getConstant(value))
    return WeightOp::create(builder, getOrigin(value), to, elements);
  // The layout becomes the last of the steps that make a constant.
  auto weight = value.getDefiningOp<WeightOp>();
  if (!weight || from.getLayout())
    return {};
  return WeightOp::create(builder, getOrigin(value), to, weight.getValue(),
                          weight.getSteps()->getValue());
}

/// Between a dense tensor and blocks of one axis, behind which at most two others stand.
Value Repacker::packChannels(BlockedLayoutAttr blocks) {
  ArrayRef<ExtentAttr> extents = to.getExtents();
  int64_t axis = blocks.getAxes().front(), rank = to.getRank();
  ExtentAttr batch = constant(1);
  for (ExtentAttr extent : extents.take_front(axis))
    batch = batch * extent;
  NamedAttrList members;
  members.set("batch", batch);
  members.set("channels", extents[axis]);
  members.set("rows", axis + 2 < rank ? extents[rank - 2] : constant(1));
  members.set("cols", axis + 1 < rank ? extents[rank - 1] : constant(1));
  members.set("halo", builder.getArrayAttr({constant(blocks.getHaloOf(rank - 2, rank)),
                                            constant(blocks.getHaloOf(rank - 1, rank))}));
  members.set("lanes", builder.getI64IntegerAttr(blocks.getBlocks().front()));
  StringRef callee = to.getBlockedLayout() == blocks ? kPackChannels : kUnpackChannels;
  return createCall(builder, getOrigin(value), callee, members, value, to);
}

/// A copy of a dense tensor into one with a halo, or out of it.
Value Repacker::addHalo() {
  unsigned rank = to.getRank();
  auto getMap = [&](SymTensorType type) {
    BlockedLayoutAttr layout = type.getBlockedLayout();
    SmallVector<AffineExpr> index;
    for (unsigned axis = 0; axis < rank; ++axis)
      index.push_back(builder.getAffineDimExpr(axis) + (layout ? layout.getHaloOf(axis, rank) : 0));
    return builder.getAffineMapArrayAttr(AffineMap::get(rank, 0, index, builder.getContext()));
  };
  ArrayRef<ExtentAttr> extents = to.getExtents();
  auto kernel =
      KernelOp::create(builder, getOrigin(value), TypeRange{to}, ValueRange{value}, ValueRange(),
                       getList(builder.getContext(), extents), getMap(from), getMap(to),
                       builder.getArrayAttr({}), builder.getDenseI64ArrayAttr({-1}));
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&kernel.getBody());
  Value element = block->addArgument(to.getElementType(), getOrigin(value));
  YieldOp::create(builder, getOrigin(value), element);
  return kernel.getResult(0);
}

} // namespace

Value cameo::repack(OpBuilder &builder, Value value, Attribute layout) {
  Value repacked = Repacker(builder, value, getTensor(value).withLayout(layout)).build();
  if (!repacked.getDefiningOp<WeightOp>() && layout)
    return clearHalo(builder, repacked);
  return repacked;
}

Value cameo::clearHalo(OpBuilder &builder, Value value) {
  SymTensorType type = getTensor(value);
  BlockedLayoutAttr layout = type.getBlockedLayout();
  if (!layout || layout.getHalo().empty())
    return value;
  SmallVector<ExtentAttr> extents = type.getPhysicalExtents();
  int64_t rows = type.getRank() - 2;
  auto product = [&](ArrayRef<ExtentAttr> factors) {
    ExtentAttr all = ExtentAttr::constant(builder.getContext(), 1);
    for (ExtentAttr factor : factors)
      all = all * factor;
    return all;
  };
  SmallVector<Attribute> halo;
  for (int64_t width : layout.getHalo())
    halo.push_back(ExtentAttr::constant(builder.getContext(), width));
  NamedAttrList members;
  if (layout.getFill() != 0)
    members.set("fill", builder.getI64IntegerAttr(layout.getFill()));
  members.set("planes", product(ArrayRef(extents).take_front(rows)));
  members.set("rows", type.getExtents()[rows]);
  members.set("cols", type.getExtents()[rows + 1]);
  members.set("lanes", product(ArrayRef(extents).drop_front(rows + 2)));
  members.set("halo", builder.getArrayAttr(halo));
  builder.setInsertionPointAfterValue(value);
  Value cleared = createCallInPlace(builder, getOrigin(value), kClearHalo, members, value);
  value.replaceAllUsesExcept(cleared, cleared.getDefiningOp());
  return cleared;
}

bool cameo::isDestination(OpOperand &operand) {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber(), count = getDests(op).size();
  if (count == 0)
    return false;
  auto kernel = dyn_cast<KernelOp>(op);
  unsigned first = kernel ? kernel.getIns().size() : cast<CallOp>(op).getIns().size();
  return number >= first && number < first + count;
}
