// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu::exec, through which kernel templates reach the machine: the thread team, the error slot,
// scratch memory. Has the same use as cuda::exec, so that generated text is the same on both
// targets. A kernel function opens one access_scope, takes scratch, then calls parallel() any
// number of times; consecutive calls are separated by a full barrier, which is the only
// synchronisation there is: pieces of one call must not wait for each other (an executor may run
// them in turn).
#pragma once

#include "cameo/fault.h"
#include "cameo/index.h"
#include "cameo/profile.h"

namespace cameo::cpu {

class context;
struct lifecycle;
class team;

/// One thread's view of a run. Owned by the context; generated code and templates pass it by
/// reference.
class exec {
public:
  /// Calls f(thread, threads) for each thread in [0, threads) and returns when all are done.
  template <class F> CAMEO_INLINE void parallel(F f) {
#if CAMEO_THREADS
    if (threads_ > 1) {
      piece<F> work{f, threads_};
      fork(&piece<F>::call, &work);
      return;
    }
#endif
    f(0, 1);
  }

  /// As parallel(), but on the calling thread alone when there is less work than it costs to wake
  /// another.
  template <class F> CAMEO_INLINE void parallel_if(bool worth_it, F f) {
    if (worth_it)
      parallel(f);
    else
      f(0, 1);
  }

  /// How many pieces parallel() makes.
  CAMEO_INLINE int threads() const { return threads_; }

  CAMEO_INLINE void raise(cameo_code code, int64_t got, int64_t limit) const {
    cpu::raise(error_flag{slot_}, code, got, limit);
  }
  CAMEO_INLINE error_flag flag() const { return error_flag{slot_}; }

  /// 64-byte aligned memory until the kernel function's access_scope ends. Not from inside
  /// parallel(). Null when there is none: the error is raised already, the kernel should return.
  void *scratch(size_t bytes);

private:
  friend class access_scope;
  friend class context;
  friend struct lifecycle;

  template <class F> struct piece {
    F &f;
    int threads;
#if defined(__clang__) // says of this line that a loop of f's is not vectorised, which is no fault
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif
    static void call(void *self, int32_t thread) {
      auto *p = static_cast<piece *>(self);
      const int number = thread; // int32_t need not be int
      p->f(number, p->threads);
    }
#if defined(__clang__)
#pragma clang diagnostic pop
#endif
  };
  void fork(void (*task)(void *arg, int32_t thread), void *arg);

  int threads_ = 1;
  fault_slot *slot_ = nullptr;
  context *owner_ = nullptr;
  int64_t scratch_used_ = 0; ///< position in the scratch stack
};

/// The memory that a kernel touches: on the CPU only a profile asks for it.
#if CAMEO_PROFILE
struct access {
  int64_t bytes;
};
CAMEO_INLINE access read(const void *, int64_t bytes) { return {bytes}; }
CAMEO_INLINE access write(const void *, int64_t bytes) { return {bytes}; }
#else
struct access {};
CAMEO_INLINE access read(const void *, int64_t) { return {}; }
CAMEO_INLINE access write(const void *, int64_t) { return {}; }
#endif
/// Any number of them. No std::initializer_list, whose constructor every copy of a model would
/// share.
struct accesses {
#if CAMEO_PROFILE
  template <class... A>
  CAMEO_INLINE accesses(const A &...each) : bytes((int64_t{0} + ... + each.bytes)) {}
  int64_t bytes;
#else
  template <class... A> CAMEO_INLINE accesses(const A &...) {}
#endif
};

/// Opened first thing in each kernel function: orders errors by kernel and gives scratch back at
/// the end.
class access_scope {
public:
#if CAMEO_PROFILE
  CAMEO_INLINE access_scope(exec &e, const char *kernel, const accesses &all)
      : exec_(e), scratch_used_(e.scratch_used_) {
    ++e.slot_->step;
    cameo_profile_begin(kernel, all.bytes);
  }
  CAMEO_INLINE ~access_scope() {
    cameo_profile_end();
    exec_.scratch_used_ = scratch_used_;
  }
#else
  CAMEO_INLINE access_scope(exec &e, const char *, const accesses &)
      : exec_(e), scratch_used_(e.scratch_used_) {
    ++e.slot_->step;
  }
  CAMEO_INLINE ~access_scope() { exec_.scratch_used_ = scratch_used_; }
#endif
  access_scope(const access_scope &) = delete;
  access_scope &operator=(const access_scope &) = delete;

private:
  exec &exec_;
  int64_t scratch_used_;
};

} // namespace cameo::cpu
