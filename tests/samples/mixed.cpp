// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Five models in one program, each on its own build of the runtime: does every one run, with its
// own switches and its own texts? `newer` is of a version of the runtime that says "counted" where
// the others say "got".
#include "cameo/model.h"
#include "device.h"
#include "heapless.h"
#include "newer.h"
#include "plain.h"
#include "single.h"

#include <cstdio>
#include <cstring>

namespace {

alignas(64) unsigned char arena[1 << 20];

int faults = 0;

void expect(bool holds, const char *model, const char *what) {
  if (holds)
    return;
  std::printf("%s: %s\n", model, what);
  ++faults;
}

void run(const cameo_model &model, const char *counting, bool in_arena) {
  cameo_options options = {};
  options.abi = CAMEO_ABI_VERSION;
  options.threads = 1;
  cameo_context *context = nullptr;
  if (in_arena) {
    // Without a heap there is nothing to fall back on.
    expect(model.create(&options, &context).code == CAMEO_UNSUPPORTED ||
               model.create(&options, &context).code == CAMEO_OUT_OF_MEMORY,
           model.name, "has found a heap");
    options.host_arena = arena;
    options.host_arena_bytes = sizeof arena;
  }
  expect(model.create(&options, &context).code == CAMEO_OK, model.name, "cannot be created");

  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8] = {};
  int64_t x_dims[] = {2, 4}, y_dims[] = {2, 4};
  cameo_tensor in = {}, out = {};
  in.data = x;
  in.dims = x_dims;
  out.data = y;
  out.dims = y_dims;
  in.bytes = out.bytes = sizeof x;
  in.rank = out.rank = 2;
  in.dtype = out.dtype = CAMEO_FLOAT;

  char text[256];
  const cameo_status wrong = model.run(context, &in, 0, &out, 1, nullptr);
  cameo_format(&wrong, &model, text, sizeof text);
  expect(std::strstr(text, counting) != nullptr, model.name, text);

  cameo_status status = model.run(context, &in, 1, &out, 1, nullptr);
  if (status.code == CAMEO_OK)
    status = cameo_finish(context);
  cameo_format(&status, &model, text, sizeof text);
  expect(status.code == CAMEO_OK, model.name, text);
  // Each row times the 4 x 4 matrix of ones.
  for (int i = 0; i < 8; ++i)
    expect(y[i] == (i < 4 ? 10.0f : 26.0f), model.name, "computes something else");
  cameo_counters counters = {};
  expect(cameo_counters_of(context, &counters).code == CAMEO_OK && counters.launches > 0,
         model.name, "has no counters");
  model.destroy(context);
}

} // namespace

int main() {
  run(plain_model, "got 0 inputs", false);
  run(single_model, "got 0 inputs", false);
  run(heapless_model, "got 0 inputs", true);
  run(newer_model, "counted 0 inputs", false);
  run(device_model, "got 0 inputs", false);
  std::printf("%d faults\n", faults);
  return faults != 0;
}
