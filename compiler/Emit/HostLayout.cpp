// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/HostLayout.h"

#include "Dialect/Host/IR/HostDialect.h"
#include "Dialect/Prog/IR/OutsideKernels.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

HostLayout::HostLayout(const Program &program, const EmittedKernels &kernels, CppScope &file)
    : program(program), kernels(kernels), file(file) {
  CppScope symbols;
  for (StringRef symbol : program.getEntrySymbols())
    entryNames[symbol] = symbols.add(symbol);

  const Target &target = program.getTarget();
  host::PlanOp plan = *program.getBody().getOps<host::PlanOp>().begin();
  auto getLength = [](std::optional<uint64_t> bytes) -> std::optional<int64_t> { return bytes; };
  if (target.device)
    arenas.push_back({Side::Device, &*target.device, {}, getLength(plan.getDeviceBytes()), {}});
  arenas.push_back({Side::Host, &target.host, {}, getLength(plan.getHostBytes()), {}});
  SmallVector<CppScope, 2> names(arenas.size());
  for (int64_t row = 0; row < static_cast<int64_t>(program.getBuffers().size()); ++row) {
    BufferAttr buffer = program.getBuffer(row);
    if (buffer.isOutput()) {
      members.emplace_back();
      continue;
    }
    Arena *arena =
        llvm::find_if(arenas, [&](const Arena &of) { return of.memory == buffer.getSide(); });
    members.push_back(names[arena - arenas.begin()].add(program.getBufferName(row), "t"));
    arena->rows.push_back(row);
  }
  CppScope constants;
  for (const WeightInfo &weight : program.getWeights())
    weightNames[weight.offset] = constants.add(weight.name, "constant");
  collectScratchCalls();
}

bool HostLayout::hasState() const {
  return llvm::any_of(arenas, [](const Arena &arena) { return arena.isSized(); });
}

const Arena &HostLayout::getArenaOf(int64_t row) const {
  return getArenaOf(program.getBuffer(row).getSide());
}

const Arena &HostLayout::getArenaOf(Side side) const {
  return *llvm::find_if(arenas, [&](const Arena &arena) { return arena.memory == side; });
}

//===----------------------------------------------------------------------===//
// Scratch memory
//===----------------------------------------------------------------------===//

void HostLayout::collectScratchCalls() {
  prog::walkOutsideKernels(program.getMain(), [&](host::LaunchKernelOp launch) {
    const KernelCall &call = kernels.getCall(launch);
    if (call.scratch.empty())
      return;
    SmallVector<Code> arguments{"threads"};
    for (unsigned symbol : call.symbols) {
      auto known = launch.getValues()[symbol].getDefiningOp<host::SymbolOp>();
      if (!known)
        return;
      arguments.push_back("s." + getEntryName(known.getName()));
    }
    auto *arena = llvm::find_if(arenas, [&](const Arena &of) { return of.side == call.side; });
    arena->scratchCalls.insert(call.scratch + "(" + joinCode(arguments) + ")");
  });
}

bool Arena::scratchUsesSymbols() const {
  return llvm::any_of(scratchCalls, [](const Code &call) { return call.ref().contains("s."); });
}

Code Arena::getScratchBytes(const Code &threads) const {
  if (scratchCalls.empty())
    return {};
  return getName("scratch_bytes(") + (scratchUsesSymbols() ? Code("s, ") : Code()) + threads + ")";
}
