// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts of the memory that launches read and write, as far as kernels go by them.

#ifndef CAMEO_FINISH_LAUNCHMEMORY_H
#define CAMEO_FINISH_LAUNCHMEMORY_H

#include "Dialect/Host/IR/HostDialect.h"
#include "Target/Target.h"

namespace cameo {

class LaunchMemory {
public:
  /// For launches of a program's main function.
  LaunchMemory(mlir::func::FuncOp main, const Target &target);

  /// Whether kernels of a side move neighbours by one access, and with it what they go by.
  bool matters(core::Side side) const { return target.getSide(side).kernels->takesWideFunctors; }
  /// The memory of an operand of a launch's kernel. Arenas' and weights' begins at a multiple of
  /// `kAlignment`, the caller's at any element; nothing writes weights.
  host::Memory get(mlir::Value value) const;
  /// The memory of a result; Any where the launch has none for it.
  host::Memory get(host::LaunchOp launch, mlir::OpResult result) const;

private:
  const Target &target;
  llvm::ArrayRef<mlir::Attribute> buffers;
};

} // namespace cameo

#endif // CAMEO_FINISH_LAUNCHMEMORY_H
