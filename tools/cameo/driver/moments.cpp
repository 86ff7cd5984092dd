// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "moments.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#if CAMEO_DRIVER_DEVICE_MEMORY
#include <cuda_runtime_api.h>
#endif

namespace profile {

moment mark_host() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(), nullptr};
}

#if CAMEO_DRIVER_DEVICE_MEMORY

namespace {

std::vector<cudaEvent_t> events;
size_t used;

void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "a profile needs %s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

cudaEvent_t event_of(const moment &m) { return static_cast<cudaEvent_t>(m.event); }

} // namespace

moment mark_device(void *stream) {
  if (used == events.size())
    check(cudaEventCreateWithFlags(&events.emplace_back(), cudaEventDefault), "an event");
  const cudaEvent_t event = events[used++];
  check(cudaEventRecord(event, static_cast<cudaStream_t>(stream)), "an event beside a kernel");
  return {0, event};
}

void pass(const moment &last) {
  if (last.event != nullptr)
    check(cudaEventSynchronize(event_of(last)), "the end of a kernel");
}

int64_t between(const moment &from, const moment &to) {
  if (from.event == nullptr)
    return to.host - from.host;
  float ms = 0;
  check(cudaEventElapsedTime(&ms, event_of(from), event_of(to)), "the time between two events");
  constexpr double nanoseconds = 1e6;
  return std::llround(static_cast<double>(ms) * nanoseconds);
}

void forget_moments(int kept) { used = static_cast<size_t>(kept); }

#else

moment mark_device(void *) { return mark_host(); }
void pass(const moment &) {}
int64_t between(const moment &from, const moment &to) { return to.host - from.host; }
void forget_moments(int) {}

#endif

} // namespace profile
