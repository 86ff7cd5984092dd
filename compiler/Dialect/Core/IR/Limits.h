// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that stages have to agree on, none of them a machine's.

#ifndef CAMEO_DIALECT_CORE_IR_LIMITS_H
#define CAMEO_DIALECT_CORE_IR_LIMITS_H

#include <cstdint>

namespace cameo::core {

/// Where tensors begin in an arena and in the weights, and these in memory: at multiples of so many
/// bytes. The runtime's arena_alignment.
inline constexpr int64_t kAlignment = 64;

/// A tensor of at most so many elements is scalars where the host computes with it; work on more is
/// the device's.
inline constexpr int64_t kMaxHostElements = 16;

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_LIMITS_H
