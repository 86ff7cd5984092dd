// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the extents that the device counts the host has to know. Those that only kernels read,
// and that sizes need no more than the bound of, stay where they are.

#include "Plan/Choice.h"
#include "Plan/CountedExtents.h"
#include "Plan/Passes.h"
#include "Plan/Repetition.h"

#include "Dialect/Core/IR/CountedBranches.h"
#include "Dialect/Core/IR/RepeatedLoops.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Prog/IR/Choices.h"
#include "Dialect/Prog/IR/ExtentKernel.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Dialect/Prog/IR/WaitOrder.h"
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
    countBranches(function);
    auto hasCounts = [](Operation *op) {
      bool has = isa<CountOp>(op) || isRepeated(op) || isCounted(op);
      return has ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (!walkOutsideKernels(function, hasCounts).wasInterrupted())
      return;
    defineHostParts(function);
    nameExtents(function);
    while (releaseBranches(function) || releaseLoops(function))
      ;
    CountedExtents counted(function);
    llvm::DenseMap<StringRef, Operation *> readers = counted.findHostNeeds(function);
    readSources(function, counted, readers);
    countDefinitions(function, counted, readers);
    SmallVector<CountOp> counts;
    walkOutsideKernels(function, [&](CountOp count) { counts.push_back(count); });
    for (CountOp count : counts) {
      Operation *reader = readers.lookup(count.getSymbol().getName());
      if (!reader) {
        ++numCounted;
        continue;
      }
      readBack(count, reader->getLoc());
      ++numReadBack;
    }
    // Waits stand where Place saw none.
    if (!readers.empty())
      orderByWaits(function);
    tellOutputs(function);
  }

  /// Marks the branches whose results may have extents that the device counts: where it could
  /// choose, the host has the most that they can be, and waits for nothing else.
  static void countBranches(func::FuncOp function) {
    SmallVector<IfOp> branches;
    walkOutsideKernels(function, [&](IfOp branch) {
      if (!branch.getSymbols().empty())
        branches.push_back(branch);
    });
    for (IfOp branch : branches)
      setCounted(branch, true);
    for (size_t before = branches.size() + 1; !branches.empty() && branches.size() != before;) {
      before = branches.size();
      Choices choices(function);
      SymbolAnalysis symbols(function);
      bool waits = !waitsForChoicesOnly(function, choices);
      llvm::erase_if(branches, [&](IfOp branch) {
        bool isCounted = choices.contains(branch) && isBounded(branch, symbols) &&
                         (!waits || isInRepetition(branch));
        setCounted(branch, isCounted);
        return !isCounted;
      });
    }
  }

  /// Whether the host knows in front of the branch how large its results may be.
  static bool isBounded(IfOp branch, const SymbolAnalysis &symbols) {
    return llvm::all_of(branch.getSymbols().getAsRange<SymbolAttr>(), [&](SymbolAttr symbol) {
      return symbols.areKnownBefore(symbols.getBound(symbol.getExtent(), branch), branch);
    });
  }

  /// Where the host waits anyhow it takes the branches too; whether there was such a one.
  static bool releaseBranches(func::FuncOp function) {
    SmallVector<IfOp> branches;
    walkOutsideKernels(function, [&](IfOp branch) {
      if (isCounted(branch))
        branches.push_back(branch);
    });
    if (branches.empty())
      return false;
    CountedExtents counted(function);
    llvm::DenseMap<StringRef, Operation *> readers = counted.findHostNeeds(function);
    SourceMap sources = findSources(function, counted);
    for (StringRef symbol : llvm::to_vector(llvm::make_first_range(readers)))
      for (StringRef source : sources.lookup(symbol))
        readers.try_emplace(source, readers.lookup(symbol));
    llvm::erase_if(branches, [&](IfOp branch) {
      bool isKept = isInRepetition(branch) ? !definesAny(branch, readers) : readers.empty();
      setCounted(branch, isKept);
      return isKept;
    });
    return !branches.empty();
  }

  /// The host runs what the device cannot; whether there was such a loop.
  static bool releaseLoops(func::FuncOp function) {
    SmallVector<LoopOp> loops;
    walkOutsideKernels(function, [&](LoopOp loop) {
      if (isRepeated(loop))
        loops.push_back(loop);
    });
    if (loops.empty())
      return false;
    CountedExtents counted(function);
    llvm::DenseMap<StringRef, Operation *> readers = counted.findHostNeeds(function);
    bool changed = false;
    for (LoopOp loop : loops) {
      if (findEnd(loop) && !definesAny(loop, readers))
        continue;
      setRepeated(loop, false);
      changed = true;
    }
    return changed;
  }

  /// Whether the loop or branch, or an op inside, defines one of the symbols.
  static bool definesAny(Operation *root, const llvm::DenseMap<StringRef, Operation *> &symbols) {
    bool defines = false;
    root->walk([&](SymbolDefiningOp op) {
      op.visitSymbols([&](const SymbolDefinition &definition) {
        defines |= symbols.contains(definition.symbol.getName());
      });
    });
    return defines;
  }

  /// The host computes, and checks, what it can of an extent with counts.
  static void defineHostParts(func::FuncOp function) {
    CountedExtents counted(function);
    define(function, "known", counted.findHostParts(function), counted);
  }

  /// Kernels take multiples of one count: what else follows from counts and sizes their results
  /// gets a symbol, which is a count then.
  static void nameExtents(func::FuncOp function) {
    CountedExtents counted(function);
    define(function, "sized", counted.findNameable(function), counted);
  }

  /// Gives extents symbols, which name them wherever the function has them, in others too.
  static void define(func::FuncOp function, StringRef hint,
                     const llvm::SetVector<ExtentAttr> &extents, const CountedExtents &counted) {
    SymbolFactsScope scope(function);
    SmallVector<std::pair<ExtentAttr, SymbolAttr>> symbols;
    llvm::DenseMap<ExtentAttr, ExtentAttr> names;
    for (ExtentAttr extent : extents)
      if (counted.findDefiner(extent)) {
        symbols.push_back({extent, addName(function, hint, extent, counted)});
        names[extent] = symbols.back().second.getExtent();
      }
    if (names.empty())
      return;
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](ExtentAttr extent) {
      return extent.replaceParts([&](ExtentAttr part) { return names.lookup(part); });
    });
    replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    for (auto [extent, symbol] : llvm::reverse(symbols)) {
      auto builder = OpBuilder::atBlockBegin(&function.getBody().front());
      Location location = function.getLoc();
      if (Operation *definer = *counted.findDefiner(extent)) {
        builder.setInsertionPointAfter(definer);
        location = definer->getLoc();
      }
      DefineOp::create(builder, location, symbol, extent, /*checked=*/false);
    }
  }

  /// Of an extent with counts the host has a bound only.
  static SymbolAttr addName(func::FuncOp function, StringRef hint, ExtentAttr extent,
                            const CountedExtents &counted) {
    ExtentRange values = range(extent, counted.getFacts());
    SymbolFact fact;
    fact.min = values.lo().value_or(std::numeric_limits<int64_t>::min());
    fact.max = values.hi().value_or(std::numeric_limits<int64_t>::max());
    ExtentAttr bound = counted.getCounts(extent).empty() ? ExtentAttr() : counted.getBound(extent);
    StringRef name = addSymbol(function, hint, fact).getName();
    return SymbolAttr::get(function.getContext(), name, fact, bound);
  }

  using SourceMap = llvm::MapVector<StringRef, SmallVector<StringRef>>;

  /// By symbol that is defined by counts: those that all of it follows from.
  static SourceMap findSources(func::FuncOp function, const CountedExtents &counted) {
    SourceMap sources;
    function.walk<WalkOrder::PreOrder>([&](DefineOp definition) {
      llvm::SetVector<StringRef> own;
      for (StringRef count : counted.getCounts(definition.getExtent())) {
        auto found = sources.find(count);
        if (found == sources.end())
          own.insert(count);
        else
          own.insert_range(found->second);
      }
      if (!own.empty())
        sources[definition.getSymbol().getName()] = own.takeVector();
    });
    return sources;
  }

  /// Reads back what needed counts are defined by, where that is not more: the host then has all
  /// that follows from it.
  static void readSources(func::FuncOp function, const CountedExtents &counted,
                          llvm::DenseMap<StringRef, Operation *> &readers) {
    SourceMap sources = findSources(function, counted);
    llvm::DenseMap<StringRef, Operation *> instead;
    for (auto [symbol, reader] : readers) {
      auto found = sources.find(symbol);
      for (StringRef source : found == sources.end() ? ArrayRef(symbol) : found->second)
        instead.try_emplace(source, reader);
    }
    if (instead.size() <= readers.size())
      readers = std::move(instead);
  }

  /// What is defined by counts is one itself: a kernel computes it from them, one for all that are
  /// defined in a row. The host does so where it will have all of them.
  void countDefinitions(func::FuncOp function, const CountedExtents &counted,
                        const llvm::DenseMap<StringRef, Operation *> &readers) {
    llvm::DenseSet<StringRef> onHost;
    for (auto [symbol, reader] : readers)
      onHost.insert(symbol);
    SmallVector<SmallVector<DefineOp>> rows;
    function.walk<WalkOrder::PreOrder>([&](DefineOp definition) {
      llvm::SetVector<StringRef> counts = counted.getCounts(definition.getExtent());
      if (counts.empty())
        return;
      if (llvm::all_of(counts, [&](StringRef count) { return onHost.contains(count); })) {
        onHost.insert(definition.getSymbol().getName());
        return;
      }
      bool isNext = !rows.empty() && definition->getPrevNode() == rows.back().back() &&
                    llvm::none_of(rows.back(), [&](DefineOp other) {
                      return counts.contains(other.getSymbol().getName());
                    });
      if (!isNext)
        rows.emplace_back();
      rows.back().push_back(definition);
    });
    for (SmallVector<DefineOp> &row : rows)
      count(row, counted);
  }

  void count(MutableArrayRef<DefineOp> definitions, const CountedExtents &counted) {
    OpBuilder builder(definitions.front());
    MLIRContext *context = builder.getContext();
    SmallVector<SymbolAttr> symbols;
    SmallVector<ExtentAttr> extents;
    SmallVector<Location> locations;
    for (DefineOp definition : definitions) {
      // Behind an overflow, which the symbol's facts exclude, memory is still safe. Its own bound
      // may say what another count leaves; the host's does not.
      SymbolAttr symbol = definition.getSymbol();
      ExtentAttr most =
          symbol.getBound() ? symbol.getBound() : counted.getBound(symbol.getExtent());
      symbols.push_back(SymbolAttr::get(context, symbol.getName(), symbol.getFact(), most));
      extents.push_back(definition.getExtent().max(symbol.getMin()).min(most));
      locations.push_back(definition.getLoc());
    }
    Location location = fuseLocations(context, locations, {"counts"});
    Value list = storeExtents(builder, location, extents, getList(extents.size()));
    for (auto [number, definition] : llvm::enumerate(definitions)) {
      builder.setInsertionPoint(definition);
      Value count = list;
      if (definitions.size() > 1)
        count = ViewOp::create(builder, location, getList(1), list,
                               ExtentAttr::constant(context, static_cast<int64_t>(number)));
      CountOp::create(builder, definition.getLoc(), symbols[number], count);
      definition.erase();
    }
  }

  /// `count` integers on the device.
  SymTensorType getList(size_t count) {
    auto extent = ExtentAttr::constant(&getContext(), static_cast<int64_t>(count));
    return SymTensorType::get({extent}, IntegerType::get(&getContext(), 64), Side::Device);
  }

  /// What the host has, memory may wait for: a bound beyond all extents, which any integer on the
  /// device has, is none.
  static SymbolAttr withoutLimit(SymbolAttr symbol) {
    std::optional<int64_t> limit =
        symbol.getBound() ? symbol.getBound().getConstant() : std::nullopt;
    return limit && *limit > kMaxSymbolExtent
               ? SymbolAttr::get(symbol.getContext(), symbol.getName(), symbol.getFact())
               : symbol;
  }

  /// The copy starts where the count is there; who needs it waits, behind all that does not.
  static void readBack(CountOp count, LocationAttr reader) {
    OpBuilder builder(count);
    Location location = count.getLoc();
    auto type = cast<SymTensorType>(count.getCount().getType());
    auto ticket = FetchOp::create(builder, location, TicketType::get(type.getContext(), type),
                                  count.getCount());
    setCountReader(ticket, reader);
    Value fetched = AwaitOp::create(builder, location, type.withSide(Side::Host), ticket);
    Value element = ElementOp::create(builder, location, builder.getI64Type(), fetched,
                                      ExtentAttr::constant(builder.getContext(), 0));
    BindOp::create(builder, location, withoutLimit(count.getSymbol()), element);
    count.erase();
  }

  /// Extents of outputs that the host will not know leave the run behind it.
  void tellOutputs(func::FuncOp function) {
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
    Value list = storeExtents(builder, location, extents, getList(extents.size()));
    ExtentsOp::create(builder, location, list, outputs, axes);
  }
};

} // namespace
