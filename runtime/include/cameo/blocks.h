// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of memory that a context of any target keeps. Nothing here allocates: each target knows
// its own memory.
#pragma once

#include "cameo/extent.h"
#include "cameo/standard.h"

namespace cameo {

/// Memory that grows on demand and loses its contents then.
struct growing_block {
  void *data;
  size_t bytes;
};

} // namespace cameo
