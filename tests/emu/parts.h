// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a CUDA context without a context around them: what each needs of the others, and a
// stream in the place of the caller's.
#pragma once

#include "cameo/cuda/call_state.h"
#include "cameo/cuda/conditional_bodies.h"
#include "cameo/cuda/device_arena.h"
#include "cameo/cuda/error_report.h"
#include "cameo/cuda/errors.h"
#include "cameo/cuda/port_table.h"
#include "cameo/cuda/run_record.h"
#include "cameo/cuda/staging_pool.h"
#include "cameo/cuda/stream_order.h"

#include "calls.h"

namespace calls {
namespace { // as the models are

constexpr size_t some_bytes = 4096;

/// The host's half of a context, of a model without tensors.
class host_half {
public:
  host_half() {
    cameo_options options = defaults();
    options.threads = 1;
    well(cameo::cpu::create(model(), &options, &context_));
  }
  ~host_half() { cameo::cpu::destroy(context_); }
  host_half(const host_half &) = delete;
  host_half &operator=(const host_half &) = delete;

  cameo::cpu::context &get() { return *static_cast<cameo::cpu::context *>(context_); }

private:
  static const cameo_model &model() {
    static const cameo_model empty = [] {
      cameo_model m{};
      m.abi = CAMEO_ABI_VERSION;
      m.name = m.compiler = "by hand";
      m.target_name = "cpu";
      m.target = &cameo::cpu::target;
      return m;
    }();
    return empty;
  }

  cameo_context *context_ = nullptr;
};

/// The first parts, on which the others stand.
struct two_streams {
  host_half host;
  own_stream caller;
  cameo_context owner{};
  cameo::cuda::call_state call{owner, host.get()};
  cameo::cuda::exec_state &state = call.device();
  cameo::cuda::stream_order order{call};

  two_streams() { REQUIRE(order.open()); }
  ~two_streams() {
    order.drain();
    order.close();
  }
};

/// Memory, and the slots in it, which have the options of `owner`.
struct staging : two_streams {
  cameo::cuda::device_memory memory{order};
  cameo::cuda::staging_pool pool{memory};

  explicit staging(cameo_options options = defaults()) {
    well(cameo::check_options(&options, owner.options));
    memory.use_allocator(options.allocator.allocate != nullptr);
  }
  ~staging() {
    order.drain();
    pool.close();
    memory.close();
  }
};

} // namespace
} // namespace calls
