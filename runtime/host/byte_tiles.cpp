// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linux gives the registers of AMX, 8 KiB a thread, to processes that ask for them: the kernel's
// Documentation/arch/x86/xstate.rst.
#include "cameo/cpu/byte_tiles.h"

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !CAMEO_HEAP_NONE
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#define CAMEO_ASKS_FOR_TILES 1
#endif

namespace cameo::cpu {

#ifdef CAMEO_ASKS_FOR_TILES
namespace {

/// cpuid 7, edx: AMX-TILE and AMX-INT8; cpuid 1, ecx: the system saves extended registers.
constexpr uint32_t tile_features = 3u << 24, osxsave = 1u << 27;
/// Arguments of arch_prctl, for which libc has no name, and the registers that it is asked for.
constexpr long request_registers = 0x1023, tile_data = 18;

bool ask_for_tiles() {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & osxsave) ||
      !__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & tile_features) != tile_features)
    return false;
  return syscall(SYS_arch_prctl, request_registers, tile_data) == 0;
}

} // namespace

bool may_use_byte_tiles() {
  // Whoever comes first finds the same.
  static int32_t found = -1;
  int32_t known = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (known < 0) {
    known = ask_for_tiles() ? 1 : 0;
    __atomic_store_n(&found, known, __ATOMIC_RELAXED);
  }
  return known != 0;
}
#else
bool may_use_byte_tiles() { return false; }
#endif

} // namespace cameo::cpu
