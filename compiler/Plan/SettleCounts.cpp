// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the extents that the device counts the host has to know. Extents that only kernels read,
// and that sizes need no more than the bound of, stay where they are.

#include "Plan/Aliases.h"
#include "Plan/Choice.h"
#include "Plan/ChoosingLoops.h"
#include "Plan/CountedExtents.h"
#include "Plan/Passes.h"
#include "Plan/Repetition.h"

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
    countChosen(function);
    auto hasCounts = [](Operation *op) {
      bool has = isa<CountOp>(op) || isRepeated(op) || !getCountedSymbols(op).empty();
      return has ? WalkResult::interrupt() : WalkResult::advance();
    };
    if (!walkOutsideKernels(function, hasCounts).wasInterrupted())
      return;
    defineHostParts(function);
    while (countDecided(function))
      ;
    nameExtents(function);
    while (releaseLoops(function) || releaseDecided(function))
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
      readBack(count, reader->getLoc(), counted.getFacts());
      ++numReadBack;
    }
    // Waits stand where Place saw none.
    if (!readers.empty())
      orderByWaits(function);
    tellOutputs(function);
  }

  /// The extents that a branch or a loop gives to its symbol `number`.
  static std::pair<ExtentAttr, ExtentAttr> getDecided(Operation *op, size_t number) {
    auto loop = dyn_cast<LoopOp>(op);
    Attribute first =
        loop ? loop.getInitExtents()[number] : cast<IfOp>(op).getThenExtents()[number];
    Attribute second =
        loop ? loop.getNextExtents()[number] : cast<IfOp>(op).getElseExtents()[number];
    return {cast<ExtentAttr>(first), cast<ExtentAttr>(second)};
  }

  /// Keeps the numbers of the symbols of branches and of the host's loops for which `isCounted`;
  /// whether any of them differs from those before.
  static bool updateDecided(
      func::FuncOp function,
      llvm::function_ref<bool(Operation *op, SymbolAttr symbol, size_t number)> isCounted) {
    bool changed = false;
    walkOutsideKernels(function, [&](Operation *op) {
      if (!isa<IfOp, LoopOp>(op) || isRepeated(op))
        return;
      ArrayAttr symbols =
          isa<IfOp>(op) ? cast<IfOp>(op).getSymbols() : cast<LoopOp>(op).getSymbols();
      SmallVector<int64_t> counted;
      for (auto [number, symbol] : llvm::enumerate(symbols.getAsRange<SymbolAttr>()))
        if (isCounted(op, symbol, number))
          counted.push_back(static_cast<int64_t>(number));
      changed |= getCountedSymbols(op) != ArrayRef(counted);
      setCountedSymbols(op, counted);
    });
    return changed;
  }

  /// Extents in which branches differ are counts where the device could choose, the host has the
  /// most that they can be, and it waits for nothing else; loops that wait for branches only are
  /// the device's.
  static void countChosen(func::FuncOp function) {
    bool areSome =
        updateDecided(function, [](Operation *op, SymbolAttr, size_t) { return isa<IfOp>(op); });
    repeatChoosingLoops(function);
    if (areSome)
      while (keepChosen(function))
        ;
  }

  /// Takes the marks from branches that are none of these; whether there was one.
  static bool keepChosen(func::FuncOp function) {
    Choices choices(function);
    SymbolAnalysis symbols(function);
    bool waits = !waitsForChoicesOnly(function, choices);
    return updateDecided(function, [&](Operation *op, SymbolAttr, size_t) {
      auto branch = dyn_cast<IfOp>(op);
      return branch && choices.contains(branch) && isBounded(branch, symbols) &&
             (!waits || isInRepetition(branch));
    });
  }

  /// Whether the host knows in front of the branch how large its results may be.
  static bool isBounded(IfOp branch, const SymbolAnalysis &symbols) {
    return llvm::all_of(branch.getSymbols().getAsRange<SymbolAttr>(), [&](SymbolAttr symbol) {
      return symbols.areKnownBefore(symbols.getBound(symbol.getExtent(), branch), branch);
    });
  }

  /// Extents that a branch or a loop decides by counts are counts; whether there are more of them.
  static bool countDecided(func::FuncOp function) {
    SymbolAnalysis symbols(function);
    return updateDecided(function, [&](Operation *op, SymbolAttr, size_t number) {
      auto [first, second] = getDecided(op, number);
      return isCountedSymbol(op, number) || symbols.isOnDevice(first) || symbols.isOnDevice(second);
    });
  }

  /// The host decides what it needs, what no kernel could compute, and, where it waits anyhow, what
  /// no count is in; whether there was any.
  static bool releaseDecided(func::FuncOp function) {
    CountedExtents counted(function);
    llvm::DenseMap<StringRef, Operation *> readers = counted.findHostNeeds(function);
    return updateDecided(function, [&](Operation *op, SymbolAttr symbol, size_t number) {
      auto [first, second] = getDecided(op, number);
      bool hasCounts = !counted.getCounts(first).empty() || !counted.getCounts(second).empty();
      return isCountedSymbol(op, number) && !readers.contains(symbol.getName()) &&
             counted.isBounded(first) && counted.isBounded(second) &&
             (hasCounts || readers.empty() || isInRepetition(op));
    });
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
      leaveToHost(loop);
      changed = true;
    }
    return changed;
  }

  /// Whether the loop, or an op inside, defines one of the symbols.
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
    // A view of all elements may say an extent as a part of another, in which it has no name.
    SmallVector<ViewOp> whole;
    walkOutsideKernels(function, [&](ViewOp view) {
      if (hasAllElements(view))
        whole.push_back(view);
    });
    define(function, "sized", counted.findNameable(function), counted);
    for (ViewOp view : whole)
      if (!hasAllElements(view))
        setWholeView(view);
  }

  static bool hasAllElements(ViewOp view) {
    return cast<SymTensorType>(view.getSource().getType()).getNumElements() ==
           view.getType().getNumElements();
  }

  /// Gives extents symbols, which name them from where they have a value on.
  static void define(func::FuncOp function, StringRef hint,
                     const llvm::SetVector<ExtentAttr> &extents, const CountedExtents &counted) {
    SymbolFactsScope scope(function);
    llvm::MapVector<Block *, Names> blocks;
    for (ExtentAttr extent : extents)
      for (SymbolPlace place : counted.findPlaces(function, extent)) {
        Block *block = place.isInside ? &place.op->getRegion(0).front() : place.op->getBlock();
        blocks[block].push_back({extent, place, addName(function, hint, extent, counted)});
      }
    SmallVector<std::pair<Block *, Names>> innerFirst = blocks.takeVector();
    llvm::stable_sort(innerFirst, [](const auto &x, const auto &y) {
      return getDepth(x.first) > getDepth(y.first);
    });
    for (auto &[block, names] : innerFirst)
      define(*block, names);
  }

  struct Name {
    ExtentAttr extent;
    SymbolPlace place;
    SymbolAttr symbol;
  };
  using Names = SmallVector<Name>;

  static size_t getDepth(Block *block) {
    size_t depth = 0;
    for (Operation *op = block->getParentOp(); op; op = op->getParentOp())
      ++depth;
    return depth;
  }

  /// Extents with other names for parts of them: a loop's growth is read off what its body leaves.
  static ArrayAttr replaceParts(ArrayAttr extents,
                                llvm::function_ref<ExtentAttr(ExtentAttr part)> lookup) {
    return ArrayAttr::get(extents.getContext(),
                          llvm::map_to_vector(extents.getAsRange<ExtentAttr>(), [&](auto whole) {
                            return Attribute(whole.replaceParts([&](ExtentAttr part) {
                              return part == whole ? ExtentAttr() : lookup(part);
                            }));
                          }));
  }

  /// Names extents in a block, whose inner blocks have their own names by then.
  static void define(Block &block, const Names &names) {
    llvm::DenseMap<ExtentAttr, ExtentAttr> symbols;
    for (const Name &name : names)
      symbols[name.extent] = name.symbol.getExtent();
    auto lookup = [&](ExtentAttr part) { return symbols.lookup(part); };
    AttrTypeReplacer replacer;
    replacer.addReplacement([&](ExtentAttr extent) { return extent.replaceParts(lookup); });
    auto replaceIn = [&](Operation *op) {
      auto yield = dyn_cast<YieldOp>(op);
      ArrayAttr left = yield ? yield.getExtentsAttr() : ArrayAttr();
      replacer.replaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                 /*replaceTypes=*/true);
      if (left)
        yield.setExtentsAttr(replaceParts(left, lookup));
    };
    if (isa<func::FuncOp>(block.getParentOp()))
      replaceIn(block.getParentOp());
    for (Operation &op : block)
      op.walk(replaceIn);
    for (const Name &name : llvm::reverse(names)) {
      OpBuilder builder(block.getParentOp()->getContext());
      if (name.place.isInside)
        builder.setInsertionPointToStart(&block);
      else
        builder.setInsertionPointAfter(name.place.op);
      DefineOp::create(builder, name.place.op->getLoc(), name.symbol, name.extent,
                       /*checked=*/false);
    }
  }

  /// The host has a bound only of an extent with counts.
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

  /// By symbol that is a count or defined by counts: those that all of it follows from. Nobody
  /// reads back a symbol of a loop or a branch: what is defined by one is a source itself.
  static SourceMap findSources(func::FuncOp function, const CountedExtents &counted) {
    SourceMap sources;
    auto addDefined = [&](DefineOp definition) {
      StringRef name = definition.getSymbol().getName();
      llvm::SetVector<StringRef> own;
      for (StringRef count : counted.getCounts(definition.getExtent())) {
        auto found = sources.find(count);
        if (found == sources.end()) {
          sources[name] = {name};
          return;
        }
        own.insert_range(found->second);
      }
      if (!own.empty())
        sources[name] = own.takeVector();
    };
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto count = dyn_cast<CountOp>(op)) {
        StringRef name = count.getSymbol().getName();
        sources[name] = {name};
      } else if (auto definition = dyn_cast<DefineOp>(op)) {
        addDefined(definition);
      }
    });
    return sources;
  }

  /// Reads back what needed counts are defined by, where that is not more: the host then has all
  /// that follows from it.
  static void readSources(func::FuncOp function, const CountedExtents &counted,
                          llvm::DenseMap<StringRef, Operation *> &readers) {
    SourceMap sources = findSources(function, counted);
    llvm::DenseMap<StringRef, Operation *> instead;
    for (auto [symbol, reader] : readers)
      for (StringRef source : sources.lookup(symbol))
        instead.try_emplace(source, reader);
    if (instead.size() <= readers.size())
      readers = std::move(instead);
  }

  /// An extent that counts define is a count itself: a kernel computes it from them, one for all
  /// that are defined in a row. The host does so where it will have all of them.
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
        if (ExtentAttr most = getMost(definition, counted, onHost);
            isLimit(most, counted.getFacts()))
          definition.setExtentAttr(simplify(limit(definition, most), counted.getFacts()));
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

  /// The most that a definition's symbol can be. Its own bound may say what another count leaves,
  /// the host's does not; `onHost` are the counts that the host will have. Null where memory waits
  /// for the definition, since both follow from later ones.
  static ExtentAttr getMost(DefineOp definition, const CountedExtents &counted,
                            const llvm::DenseSet<StringRef> &onHost) {
    SymbolAttr symbol = definition.getSymbol();
    ExtentAttr bound = symbol.getBound();
    if (bound && counted.areKnownBefore(bound, definition) &&
        llvm::all_of(counted.getCounts(bound),
                     [&](StringRef count) { return onHost.contains(count); }))
      return bound;
    bound = counted.getBound(symbol.getExtent());
    return bound && counted.areKnownBefore(bound, definition) ? bound : ExtentAttr();
  }

  /// The value that a definition by counts gives its symbol: data may contradict the symbol's
  /// facts, and an operator may find that out behind kernels that read it. Memory is safe until
  /// then.
  static ExtentAttr limit(DefineOp definition, ExtentAttr most) {
    return definition.getExtent().max(definition.getSymbol().getMin()).min(most);
  }

  void count(MutableArrayRef<DefineOp> definitions, const CountedExtents &counted) {
    OpBuilder builder(definitions.front());
    MLIRContext *context = builder.getContext();
    SmallVector<SymbolAttr> symbols;
    SmallVector<ExtentAttr> extents;
    SmallVector<Location> locations;
    for (DefineOp definition : definitions) {
      SymbolAttr symbol = definition.getSymbol();
      ExtentAttr most =
          symbol.getBound() ? symbol.getBound() : counted.getBound(symbol.getExtent());
      symbols.push_back(SymbolAttr::get(context, symbol.getName(), symbol.getFact(), most));
      extents.push_back(limit(definition, most));
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

  /// Memory may wait for an extent that the host has: a bound that is always beyond all extents, as
  /// that of any integer on the device, is none.
  static bool isLimit(ExtentAttr bound, const ExtentFacts &facts) {
    return bound && range(bound, facts).lo().value_or(0) <= kMaxSymbolExtent;
  }
  static SymbolAttr withoutLimit(SymbolAttr symbol, const ExtentFacts &facts) {
    return isLimit(symbol.getBound(), facts)
               ? symbol
               : SymbolAttr::get(symbol.getContext(), symbol.getName(), symbol.getFact());
  }

  /// The copy starts where the count is there; who needs it waits, behind all that does not.
  static void readBack(CountOp count, LocationAttr reader, const ExtentFacts &facts) {
    OpBuilder builder(count);
    Location location = count.getLoc();
    auto type = cast<SymTensorType>(count.getCount().getType());
    auto ticket = FetchOp::create(builder, location, TicketType::get(type.getContext(), type),
                                  count.getCount());
    setCountReader(ticket, reader);
    Value fetched = AwaitOp::create(builder, location, type.withSide(Side::Host), ticket);
    Value element = ElementOp::create(builder, location, builder.getI64Type(), fetched,
                                      ExtentAttr::constant(builder.getContext(), 0));
    BindOp::create(builder, location, withoutLimit(count.getSymbol(), facts), element);
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
