// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which copy of a model the machine runs. The levels are those of the x86-64 psABI, which is what
// -march=x86-64-v3 and -v4 mean: a bit that is missing means the level is. Read by cpuid rather
// than
// __builtin_cpu_supports, whose names differ between compilers.
#include "cameo/cpu/copies.h"

#if !CAMEO_HEAP_NONE
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#define CAMEO_HAS_CPUID 1
#endif
#endif

namespace cameo::cpu {

#if !CAMEO_HEAP_NONE

namespace {

struct isa_name {
  const char *name, *log;
};
/// By isa.
constexpr isa_name isa_names[] = {
    {"x86-64", "runs the copy for the baseline instruction set"},
    {"x86-64-v3", "runs the copy for x86-64-v3"},
    {"x86-64-v4", "runs the copy for x86-64-v4"},
};

#ifdef CAMEO_HAS_CPUID
constexpr bool has(unsigned word, unsigned bits) { return (word & bits) == bits; }

constexpr unsigned bits(std::initializer_list<int> numbers) {
  unsigned word = 0;
  for (const int number : numbers)
    word |= 1u << number;
  return word;
}

/// Which registers the system saves.
unsigned saved_state() {
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

isa detect() {
  unsigned a = 0, b = 0, c = 0, d = 0, extended = 0;
  if (!__get_cpuid(0x80000001u, &a, &b, &extended, &d) || !__get_cpuid(1, &a, &b, &c, &d))
    return isa::baseline;
  // FMA, MOVBE, OSXSAVE, AVX, F16C; LZCNT.
  if (!has(c, bits({12, 22, 27, 28, 29})) || !has(extended, bits({5})))
    return isa::baseline;
  const unsigned saved = saved_state();
  // BMI1, AVX2, BMI2.
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !has(b, bits({3, 5, 8})) ||
      !has(saved, bits({1, 2})))
    return isa::baseline;
  // AVX512F, DQ, CD, BW, VL; opmasks and both halves of the long registers.
  return has(b, bits({16, 17, 28, 30, 31})) && has(saved, bits({5, 6, 7})) ? isa::x86_64_v4
                                                                           : isa::x86_64_v3;
}
#else
isa detect() { return isa::baseline; }
#endif

/// What CAMEO_ISA says: whether it is set at all, understood, and within the machine's means.
struct wanted_isa {
  bool is_set, is_known;
  isa level;
};

wanted_isa read_environment() {
  const char *value = getenv("CAMEO_ISA");
  if (!value || !*value)
    return {false, true, isa::baseline};
  for (int32_t i = 0; i < 3; ++i)
    if (strcmp(value, isa_names[i].name) == 0)
      return {true, true, static_cast<isa>(i)};
  return {true, false, isa::baseline};
}

} // namespace

isa machine_isa() {
  // Whoever comes first finds the same.
  static int32_t found = -1;
  int32_t known = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (known < 0) {
    const isa best = detect();
    const wanted_isa wanted = read_environment();
    const bool obeys = wanted.is_set && wanted.is_known && wanted.level <= best;
    known = static_cast<int32_t>(obeys ? wanted.level : best);
    __atomic_store_n(&found, known, __ATOMIC_RELAXED);
  }
  return static_cast<isa>(known);
}

status check_isa(const cameo_options *options) {
  const wanted_isa wanted = read_environment();
  if (!wanted.is_known)
    return error_isa_name();
  if (wanted.is_set && wanted.level > detect())
    return error_isa_missing();
  if (options)
    log(*options, CAMEO_LOG_INFO, isa_names[static_cast<int32_t>(machine_isa())].log);
  return success();
}

#else

// Without a heap there is one copy, for the one machine it was built for.
isa machine_isa() { return isa::baseline; }
status check_isa(const cameo_options *) { return success(); }

#endif

} // namespace cameo::cpu
