// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pthread, not std::thread: without exceptions std::thread ends the program when the system has no
// thread left; here the team is smaller instead.
#include "team.h"

#include "cameo/standard.h"

#if CAMEO_THREADS

#include "cameo/context_base.h"

#include <sched.h>
#include <signal.h>

namespace cameo::cpu {

namespace {

/// Rounds of spinning before a worker parks (about 0.1 ms), and before the caller yields (a few
/// microseconds), since the worker may be waiting for its very processor.
constexpr int spins = 4096, spins_before_yield = 128;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#ifdef __linux__
int32_t current_processor() { return sched_getcpu(); }

/// Has the system put the calling thread on another processor than `processor`, where it is there
/// and may be elsewhere. It stays as free as it was.
void leave(int32_t processor) {
  cpu_set_t allowed;
  if (processor < 0 || processor >= CPU_SETSIZE || sched_getcpu() != processor ||
      sched_getaffinity(0, sizeof allowed, &allowed) != 0)
    return;
  cpu_set_t others = allowed;
  CPU_CLR(static_cast<size_t>(processor), &others);
  if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
    (void)sched_setaffinity(0, sizeof allowed, &allowed);
}
#else
int32_t current_processor() { return -1; }
void leave(int32_t) {}
#endif

uint32_t forks = 0; ///< written by the child while it has one thread
void count_fork() { ++forks; }
void watch_forks() { (void)pthread_atfork(nullptr, nullptr, count_fork); }

} // namespace

uint32_t process_number() {
  static pthread_once_t watched = PTHREAD_ONCE_INIT;
  (void)pthread_once(&watched, watch_forks);
  return forks;
}

team *team::start(const cameo_allocator &allocator, int32_t threads) {
  threads = threads < most ? threads : most;
  const size_t bytes = sizeof(team) + static_cast<size_t>(threads) * sizeof(worker);
  void *memory = host_allocate(allocator, bytes);
  if (!memory)
    return nullptr;
  team *t = new (memory) team;
  t->bytes_ = bytes;
  t->members_ = reinterpret_cast<worker *>(t + 1);
  // Signals are the program's business, not the workers'.
  sigset_t all, before;
  (void)sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int32_t i = 1; i < threads; ++i) {
    worker &w = t->members_[t->workers_];
    w.owner = t;
    w.index = i;
    if (pthread_create(&w.thread, nullptr, worker_main, &w) != 0)
      break;
    ++t->workers_;
  }
  (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return t;
}

void team::stop(const cameo_allocator &allocator, team *t, bool forked) {
  if (!forked)
    t->end_workers();
  const size_t bytes = t->bytes_;
  t->~team();
  host_release(allocator, t, bytes);
}

void team::end_workers() {
  monitor_.lock();
  __atomic_store_n(&stopping_, true, __ATOMIC_RELAXED);
  __atomic_fetch_add(&epoch_, 1, __ATOMIC_SEQ_CST);
  monitor_.notify_all();
  monitor_.unlock();
  for (int32_t i = 0; i < workers_; ++i)
    (void)pthread_join(members_[i].thread, nullptr);
}

void *team::worker_main(void *self) {
  auto *w = static_cast<worker *>(self);
  const fp_scope environment;
  w->owner->work(w->index);
  return nullptr;
}

void team::work(int32_t index) {
  for (uint32_t seen = 0;;) {
    seen = wait_for_epoch(seen);
    if (__atomic_load_n(&stopping_, __ATOMIC_RELAXED))
      return;
    task_(arg_, index);
    __atomic_fetch_add(&done_, 1, __ATOMIC_RELEASE);
  }
}

uint32_t team::wait_for_epoch(uint32_t seen) {
  for (int i = 0; i < spins; ++i) {
    const uint32_t now = __atomic_load_n(&epoch_, __ATOMIC_ACQUIRE);
    if (now != seen)
      return now;
    relax();
  }
  // The caller raises epoch_, then looks at parked_; a worker raises parked_, then looks at epoch_:
  // one of the two sees the other, so no wake-up is lost.
  monitor_.lock();
  __atomic_fetch_add(&parked_, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&epoch_, __ATOMIC_SEQ_CST) == seen)
    monitor_.wait();
  __atomic_fetch_sub(&parked_, 1, __ATOMIC_SEQ_CST);
  monitor_.unlock();
  leave(__atomic_load_n(&waker_, __ATOMIC_RELAXED));
  return __atomic_load_n(&epoch_, __ATOMIC_ACQUIRE);
}

void team::wait_for_workers() {
  for (int i = 0; __atomic_load_n(&done_, __ATOMIC_ACQUIRE) != workers_; ++i) {
    relax();
    if (i >= spins_before_yield)
      (void)sched_yield();
  }
}

void team::run(void (*task)(void *arg, int32_t thread), void *arg) {
  task_ = task;
  arg_ = arg;
  __atomic_store_n(&done_, 0, __ATOMIC_RELAXED);
  __atomic_fetch_add(&epoch_, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&parked_, __ATOMIC_SEQ_CST) > 0) {
    __atomic_store_n(&waker_, current_processor(), __ATOMIC_RELAXED);
    monitor_.lock();
    monitor_.notify_all();
    monitor_.unlock();
  }
  task(arg, 0);
  wait_for_workers();
}

} // namespace cameo::cpu

#endif // CAMEO_THREADS
