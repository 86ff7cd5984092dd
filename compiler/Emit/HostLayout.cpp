// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/HostLayout.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

/// The runtime's arena_alignment.
static constexpr uint64_t kArenaAlignment = 64;

/// Length and peak of an arena whose rows all have their places.
static void measure(const Program &program, Arena &arena) {
  llvm::MapVector<int64_t, int64_t> changes; // of the bytes alive, by step
  auto getLength = [](BufferAttr row) {
    return static_cast<int64_t>(llvm::alignTo(*row.getBytes().getConstant(), kArenaAlignment));
  };
  for (int64_t number : arena.rows) {
    BufferAttr row = program.getBuffer(number);
    arena.bytes = std::max(arena.bytes, row.getOffset() + getLength(row));
    changes[row.getFirst()] += getLength(row);
    changes[row.getLast() + 1] -= getLength(row);
  }
  auto ordered = changes.takeVector();
  llvm::sort(ordered);
  int64_t alive = 0, most = 0, step = -1;
  for (auto [at, change] : ordered) {
    alive += change;
    if (alive > most)
      step = at;
    most = std::max(most, alive);
  }
  for (int64_t number : arena.rows) {
    BufferAttr row = program.getBuffer(number);
    int64_t bytes = *row.getBytes().getConstant();
    if (row.getFirst() > step || step > row.getLast() || bytes <= arena.peakBytes)
      continue;
    arena.peakBytes = bytes;
    arena.peakRow = number;
  }
}

HostLayout::HostLayout(const Program &program, const EmittedKernels &kernels, CppScope &file)
    : program(program), kernels(kernels), file(file) {
  CppScope members;
  for (StringRef symbol : program.getEntrySymbols())
    entryNames[symbol] = members.add(symbol);

  arenas[0].at = "c.at";
  arenas[0].plan = "c.plan";
  arenas[0].replan = "c.replan";
  arenas[1].onHost = true;
  arenas[1].at = "c.host_at";
  arenas[1].plan = "c.host_plan";
  arenas[1].replan = "c.host_replan";
  for (int64_t row = 0; row < static_cast<int64_t>(program.getBuffers().size()); ++row) {
    BufferAttr buffer = program.getBuffer(row);
    int arena = program.isCuda() && buffer.getSide() == Side::Host;
    places.push_back({arena, arenas[arena].rows.size()});
    if (!buffer.isOutput())
      arenas[arena].rows.push_back(row);
  }
  for (Arena &arena : arenas) {
    arena.array = arena.onHost ? Code("host_b") : Code("b");
    arena.isConstant =
        llvm::all_of(arena.rows, [&](int64_t row) { return program.getBuffer(row).isPlaced(); });
    if (arena.isConstant)
      measure(program, arena);
  }

  rowNames.resize(program.getBuffers().size());
  program.getMain()->walk([&](Operation *op) {
    for (OpResult result : op->getResults()) {
      int64_t row = program.getBufferOf(result);
      if (row >= 0 && rowNames[row].empty())
        rowNames[row] = program.getName(result);
    }
  });
}

bool HostLayout::hasState() const {
  return llvm::any_of(arenas,
                      [](const Arena &arena) { return !arena.isConstant && !arena.rows.empty(); });
}

const Arena &HostLayout::getArenaOf(int64_t row) const { return arenas[places[row].first]; }

Code HostLayout::getBuffer(int64_t row) const {
  if (getArenaOf(row).isConstant)
    return Code(program.getBuffer(row).getOffset());
  return getArenaOf(row).array + "[" + Code(places[row].second) + "]";
}

Code cameo::getEntryExtent(const HostLayout &layout, ExtentAttr extent) {
  return getExtentCode(extent,
                       [&](StringRef symbol) { return "s." + layout.getEntryName(symbol); });
}

Code cameo::getCheckedExtent(ExtentAttr extent, llvm::function_ref<Code(StringRef)> symbol) {
  if (extent.isSymbol() || extent.isConstant())
    return getExtentCode(extent, symbol);
  return getExtentCode(extent, [&](StringRef name) { return "checked(" + symbol(name) + ")"; });
}
