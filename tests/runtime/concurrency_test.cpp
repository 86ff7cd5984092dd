// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts and threads: calls at once, executors, and calls that return before they are done.
#include "mlp_context.h"

#include "cameo/model.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace cameo;
using namespace mlp_test;

namespace {

/// Calls back into the context that is running.
struct meddler {
  cameo_context *c = nullptr;
  int busy = 0, calls = 0;
  static void parallel(void *self, int32_t count, void (*task)(void *, int32_t), void *arg) {
    auto *m = static_cast<meddler *>(self);
    ++m->calls;
    call k(1);
    cameo_tensor t = k.in;
    cameo_counters counters;
    m->busy += k.run(m->c).code == CAMEO_BUSY;
    m->busy += cameo_finish(m->c).code == CAMEO_BUSY;
    m->busy += cameo_buffer(m->c, 0, &t).code == CAMEO_BUSY;
    m->busy += cameo_counters_of(m->c, &counters).code == CAMEO_BUSY;
    m->busy += cameo_fetch(m->c, 0, k.y.data(), 40).code == CAMEO_BUSY;
    for (int32_t i = 0; i < count; ++i)
      task(arg, i);
  }
};

} // namespace

TEST_CASE("a context in use is busy", "[context]") {
  meddler m;
  cameo_options o = defaults();
  o.executor = {&m, 2, 0, meddler::parallel, nullptr};
  opened c(o);
  m.c = c.c;
  call k(4000);
  REQUIRE(ok(k.run(c.c)));
  CHECK(k.right());
  CHECK(m.calls > 0);
  CHECK(m.busy == 5 * m.calls);
}

TEST_CASE("two threads, one context: each call runs or is busy", "[context]") {
  opened m(defaults());
  std::vector<std::thread> users;
  std::atomic<int> wrong{0};
  for (int u = 0; u < 2; ++u)
    users.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        call k(4);
        const status s = k.run(m.c);
        wrong += s.code == CAMEO_OK ? !k.right() : s.code != CAMEO_BUSY || !k.untouched();
      }
    });
  for (std::thread &u : users)
    u.join();
  CHECK(wrong == 0);
}

TEST_CASE("one context a thread", "[context]") {
  std::vector<std::thread> users;
  std::atomic<int> right{0};
  for (int u = 0; u < 3; ++u)
    users.emplace_back([&] {
      opened m(defaults(2));
      for (int64_t i = 1; i < 30; ++i) {
        call k(i);
        right += ok(k.run(m.c)) && k.right();
      }
    });
  for (std::thread &u : users)
    u.join();
  CHECK(right == 87);
}

namespace {

/// Keeps the task until the test wants it done.
struct postponer {
  void (*task)(void *) = nullptr;
  void *arg = nullptr;
  bool refuse = false;
  static int submit(void *self, void (*task)(void *), void *arg) {
    auto *p = static_cast<postponer *>(self);
    p->task = task;
    p->arg = arg;
    return p->refuse;
  }
};

} // namespace

TEST_CASE("an executor that submits makes run asynchronous", "[context]") {
  postponer p;
  cameo_options o = defaults();
  o.executor = {&p, 1, 0, nullptr, postponer::submit};
  opened m(o);
  REQUIRE(ok(m.created));
  for (int round = 0; round < 3; ++round) {
    call k(3), other(1);
    REQUIRE(ok(k.run(m.c)));
    CHECK(k.untouched());
    CHECK(cameo_poll(m.c).code == CAMEO_NOT_READY);
    CHECK(cameo_ready(m.c, 0).code == CAMEO_NOT_READY);
    CHECK(other.run(m.c).code == CAMEO_BUSY);
    std::thread worker([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      p.task(p.arg);
    });
    CHECK(ok(cameo_finish(m.c)));
    CHECK(k.y_dims[0] == -1);
    CHECK(ok(cameo_output(m.c, 0, &k.out)));
    CHECK(k.right());
    CHECK(ok(cameo_poll(m.c)));
    worker.join();
  }
  call k(3);
  k.x_dims[1] = 1;
  REQUIRE(ok(k.run(m.c))); // found wrong where it runs
  p.task(p.arg);
  CHECK(cameo_finish(m.c).code == invalid);
  p.refuse = true;
  CHECK(k.run(m.c).code == CAMEO_LIMIT);
  CHECK(cameo_finish(m.c).code == CAMEO_LIMIT);
  CHECK(mlp_run(m.c, &k.in, 0, &k.out, 1, nullptr).code == invalid); // at once
}

namespace {

/// Writes over what calls before it have left on the stack.
[[gnu::noinline]] void bury() {
  volatile unsigned char dead[1 << 14];
  for (volatile unsigned char &byte : dead)
    byte = 0x55;
}

/// The tensors die with the call; the data does not.
[[gnu::noinline]] status run_and_return(session &s, const std::vector<float> &x,
                                        std::vector<float> &y, int64_t n) {
  tensor in[] = {{x.data(), x.size(), {n, 64}}};
  tensor out[] = {{y.data(), y.size(), {n, 10}}};
  return s.run(in, out);
}

} // namespace

TEST_CASE("the tensors may be gone when run has returned", "[context]") {
  for (const bool later : {false, true}) {
    postponer p;
    model m(*mlp_describe());
    m.options().threads = 1;
    if (later)
      m.options().executor = {&p, 1, 0, nullptr, postponer::submit};
    session s;
    REQUIRE(ok(m.open(s)));
    call k(7);
    REQUIRE(ok(run_and_return(s, k.x, k.y, 7)));
    bury();
    if (later) {
      CHECK(k.untouched());
      p.task(p.arg);
    }
    REQUIRE(ok(s.finish()));
    CHECK(k.worst_error(k.y.data()) < 1e-6);
    bury();
    float fetched[70] = {};
    REQUIRE(ok(s.fetch(0, fetched, sizeof fetched)));
    CHECK(k.worst_error(fetched) < 1e-6);
    tensor out[] = {{k.y.data(), k.y.size(), {0, 0}}};
    REQUIRE(ok(s.finish(out)));
    CHECK(out[0].dim(0) == 7);
    CHECK(out[0].dim(1) == 10);
    CHECK(out[0].data<float>() == k.y.data());
  }
}

TEST_CASE("ranks that do not fit are refused, and nothing is read by them", "[context]") {
  opened m(defaults());
  call k(2);
  for (const int32_t rank : {-1, 0, 1, 3, 64, 1000, INT32_MAX, INT32_MIN}) {
    k.in.rank = rank;
    CHECK(k.run(m.c).code == invalid);
  }
  k.in.rank = 2;
  cameo_tensor none{};
  CHECK(cameo_output(m.c, 0, nullptr).code == invalid);
  CHECK(cameo_output(m.c, 0, &none).code == invalid); // no room for the dims
  CHECK(cameo_output(m.c, 1, &k.out).code == invalid);
  CHECK(cameo_output(m.c, 0, &k.out).code == invalid); // of a run that was refused
  CHECK(k.y_dims[0] == -1);
  REQUIRE(ok(k.run(m.c)));
  CHECK(k.right());
}
