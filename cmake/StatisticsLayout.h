// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before everything else where assertions are on. LLVM's installed library is built
// without them, and a pass' statistics have another layout with them: its constructor would leave
// half of ours uninitialised.
#ifndef NDEBUG
#include "llvm/Support/Compiler.h"
#define NDEBUG
#include "llvm/ADT/Statistic.h"
#undef NDEBUG
#include <cassert>
#endif
