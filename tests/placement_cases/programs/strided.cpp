// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input's rows lie farther apart than they are long, on the device and on the host, as another
// model with padded rows would leave them. At most one repack, on the side where the input is; the
// padding is no number, so that reading it shows.
#include "common.h"

#include <limits>

using namespace cases;

namespace {

void fill(float *rows, const shape &s, int64_t pitch, int run) {
  for (int64_t r = 0; r < s.rows; ++r)
    for (int64_t c = 0; c < pitch; ++c)
      rows[r * pitch + c] =
          c < s.columns ? element(run, r, c) : std::numeric_limits<float>::quiet_NaN();
}

void run_once(const context &model, const shape &s, int run, int space) {
  const int64_t pitch = s.columns + 1 + run % 3;
  const size_t bytes = static_cast<size_t>(s.rows * pitch) * sizeof(float);
  std::vector<float> rows(static_cast<size_t>(s.rows * pitch)), results(s.count());
  fill(rows.data(), s, pitch, run);
  const memory x(bytes, space), y(s.count() * sizeof(float), CAMEO_SPACE_DEVICE);
  check(cudaMemcpy(x.data(), rows.data(), bytes, cudaMemcpyDefault));

  int64_t in_dims[] = {s.rows, s.columns}, out_dims[] = {s.rows, s.columns};
  const int64_t strides[] = {pitch, 1};
  cameo_tensor in = bind(x.data(), bytes, in_dims, space);
  in.strides = strides;
  cameo_tensor out = bind(y.data(), s.count() * sizeof(float), out_dims, CAMEO_SPACE_DEVICE);
  const cameo_emu_counters before = seen();
  check(MODEL()->run(model.get(), &in, 1, &out, 1, nullptr));
  cameo_emu_counters after = seen();
  check(cameo_finish(model.get()));

  check(cudaMemcpy(results.data(), y.data(), s.count() * sizeof(float), cudaMemcpyDefault));
  for (int64_t r = 0; r < s.rows; ++r)
    for (int64_t c = 0; c < s.columns; ++c)
      if (results[static_cast<size_t>(r * s.columns + c)] != -element(run, r, c))
        wrong("a result is not that of its row");
  const int64_t repacks = model.counters().repacks;
  if (repacks > 1)
    wrong("more than one repack");
  if (space != CAMEO_SPACE_DEVICE) { // it has to go up once
    if (after.h2d - before.h2d > 1)
      wrong("more than one upload");
    after.h2d = before.h2d;
  }
  write_counters(before, after, repacks);
}

} // namespace

int main(int count, char **arguments) {
  const context model;
  int run = 0;
  for (const int space : {CAMEO_SPACE_DEVICE, CAMEO_SPACE_PINNED})
    for (int k = 1; k < count; ++k)
      run_once(model, parse(arguments[k]), run++, space);
}
