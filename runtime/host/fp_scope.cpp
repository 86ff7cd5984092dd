// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caller may have set another rounding mode, or flush-to-zero; results must not depend on it.
// Only the control word is exchanged: fesetenv would also save the x87 state, at ten times the
// cost. On processors not named here the caller's environment is used as it is.
#include "cameo/context_base.h"

#if defined(__has_include)
#if __has_include(<errno.h>)
#include <errno.h>
#define CAMEO_ERRNO errno
#endif
#endif

namespace cameo {

namespace {

#if defined(__SSE2__) && defined(__GNUC__)
constexpr uint64_t standard = 0x1f80; // all exceptions masked, to nearest, denormals kept
uint64_t exchange(uint64_t environment) {
  const unsigned int old = __builtin_ia32_stmxcsr();
  if (old != environment)
    __builtin_ia32_ldmxcsr(static_cast<unsigned int>(environment));
  return old;
}
#elif defined(__aarch64__) && defined(__GNUC__)
constexpr uint64_t standard = 0;
uint64_t exchange(uint64_t environment) {
  uint64_t old = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(old));
  if (old != environment)
    __asm__ volatile("msr fpcr, %0" : : "r"(environment));
  return old;
}
#elif defined(__arm__) && defined(__ARM_FP) && defined(__GNUC__)
constexpr uint64_t standard = 0;
/// LTPSIZE of Armv8.1-M is no part of the environment: hardware loops fault unless it stays as it
/// is.
constexpr uint32_t kept = 0x70000;
uint64_t exchange(uint64_t environment) {
  uint32_t old = 0;
  __asm__ volatile("vmrs %0, fpscr" : "=r"(old));
  __asm__ volatile("vmsr fpscr, %0" : : "r"(static_cast<uint32_t>(environment) | (old & kept)));
  return old;
}
#else
constexpr uint64_t standard = 0;
uint64_t exchange(uint64_t) { return 0; }
#endif

} // namespace

fp_scope::fp_scope() : environment_(exchange(standard)), errno_(0) {
#ifdef CAMEO_ERRNO
  errno_ = CAMEO_ERRNO;
#endif
}

fp_scope::~fp_scope() {
  (void)exchange(environment_);
#ifdef CAMEO_ERRNO
  CAMEO_ERRNO = errno_;
#endif
}

} // namespace cameo
