// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machines of Machines.td, each as a constant of its name.

#ifndef CAMEO_TARGET_MACHINES_H
#define CAMEO_TARGET_MACHINES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>

namespace cameo {

struct MachineNumber {
  llvm::StringLiteral name;
  int64_t value;
};

struct MachineRecord {
  llvm::StringLiteral name;
  llvm::ArrayRef<MachineNumber> facts, prices;
};

namespace machines {
#include "Target/Machines.h.inc"
} // namespace machines

} // namespace cameo

#endif // CAMEO_TARGET_MACHINES_H
