// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a model without a heap, y[2, 4] of x[2, 4], on rows that lie apart: in place where the model
// says so, else refused, naming the output; then on dense ones. Writes what the runs say.
#include "net.h"

#include <cstdio>

namespace {

alignas(64) unsigned char arena[1 << 16];
float x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[12];

cameo_status run(cameo_context *context, const int64_t *strides, size_t elements) {
  for (float &element : y)
    element = -1;
  int64_t in_dims[] = {2, 4}, out_dims[] = {2, 4};
  cameo_tensor in{}, out{};
  in.data = x;
  in.bytes = sizeof x;
  in.dims = in_dims;
  in.rank = out.rank = 2;
  in.dtype = out.dtype = CAMEO_FLOAT;
  out.data = y;
  out.bytes = elements * sizeof(float);
  out.dims = out_dims;
  out.strides = strides;
  return net_run(context, &in, 1, &out, 1, nullptr);
}

void write(const cameo_status &status) {
  char text[256];
  cameo_format(&status, net_describe(), text, sizeof text);
  std::printf("%s:", status.code == CAMEO_OK ? "OK" : text);
  for (const float element : y)
    std::printf(" %g", static_cast<double>(element));
  std::printf("\n");
}

} // namespace

int main() {
  cameo_options options{};
  options.abi = CAMEO_ABI_VERSION;
  options.host_arena = arena;
  options.host_arena_bytes = sizeof arena;
  cameo_context *context = nullptr;
  const cameo_status created = net_create(&options, &context);
  if (created.code != CAMEO_OK) {
    write(created);
    return 1;
  }
  const int64_t strides[] = {6, 1};
  write(run(context, strides, 12));
  write(run(context, strides, 9)); // one element short
  write(run(context, nullptr, 8));
  net_destroy(context);
}
