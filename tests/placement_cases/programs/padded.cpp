// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output's rows lie farther apart than they are long, inside a halo, and are the input of the
// same model once more, on the device and on the host. A run repacks its output where that lies,
// unless the model says that its kernel writes such rows, and the second run its input. Bytes
// between the rows stay as they were.
#include "common.h"

#include <cstring>

using namespace cases;

namespace {

constexpr unsigned char gap = 0xa5; // as a float no result

/// Rows with a halo: memory of a row more at both ends, and of `pad` columns more, one in front.
struct padded {
  int64_t dims[2], strides[2];
  size_t bytes;
  memory data;
  cameo_tensor tensor;

  padded(const shape &s, int64_t pad, int space)
      : dims{s.rows, s.columns}, strides{s.columns + pad, 1},
        bytes(static_cast<size_t>((s.rows + 2) * strides[0]) * sizeof(float)), data(bytes, space) {
    const std::vector<unsigned char> gaps(bytes, gap);
    check(cudaMemcpy(data.data(), gaps.data(), bytes, cudaMemcpyDefault));
    const size_t first = static_cast<size_t>(strides[0] + 1) * sizeof(float);
    tensor = bind(static_cast<unsigned char *>(data.data()) + first, bytes - first, dims, space);
    tensor.strides = strides;
  }
};

/// Runs the model, adds what the emulator saw of that to `seen_so_far`, and says what was repacked.
int64_t run(const context &model, cameo_tensor &in, cameo_tensor &out,
            cameo_emu_counters &seen_so_far) {
  const cameo_emu_counters before = seen();
  check(MODEL()->run(model.get(), &in, 1, &out, 1, nullptr));
  const cameo_emu_counters after = seen();
  seen_so_far.h2d += after.h2d - before.h2d;
  seen_so_far.d2h += after.d2h - before.d2h;
  seen_so_far.blocking_syncs += after.blocking_syncs - before.blocking_syncs;
  check(cameo_finish(model.get()));
  return model.counters().repacks;
}

void hold(const padded &y, const shape &s, int run, float sign) {
  std::vector<float> rows(y.bytes / sizeof(float));
  check(cudaMemcpy(rows.data(), y.data.data(), y.bytes, cudaMemcpyDefault));
  float untouched = 0;
  std::memset(&untouched, gap, sizeof untouched);
  for (size_t k = 0; k < rows.size(); ++k) {
    const int64_t r = static_cast<int64_t>(k) / y.strides[0] - 1,
                  c = static_cast<int64_t>(k) % y.strides[0] - 1;
    const bool inside = r >= 0 && r < s.rows && c >= 0 && c < s.columns;
    const float expected = inside ? sign * element(run, r, c) : untouched;
    if (std::memcmp(&rows[k], &expected, sizeof expected) != 0)
      wrong(inside ? "a result is not that of its row" : "a gap was written");
  }
}

void run_once(const context &model, const shape &s, int number, int space) {
  const size_t bytes = s.count() * sizeof(float);
  std::vector<float> numbers(s.count());
  for (int64_t r = 0; r < s.rows; ++r)
    for (int64_t c = 0; c < s.columns; ++c)
      numbers[static_cast<size_t>(r * s.columns + c)] = element(number, r, c);
  const memory x(bytes, CAMEO_SPACE_DEVICE);
  check(cudaMemcpy(x.data(), numbers.data(), bytes, cudaMemcpyDefault));
  int64_t dims[] = {s.rows, s.columns};
  cameo_tensor in = bind(x.data(), bytes, dims, CAMEO_SPACE_DEVICE);
  padded y(s, 2 + number % 3, space), z(s, 3 + number % 2, space);

  const cameo_emu_counters none{};
  cameo_emu_counters runs{};
  const int64_t first = run(model, in, y.tensor, runs);
  const int64_t second = run(model, y.tensor, z.tensor, runs);
  hold(y, s, number, -1);
  hold(z, s, number, 1);
  const bool on_device = space == CAMEO_SPACE_DEVICE, has_rows = s.rows > 1 && s.columns > 0;
  const bool in_place = on_device && (MODEL()->outputs[0].flags & CAMEO_PORT_STRIDED);
  if (first != (in_place || !has_rows ? 0 : 1))
    wrong("the output was repacked more or less often than it must be");
  if (second != (!has_rows ? 0 : in_place ? 1 : 2))
    wrong("the next run repacked more or less than its input and its output");
  if (!on_device) { // an input has to go up once, and each output down
    if (runs.h2d > 1 || runs.d2h > 2)
      wrong("more than one copy between the sides");
    runs.h2d = runs.d2h = 0;
  }
  write_counters(none, runs, first + second);
}

} // namespace

int main(int count, char **arguments) {
  const context model;
  int number = 0;
  for (const int space : {CAMEO_SPACE_DEVICE, CAMEO_SPACE_PINNED})
    for (int k = 1; k < count; ++k)
      run_once(model, parse(arguments[k]), number++, space);
}
