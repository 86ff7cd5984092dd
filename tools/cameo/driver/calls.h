// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of the runtime API's calls, taken by functions that the linker puts in their place
// (calls.txt).
#pragma once

#include "witness.h"

namespace witness::calls {

/// Whether the program was linked so.
bool counted();
/// Since the program began.
counts total();
void add_output(const void *memory, size_t bytes);
void clear_outputs();

} // namespace witness::calls
