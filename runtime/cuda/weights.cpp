// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights on the device: found and verified as on the CPU, then uploaded once through two pinned
// buffers, so that a file of any size needs little pinned memory and the copy overlaps its staging.
#include "device_state.h"

#include <new>

namespace cameo::cuda {
namespace {

constexpr size_t staging_bytes = size_t{4} << 20;

struct stager {
  void *memory[2] = {};
  api::event event[2] = {};
  api::stream stream = nullptr;

  ~stager() {
    if (stream)
      api::destroy_stream(stream);
    for (int i = 0; i < 2; ++i) {
      if (event[i])
        api::destroy_event(event[i]);
      if (memory[i])
        api::release_pinned(memory[i]);
    }
  }

  api::error open(size_t bytes) {
    api::error e = api::create_stream(&stream);
    for (int i = 0; i < 2 && e == api::success; ++i) {
      e = api::allocate_pinned(&memory[i], bytes);
      if (e == api::success)
        e = api::create_event(&event[i]);
    }
    return e;
  }

  api::error copy(unsigned char *target, const unsigned char *source, size_t bytes) {
    api::error e = api::success;
    int i = 0;
    for (size_t at = 0; at < bytes && e == api::success; i ^= 1) {
      const size_t piece = bytes - at < staging_bytes ? bytes - at : staging_bytes;
      e = api::wait(event[i]); // of two pieces before; at once the first time
      if (e != api::success)
        break;
      __builtin_memcpy(memory[i], source + at, piece);
      e = api::copy_to_device(target + at, memory[i], piece, stream);
      if (e == api::success)
        e = api::record(event[i], stream);
      at += piece;
    }
    const api::error end = api::wait(stream);
    return e != api::success ? e : end;
  }
};

status upload(device_weights &w) {
  if (w.bytes == 0)
    return success();
  api::error e = api::success;
  w.device = static_cast<unsigned char *>(
      device_allocate(w.user_memory ? &w.allocator : nullptr, w.bytes, e));
  if (e == api::out_of_memory)
    return error_device_memory(static_cast<int64_t>(w.bytes));
  if (!w.device)
    return api::is_lost(e) ? error_lost_before(e) : error_cuda(e, -1);
  stager s;
  e = s.open(w.bytes < staging_bytes ? w.bytes : staging_bytes);
  if (e == api::success)
    e = s.copy(w.device, w.data, w.bytes);
  if (e != api::success)
    api::take_error();
  return error_cuda(e, -1);
}

} // namespace

status load_weights(const cameo_model &model, const cameo_options &options, bool user_memory,
                    device_weights *&weights) {
  void *memory = host_allocate(options.allocator, sizeof(device_weights));
  if (!memory)
    return error_out_of_memory(sizeof(device_weights));
  auto *w = new (memory) device_weights;
  w->target = &target;
  w->allocator = options.allocator;
  w->ordinal = options.device;
  w->user_memory = user_memory;
  status s = open_weights(model, options, *w);
  if (ok(s))
    s = upload(*w);
  if (ok(s))
    weights = w;
  else
    release_weights(w);
  return s;
}

void release_weights(cameo_weights *base) {
  if (!weights_drop(*base))
    return;
  auto *w = static_cast<device_weights *>(base);
  const device_scope device(w->ordinal);
  device_release(w->user_memory ? &w->allocator : nullptr, w->device, w->bytes);
  close_weights(*w);
  host_release(w->allocator, w, sizeof(device_weights));
}

} // namespace cameo::cuda
