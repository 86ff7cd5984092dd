// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose speed is known to be the machine's: independent multiply-adds, and copies of arrays
// that fit one level of the caches. Every figure is the best of several, since what else the
// machine does only takes away.
#include "roofline.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <memory>
#include <thread>
#include <unistd.h>

namespace roofline {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
typedef float vector __attribute__((vector_size(vector_bytes), may_alias));

#if defined(__clang__)
#define CONTRACT __attribute__((noinline))
#define CONTRACT_BODY _Pragma("clang fp contract(fast)") static_assert(true, "")
#else
#define CONTRACT __attribute__((noinline, optimize("fp-contract=fast")))
#define CONTRACT_BODY static_assert(true, "")
#endif

/// More than the latency of an FMA times how many begin at once, fewer than there are registers.
constexpr int chains = 12;
constexpr int64_t rounds = 1 << 15;

CONTRACT float multiply_add(float seed) {
  CONTRACT_BODY;
  vector sum[chains];
  for (int c = 0; c < chains; ++c)
    sum[c] = vector{} + (seed + static_cast<float>(c));
  const vector factor = vector{} + seed, term = vector{} + 1.0f;
  for (int64_t n = 0; n < rounds; ++n)
    for (int c = 0; c < chains; ++c)
      sum[c] = sum[c] * factor + term;
  vector total = sum[0];
  for (int c = 1; c < chains; ++c)
    total += sum[c];
  float result = 0;
  for (size_t lane = 0; lane < sizeof(vector) / sizeof(float); ++lane)
    result += total[lane];
  return result;
}

/// One thread is timed by its processor time, so that what runs in its place does not count.
double seconds_now(int threads) {
  timespec now{};
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// The best of several times that all threads take for `work(thread)` side by side.
template <class F> double best_seconds(int threads, int repeats, const F &work) {
  double best = 1e9;
  for (int n = 0; n < repeats; ++n) {
    const double start = seconds_now(threads);
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t)
      others.emplace_back(work, t);
    work(0);
    for (std::thread &other : others)
      other.join();
    best = std::min(best, seconds_now(threads) - start);
  }
  return best;
}

/// Not optimised away, and nothing is known of it.
volatile float opaque = 0.5f;

double copy_rate(int threads, int64_t bytes) {
  const int64_t half = std::max<int64_t>(bytes / 2 / vector_bytes, 64) * vector_bytes;
  // As much as takes longer than starting the threads.
  const int64_t times = std::max<int64_t>(1, (int64_t{1} << 28) / half);
  std::vector<std::unique_ptr<unsigned char[]>> memory;
  for (int t = 0; t < threads; ++t) {
    memory.emplace_back(new unsigned char[static_cast<size_t>(2 * half + vector_bytes)]);
    std::memset(memory.back().get(), 1, static_cast<size_t>(2 * half + vector_bytes));
  }
  const double seconds = best_seconds(threads, 5, [&](int t) {
    auto address = reinterpret_cast<uintptr_t>(memory[static_cast<size_t>(t)].get());
    auto *from =
        reinterpret_cast<vector *>((address + vector_bytes - 1) / vector_bytes * vector_bytes);
    vector *to = from + half / vector_bytes;
    for (int64_t n = 0; n < times; ++n) {
      for (int64_t k = 0; k < half / vector_bytes; ++k)
        to[k] = from[k];
      asm volatile("" : : "r"(to), "r"(from) : "memory");
    }
  });
  return static_cast<double>(2 * half * times * threads) / seconds;
}

int64_t cache_bytes(int name, int64_t otherwise) {
  const long bytes = sysconf(name);
  return bytes > 0 ? bytes : otherwise;
}

} // namespace

int cores() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

double measure_operations(int threads) {
  constexpr int64_t times = 64;
  // A tenth of a second: longer than a virtual machine's processor mostly is somebody else's.
  const double seconds = best_seconds(threads, 15, [](int) {
    float sum = 0;
    for (int64_t n = 0; n < times; ++n)
      sum += multiply_add(opaque);
    opaque = sum > 0 ? 0.5f : 0.25f;
  });
  const double lanes = sizeof(vector) / sizeof(float);
  return 2 * lanes * chains * static_cast<double>(rounds * times * threads) / seconds;
}

std::vector<level> measure_memory(int threads) {
  constexpr int64_t KiB = 1024, MiB = 1024 * KiB;
  int64_t l1 = 32 * KiB, l2 = MiB;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  l1 = cache_bytes(_SC_LEVEL1_DCACHE_SIZE, l1);
  l2 = cache_bytes(_SC_LEVEL2_CACHE_SIZE, l2);
#endif
  std::vector<level> levels = {{"L1", l1, 0}, {"L2", l2, 0}, {"L3", 8 * l2, 0}, {"memory", 0, 0}};
  for (level &l : levels)
    l.bytes_per_second = copy_rate(threads, l.bytes > 0 ? l.bytes / 2 : 256 * MiB);
  return levels;
}

} // namespace roofline
