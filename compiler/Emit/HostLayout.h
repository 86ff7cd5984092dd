// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the host program agree on: the names of symbols, and which arena each row of
// the table of buffers lies in.

#ifndef CAMEO_EMIT_HOSTLAYOUT_H
#define CAMEO_EMIT_HOSTLAYOUT_H

#include "Emit/EmitKernels.h"

namespace cameo {

/// The rows of one arena: all of them on the CPU, those of one side on a device target.
struct Arena {
  bool onHost = false;
  /// Numbers in Plan's table.
  llvm::SmallVector<int64_t> rows;
  /// Whether Plan has placed them all; then how long the arena is, and the largest row of the
  /// moment that needs most.
  bool isConstant = false;
  int64_t bytes = 0, peakBytes = 0, peakRow = -1;
  /// `c.at`, or its twin for host memory of a device target.
  Code at, plan, replan;
  /// The array of buffers, where places are found in a run.
  Code array;
};

class HostLayout {
public:
  HostLayout(const Program &program, const EmittedKernels &kernels, CppScope &file);

  const Program &program;
  const EmittedKernels &kernels;
  CppScope &file;
  /// The device's, then the host's; without rows they do not appear.
  Arena arenas[2];

  bool hasSymbols() const { return !program.getEntrySymbols().empty(); }
  /// Whether some arena has sizes that are first known in a run.
  bool hasState() const;
  /// The member of `symbols` for a symbol known at entry.
  Code getEntryName(llvm::StringRef symbol) const { return entryNames.lookup(symbol); }
  /// The arena of a row that is no output, and what the arena's `at` takes for it.
  const Arena &getArenaOf(int64_t row) const;
  Code getBuffer(int64_t row) const;
  /// The ONNX value that lies in a row first.
  llvm::StringRef getRowName(int64_t row) const { return rowNames[row]; }
  Code getLibraryName() const { return TrustedCode::make(program.getOptions().name); }

private:
  llvm::StringMap<Code> entryNames;
  llvm::SmallVector<std::pair<int, int64_t>> places;
  llvm::SmallVector<llvm::StringRef> rowNames;
};

/// An extent of symbols known at entry, which are members of `s`; int64_t.
Code getEntryExtent(const HostLayout &layout, core::ExtentAttr extent);
/// The same where an intermediate result may not fit: of type `checked`, or a plain symbol or
/// literal.
Code getCheckedExtent(core::ExtentAttr extent, llvm::function_ref<Code(llvm::StringRef)> symbol);

} // namespace cameo

#endif // CAMEO_EMIT_HOSTLAYOUT_H
