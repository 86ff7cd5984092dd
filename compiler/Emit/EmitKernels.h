// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel functions: every prog.kernel and prog.call becomes functor structs and a function that
// calls one template. One path serves all templates; what is known of one is its name and the
// header that has it. Kernels that print the same but for names and a few numbers share one
// function.

#ifndef CAMEO_EMIT_EMITKERNELS_H
#define CAMEO_EMIT_EMITKERNELS_H

#include "Emit/CppNames.h"
#include "Emit/Program.h"

#include <set>

namespace cameo {

/// How the host calls a kernel.
struct KernelCall {
  Code function;
  /// Where it computes.
  const TargetSide *side = nullptr;
  /// Tensors (results that are written last) and host scalars, in the order of the parameters.
  llvm::SmallVector<mlir::Value> arguments;
  /// Symbols follow.
  llvm::SmallVector<llvm::StringRef> symbols;
  /// Then numbers in which the kernels of the function differ.
  llvm::SmallVector<Code> numbers;
  /// `int64_t scratch(int threads, int64_t symbols...)`: the bytes that it takes of the arena while
  /// it runs; empty for none.
  Code scratch;
};

struct EmittedKernels {
  llvm::DenseMap<mlir::Operation *, KernelCall> calls;
  /// The kernel files by path, and the header that declares all.
  EmittedFiles files;
};

/// Prints all kernels of `program`; their names go into `scope`, the namespace of the generated
/// code.
mlir::FailureOr<EmittedKernels> emitKernels(const Program &program, CppScope &scope);

} // namespace cameo

#endif // CAMEO_EMIT_EMITKERNELS_H
