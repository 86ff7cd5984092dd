// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exec: who runs which piece, what is visible after it, scratch, and errors that come out the same
// whatever the threads do. tests/sanitizers runs it under the thread sanitizer too.
#include "counting_allocator.h"

#include "cameo/cpu/standalone.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

using namespace cameo;
using cpu::standalone;

namespace {

cameo_options options_with(const cameo_executor &executor) {
  cameo_options o{};
  o.abi = CAMEO_ABI_VERSION;
  o.executor = executor;
  return o;
}

/// An executor that runs pieces backwards, one after the other, on the calling thread.
void run_backwards(void *calls, int32_t count, void (*task)(void *, int32_t), void *arg) {
  ++*static_cast<int *>(calls);
  for (int32_t i = count - 1; i >= 0; --i)
    task(arg, i);
}

} // namespace

TEST_CASE("each piece runs once and its effects are seen", "[team]") {
  for (const int threads : {1, 2, 3, 7}) {
    standalone s(threads);
    REQUIRE(s);
    REQUIRE(s.compute().threads() == threads);
    std::vector<int> seen(static_cast<size_t>(threads), 0);
    for (int round = 1; round <= 150; ++round) {
      s.compute().parallel(
          [&](int thread, int n) { seen[static_cast<size_t>(thread)] += n == threads; });
      // Plain memory: what the pieces wrote must be visible here, and to the next round's pieces.
      for (const int count : seen)
        REQUIRE(count == round);
    }
  }
}

TEST_CASE("threads that have parked come back", "[team]") {
  standalone s(3);
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic<int> count{0};
    s.compute().parallel([&](int, int) { ++count; });
    CHECK(count == 3);
  }
}

TEST_CASE("teams come and go", "[team]") {
  for (int i = 0; i < 200; ++i) {
    standalone s(2);
    int x[2] = {};
    if (i % 2)
      s.compute().parallel([&](int thread, int) { x[thread] = 1; });
    CHECK(x[0] + x[1] == (i % 2 ? 2 : 0));
  }
}

TEST_CASE("many teams at once", "[team]") {
  std::vector<std::thread> users;
  std::atomic<int> good{0};
  for (int u = 0; u < 4; ++u)
    users.emplace_back([&] {
      standalone s(2);
      for (int round = 0; round < 100; ++round) {
        int x[2] = {};
        s.compute().parallel([&](int thread, int) { x[thread] = 1; });
        good += x[0] + x[1];
      }
    });
  for (std::thread &u : users)
    u.join();
  CHECK(good == 800);
}

TEST_CASE("little work stays on the caller", "[team]") {
  standalone s(3);
  const std::thread::id caller = std::this_thread::get_id();
  s.compute().parallel_if(false, [&](int thread, int threads) {
    CHECK(std::this_thread::get_id() == caller);
    CHECK(thread == 0);
    CHECK(threads == 1);
  });
}

TEST_CASE("the caller's executor may run pieces in any order", "[team]") {
  int calls = 0;
  standalone s(options_with({&calls, 4, 0, run_backwards, nullptr}));
  REQUIRE(s);
  std::vector<int> order;
  s.compute().parallel([&](int thread, int threads) {
    CHECK(threads == 4);
    order.push_back(thread);
  });
  CHECK(calls == 1);
  CHECK(order == std::vector<int>{3, 2, 1, 0});
}

TEST_CASE("the error kept does not depend on timing", "[team]") {
  standalone s(4);
  for (int round = 0; round < 200; ++round) {
    s.reset();
    cpu::exec &e = s.compute();
    {
      cpu::access_scope scope(e, "first", {});
      e.parallel([&](int thread, int) { e.raise(CAMEO_OUT_OF_RANGE, 10 - thread, 5); });
    }
    {
      cpu::access_scope scope(e, "second", {});
      e.parallel([&](int, int) { raise(e.flag(), CAMEO_INVALID_ARGUMENT, -1, 0); });
    }
    const status got = s.raised();
    REQUIRE(got.code == CAMEO_OUT_OF_RANGE);
    REQUIRE(got.values[0] == 7);
    REQUIRE(got.values[1] == 5);
  }
  s.reset();
  CHECK(ok(s.raised()));
}

TEST_CASE("scratch is aligned, distinct and given back", "[team]") {
  counting_allocator a;
  {
    standalone s(a.options(1));
    REQUIRE(s);
    cpu::exec &e = s.compute();
    const auto use = [&](int pieces, size_t bytes) {
      cpu::access_scope scope(e, "k", {});
      std::vector<unsigned char *> memory;
      for (int i = 0; i < pieces; ++i) {
        auto *p = static_cast<unsigned char *>(e.scratch(bytes));
        REQUIRE(p);
        REQUIRE(reinterpret_cast<uintptr_t>(p) % 64 == 0);
        memset(p, i + 1, bytes);
        memory.push_back(p);
      }
      for (int i = 0; i < pieces; ++i)
        for (size_t k = 0; k < bytes; ++k)
          REQUIRE(memory[static_cast<size_t>(i)][k] == i + 1);
    };
    use(3, 1000);
    const int after_first = a.given;
    for (int round = 0; round < 10; ++round)
      use(3, 1000);
    CHECK(a.given == after_first); // the same memory again
    use(2, 5000);
    use(5, 300);
    const int after_all = a.given;
    for (int round = 0; round < 10; ++round) {
      use(2, 5000);
      use(5, 300);
      use(3, 1000);
    }
    CHECK(a.given == after_all);
    CHECK(ok(s.raised()));
  }
  CHECK(a.live == 0);
}

TEST_CASE("scratch that is not there is an error, not a crash", "[team]") {
  counting_allocator a;
  standalone s(a.options(1));
  REQUIRE(s);
  cpu::exec &e = s.compute();
  cpu::access_scope scope(e, "k", {});
  CHECK(e.scratch(SIZE_MAX) == nullptr);
  CHECK(s.raised().code == CAMEO_OUT_OF_MEMORY);
  s.reset();
  a.fail_at = a.given;
  CHECK(e.scratch(100) == nullptr);
  CHECK(s.raised().code == CAMEO_OUT_OF_MEMORY);
  s.reset();
  CHECK(e.scratch(100) != nullptr); // memory is back
  CHECK(ok(s.raised()));
}

TEST_CASE("whichever allocation fails, nothing leaks", "[team]") {
  for (int k = 0; k < 3; ++k) {
    counting_allocator a;
    a.fail_at = k;
    {
      standalone s(a.options(3));
      CHECK(static_cast<bool>(s) == (k >= 2));
    }
    CHECK(a.live == 0);
  }
}

#if defined(__SSE2__)
TEST_CASE("pieces see the default floating-point environment", "[team]") {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040); // flush to zero, denormals are zero
  fesetround(FE_UPWARD);
  int calls = 0;
  standalone on_executor(options_with({&calls, 2, 0, run_backwards, nullptr}));
  standalone on_team(2);
  unsigned seen[4] = {};
  on_executor.compute().parallel([&](int thread, int) { seen[thread] = _mm_getcsr() & 0xe040; });
  on_team.compute().parallel([&](int thread, int) { seen[2 + thread] = _mm_getcsr() & 0xe040; });
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  fesetround(FE_TONEAREST);
  CHECK(seen[0] == 0);
  CHECK(seen[1] == 0);
  CHECK(seen[3] == 0); // piece 2 runs on this thread, outside of any run
  CHECK((after & 0xe040) == 0xc040);
}
#endif
