// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One copy to the host, and one wait, for what the host asks for before it first waits.

#include "Plan/Passes.h"

#include "Dialect/Core/IR/Limits.h"
#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "Dialect/Prog/IR/ScalarBuilder.h"
#include "Support/NodeLocation.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_PACKFETCHESPASS
#include "Plan/Passes.h.inc"
} // namespace cameo

namespace {

AwaitOp getAwait(FetchOp fetch) { return cast<AwaitOp>(*fetch.getTicket().user_begin()); }

SymTensorType getType(FetchOp fetch) { return cast<SymTensorType>(fetch.getSource().getType()); }

Type getElementType(FetchOp fetch) { return getType(fetch).getElementType(); }

//===----------------------------------------------------------------------===//
// Elements of several types
//===----------------------------------------------------------------------===//

/// An integer with the bits of `type`.
IntegerType getBitsType(Type type) {
  return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
}

/// The element whose bits are among those of the 64-bit integer that it returns.
Value widen(ScalarBuilder &b, Value element, Type word) {
  Type type = element.getType();
  return b.cast(isa<FloatType>(type) ? b.reinterpret(element, getBitsType(type)) : element, word);
}

/// The value that `widen` was given.
Value narrow(ScalarBuilder &b, Value element, Type type) {
  return isa<FloatType>(type) ? b.reinterpret(b.cast(element, getBitsType(type)), type)
                              : b.cast(element, type);
}

/// Whether elements of the type can be widened: of whole bytes, no more than eight, and a number.
bool canWiden(Type type) {
  return type.isInteger(1) ||
         (type.isIntOrFloat() &&
          llvm::is_contained({8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth()));
}

/// The type of a list of all their elements: theirs, or the one that all are widened to.
Type getListType(ArrayRef<FetchOp> fetches) {
  Type first = getElementType(fetches.front());
  bool isOne = llvm::all_of(fetches, [&](FetchOp f) { return getElementType(f) == first; });
  return isOne ? first : IntegerType::get(first.getContext(), 64);
}

bool canShareList(Type a, Type b) { return a == b || (canWiden(a) && canWiden(b)); }

/// 0 for what has no constant number of elements, or lies otherwise than dense.
int64_t countElements(FetchOp fetch) {
  SymTensorType type = getType(fetch);
  return type.getLayout() ? 0 : type.getNumElements().getConstant().value_or(0);
}

/// A constant map from one dimension to each element of `type`, in row-major order.
void appendElementMaps(SymTensorType type, SmallVectorImpl<AffineMap> &maps) {
  MLIRContext *context = type.getContext();
  SmallVector<int64_t> strides = computeStrides(llvm::map_to_vector(
      type.getExtents(), [](ExtentAttr extent) { return *extent.getConstant(); }));
  int64_t count = *type.getNumElements().getConstant();
  for (int64_t element = 0; element < count; ++element)
    maps.push_back(AffineMap::get(
        1, 0, getAffineConstantExprs(delinearize(element, strides), context), context));
}

struct PackFetchesPass : cameo::impl::PackFetchesPassBase<PackFetchesPass> {
  using PackFetchesPassBase::PackFetchesPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      pack(function.getBody().front());
    for (Operation *op : replaced)
      op->erase();
  }

private:
  /// Waits, each followed by what it waited for.
  SmallVector<Operation *> replaced;

  void pack(Block &block) {
    // Nobody has waited for these yet.
    SmallVector<FetchOp> started;
    for (Operation &op : block) {
      if (auto fetch = dyn_cast<FetchOp>(op))
        started.push_back(fetch);
      else if (auto await = dyn_cast<AwaitOp>(op))
        settle(await.getTicket().getDefiningOp<FetchOp>(), started);
      else if (isa<IfOp, LoopOp>(op) && !isRepeated(&op)) // there the device asks itself
        for (Region &region : op.getRegions())
          pack(region.front());
    }
  }

  /// Packs `fetch`, which is waited for now, with those that fit; all of them leave `started`.
  void settle(FetchOp fetch, SmallVectorImpl<FetchOp> &started) {
    // Packed already, with one that was waited for before.
    if (!llvm::is_contained(started, fetch))
      return;
    SmallVector<FetchOp> packed;
    int64_t elements = countElements(fetch);
    llvm::erase_if(started, [&](FetchOp other) {
      if (other == fetch) {
        packed.push_back(other);
        return true;
      }
      int64_t more = countElements(other);
      if (elements == 0 || more == 0 || elements + more > core::kMaxHostElements ||
          getAwait(other).getChooses() != getAwait(fetch).getChooses() ||
          !canShareList(getElementType(other), getElementType(fetch)))
        return false;
      elements += more;
      packed.push_back(other);
      return true;
    });
    if (packed.size() > 1)
      pack(packed, getAwait(fetch));
  }

  /// One list of their elements, copied where the last of them would start, awaited where `first`
  /// is.
  void pack(ArrayRef<FetchOp> fetches, AwaitOp first) {
    OpBuilder builder(fetches.back());
    Value list = makeList(builder, fetches);
    auto type = cast<SymTensorType>(list.getType());
    Location location = first.getLoc();
    auto ticket = FetchOp::create(builder, location, TicketType::get(&getContext(), type), list);
    keepReaders(ticket, fetches);
    builder.setInsertionPoint(first);
    auto fetched = AwaitOp::create(builder, location, type.withSide(Side::Host), ticket);
    fetched.setChooses(first.getChooses());
    int64_t offset = 0;
    for (FetchOp fetch : fetches) {
      AwaitOp await = getAwait(fetch);
      builder.setInsertionPoint(await);
      if (await.getChooses())
        takeConditions(await, fetched, offset);
      else
        await.getOutput().replaceAllUsesWith(
            takePart(builder, await.getLoc(), fetched, offset, await.getType()));
      offset += countElements(fetch);
      replaced.append({await, fetch});
    }
    numPacked += fetches.size();
  }

  /// Who reads counts, for each element of the list.
  static void keepReaders(FetchOp packed, ArrayRef<FetchOp> fetches) {
    SmallVector<LocationAttr> readers;
    for (FetchOp fetch : fetches) {
      readers.push_back(getCountReader(fetch));
      readers.resize(readers.size() + countElements(fetch) - 1);
    }
    if (llvm::any_of(readers, [](LocationAttr reader) { return reader != nullptr; }))
      setCountReaders(packed, readers);
  }

  /// Each branch goes by an element of the list itself, which the device reads too.
  static void takeConditions(AwaitOp await, Value list, int64_t offset) {
    for (Operation *user : llvm::make_early_inc_range(await->getUsers())) {
      auto element = cast<ElementOp>(user);
      element.setOffsetAttr(element.getOffset() + offset);
      element.getTensorMutable().assign(list);
    }
  }

  /// The elements of the list from `offset` on as a tensor: a view, or converted back.
  static Value takePart(OpBuilder &builder, Location location, Value list, int64_t offset,
                        SymTensorType type) {
    MLIRContext *context = builder.getContext();
    Type word = cast<SymTensorType>(list.getType()).getElementType();
    if (word == type.getElementType())
      return ViewOp::create(builder, location, type, list, ExtentAttr::constant(context, offset));
    ScalarBuilder b(builder, location);
    SmallVector<Value> elements;
    for (int64_t element = 0; element < *type.getNumElements().getConstant(); ++element) {
      Value wide = ElementOp::create(builder, location, word, list,
                                     ExtentAttr::constant(context, offset + element));
      elements.push_back(narrow(b, wide, type.getElementType()));
    }
    return FromElementsOp::create(builder, location, type, elements);
  }

  /// A thread for each element, which is an operand of its own.
  static Value makeList(OpBuilder &builder, ArrayRef<FetchOp> fetches) {
    MLIRContext *context = builder.getContext();
    SmallVector<AffineMap> maps;
    SmallVector<Value> operands;
    SmallVector<Location> locations;
    for (FetchOp fetch : fetches) {
      appendElementMaps(getType(fetch), maps);
      operands.resize(maps.size(), fetch.getSource());
      locations.push_back(fetch.getLoc());
    }
    Location location = fuseLocations(context, locations, {"readback"});
    Type elementType = getListType(fetches);
    auto extent = ExtentAttr::constant(context, static_cast<int64_t>(operands.size()));
    auto type = SymTensorType::get({extent}, elementType, Side::Device);
    auto kernel =
        KernelOp::create(builder, location, TypeRange{type}, operands, ValueRange{},
                         builder.getArrayAttr({extent}), builder.getAffineMapArrayAttr(maps),
                         builder.getAffineMapArrayAttr({builder.getMultiDimIdentityMap(1)}),
                         builder.getArrayAttr({}), builder.getDenseI64ArrayAttr({-1}));
    OpBuilder::InsertionGuard guard(builder);
    Block &body = kernel.getBody().emplaceBlock();
    builder.setInsertionPointToStart(&body);
    ScalarBuilder b(builder, location);
    SmallVector<Value> elements;
    for (Value operand : operands) {
      Type type = cast<SymTensorType>(operand.getType()).getElementType();
      Value element = body.addArgument(type, location);
      elements.push_back(type == elementType ? element : widen(b, element, elementType));
    }
    YieldOp::create(builder, location, ValueRange{b.choose(b.index(0), elements)});
    return kernel.getResult(0);
  }
};

} // namespace
