// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Select/DenseForms.h"

#include "Dialect/Prog/IR/ChannelBlocks.h"
#include "Dialect/Prog/IR/Convolutions.h"
#include "Select/Repacks.h"
#include "Select/Templates.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

//===----------------------------------------------------------------------===//
// Functors under another index
//===----------------------------------------------------------------------===//

/// The functors of a call for an index of another rank. Old dims are expressions of new ones and of
/// extents, which are symbols.
class Reindexing {
public:
  Reindexing(CallOp call, unsigned rank) : call(call), rank(rank) {}

  AffineExpr getDim(unsigned dim) const { return getAffineDimExpr(dim, call->getContext()); }
  /// An extent as every functor will have it.
  AffineExpr getExtent(ExtentAttr extent) {
    if (std::optional<int64_t> constant = extent.getConstant())
      return getAffineConstantExpr(*constant, call.getContext());
    extents.push_back(extent);
    return getAffineSymbolExpr(kFirstSymbol + extents.size() - 1, call.getContext());
  }
  void add(AffineExpr old) { dims.push_back(old); }

  void apply() {
    for (Operation &functor : call.getFunctors().front()) {
      auto body = cast<BodyOpInterface>(functor);
      SmallVector<Attribute> symbols(body.getMapSymbolExtents());
      unsigned own = symbols.size();
      llvm::append_range(symbols, extents);
      Builder builder(call.getContext());
      auto reindex = [&](ArrayRef<AffineMap> maps) {
        SmallVector<AffineMap> changed;
        for (AffineMap map : maps)
          changed.push_back(reindexMap(map, own));
        return changed;
      };
      SmallVector<AffineMap> inputs = reindex(body.getInputMaps());
      if (auto store = dyn_cast<StoreOp>(functor))
        store.setOutMapsAttr(builder.getAffineMapArrayAttr(reindex(body.getOutputMaps())));
      body.setBodyInputs(llvm::to_vector(body.getBodyInputs()), inputs, symbols);
      functor.setAttr("rank", builder.getI64IntegerAttr(rank));
    }
  }

private:
  /// Symbols of `dims` begin here until it is known how many a functor has of its own.
  static constexpr unsigned kFirstSymbol = 1u << 16;

  AffineMap reindexMap(AffineMap map, unsigned own) const {
    MLIRContext *context = map.getContext();
    llvm::DenseMap<AffineExpr, AffineExpr> renamed;
    for (unsigned number = 0; number < extents.size(); ++number)
      renamed[getAffineSymbolExpr(kFirstSymbol + number, context)] =
          getAffineSymbolExpr(own + number, context);
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : map.getResults())
      results.push_back(expr.replaceDims(dims).replace(renamed));
    return AffineMap::get(rank, own + extents.size(), results, context);
  }

  CallOp call;
  unsigned rank;
  SmallVector<AffineExpr> dims;
  SmallVector<ExtentAttr> extents;
};

//===----------------------------------------------------------------------===//
// Convolutions as products
//===----------------------------------------------------------------------===//

bool areAll(ArrayRef<ExtentAttr> extents, int64_t number) {
  return llvm::all_of(extents, [&](ExtentAttr extent) { return extent.isConstant(number); });
}

/// Whether each output reads one element of each channel, where it is itself.
bool isPointwise(CallOp conv) {
  auto ends = conv->getAttrOfType<ArrayAttr>(kPadEnd);
  return ends && areAll(getExtents(conv, "kernel"), 1) && areAll(getExtents(conv, "stride"), 1) &&
         areAll(getExtents(conv, "pad"), 0) &&
         areAll(llvm::to_vector(ends.getAsRange<ExtentAttr>()), 0) &&
         llvm::none_of(
             conv.getFunctors().front(),
             [](Operation &functor) { return asksForIndex(cast<BodyOpInterface>(functor)); }) &&
         !getTensor(conv.getIns()[0]).getLayout() && !getTensor(conv.getIns()[1]).getLayout();
}

/// The coordinates of element `number` of an array of `extents`, the last one first.
SmallVector<AffineExpr> takeApart(AffineExpr number, ArrayRef<ExtentAttr> extents,
                                  Reindexing &index) {
  SmallVector<AffineExpr> coordinates;
  for (ExtentAttr extent : llvm::reverse(extents.drop_front())) {
    AffineExpr length = index.getExtent(extent);
    coordinates.push_back(number % length);
    number = number.floorDiv(length);
  }
  coordinates.push_back(number);
  return coordinates;
}

} // namespace

