// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks memory() what a model needs up to its first late symbol, gives a context of as many threads
// as the first argument says that much and no more, and runs it on x[64, 4] whose elements are the
// other arguments, one after another: what the run needs behind the symbol must come from
// elsewhere. Writes a line for memory() and one for each run.
#include "net.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int count, char **arguments) {
  std::vector<float> x(64 * 4);
  int64_t in_dims[] = {64, 4}, out_dims[2] = {};
  cameo_tensor in{}, out{};
  in.data = x.data();
  in.bytes = x.size() * sizeof(float);
  in.dims = in_dims;
  in.rank = out.rank = 2;
  in.dtype = out.dtype = CAMEO_FLOAT;
  out.dims = out_dims;
  cameo_memory plan{};
  const cameo_status asked = net_memory(&in, 1, &plan);
  std::printf("%s late %d peak %s\n", cameo_code_name(asked.code), plan.late_symbols,
              plan.peak_tensor);

  cameo_options options{};
  options.abi = CAMEO_ABI_VERSION;
  options.threads = std::atoi(arguments[1]);
  options.host_arena_bytes = plan.host_arena;
  options.host_arena = std::aligned_alloc(64, (plan.host_arena + 63) / 64 * 64);
  cameo_context *context = nullptr;
  if (net_create(&options, &context).code != CAMEO_OK)
    return 1;
  for (int k = 2; k < count; ++k) {
    for (float &element : x)
      element = std::strtof(arguments[k], nullptr);
    out.data = nullptr;
    const cameo_status ran = net_run(context, &in, 1, &out, 1, nullptr);
    std::printf("%s %lld\n", cameo_code_name(ran.code), static_cast<long long>(out_dims[0]));
  }
  net_destroy(context);
  std::free(options.host_arena);
}
