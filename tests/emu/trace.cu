// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that do what their scopes say, and kernels that do not, under cameo_emu_trace.
#include "report.h"
#include "session.h"

using namespace cameo::cuda;

namespace {

CAMEO_KERNEL void shift(float *y, const float *x, int64_t n, int64_t by) {
  for (int64_t i = grid_thread(); i < n; i += grid_threads())
    y[i] = x[i + by];
}
CAMEO_KERNEL void count(int32_t *counter, float *workspace) {
  workspace[thread()] = 1;
  atomic_add(counter, 1);
}
struct raising {
  error_flag flag;
};
CAMEO_KERNEL void raise_all(raising r) { raise(r.flag, 2, static_cast<int64_t>(thread()), 0); }

constexpr int64_t n = 100;

/// One allocation as an arena of three buffers, of which the kernel uses the first and the last.
void program(int64_t by, bool declare_write, bool declare_counter) {
  session s;
  device_array<float> arena(s, std::vector<float>(3 * n));
  device_array<int32_t> counter(s, std::vector<int32_t>(2));
  {
    access_scope scope(s.exec, "shift",
                       {read(arena.data, n * 4), declare_write ? write(arena.data + 2 * n, n * 4)
                                                               : read(arena.data + 2 * n, n * 4)});
    s.exec.launch(shift, dim3(2), dim3(32), 0, arena.data + 2 * n,
                  static_cast<const float *>(arena.data), n - by, 2 * by);
  }
  {
    access_scope scope(s.exec, "count", {write(counter.data + (declare_counter ? 0 : 1), 4)});
    auto *workspace = static_cast<float *>(s.exec.scratch(64 * 4));
    s.exec.launch(count, dim3(1), dim3(64), 0, counter.data, workspace);
    s.exec.launch(raise_all, dim3(1), dim3(32), 0, raising{s.exec.flag()});
  }
  must(s.finish());
}

int expect(const char *what, const std::string &said, const char *words) {
  const bool right = said.find(words) != std::string::npos;
  printf("%s: %s\n", what, right ? "right" : said.c_str());
  return right ? 0 : 1;
}

} // namespace

int main() {
  program(0, true, true);
  return expect("overrun inside the arena", report_of([] { program(10, true, true); }),
                "a kernel reads 4 bytes at byte 400 of device allocation # (1200 bytes), which its "
                "scope does not declare "
                "[kernel shift") +
         expect("undeclared write", report_of([] { program(0, false, true); }),
                "a kernel writes 4 bytes at byte 800") +
         expect("undeclared atomic", report_of([] { program(0, true, false); }),
                "4 bytes at byte 0 of device allocation # (8 bytes), which its scope does not "
                "declare [kernel count");
}
