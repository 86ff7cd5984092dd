// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which copy of a model the machine runs. The levels are those of the x86-64 psABI, which is what
// -march=x86-64-v3 and -v4 mean: a bit that is missing means the level is. Read by cpuid rather
// than __builtin_cpu_supports, whose names differ between compilers.
#include "instruction_sets.h"

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
    {"x86-64-v4-avx512vnni", "runs the copy for x86-64-v4-avx512vnni"},
};

constexpr int osxsave = 27;

constexpr bool has(uint32_t word, std::initializer_list<int> bits) {
  for (const int bit : bits)
    if (!(word >> bit & 1))
      return false;
  return true;
}

#ifdef CAMEO_HAS_CPUID
/// Which registers the system saves.
uint32_t saved_state() {
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

isa detect() {
  uint32_t a = 0, b = 0, d = 0;
  processor_bits bits{};
  if (!__get_cpuid(0x80000001u, &a, &b, &bits.extended_features, &d) ||
      !__get_cpuid(1, &a, &b, &bits.features, &d) ||
      !__get_cpuid_count(7, 0, &a, &bits.structured_features, &bits.more_features, &d))
    return isa::baseline;
  if (has(bits.features, {osxsave}))
    bits.saved_state = saved_state();
  return find_isa(bits);
}
#else
isa detect() { return isa::baseline; }
#endif

/// The value of CAMEO_ISA: whether it is set at all, understood, and within the machine's means.
struct wanted_isa {
  bool is_set, is_known;
  isa level;
};

wanted_isa read_environment() {
  const char *value = getenv("CAMEO_ISA");
  if (!value || !*value)
    return {false, true, isa::baseline};
  int32_t number = 0;
  for (const isa_name &known : isa_names) {
    if (strcmp(value, known.name) == 0)
      return {true, true, static_cast<isa>(number)};
    ++number;
  }
  return {true, false, isa::baseline};
}

} // namespace

isa find_isa(const processor_bits &bits) {
  // FMA, MOVBE, OSXSAVE, AVX, F16C; LZCNT; BMI1, AVX2, BMI2; both halves of the 256-bit registers.
  if (!has(bits.features, {12, 22, osxsave, 28, 29}) || !has(bits.extended_features, {5}) ||
      !has(bits.structured_features, {3, 5, 8}) || !has(bits.saved_state, {1, 2}))
    return isa::baseline;
  // AVX512F, DQ, CD, BW, VL; opmasks and both halves of the long registers.
  if (!has(bits.structured_features, {16, 17, 28, 30, 31}) || !has(bits.saved_state, {5, 6, 7}))
    return isa::x86_64_v3;
  return has(bits.more_features, {11}) ? isa::x86_64_v4_avx512vnni : isa::x86_64_v4;
}

isa machine_isa(isa best) {
  // Whoever comes first finds the same.
  static int32_t found = -1;
  int32_t known = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (known < 0) {
    const isa most = detect();
    const wanted_isa wanted = read_environment();
    const bool obeys = wanted.is_set && wanted.is_known && wanted.level <= most;
    known = static_cast<int32_t>(obeys ? wanted.level : most);
    __atomic_store_n(&found, known, __ATOMIC_RELAXED);
  }
  return static_cast<isa>(known) < best ? static_cast<isa>(known) : best;
}

status check_isa(const cameo_options *options, isa best) {
  const wanted_isa wanted = read_environment();
  if (!wanted.is_known)
    return error_isa_name();
  if (wanted.is_set && wanted.level > detect())
    return error_isa_missing();
  if (options)
    log(*options, CAMEO_LOG_INFO, isa_names[static_cast<int32_t>(machine_isa(best))].log);
  return success();
}

#else

// Without a heap there is one copy, for the one machine it was built for.
isa machine_isa(isa) { return isa::baseline; }
status check_isa(const cameo_options *, isa) { return success(); }

#endif

} // namespace cameo::cpu
