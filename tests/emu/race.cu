// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels for the thread sanitizer, which knows each CUDA thread as a thread of its own: `race
// correct` says nothing, `race barrier` and `race warp` are named with both lines.
#include <cstring>

#include "session.h"

using namespace cameo::cuda;

namespace {

enum class missing { nothing, barrier, warp };

template <missing MISSING> CAMEO_KERNEL void exchange(int32_t *out, const float *in) {
  int32_t *box = shared<int32_t>();
  float *tile = shared<float>(256);
  copy_async<4>(tile + thread(), in + thread());
  copy_async_commit();
  copy_async_wait<0>();
  for (int round = 0; round < 3; ++round) {
    box[thread()] = static_cast<int32_t>(thread()) + round;
    if (MISSING != missing::barrier || round != 1)
      barrier();
    out[thread()] = box[(thread() + 1) % 64] + static_cast<int32_t>(tile[63 - thread()]);
    barrier();
  }
  // Within a warp: lane 0 leaves a value for the others.
  if (lane() == 0)
    box[warp()] = 5;
  if (MISSING != missing::warp)
    warp_barrier();
  out[thread()] += box[warp()] + shuffle(box[warp()], 3);
  atomic_add(out + 64, 1);
}

template <missing MISSING> void run() {
  session s;
  device_array<float> in(s, std::vector<float>(64, 1.0f));
  device_array<int32_t> out(s, std::vector<int32_t>(65));
  for (int i = 0; i < 2; ++i)
    s.exec.launch(exchange<MISSING>, dim3(3), dim3(64), 512, out.data,
                  static_cast<const float *>(in.data));
  must(cudaStreamSynchronize(s.stream));
}

} // namespace

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "correct") == 0)
    run<missing::nothing>();
  else if (strcmp(what, "barrier") == 0)
    run<missing::barrier>();
  else if (strcmp(what, "warp") == 0)
    run<missing::warp>();
  else
    return 2;
  puts("done");
  return 0;
}
