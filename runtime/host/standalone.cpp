// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model behind cpu::standalone: one without tensors.
#include "cameo/cpu/standalone.h"

namespace cameo::cpu {

namespace {

constexpr cameo_model empty_model() {
  cameo_model m{};
  m.abi = CAMEO_ABI_VERSION;
  m.name = "standalone";
  m.compiler = "none";
  m.target_name = "cpu";
  m.target = &target;
  return m;
}
constexpr cameo_model model = empty_model();

cameo_options with_threads(int32_t threads) {
  cameo_options o{};
  o.abi = CAMEO_ABI_VERSION;
  o.threads = threads;
  return o;
}

} // namespace

standalone::standalone(const cameo_options &options) { (void)create(model, &options, &context_); }

standalone::standalone(int32_t threads) : standalone(with_threads(threads)) {}

} // namespace cameo::cpu
