// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the extents that the device counts the host has to know. Those that only kernels read,
// and that sizes need no more than the bound of, stay where they are.

#include "Plan/CountedExtents.h"
#include "Plan/Passes.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Prog/IR/ScalarBuilder.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_SETTLECOUNTSPASS
#include "Plan/Passes.h.inc"
} // namespace cameo

namespace {

struct SettleCountsPass : cameo::impl::SettleCountsPassBase<SettleCountsPass> {
  using SettleCountsPassBase::SettleCountsPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      settle(function);
  }

private:
  void settle(func::FuncOp function) {
    SmallVector<CountOp> counts;
    function.walk([&](CountOp count) { counts.push_back(count); });
    if (counts.empty())
      return;
    CountedExtents counted(function);
    llvm::DenseMap<StringRef, Operation *> readers = counted.findHostNeeds(function);
    for (CountOp count : counts) {
      Operation *reader = readers.lookup(count.getSymbol().getName());
      if (!reader) {
        ++numCounted;
        continue;
      }
      readBack(count, reader->getLoc());
      ++numReadBack;
    }
    tellOutputs(function);
  }

  /// The copy starts where the count is there; who needs it first waits.
  static void readBack(CountOp count, LocationAttr reader) {
    Operation *user = findFirstUser(count);
    OpBuilder builder(count);
    Location location = count.getLoc();
    auto type = cast<SymTensorType>(count.getCount().getType());
    auto ticket = FetchOp::create(builder, location, TicketType::get(type.getContext(), type),
                                  count.getCount());
    setCountReader(ticket, reader);
    builder.setInsertionPoint(user);
    Value fetched = AwaitOp::create(builder, location, type.withSide(Side::Host), ticket);
    Value element = ElementOp::create(builder, location, builder.getI64Type(), fetched,
                                      ExtentAttr::constant(builder.getContext(), 0));
    BindOp::create(builder, location, count.getSymbol(), element);
    count.erase();
  }

  /// The first op of the block that names the symbol, or its end.
  static Operation *findFirstUser(CountOp count) {
    StringRef symbol = count.getSymbol().getName();
    SymbolUses uses;
    for (Operation *op = count->getNextNode();; op = op->getNextNode()) {
      bool isUser = op->hasTrait<OpTrait::IsTerminator>();
      op->walk([&](Operation *inner) {
        uses.forEach(inner, [&](StringRef name) { isUser |= name == symbol; });
      });
      if (isUser)
        return op;
    }
  }

  /// Extents of outputs that the host will not know leave the run behind it.
  static void tellOutputs(func::FuncOp function) {
    SymbolAnalysis symbols(function);
    Operation *terminator = function.getBody().front().getTerminator();
    SmallVector<ExtentAttr> extents;
    SmallVector<int64_t> outputs, axes;
    SmallVector<Location> locations;
    for (auto [output, type] : llvm::enumerate(terminator->getOperandTypes()))
      for (auto [axis, extent] : llvm::enumerate(cast<SymTensorType>(type).getExtents()))
        if (symbols.isOnDevice(extent)) {
          extents.push_back(extent);
          locations.push_back(terminator->getOperand(output).getLoc());
          outputs.push_back(static_cast<int64_t>(output));
          axes.push_back(static_cast<int64_t>(axis));
        }
    if (extents.empty())
      return;
    OpBuilder builder(terminator);
    Location location = fuseLocations(function.getContext(), locations, {"output_extents"});
    Value list = storeExtents(builder, location, extents);
    ExtentsOp::create(builder, location, list, outputs, axes);
  }

  /// A kernel with a thread per extent.
  static Value storeExtents(OpBuilder &builder, Location location, ArrayRef<ExtentAttr> extents) {
    MLIRContext *context = builder.getContext();
    auto count = ExtentAttr::constant(context, static_cast<int64_t>(extents.size()));
    Type i64 = builder.getI64Type();
    auto type = SymTensorType::get({count}, i64, Side::Device);
    auto kernel =
        KernelOp::create(builder, location, TypeRange{type}, ValueRange{}, ValueRange{},
                         builder.getArrayAttr({count}), builder.getAffineMapArrayAttr({}),
                         builder.getAffineMapArrayAttr({builder.getMultiDimIdentityMap(1)}),
                         builder.getArrayAttr({}), builder.getDenseI64ArrayAttr({-1}));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&kernel.getBody().emplaceBlock());
    ScalarBuilder b(builder, location);
    Value stored = b.extent(extents.front());
    for (auto [number, extent] : llvm::drop_begin(llvm::enumerate(extents)))
      stored = b.select(b.equal(b.index(0), b.constant(i64, static_cast<int64_t>(number))),
                        b.extent(extent), stored);
    YieldOp::create(builder, location, ValueRange{stored});
    return kernel.getResult(0);
  }
};

} // namespace
