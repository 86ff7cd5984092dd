// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See streams.h.
#include "streams.h"

#include <cstring>

#if CAMEO_DRIVER_DEVICE_MEMORY
#include <cuda_runtime_api.h>

namespace driver {
namespace {

void check(cudaError_t error) {
  if (error != cudaSuccess)
    die(cudaGetErrorString(error));
}

cudaStream_t as_stream(void *stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t as_event(void *event) { return static_cast<cudaEvent_t>(event); }

void *make_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

} // namespace

user_streams::user_streams()
    : fill_(make_stream()), read_(make_stream()), run_{make_stream(), make_stream()} {}

user_streams::~user_streams() {
  finish();
  for (void *stream : {fill_, read_, run_[0], run_[1]})
    check(cudaStreamDestroy(as_stream(stream)));
}

void *user_streams::event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  events_.push_back(event);
  return event;
}

/// Copies of pinned memory are asynchronous.
void *user_streams::pinned(size_t size) {
  void *memory = nullptr;
  check(cudaHostAlloc(&memory, size, cudaHostAllocDefault));
  pinned_.push_back(memory);
  return memory;
}

void user_streams::give_done(cameo_tensor &tensor) { tensor.done = event(); }

void user_streams::write_late(cameo_tensor &tensor, const bytes &image) {
  void *source = pinned(image.size());
  std::memcpy(source, image.data(), image.size());
  check(cudaMemcpyAsync(tensor.data, source, image.size(), cudaMemcpyDefault, as_stream(fill_)));
  tensor.ready = event();
  check(cudaEventRecord(as_event(tensor.ready), as_stream(fill_)));
}

void user_streams::spoil(const cameo_tensor &tensor) {
  void *source = pinned(tensor.bytes);
  std::memset(source, 0xff, tensor.bytes);
  check(cudaStreamWaitEvent(as_stream(fill_), as_event(tensor.done), 0));
  check(cudaMemcpyAsync(tensor.data, source, tensor.bytes, cudaMemcpyDefault, as_stream(fill_)));
}

bytes user_streams::read(const cameo_tensor &tensor) {
  void *target = pinned(tensor.bytes);
  check(cudaStreamWaitEvent(as_stream(read_), as_event(tensor.done), 0));
  check(cudaMemcpyAsync(target, tensor.data, tensor.bytes, cudaMemcpyDefault, as_stream(read_)));
  check(cudaStreamSynchronize(as_stream(read_)));
  const auto *first = static_cast<const unsigned char *>(target);
  return bytes(first, first + tensor.bytes);
}

void user_streams::finish() {
  for (void *stream : {fill_, read_, run_[0], run_[1]})
    check(cudaStreamSynchronize(as_stream(stream)));
  for (void *event : events_)
    check(cudaEventDestroy(as_event(event)));
  for (void *memory : pinned_)
    check(cudaFreeHost(memory));
  events_.clear();
  pinned_.clear();
}

} // namespace driver

#else

namespace driver {

user_streams::user_streams() : fill_(), read_(), run_() {
  die("a target without a device has no streams");
}
user_streams::~user_streams() {}
void *user_streams::event() { return nullptr; }
void *user_streams::pinned(size_t) { return nullptr; }
void user_streams::give_done(cameo_tensor &) {}
void user_streams::write_late(cameo_tensor &, const bytes &) {}
void user_streams::spoil(const cameo_tensor &) {}
bytes user_streams::read(const cameo_tensor &) { return {}; }
void user_streams::finish() {}

} // namespace driver

#endif
