// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// machine.h for the CPU: host memory with exact bounds, and an executor with its own thread team.
#pragma once

#include "cameo/cpu/standalone.h"

#include <cstdlib>
#include <cstring>
#include <vector>

namespace cameo {

namespace target = cpu;

namespace test {

class machine {
public:
  explicit machine(int threads = 1) : standalone_(threads) {}

  /// Calls f(exec &) as the body of a kernel function.
  template <class F> void run(F f) {
    cpu::exec &e = standalone_.compute();
    cpu::access_scope scope(e, "test", {});
    f(e);
  }

  void *allocate(size_t bytes) { return malloc(bytes); }
  void release(void *memory) { free(memory); }
  void upload(void *to, const void *from, size_t bytes) {
    if (bytes > 0)
      memcpy(to, from, bytes);
  }
  void download(void *to, const void *from, size_t bytes) { upload(to, from, bytes); }

  /// The error that kernels raised, if any.
  int32_t code() const { return standalone_.raised().code; }
  int64_t got() const { return standalone_.raised().values[0]; }
  int64_t limit() const { return standalone_.raised().values[1]; }

private:
  cpu::standalone standalone_;
};

/// Results must not depend on the number of threads; odd counts divide badly.
inline std::vector<int> team_sizes() { return {1, 3}; }

} // namespace test
} // namespace cameo
