// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds kernels to what their scope declares. Kernels compiled with -fsanitize=thread call a
// function at each access (sanitizer_hooks.h). Each access to device memory must lie in a declared
// range, for a write in one declared as written: that finds overruns inside the arena, and scopes
// that do not tell the ordering check the truth. A library of its own (cameo_emu_trace), because it
// excludes the real sanitizer.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "grid.h"
#include "memory.h"

namespace {

using namespace cameo::emu;

bool contains(const range &r, const void *pointer, size_t bytes, bool write) {
  const auto *first = static_cast<const unsigned char *>(r.pointer);
  const auto *p = static_cast<const unsigned char *>(pointer);
  return p >= first && p + bytes <= first + r.bytes && (r.write || !write);
}

void check(const void *pointer, size_t bytes, bool write) {
  if (self == nullptr || declared == nullptr || bytes == 0 || !in_device_range(pointer))
    return;
  for (const range &r : declared->ranges)
    if (contains(r, pointer, bytes, write))
      return;
  if (contains(declared->error_slot, pointer, bytes, write))
    return;
  fail("a kernel %s %zu bytes at %s, which its scope does not declare", write ? "writes" : "reads",
       bytes, describe(pointer).c_str());
}

} // namespace

#define CAMEO_EMU_ON_ACCESS(pointer, bytes, write) check(pointer, bytes, write)
#include "sanitizer_hooks.h"
