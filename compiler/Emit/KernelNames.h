// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the things of one kernel are called inside its function: tensors and host scalars, which are
// arguments in the order in which they were added, and symbols, which follow in the order in which
// they were asked for.

#ifndef CAMEO_EMIT_KERNELNAMES_H
#define CAMEO_EMIT_KERNELNAMES_H

#include "Emit/CppNames.h"
#include "Emit/Program.h"
#include "llvm/ADT/StringSet.h"

namespace cameo {

class KernelNames {
public:
  /// The names of an `anonymous` kernel come from positions, not from the model, so that kernels
  /// which are equal but for names print equally.
  KernelNames(const Program &program, bool anonymous) : program(program), anonymous(anonymous) {}

  const Program &getProgram() const { return program; }
  CppScope &getScope() { return scope; }

  void add(mlir::Value value, bool isWritten);
  /// Only the device knows the symbol: the kernel's function has it as `counted`.
  void addCounted(llvm::StringRef symbol) { counted.insert(symbol); }
  bool isCounted(llvm::StringRef symbol) const { return counted.contains(symbol); }
  bool isCounted(core::ExtentAttr extent) const;
  bool isWritten(mlir::Value value) const { return written.contains(value); }
  llvm::ArrayRef<mlir::Value> getArguments() const { return arguments; }
  llvm::ArrayRef<llvm::StringRef> getSymbols() const { return symbols; }

  /// The name in the function.
  Code get(mlir::Value value) const { return names.lookup(value); }
  Code get(llvm::StringRef symbol);
  Code get(core::ExtentAttr extent);
  /// What another scope names the same thing after.
  std::string getBase(mlir::Value value) const;
  std::string getBase(llvm::StringRef symbol);

private:
  const Program &program;
  bool anonymous;
  CppScope scope;
  llvm::SmallVector<mlir::Value> arguments;
  llvm::DenseSet<mlir::Value> written;
  llvm::DenseMap<mlir::Value, Code> names;
  llvm::SmallVector<llvm::StringRef> symbols;
  /// Of each symbol, its position among them.
  llvm::DenseMap<llvm::StringRef, size_t> positions;
  llvm::StringMap<Code> symbolNames;
  llvm::StringSet<> counted;
};

} // namespace cameo

#endif // CAMEO_EMIT_KERNELNAMES_H
