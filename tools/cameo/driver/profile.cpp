// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other side of the functions that kernels call under CAMEO_PROFILE. All on the thread that
// runs the model.
#include "profile.h"

#include "cameo/config.h"
#if CAMEO_PROFILE
#include "cameo/cpu/exec.h"
#endif

#include <algorithm>
#include <chrono>

namespace profile {
namespace {

using clock = std::chrono::steady_clock;

struct kernel {
  row best, now;
};

std::vector<kernel> kernels;
size_t current; ///< its row, or that of the last one
int depth;
clock::time_point begun;

/// Kernels mostly come in the order of the run before.
size_t find(const char *name) {
  const size_t next = current + 1;
  if (next < kernels.size() && kernels[next].best.kernel == name)
    return next;
  for (size_t k = 0; k < kernels.size(); ++k)
    if (kernels[k].best.kernel == name)
      return k;
  kernels.push_back({{name, 0, 0, 0, INT64_MAX}, {name, 0, 0, 0, 0}});
  return kernels.size() - 1;
}

} // namespace

void begin_run() {
  for (kernel &k : kernels)
    k.now = {k.best.kernel, 0, 0, 0, 0};
}

void end_run() {
  for (kernel &k : kernels) {
    k.now.nanoseconds = std::min(k.now.nanoseconds, k.best.nanoseconds);
    k.best = k.now;
  }
}

std::vector<row> rows() {
  std::vector<row> all;
  for (const kernel &k : kernels)
    all.push_back(k.best);
  return all;
}

#if CAMEO_PROFILE
extern "C" {

void cameo_profile_begin(const char *name, int64_t bytes) {
  if (depth++ > 0)
    return;
  current = find(name);
  row &now = kernels[current].now;
  ++now.calls;
  now.bytes += bytes;
  begun = clock::now();
}

void cameo_profile_operations(int64_t count) { kernels[current].now.operations += count; }

void cameo_profile_end(void) {
  if (--depth > 0)
    return;
  const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - begun);
  kernels[current].now.nanoseconds += took.count();
}

} // extern "C"
#endif

} // namespace profile
