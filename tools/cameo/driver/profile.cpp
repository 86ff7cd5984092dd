// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other side of the functions that kernels call under CAMEO_PROFILE. All on the thread that
// runs the model.
#include "profile.h"

#include "cameo/config.h"

#if CAMEO_PROFILE

#include "moments.h"

#include "cameo/profile.h"

#include <algorithm>

namespace profile {
namespace {

struct kernel {
  row best, now;
};

/// A call whose time is not known yet.
struct unsettled {
  size_t kernel;
  size_t call; ///< among those that are kept, or behind the last
  moment from, to;
};

std::vector<kernel> kernels;
size_t current; ///< its row, or that of the last one
int depth;
bool is_running;
bool is_of_device; ///< the kernel under way, or the next one
void *stream;      ///< that it is launched to
/// The begin of the run.
moment first_of_host, first_of_device;
std::vector<unsettled> waiting;
calls fastest{{}, 0, INT64_MAX}, running{{}, 0, 0};
constexpr size_t max_calls = 1 << 20, most_unsettled = 1 << 10;

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

/// Adds the times of the calls that wait for theirs.
void settle() {
  if (waiting.empty())
    return;
  for (const unsettled &each : waiting)
    pass(each.to);
  for (const unsettled &each : waiting) {
    const int64_t took = between(each.from, each.to);
    kernels[each.kernel].now.nanoseconds += took;
    if (each.call < running.all.size()) {
      const moment &first = each.from.event == nullptr ? first_of_host : first_of_device;
      running.all[each.call].start = between(first, each.from);
      running.all[each.call].nanoseconds = took;
    }
  }
  waiting.clear();
  forget_moments(/*kept=*/1);
}

moment mark() { return is_of_device ? mark_device(stream) : mark_host(); }

} // namespace

void begin_run(void *of_run) {
  for (kernel &k : kernels)
    k.now = {k.best.kernel, 0, 0, 0, 0};
  running.all.clear();
  running.left_out = 0;
  forget_moments(/*kept=*/0);
  first_of_host = mark_host();
  first_of_device = mark_device(of_run);
  is_running = true;
}

void end_run(int64_t nanoseconds) {
  settle();
  is_running = false;
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

extern "C" {

void cameo_profile_begin(const char *name, int64_t bytes) {
  if (!is_running || depth++ > 0)
    return;
  current = find(name);
  row &now = kernels[current].now;
  ++now.calls;
  now.bytes += bytes;
  if (running.all.size() < max_calls)
    running.all.push_back({current, 0, 0, bytes, 0});
  else
    ++running.left_out;
  const size_t call = running.left_out == 0 ? running.all.size() - 1 : running.all.size();
  waiting.push_back({current, call, {}, {}});
  waiting.back().from = mark();
}

void cameo_profile_operations(int64_t count) {
  if (!is_running)
    return;
  kernels[current].now.operations += count;
  if (running.left_out == 0 && !running.all.empty())
    running.all.back().operations += count;
}

void cameo_profile_end(void) {
  if (!is_running || --depth > 0)
    return;
  waiting.back().to = mark();
  if (waiting.size() == most_unsettled)
    settle();
  is_of_device = false;
}

void cameo_profile_stream(void *of_next) {
  if (depth > 0)
    return;
  is_of_device = true;
  stream = of_next;
}
void cameo_profile_access(const void *, int64_t, int32_t) {}
void cameo_profile_depth(int64_t) {}

} // extern "C"

} // namespace profile

#else

namespace profile {

void begin_run(void *) {}
void end_run(int64_t) {}
std::vector<row> rows() { return {}; }
const calls &fastest_run() {
  static const calls none{{}, 0, 0};
  return none;
}

} // namespace profile

#endif
