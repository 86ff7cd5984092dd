// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel functions: every host.kernel becomes functor structs and a function that calls one
// template. One path serves all templates; what is known of one is its name and the header that has
// it.

#ifndef CAMEO_EMIT_EMITKERNELS_H
#define CAMEO_EMIT_EMITKERNELS_H

#include "Emit/CppNames.h"
#include "Emit/Program.h"

namespace cameo {

/// How the host calls a kernel.
struct KernelCall {
  Code function;
  /// The prog.kernel or prog.call, and where it computes.
  mlir::Operation *kernel = nullptr;
  const TargetSide *side = nullptr;
  /// The arguments and symbols of the kernel that are parameters, by their numbers and in their
  /// order. The kernel's numbers follow.
  llvm::SmallVector<unsigned> arguments, symbols;
  /// Whether it can end with an error, and wants to know its step.
  bool mayRaise = false;
  /// `int64_t scratch(int threads, int64_t symbols...)`: the bytes that it takes of the arena while
  /// it runs; empty for none.
  Code scratch;
};

struct EmittedKernels {
  /// By the symbols of kernels.
  llvm::DenseMap<mlir::StringAttr, KernelCall> calls;
  const KernelCall &getCall(host::LaunchKernelOp launch) const {
    return calls.find(launch.getKernelAttr().getAttr())->second;
  }
  /// The kernel files by path, and the header that declares all.
  EmittedFiles files;
};

/// Prints all kernels of `program`; their names go into `scope`, the namespace of the generated
/// code.
mlir::FailureOr<EmittedKernels> emitKernels(const Program &program, CppScope &scope);

} // namespace cameo

#endif // CAMEO_EMIT_EMITKERNELS_H
