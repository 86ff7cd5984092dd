// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One stream fills the input, the model runs on a second, a third reads the output: `ready` and
// `done` events order them, and the host waits for nobody inside a run. The emulator reports what
// is not ordered, under every schedule.
#include "common.h"

using namespace cases;

namespace {

struct streams {
  cudaStream_t fill{}, work{}, read{};
  cudaEvent_t filled{}, computed{}, consumed{};
  streams() {
    for (cudaStream_t *stream : {&fill, &work, &read})
      check(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    for (cudaEvent_t *event : {&filled, &computed, &consumed})
      check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
};

void run_once(const context &model, const streams &on, const shape &s, int run) {
  const size_t bytes = s.count() * sizeof(float);
  const memory sent(bytes, CAMEO_SPACE_PINNED), received(bytes, CAMEO_SPACE_PINNED);
  const memory x(bytes, CAMEO_SPACE_DEVICE), y(bytes, CAMEO_SPACE_DEVICE);
  auto *numbers = static_cast<float *>(sent.data());
  for (int64_t k = 0; k < s.rows * s.columns; ++k)
    numbers[k] = element(run, 0, k);
  check(cudaMemcpyAsync(x.data(), sent.data(), bytes, cudaMemcpyDefault, on.fill));
  check(cudaEventRecord(on.filled, on.fill));

  int64_t in_dims[] = {s.rows, s.columns}, out_dims[] = {s.rows, s.columns};
  cameo_tensor in = bind(x.data(), bytes, in_dims, CAMEO_SPACE_DEVICE);
  in.ready = on.filled;
  in.done = on.consumed;
  cameo_tensor out = bind(y.data(), bytes, out_dims, CAMEO_SPACE_DEVICE);
  out.done = on.computed;
  const cameo_emu_counters before = seen();
  check(MODEL()->run(model.get(), &in, 1, &out, 1, on.work));
  const cameo_emu_counters after = seen();

  // The input is the caller's again as soon as the model is done with it.
  check(cudaStreamWaitEvent(on.fill, on.consumed, 0));
  check(cudaMemsetAsync(x.data(), 0xff, bytes, on.fill));
  check(cudaStreamWaitEvent(on.read, on.computed, 0));
  check(cudaMemcpyAsync(received.data(), y.data(), bytes, cudaMemcpyDefault, on.read));
  check(cudaStreamSynchronize(on.read));
  const auto *results = static_cast<const float *>(received.data());
  for (int64_t k = 0; k < s.rows * s.columns; ++k)
    if (results[k] != -element(run, 0, k))
      wrong("a result is not that of its element");
  check(cameo_finish(model.get()));
  check(cudaStreamSynchronize(on.fill));
  write_counters(before, after, model.counters().repacks);
}

} // namespace

int main(int count, char **arguments) {
  const streams on;
  const context model;
  for (int run = 0; run < 3; ++run)
    for (int k = 1; k < count; ++k)
      run_once(model, on, parse(arguments[k]), run);
}
