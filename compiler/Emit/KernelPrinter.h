// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One prog.kernel or prog.call as text: its params and functors, the function that calls the
// template, and the one that says how much scratch memory the template takes.

#ifndef CAMEO_EMIT_KERNELPRINTER_H
#define CAMEO_EMIT_KERNELPRINTER_H

#include "Emit/CppWriter.h"
#include "Emit/KernelNames.h"

#include <map>
#include <set>

namespace cameo {

/// State that kernels of one file share.
struct KernelFileState {
  /// Params structs by what is in their braces.
  std::map<std::string, Code> params;
  /// Headers to include, as in the text.
  std::set<std::string> headers;
};

/// Keeps a scope from hiding the templates that `op` calls, and those that it gives them.
void reserveTemplates(mlir::Operation *op, CppScope &scope);

class KernelPrinter {
public:
  /// Names of things in `scope` start with `function`.
  KernelPrinter(const Program &program, host::KernelOp kernel, const Code &function,
                CppScope &scope, KernelFileState &file);

  mlir::LogicalResult print();

  /// Params and functors, for an anonymous namespace; may be empty.
  std::string takeStructs() { return structs.take(); }
  /// `void NAME(...) {...}`, and the function of scratch bytes if there is one.
  std::string takeFunction() { return text.take(); }
  /// The parameters of these functions, behind the first one.
  llvm::ArrayRef<Code> getParameters() const { return parameters; }
  llvm::ArrayRef<Code> getSymbolParameters() const { return symbolParameters; }
  /// `int64_t SCRATCH(int threads, int64_t symbols...)`; empty when the template takes none.
  const Code &getScratch() const { return scratch; }
  /// The tensors and host scalars to pass, then the symbols, then numbers.
  llvm::ArrayRef<mlir::Value> getArguments() const { return names.getArguments(); }
  llvm::ArrayRef<llvm::StringRef> getSymbols() const { return names.getSymbols(); }

private:
  mlir::LogicalResult addArguments();
  mlir::LogicalResult printKernel(prog::KernelOp kernel);
  Code printSpace(llvm::ArrayRef<core::ExtentAttr> extents);
  mlir::LogicalResult printCall(prog::CallOp call);
  mlir::FailureOr<Code> printParams(prog::CallOp call);
  Code getPointer(mlir::Value value);
  mlir::LogicalResult getTypes(prog::CallOp call, llvm::SmallVectorImpl<Code> &types);
  /// A functor's text goes to `structs`, the statements that fill it to `body`; returns the
  /// argument.
  mlir::FailureOr<Code> printFunctor(prog::BodyOpInterface functor, llvm::StringRef suffix);
  void addScratch(prog::CallOp call, const Code &params);
  void include(llvm::StringRef header);
  void assemble();

  host::KernelOp outlined;
  mlir::Operation *op;
  const KernelSet &kernels;
  Code function;
  CppScope &file;
  KernelFileState &state;
  KernelNames names;
  CppWriter structs, text, body{2};
  llvm::SmallVector<Code> parameters, symbolParameters;
  Code scratch;
  /// The body of the scratch function.
  llvm::SmallVector<Code> scratchLines;
};

} // namespace cameo

#endif // CAMEO_EMIT_KERNELPRINTER_H
