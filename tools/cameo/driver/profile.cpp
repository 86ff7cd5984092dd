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
clock::time_point begun, run_begun;
calls fastest{{}, 0, INT64_MAX}, running{{}, 0, 0};
constexpr size_t max_calls = 1 << 20;

int64_t since(clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start).count();
}

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
  running.all.clear();
  running.left_out = 0;
  run_begun = clock::now();
}

void end_run(int64_t nanoseconds) {
  running.nanoseconds = nanoseconds;
  if (nanoseconds < fastest.nanoseconds)
    std::swap(fastest, running);
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

const calls &fastest_run() { return fastest; }

#if CAMEO_PROFILE
extern "C" {

void cameo_profile_begin(const char *name, int64_t bytes) {
  if (depth++ > 0)
    return;
  current = find(name);
  row &now = kernels[current].now;
  ++now.calls;
  now.bytes += bytes;
  if (running.all.size() < max_calls)
    running.all.push_back({current, since(run_begun), 0, bytes, 0});
  else
    ++running.left_out;
  begun = clock::now();
}

void cameo_profile_operations(int64_t count) {
  kernels[current].now.operations += count;
  if (running.left_out == 0 && !running.all.empty())
    running.all.back().operations += count;
}

void cameo_profile_end(void) {
  if (--depth > 0)
    return;
  const int64_t took = since(begun);
  kernels[current].now.nanoseconds += took;
  if (running.left_out == 0)
    running.all.back().nanoseconds = took;
}

} // extern "C"
#endif

} // namespace profile
