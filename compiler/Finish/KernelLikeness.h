// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches that are equal but for the names of values, symbols and nodes, so that a chain of
// thousands has few kernels.
//
// A launch is spelled as a list of words: ops, their attributes and types with symbols named by
// position, and values numbered as they appear. Attributes and types are uniqued, so that their
// addresses are words.

#ifndef CAMEO_FINISH_KERNELLIKENESS_H
#define CAMEO_FINISH_KERNELLIKENESS_H

#include "Finish/LaunchMemory.h"
#include "Finish/SymbolFacts.h"
#include "mlir/IR/AttrTypeSubElements.h"

#include <map>
#include <memory>
#include <vector>

namespace cameo {

/// The operands and symbols by which a launch differs from others of its class.
struct LaunchNames {
  /// Values that its kernel reads, each once, and the kernel's results.
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<llvm::StringRef> symbols;
};

class KernelLikeness {
public:
  /// For launches of a program's main function.
  KernelLikeness(mlir::func::FuncOp main, const LaunchMemory &memory);

  /// The number of the class of `launch`, counted from 0 as classes come. Names at the same
  /// position of `names` mean the same to the kernels of two launches of one class.
  size_t classify(host::LaunchOp launch, LaunchNames &names);

private:
  using Word = const void *;
  class Speller;

  /// Turns the symbols of a launch into positions.
  struct Renaming {
    mlir::AttrTypeReplacer replacer;
    /// Known facts of them, which may decide how an index prints.
    llvm::SmallVector<mlir::Attribute> facts;
  };

  Renaming &getRenaming(mlir::ArrayAttr symbols);

  const LaunchMemory &memory;
  SymbolFacts facts;
  llvm::DenseMap<mlir::ArrayAttr, std::unique_ptr<Renaming>> renamings;
  std::map<std::vector<Word>, size_t> classes;
};

} // namespace cameo

#endif // CAMEO_FINISH_KERNELLIKENESS_H