bool cameo::multiplyPlanes(CallOp conv) {
  if (!isPointwise(conv))
    return false;
  Builder builder(conv.getContext());
  ExtentAttr one = ExtentAttr::constant(conv.getContext(), 1), pixels = one;
  SmallVector<ExtentAttr> output = getExtents(conv, "output");
  for (ExtentAttr extent : output)
    pixels = pixels * extent;
  int64_t groups = *getNumber(conv, "groups");
  ExtentAttr rows = getExtent(conv, "out_channels").floorDiv(groups);
  ExtentAttr depth = getTensor(conv.getIns()[1]).getExtents()[1];
  Reindexing index(conv, 4);
  index.add(index.getDim(0));
  index.add(index.getDim(1) * index.getExtent(rows) + index.getDim(2));
  SmallVector<AffineExpr> pixel = takeApart(index.getDim(3), output, index);
  for (AffineExpr coordinate : llvm::reverse(pixel))
    index.add(coordinate);
  index.apply();

  NamedAttrList members;
  MLIRContext *context = conv.getContext();
  members.set("batch",
              getList(context, {getExtent(conv, "batch"), ExtentAttr::constant(context, groups)}));
  members.set("batch_rank", builder.getI64IntegerAttr(2));
  members.set("m", rows);
  members.set("n", pixels);
  members.set("k", depth);
  members.set("trans_a", builder.getBoolAttr(false));
  members.set("trans_b", builder.getBoolAttr(false));
  members.set("a_batch_stride", getList(context, {pixels * 0, rows * depth}));
  members.set("b_batch_stride",
              getList(context, {getExtent(conv, "in_channels") * pixels, depth * pixels}));
  setTemplate(conv, kGemm, members);
  SmallVector<Value> ins{conv.getIns()[1], conv.getIns()[0]};
  conv.getInsMutable().assign(ins);
  return true;
}

void cameo::poolChannels(CallOp sums) {
  MLIRContext *context = sums.getContext();
  Builder builder(context);
  auto constant = [&](int64_t value) { return ExtentAttr::constant(context, value); };
  Reindexing index(sums, 5);
  for (unsigned dim : {0u, 2u, 3u, 4u})
    index.add(index.getDim(dim));
  index.apply();

  int64_t before = *getNumber(sums, "before"), after = *getNumber(sums, "after");
  ArrayAttr volume = getList(
      context, {getExtent(sums, "channels"), getExtent(sums, "rows"), getExtent(sums, "cols")});
  ArrayAttr ones = getList(context, {constant(1), constant(1), constant(1)});
  NamedAttrList members;
  members.set("spatial_rank", builder.getI64IntegerAttr(3));
  members.set("batch", getExtent(sums, "batch"));
  members.set("channels", constant(1));
  members.set("input", volume);
  members.set("output", volume);
  members.set("kernel", getList(context, {constant(before + 1 + after), constant(1), constant(1)}));
  members.set("stride", ones);
  members.set("dilation", ones);
  members.set("pad", getList(context, {constant(before), constant(0), constant(0)}));
  members.set("pad_end", getList(context, {constant(after), constant(0), constant(0)}));
  members.set("p", builder.getI64IntegerAttr(1));
  sums.setTypesAttr(builder.getStrArrayAttr({"pool_kind::lp"}));
  setTemplate(sums, kPool, members);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

namespace {

/// The type of a constant of so many axes that is not empty; null for another value.
SymTensorType getConstantMatrix(Value value, int64_t rank) {
  auto weight = value.getDefiningOp<WeightOp>();
  if (!weight || weight.getSteps() || weight.getType().getRank() != rank)
    return {};
  bool isEmpty = llvm::any_of(weight.getType().getExtents(),
                              [](ExtentAttr extent) { return extent.isConstant(0); });
  return isEmpty ? SymTensorType() : weight.getType();
}

/// Lays operand `number` out, which is a constant.
void setLayout(CallOp call, unsigned number, ArrayRef<int64_t> axes, ArrayRef<int64_t> blocks) {
  OpBuilder builder(call);
  auto layout = BlockedLayoutAttr::get(call.getContext(), axes, blocks, {});
  call.getInsMutable()[number].set(repack(builder, call.getIns()[number], layout));
}

bool packMatrix(CallOp call, int64_t block) {
  SymTensorType matrix = getConstantMatrix(call.getIns()[1], 2);
  if (!matrix || getNumber(call, "batch_rank") != 0)
    return false;
  Type rows = getTensor(call.getIns()[0]).getElementType(), columns = matrix.getElementType();
  bool isTransposed = getFlag(call, "trans_b");
  if (rows.isUnsignedInteger(8) && columns.isSignlessInteger(8) && !isTransposed &&
      !getFlag(call, "trans_a")) {
    setLayout(call, 1, {1, 0}, {block, kQuad});
    setTemplate(call, kGemmBlockedBytes, NamedAttrList(call.getParams()));
    return true;
  }
  // A single row is faster in dot products with the rows of a transposed matrix, as they lie.
  if (!rows.isF32() || !columns.isF32() || (isTransposed && getNumber(call, "m") == 1))
    return false;
  if (isTransposed)
    setLayout(call, 1, {0}, {block});
  else
    setLayout(call, 1, {0, 1}, {*matrix.getExtents()[0].getConstant(), block});
  setTemplate(call, kGemmBlocked, NamedAttrList(call.getParams()));
  return true;
}

/// The matrix of inputs of a recurrent layer of floats, one for each direction.
bool packInputs(CallOp call, int64_t block) {
  StringRef member = "w_in_blocks";
  constexpr unsigned w = 1;
  if (!findTemplate(call.getCallee())->findParam(member))
    return false;
  SymTensorType matrix = getConstantMatrix(call.getIns()[w], 3);
  if (!matrix || !matrix.getElementType().isF32())
    return false;
  setLayout(call, w, {1}, {block});
  NamedAttrList members(call.getParams());
  members.set(member, BoolAttr::get(call.getContext(), true));
  setTemplate(call, call.getCallee(), members);
  return true;
}

} // namespace

bool cameo::packColumns(CallOp call, int64_t block) {
  return call.getCallee() == kGemm ? packMatrix(call, block) : packInputs(call, block);
}
