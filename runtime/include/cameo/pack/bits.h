// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where elements of less than a byte lie: one stream of bits, lowest bits first, as ONNX has it.
// For kernels, and for the compiler, which packs constants.
#pragma once

#include "cameo/config.h"

namespace cameo {

/// Where an element's lowest bit is. Bits that do not fit into the byte are the next one's lowest.
struct packed_place {
  int64_t byte;
  int shift;

  CAMEO_DEVICE static constexpr packed_place of(int64_t element, int bits) {
    const int64_t bit = bits * element;
    return {bit >> 3, static_cast<int>(bit & 7)};
  }
};

} // namespace cameo
