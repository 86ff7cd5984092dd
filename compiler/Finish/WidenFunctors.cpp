// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functors that may move neighbours along the last coordinate by one access.

#include "Dialect/Core/IR/ElementBytes.h"
#include "Finish/Passes.h"
#include "Finish/TargetOf.h"
#include "Finish/WideAccess.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_WIDENFUNCTORSPASS
#include "Finish/Passes.h.inc"
} // namespace cameo

namespace {

/// The walks of a body with `prog.offsets` through chunks of `count` neighbours.
class ChunkWalks {
public:
  ChunkWalks(BodyOpInterface body, int64_t count) : body(body), count(count) { find(); }

  /// Whether each moves as one access where it moves at all.
  bool areTaken() const {
    return areMoved && isAnyMoved && !llvm::is_contained(inputs, Walk::Otherwise);
  }
  host::WideAttr getAttr() {
    auto lines = llvm::map_to_vector(inputs, [](Walk walk) { return walk == Walk::ToNeighbour; });
    MLIRContext *context = body->getContext();
    return host::WideAttr::get(context, count, DenseBoolArrayAttr::get(context, lines));
  }

private:
  void find();
  Walk get(AffineMap map, Type type);

  BodyOpInterface body;
  int64_t count;
  SmallVector<Walk> inputs;
  bool areMoved = true, isAnyMoved = false;
};

} // namespace

Walk ChunkWalks::get(AffineMap map, Type type) {
  auto tensor = cast<SymTensorType>(type);
  ArrayRef<Attribute> symbols = body.getMapSymbolExtents();
  Walk walk = getWalk(getOffset(map, symbols), map.getNumDims() - 1, count, symbols);
  bool isTooWide = count * getElementBytes(tensor.getElementType()) > kAccessBytes;
  if (walk == Walk::ToNeighbour && (tensor.isPacked() || isTooWide))
    walk = Walk::Otherwise;
  isAnyMoved |= walk == Walk::ToNeighbour;
  return walk;
}

void ChunkWalks::find() {
  unsigned leading = body.getNumTemplateValues();
  for (auto [number, input, map] : llvm::enumerate(body.getBodyInputs(), body.getInputMaps())) {
    bool isRead = isa<SymTensorType>(input.getType()) &&
                  !body.getBodyBlock()->getArgument(leading + number).use_empty();
    inputs.push_back(isRead ? get(map, input.getType()) : Walk::Stays);
  }
  for (auto [result, map] : llvm::zip_equal(body.getStoredResults(), body.getOutputMaps()))
    areMoved = areMoved && get(map, result.getType()) == Walk::ToNeighbour;
}

/// Marks a body with the widest form that it has, if it has one.
static void widen(BodyOpInterface body) {
  if (body->hasAttr("host.apart") || body.getIndexRank() == 0)
    return;
  for (int64_t count = kAccessBytes; count > 1; count /= 2)
    if (ChunkWalks walks(body, count); walks.areTaken()) {
      body->setAttr("host.wide", walks.getAttr());
      return;
    }
}

namespace {

struct WidenFunctorsPass : cameo::impl::WidenFunctorsPassBase<WidenFunctorsPass> {
  void runOnOperation() override {
    const Target *target = findTargetOf(getOperation());
    for (auto kernel : getOperation().getOps<host::KernelOp>())
      if (target && target->getSide(kernel.getSide()).kernels->takesWideFunctors)
        kernel.walk([](BodyOpInterface body) { widen(body); });
  }
};

} // namespace
