// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether kernels may multiply bytes by the tiles of AMX. Not an instruction set of a build: what
// asks for it names the instructions itself, and has another way.
#pragma once

#include "cameo/config.h"

namespace cameo::cpu {

/// Whether the processor has tiles of bytes (AMX-INT8) and the system lets this process use them,
/// which the first call asks for. The same for the whole program.
bool may_use_byte_tiles();

} // namespace cameo::cpu
