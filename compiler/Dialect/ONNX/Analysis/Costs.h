// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Place weighs against each other, in nanoseconds. Estimates for a GPU behind PCIe, not
// measurements: what matters is that a readback outweighs a dozen kernels, and a kernel any host
// arithmetic on a few elements.

#ifndef CAMEO_DIALECT_ONNX_ANALYSIS_COSTS_H
#define CAMEO_DIALECT_ONNX_ANALYSIS_COSTS_H

#include <cstdint>

namespace cameo::costs {

/// A small copy to the host, the wait for it, and the device running dry meanwhile.
inline constexpr int64_t kReadback = 50'000;
/// A small copy to the device, queued behind no wait.
inline constexpr int64_t kUpload = 8'000;
/// An input on the host: half a readback, since the caller may have it on the device.
inline constexpr int64_t kHostInput = 25'000;
inline constexpr int64_t kLaunch = 3'000;
/// An extent that stays on the device: the kernel that clamps it, its part of the copy behind the
/// run, and memory and grids for the most that it can be. More than an input on the host, where an
/// integer of the caller's usually is, and less than a readback.
inline constexpr int64_t kCount = 30'000;
/// Computing both branches of an If to choose on the device, and each operator in them, which will
/// be part of few kernels. More than an input on the host, where a flag of the caller's usually is,
/// and, for a dozen operators, less than a readback.
inline constexpr int64_t kSelect = 30'000;
inline constexpr int64_t kSelectedOperator = 1'000;
/// An operator on the host, and each of its elements.
inline constexpr int64_t kHostOperator = 100;
inline constexpr int64_t kHostElement = 5;
/// More weigh no more: sums of costs stay below MinimumCut::kNever.
inline constexpr int64_t kMaxElements = int64_t(1) << 20;
inline constexpr int64_t kMaxBytes = int64_t(1) << 30;
/// PCIe 4.0 x16 moves about 25 GB/s.
inline constexpr int64_t kBytesPerNanosecond = 25;
/// Iterations of a loop whose number is not known.
inline constexpr int64_t kUnknownTrips = 8;
/// More iterations weigh no more.
inline constexpr int64_t kMaxTrips = int64_t(1) << 20;

} // namespace cameo::costs

#endif // CAMEO_DIALECT_ONNX_ANALYSIS_COSTS_H
