// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that kernels call under CAMEO_PROFILE.
#include "step_times.h"

#include "checks.h"

#include "cameo/profile.h"

#include <algorithm>
#include <map>

namespace {

struct step {
  const char *name;
  cudaEvent_t from, to;
};

/// Where events are recorded; null while nothing is timed.
cudaStream_t timed;
std::vector<step> steps;
int depth; // of kernel functions in each other, of which the outermost is the step

cudaEvent_t record() {
  cudaEvent_t event;
  CHECK(cudaEventCreateWithFlags(&event, cudaEventDefault));
  CHECK(cudaEventRecord(event, timed));
  return event;
}

/// The times of the run that has ended.
std::map<std::string, double> take_times() {
  std::map<std::string, double> all;
  for (const step &s : steps) {
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, s.from, s.to));
    all[s.name] += 1e3 * static_cast<double>(ms);
    CHECK(cudaEventDestroy(s.from));
    CHECK(cudaEventDestroy(s.to));
  }
  return all;
}

} // namespace

extern "C" {
void cameo_profile_begin(const char *kernel, int64_t) {
  if (timed != nullptr && depth++ == 0)
    steps.push_back({kernel, record(), nullptr});
}
void cameo_profile_end(void) {
  if (timed != nullptr && --depth == 0)
    steps.back().to = record();
}
void cameo_profile_operations(int64_t) {}
void cameo_profile_access(const void *, int64_t, int32_t) {}
void cameo_profile_depth(int64_t) {}
}

std::vector<std::pair<std::string, double>> time_steps(cudaStream_t stream,
                                                       const std::function<void()> &run) {
  constexpr int runs = 5;
  std::vector<std::pair<std::string, double>> least;
  for (int number = 0; number < runs; ++number) {
    steps.clear();
    timed = stream;
    run();
    timed = nullptr;
    CHECK(cudaStreamSynchronize(stream));
    const std::vector<step> ran = steps;
    const std::map<std::string, double> times = take_times();
    for (const step &s : ran) {
      const auto known = std::find_if(least.begin(), least.end(),
                                      [&](const auto &entry) { return entry.first == s.name; });
      if (known == least.end())
        least.emplace_back(s.name, times.at(s.name));
      else
        known->second = std::min(known->second, times.at(s.name));
    }
  }
  return least;
}
