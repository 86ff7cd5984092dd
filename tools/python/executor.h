// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel work of a run on the threads of a concurrent.futures.Executor.
#pragma once

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace cameo_onnx {

namespace nb = nanobind;

/// The caller takes pieces too and waits for those that others have begun, so that a pool that is
/// full, or shut down, costs time and nothing else.
struct executor {
  nb::object submit; ///< null once the collector of cycles has been here

  /// `parallel` of cameo_executor; without the GIL.
  static void parallel(void *self, int32_t count, void (*task)(void *, int32_t), void *arg) {
    auto shared = std::make_shared<work>();
    shared->task = task;
    shared->arg = arg;
    shared->count = count;
    static_cast<executor *>(self)->ask_for_help(shared);
    shared->help();
    std::unique_lock<std::mutex> lock(shared->mutex);
    shared->all_done.wait(lock, [&] { return shared->done == count; });
  }

private:
  struct work {
    void (*task)(void *, int32_t);
    void *arg;
    int32_t count;
    std::mutex mutex;
    std::condition_variable all_done;
    int32_t next = 0, done = 0;

    /// Whoever comes when all pieces are taken does not touch `arg`.
    void help() {
      std::unique_lock<std::mutex> lock(mutex);
      while (next < count) {
        const int32_t piece = next++;
        lock.unlock();
        task(arg, piece);
        lock.lock();
        if (++done == count)
          all_done.notify_all();
      }
    }
  };

  void ask_for_help(const std::shared_ptr<work> &shared) {
    nb::gil_scoped_acquire acquired;
    if (!submit.is_valid())
      return;
    try {
      nb::object help = nb::cpp_function([shared] {
        nb::gil_scoped_release released;
        shared->help();
      });
      for (int32_t k = 1; k < shared->count; ++k)
        submit(help);
    } catch (nb::python_error &error) {
      error.discard_as_unraisable("cameo_onnx: the executor refuses work");
    }
  }
};

} // namespace cameo_onnx
