// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/HostLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

/// The runtime's arena_alignment.
static constexpr uint64_t kArenaAlignment = 64;

/// Places rows of constant size, as the runtime's pack() does: largest first, into the lowest gap
/// among those alive at the same time.
static void placeConstants(const Program &program, Arena &arena) {
  struct Row {
    size_t number;
    int64_t bytes, first, last, offset;
  };
  SmallVector<Row> rows;
  for (auto [number, row] : llvm::enumerate(arena.rows)) {
    BufferAttr buffer = program.getBuffer(row);
    int64_t bytes = llvm::alignTo(*buffer.getBytes().getConstant(), kArenaAlignment);
    rows.push_back({number, bytes, buffer.getFirst(), buffer.getLast(), 0});
  }
  llvm::stable_sort(rows, [](const Row &a, const Row &b) { return a.bytes > b.bytes; });
  SmallVector<Row> placed;
  arena.offsets.resize(rows.size());
  for (Row &row : rows) {
    for (const Row &other : placed) // by offset
      if (other.first <= row.last && row.first <= other.last &&
          other.offset < row.offset + row.bytes && row.offset < other.offset + other.bytes)
        row.offset = other.offset + other.bytes;
    placed.insert(llvm::upper_bound(placed, row,
                                    [](const Row &a, const Row &b) { return a.offset < b.offset; }),
                  row);
    arena.offsets[row.number] = row.offset;
    arena.bytes = std::max(arena.bytes, row.offset + row.bytes);
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
    arena.isConstant = llvm::all_of(
        arena.rows, [&](int64_t row) { return program.getBuffer(row).getBytes().isConstant(); });
    // Host memory of a device target is planned by the runtime only.
    arena.isConstant &= !arena.onHost;
    arena.array = arena.onHost ? Code("host_b") : Code("b");
    if (arena.isConstant) {
      arena.array = file.add("buffers");
      placeConstants(program, arena);
    }
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
