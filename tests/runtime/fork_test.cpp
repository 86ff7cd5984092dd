// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts in a child of fork(), which has none of its parent's threads, and with more threads than
// there are. Not under the thread sanitizer, which lets no such child start threads.
#include "mlp_context.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace cameo;
using namespace mlp_test;

namespace {

/// The value that `f` returns in a child of fork(), which has ten seconds; -1 when a signal ended
/// it.
template <class F> int in_child(const F &f) {
  const pid_t child = fork();
  if (child == 0) {
    (void)alarm(10);
    _exit(f());
  }
  int how = 0;
  REQUIRE(waitpid(child, &how, 0) == child);
  return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

/// An executor whose threads a child does not have.
struct unreachable {
  int calls = 0;
  static void parallel(void *self, int32_t count, void (*task)(void *, int32_t), void *arg) {
    ++static_cast<unreachable *>(self)->calls;
    for (int32_t i = 0; i < count; ++i)
      task(arg, i);
  }
};

/// Keeps the task until the test wants it done.
struct postponer {
  void (*task)(void *) = nullptr;
  void *arg = nullptr;
  static int submit(void *self, void (*task)(void *), void *arg) {
    auto *p = static_cast<postponer *>(self);
    p->task = task;
    p->arg = arg;
    return 0;
  }
};

} // namespace

TEST_CASE("a child of fork() runs a context of its parent on its one thread", "[context]") {
  unreachable threads;
  postponer later;
  cameo_options team = defaults(3), parallel = defaults(), submit = defaults();
  parallel.executor = {&threads, 3, 0, unreachable::parallel, nullptr};
  submit.executor = {&later, 1, 0, nullptr, postponer::submit};
  for (const cameo_options &o : {team, parallel, submit}) {
    counting_allocator a;
    cameo_options counted = o;
    counted.allocator = a.options(1).allocator;
    opened m(counted);
    REQUIRE(ok(m.created));
    call k(4000);
    REQUIRE(ok(k.run(m.c)));
    if (later.task) {
      later.task(later.arg);
      later.task = nullptr;
    }
    REQUIRE(ok(cameo_finish(m.c)));
    const int calls = threads.calls;
    CHECK(in_child([&] {
            call again(4000);
            if (!ok(again.run(m.c)) || !ok(cameo_finish(m.c)) || !again.right())
              return 1;
            if (threads.calls != calls || later.task)
              return 2;
            mlp_destroy(m.c);
            if (a.live != 0)
              return 3;
            if (o.threads != 3)
              return 0;
            // One that is made here has threads again, which a grandchild lacks.
            opened own(counted);
            if (!ok(again.run(own.c)) || in_child([&] { return !ok(again.run(own.c)); }) != 0)
              return 4;
            return 0;
          }) == 0);
    // The parent's threads are where they were.
    call after(4000);
    CHECK(ok(after.run(m.c)));
    if (later.task)
      later.task(later.arg);
    CHECK(ok(cameo_finish(m.c)));
    CHECK(after.worst_error(after.y.data()) < 1e-6);
    later.task = nullptr;
  }
}

TEST_CASE("a context that was inside a call when the process forked is busy in the child",
          "[context]") {
  postponer later;
  cameo_options o = defaults();
  o.executor = {&later, 1, 0, nullptr, postponer::submit};
  opened m(o);
  call k(3);
  REQUIRE(ok(k.run(m.c)));
  CHECK(in_child([&] {
          call other(3);
          const bool busy = other.run(m.c).code == CAMEO_BUSY &&
                            cameo_finish(m.c).code == CAMEO_BUSY &&
                            cameo_poll(m.c).code == CAMEO_BUSY;
          mlp_destroy(m.c); // returns
          return busy ? 0 : 1;
        }) == 0);
  later.task(later.arg);
  CHECK(ok(cameo_finish(m.c)));
  CHECK(k.worst_error(k.y.data()) < 1e-6);
}

TEST_CASE("more threads than a system gives are fewer threads", "[context]") {
  for (const int32_t threads : {5000, INT32_MAX}) {
    opened m(defaults(threads));
    REQUIRE(ok(m.created));
    call k(4000);
    REQUIRE(ok(k.run(m.c)));
    CHECK(k.right());
  }
}
