// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points in time between kernels: of the host by its clock, of a device by events, which have
// passed when the host has waited for them.
#pragma once

#include <cstdint>

namespace profile {

/// Both of the host, or both of the device, are what time passes between.
struct moment {
  int64_t host;
  void *event; ///< null: of the host
};

/// Now, on the host.
moment mark_host();
/// Work that the device's stream is given from here on comes behind it; the same as mark_host()
/// where programs have no device.
moment mark_device(void *stream);
/// Waits until a moment and all in front of it on its stream have passed.
void pass(const moment &last);
/// Nanoseconds; both have passed.
int64_t between(const moment &from, const moment &to);
/// All moments are forgotten, but for the first `kept` of the device.
void forget_moments(int kept);

} // namespace profile
