// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's function without what its launches can pass: kernels of the same words are one text,
// but for their numbers.

#ifndef CAMEO_FINISH_KERNELSPELLING_H
#define CAMEO_FINISH_KERNELSPELLING_H

#include "Dialect/Host/IR/HostDialect.h"
#include "Finish/SymbolFacts.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace cameo {

/// A number of a kernel that its function could take as a parameter.
struct KernelNumber {
  enum class Kind { Span, Offset, Stride, Constant };

  Kind kind;
  /// An integer or a float.
  mlir::Attribute value;
  /// The body that an offset is of, or the s_constant.
  mlir::Operation *op;
  /// The argument that is spanned, or the offset in its body; the term of a stride.
  unsigned number, term;

  /// The name that a parameter for it begins with.
  llvm::StringRef getBase() const;
  /// Puts a symbol in its place.
  void replaceBy(host::KernelOp kernel, mlir::StringAttr symbol) const;
};

struct KernelSpelling {
  /// Ops, attributes and types by their addresses, and small integers.
  std::vector<const void *> words;
  /// In the order in which Emit comes by them.
  llvm::SmallVector<KernelNumber> numbers;
  /// The symbols that it names; those at the same position mean the same.
  llvm::SmallVector<llvm::StringRef> symbols;
};

/// The kernel's maps are offsets; `facts` tell `/` from `floor_div`.
KernelSpelling spellKernel(host::KernelOp kernel, const SymbolFacts &facts);

} // namespace cameo

#endif // CAMEO_FINISH_KERNELSPELLING_H
