// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread team of a context, and the latch of an asynchronous run. Threads spin between the
// kernels of a run and for a short while after it, then park; a kernel costs one hand-over, not a
// system call.
#pragma once

#include "cameo/abi.h"
#include "cameo/config.h"

#if CAMEO_THREADS

#include <pthread.h>

namespace cameo::cpu {

/// Which process this is in a line of fork()s: a child of fork(), which has none of its parent's
/// threads, has another number than its parent.
uint32_t process_number();

/// One mutex and condition; survives being used by nobody.
class monitor {
public:
  monitor() {
    (void)pthread_mutex_init(&mutex_, nullptr);
    (void)pthread_cond_init(&condition_, nullptr);
  }
  void lock() { (void)pthread_mutex_lock(&mutex_); }
  void unlock() { (void)pthread_mutex_unlock(&mutex_); }
  void wait() { (void)pthread_cond_wait(&condition_, &mutex_); }
  void notify_all() { (void)pthread_cond_broadcast(&condition_); }

private:
  pthread_mutex_t mutex_;
  pthread_cond_t condition_;
};

/// A fixed number of threads, the caller's included.
class team {
public:
  /// The most callers and workers.
  static constexpr int32_t most = 1024;
  /// Starts up to threads - 1 workers; fewer if the system has no more. Null if there is no memory.
  static team *start(const cameo_allocator &allocator, int32_t threads);
  /// Ends the workers, which are gone where the process is `forked` from theirs, and releases the
  /// team.
  static void stop(const cameo_allocator &allocator, team *t, bool forked);

  /// Callers and workers.
  int32_t threads() const { return workers_ + 1; }
  /// Calls task(arg, i) for each i in [0, threads()), 0 on the calling thread; returns when all are
  /// done. One call at a time.
  void run(void (*task)(void *arg, int32_t thread), void *arg);

private:
  struct worker {
    team *owner;
    int32_t index;
    pthread_t thread;
  };

  static void *worker_main(void *self);
  void end_workers();
  void work(int32_t index);
  uint32_t wait_for_epoch(uint32_t seen);
  void wait_for_workers();

  // The caller's and the workers' variables lie on lines of their own.
  alignas(64) uint32_t epoch_ = 0; ///< number of the task now running; workers watch it
  bool stopping_ = false;
  void (*task_)(void *, int32_t) = nullptr;
  void *arg_ = nullptr;
  alignas(64) int32_t done_ = 0; ///< workers that have finished it
  alignas(64) int32_t parked_ = 0;
  int32_t waker_ = -1; ///< the processor of who woke them last, which they leave to it
  int32_t workers_ = 0;
  size_t bytes_ = 0;
  monitor monitor_;
  worker *members_ = nullptr;
};

} // namespace cameo::cpu

#endif // CAMEO_THREADS
