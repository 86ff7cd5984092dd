// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents that cost more than a few multiplications get a name: they are computed once, when a run
// begins, and printed as symbols everywhere else. Sizes of convolutions and of broadcasts between
// unknown dims are of this kind.

#ifndef CAMEO_EMIT_NAMEDEXTENTS_H
#define CAMEO_EMIT_NAMEDEXTENTS_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace cameo {

class NamedExtents {
public:
  struct Entry {
    /// Of the symbol that stands for it.
    llvm::StringRef symbol;
    /// In symbols and in names that come before it.
    core::ExtentAttr definition;
  };

  /// Names `extent` after `base` if it is worth one and has none. `isTaken` tells names of other
  /// symbols.
  void add(core::ExtentAttr extent, const std::string &base,
           llvm::function_ref<bool(llvm::StringRef)> isTaken);
  llvm::ArrayRef<Entry> getEntries() const { return entries; }
  bool contains(llvm::StringRef symbol) const { return numbers.contains(symbol); }
  core::ExtentAttr getDefinition(llvm::StringRef symbol) const {
    return entries[numbers.lookup(symbol)].definition;
  }

  /// The same value with names for what has one.
  core::ExtentAttr rewrite(core::ExtentAttr extent) const;

private:
  core::ExtentAttr rewriteAtom(core::ExtentAttr atom) const;
  core::ExtentAttr rewriteSum(core::ExtentAttr sum) const;

  llvm::SmallVector<Entry> entries;
  llvm::StringMap<unsigned> numbers;
  /// What entries were before they were rewritten themselves, to their symbols.
  llvm::MapVector<core::ExtentAttr, core::ExtentAttr> names;
  mutable llvm::DenseMap<core::ExtentAttr, core::ExtentAttr> rewritten;
};

/// lhs / rhs as polynomials; null when the division is not known to be whole.
core::ExtentAttr divideExactly(core::ExtentAttr lhs, core::ExtentAttr rhs);

} // namespace cameo

#endif // CAMEO_EMIT_NAMEDEXTENTS_H
