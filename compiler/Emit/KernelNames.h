// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the things of one kernel are called inside its function: tensors and host scalars, which are
// arguments in the order in which they were added, and symbols, which follow in the order in which
// they were asked for. Last come numbers in which the kernels differ that share the function.

#ifndef CAMEO_EMIT_KERNELNAMES_H
#define CAMEO_EMIT_KERNELNAMES_H

#include "Emit/CppNames.h"
#include "Emit/Program.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"

namespace cameo {

class KernelNames {
public:
  /// For a function of which these numbers, counted as they are asked for, are parameters.
  KernelNames(const Program &program, llvm::SmallBitVector parameters)
      : program(program), isParameter(std::move(parameters)) {}
  /// Names come from positions, not from the model, and all numbers are parameters, so that kernels
  /// which are equal but for both print equally.
  static KernelNames makeAnonymous(const Program &program) {
    KernelNames names(program, {});
    names.anonymous = true;
    return names;
  }

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
  /// The literals of all numbers that were asked for.
  llvm::ArrayRef<Code> getNumbers() const { return numbers; }
  /// `float number`, `int64_t offset`, of those that are parameters.
  llvm::ArrayRef<Code> getNumberParameters() const { return numberParameters; }

  /// The name in the function.
  Code get(mlir::Value value) const { return names.lookup(value); }
  Code get(llvm::StringRef symbol);
  Code get(core::ExtentAttr extent);
  /// A number that kernels may differ in and share their function: the literal, or the parameter.
  Code getNumber(llvm::StringRef base, const Code &type, const Code &literal);
  /// Base of the name that another scope gives the same thing.
  std::string getBase(mlir::Value value) const;
  std::string getBase(llvm::StringRef symbol);

private:
  const Program &program;
  bool anonymous = false;
  llvm::SmallBitVector isParameter;
  CppScope scope;
  llvm::SmallVector<mlir::Value> arguments;
  llvm::DenseSet<mlir::Value> written;
  llvm::DenseMap<mlir::Value, Code> names;
  llvm::SmallVector<llvm::StringRef> symbols;
  /// The position of each symbol among them.
  llvm::DenseMap<llvm::StringRef, size_t> positions;
  llvm::StringMap<Code> symbolNames;
  llvm::StringSet<> counted;
  llvm::SmallVector<Code> numbers, numberParameters;
};

} // namespace cameo

#endif // CAMEO_EMIT_KERNELNAMES_H
