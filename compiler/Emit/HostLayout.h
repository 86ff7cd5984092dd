// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the host program agree on: the names of symbols, and which arena each row of
// the table of buffers lies in.

#ifndef CAMEO_EMIT_HOSTLAYOUT_H
#define CAMEO_EMIT_HOSTLAYOUT_H

#include "Emit/EmitKernels.h"
#include "llvm/ADT/SetVector.h"

namespace cameo {

/// The rows of one arena, which is in one of the target's memories.
struct Arena {
  core::Side memory;
  const TargetSide *side;
  /// Numbers in Plan's table.
  llvm::SmallVector<int64_t> rows;
  /// How long it is, if Plan has placed them all.
  std::optional<int64_t> bytes;
  /// The calls that say how much scratch memory kernels take of it, as far as that is known before
  /// the first step.
  llvm::SetVector<Code, llvm::SmallVector<Code>, std::set<Code>> scratchCalls;

  /// The name of something of this memory, in the context and in generated code.
  Code getName(const Code &base) const { return Code(side->prefix) + base; }
  /// Name of the table with the places of its values: a struct of buffers, or of offsets that Plan
  /// has found.
  Code getTable() const { return getName("b"); }
  /// Whether it has rows that a run places.
  bool isSized() const { return !bytes; }
  Code getCount() const { return Code(static_cast<int64_t>(rows.size())); }
  /// The threads that work for it.
  Code getThreads() const { return Code(side->exec) + ".threads()"; }
  /// Whether the scratch memory of its kernels depends on symbols.
  bool scratchUsesSymbols() const;
  /// `scratch_bytes(...)`, or nothing.
  Code getScratchBytes(const Code &threads) const;
};

class HostLayout {
public:
  HostLayout(const Program &program, const EmittedKernels &kernels, CppScope &file);

  const Program &program;
  const EmittedKernels &kernels;
  CppScope &file;
  /// One arena for each of the target's memories; without rows they do not appear.
  llvm::SmallVector<Arena, 2> arenas;

  bool hasSymbols() const { return !program.getEntrySymbols().empty(); }
  /// Whether some arena has sizes that are first known in a run.
  bool hasState() const;
  /// The member of `symbols` for a symbol known at entry.
  Code getEntryName(llvm::StringRef symbol) const { return entryNames.lookup(symbol); }
  /// The member of `weights` for a constant.
  Code getWeight(int64_t offset) const { return weightNames.lookup(offset); }
  /// The arena of a row that is no output, its member of the arena's table, what `at` takes for it.
  const Arena &getArenaOf(int64_t row) const;
  const Arena &getArenaOf(core::Side side) const;
  const Code &getMember(int64_t row) const { return members[row]; }
  Code getBuffer(int64_t row) const { return getArenaOf(row).getTable() + "." + getMember(row); }
  /// The name of the ONNX value that lies in a row first, as text.
  Code getRowName(int64_t row) const { return str(program.getBufferName(row).take_front(48)); }
  Code getLibraryName() const { return TrustedCode::make(program.getOptions().name); }

private:
  void collectScratchCalls();

  llvm::StringMap<Code> entryNames;
  llvm::DenseMap<int64_t, Code> weightNames;
  llvm::SmallVector<Code> members;
};

} // namespace cameo

#endif // CAMEO_EMIT_HOSTLAYOUT_H
