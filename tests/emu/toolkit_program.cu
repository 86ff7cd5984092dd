// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model linked with the real runtime. Without a driver or a device it must say so and go on; with
// one, the results are checked.
#include <cstdio>
#include <cstring>

#include "scaled_model.h"

int main() {
  using namespace cameo;
  const cameo_model &model = gen::scaled::model;
  cameo_options options{};
  options.abi = CAMEO_ABI_VERSION;
  cameo_context *c = nullptr;
  status s = model.create(&options, &c);
  char text[512];
  cameo_format(&s, &model, text, sizeof(text));
  if (s.code == CAMEO_UNSUPPORTED) {
    printf("SKIP: no device (%s)\n", text);
    model.destroy(c); // null
    return 77;
  }
  constexpr int64_t count = 1000;
  float x[count], y[count];
  for (int64_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(i);
  int64_t dims[1] = {count};
  cameo_tensor in{}, out{};
  in.data = x;
  out.data = y;
  in.bytes = out.bytes = sizeof(x);
  in.dims = out.dims = dims;
  in.rank = out.rank = 1;
  in.dtype = out.dtype = CAMEO_FLOAT;
  if (s.code == CAMEO_OK)
    s = model.run(c, &in, 1, &out, 1, nullptr);
  if (s.code == CAMEO_OK)
    s = cameo_finish(c);
  cameo_format(&s, &model, text, sizeof(text));
  int wrong = s.code != CAMEO_OK;
  for (int64_t i = 0; i < count && !wrong; ++i)
    wrong = y[i] != 2 * x[i] + 0.5f;
  printf("%s: %s\n", wrong ? "WRONG" : "right", text);
  model.destroy(c);
  return wrong;
}
