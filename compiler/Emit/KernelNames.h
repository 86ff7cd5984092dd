// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the things of one kernel are called inside its function: tensors and host scalars, which are
// arguments in the order in which they were added, and symbols, which follow in the order in which
// they were asked for. Last come numbers in which launches of the kernel differ.

#ifndef CAMEO_EMIT_KERNELNAMES_H
#define CAMEO_EMIT_KERNELNAMES_H

#include "Emit/CppNames.h"
#include "Emit/Program.h"
#include "llvm/ADT/StringSet.h"

namespace cameo {

class KernelNames {
public:
  KernelNames(const Program &program, host::KernelOp kernel);

  const Program &getProgram() const { return program; }
  CppScope &getScope() { return scope; }

  void add(mlir::Value value, bool isWritten);
  /// Whether only the device knows the symbol: the kernel's function has it as `counted`.
  bool isCounted(llvm::StringRef symbol) const { return counted.contains(symbol); }
  bool isCounted(core::ExtentAttr extent) const;
  bool isWritten(mlir::Value value) const { return written.contains(value); }
  llvm::ArrayRef<mlir::Value> getArguments() const { return arguments; }
  llvm::ArrayRef<llvm::StringRef> getSymbols() const { return symbols; }
  /// `float number`, `int64_t offset`, in the order of the kernel's numbers.
  llvm::SmallVector<Code> getNumberParameters();
  /// Whether the memory of an operand or a result begins at a multiple of all accesses.
  bool isAligned(mlir::Value value);
  /// Whether nothing writes it.
  bool isWeight(mlir::Value value);

  /// The name in the function.
  Code get(mlir::Value value) const { return names.lookup(value); }
  Code get(llvm::StringRef symbol);
  Code get(core::ExtentAttr extent);
  /// Base of the name that another scope gives the same thing.
  llvm::StringRef getBase(mlir::Value value) const;
  llvm::StringRef getBase(llvm::StringRef symbol) const;

private:
  const Program &program;
  host::KernelOp kernel;
  CppScope scope;
  llvm::SmallVector<mlir::Value> arguments;
  llvm::DenseSet<mlir::Value> written;
  llvm::DenseMap<mlir::Value, Code> names;
  llvm::SmallVector<llvm::StringRef> symbols;
  llvm::StringMap<Code> symbolNames;
  llvm::StringSet<> counted;
  /// The type of each number.
  llvm::StringMap<Code> numbers;
};

} // namespace cameo

#endif // CAMEO_EMIT_KERNELNAMES_H
