// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The params object of a prog.call: a struct whose members are static where they are known and
// ordinary where they are not.

#ifndef CAMEO_EMIT_KERNELPARAMS_H
#define CAMEO_EMIT_KERNELPARAMS_H

#include "Emit/KernelNames.h"

namespace cameo {

struct KernelParams {
  /// Text between the braces of the struct, at two columns of indentation.
  std::string members;
  /// `p.m = N;` and so on: of extents, then of host scalars.
  llvm::SmallVector<Code> extents, scalars;

  bool isStatic() const { return extents.empty() && scalars.empty(); }
};

/// Integers whose names are in `ranks` are int, others int64_t.
mlir::FailureOr<KernelParams> getKernelParams(prog::CallOp call, mlir::ArrayAttr ranks,
                                              KernelNames &names);

} // namespace cameo

#endif // CAMEO_EMIT_KERNELPARAMS_H
