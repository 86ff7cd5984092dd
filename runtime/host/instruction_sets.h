// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instruction set an x86-64 has: by what it says, wherever that was read.
#pragma once

#include "cameo/cpu/copies.h"

namespace cameo::cpu {

/// Features that a processor and its system report.
struct processor_bits {
  uint32_t features;            // cpuid 1, ecx
  uint32_t extended_features;   // cpuid 0x80000001, ecx
  uint32_t structured_features; // cpuid 7, ebx
  uint32_t more_features;       // cpuid 7, ecx
  uint32_t saved_state;         // xgetbv 0, where features has OSXSAVE
};

/// The best of which nothing is missing, neither an instruction nor what saves its registers.
isa find_isa(const processor_bits &bits);

} // namespace cameo::cpu
