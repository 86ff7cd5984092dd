// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Status in C++: the same struct as in C, with the two questions one asks it. The runtime makes
// statuses only through the functions of errors.h, one per error, so that a code always comes with
// the same text and the same numbers.
#pragma once

#include "cameo/abi.h"

namespace cameo {

using status = cameo_status;

/// Success.
inline status success() { return {CAMEO_OK, -1, -1, 0, "ok", {0, 0, 0, 0}}; }
inline bool ok(const status &s) { return s.code == CAMEO_OK; }

} // namespace cameo

/// Returns from the calling function when an expression of type status is an error.
#define CAMEO_TRY(...)                                                                             \
  do {                                                                                             \
    const cameo_status cameo_try_ = (__VA_ARGS__);                                                 \
    if (cameo_try_.code != CAMEO_OK)                                                               \
      return cameo_try_;                                                                           \
  } while (false)
