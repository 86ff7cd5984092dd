// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime API on memory and semaphores of another API (Vulkan, D3D). Here the other API is
// whoever has the file behind a descriptor: memory is its bytes, a timeline semaphore the 64-bit
// count at its start, which the other side sets and reads through a mapping of its own.
#include <map>
#include <memory>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture.h"
#include "memory.h"
#include "settings.h"
#include "stream.h"

using namespace cameo::emu;

namespace {

/// A mapping of a semaphore's count; lives as long as what is queued needs it.
struct timeline {
  explicit timeline(uint64_t *mapped) : count(mapped) {}
  ~timeline() { munmap(count, sizeof(*count)); }
  timeline(const timeline &) = delete;
  timeline &operator=(const timeline &) = delete;

  uint64_t get() const { return __atomic_load_n(count, __ATOMIC_ACQUIRE); }
  void set(uint64_t value) { __atomic_store_n(count, value, __ATOMIC_RELEASE); }

  uint64_t *count;
  std::map<uint64_t, point> signals; ///< that have been queued, by value
};

size_t file_bytes(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && status.st_size > 0 ? static_cast<size_t>(status.st_size) : 0;
}

void queue_signal(CUstream_st &stream, const std::shared_ptr<timeline> &to, uint64_t value) {
  operation op;
  op.name = "semaphore signal";
  op.where = place::host;
  op.run = [=] {
    if (value <= to->get())
      fail("a semaphore is signalled with %llu when it is at %llu already",
           static_cast<unsigned long long>(value), static_cast<unsigned long long>(to->get()));
    to->set(value);
  };
  enqueue(stream, std::move(op));
  to->signals[value] = {stream.last, stream.clock};
}

void queue_wait(CUstream_st &stream, const std::shared_ptr<timeline> &on, uint64_t value) {
  operation op;
  op.name = "semaphore wait";
  op.where = place::host;
  op.run = [=] {
    if (on->get() < value)
      fail("a stream waits for a semaphore to be signalled with %llu, which is at %llu; nobody has",
           static_cast<unsigned long long>(value), static_cast<unsigned long long>(on->get()));
  };
  // The first signal that lets it pass, if it is one of ours.
  const auto signal = on->signals.lower_bound(value);
  enqueue(stream, std::move(op),
          signal == on->signals.end() ? std::vector<point>() : std::vector<point>{signal->second});
}

} // namespace

struct CUexternalMemory_st {
  int fd;
  size_t bytes;
};

struct CUexternalSemaphore_st {
  std::shared_ptr<timeline> state;
};

namespace {

/// Queues one operation for each semaphore.
template <class PARAMS, class QUEUE>
cudaError_t queue_each(const cudaExternalSemaphore_t *semaphores, const PARAMS *params,
                       unsigned count, cudaStream_t handle, QUEUE queue) {
  CUstream_st *stream = find_stream(handle);
  if (stream == nullptr)
    return cudaErrorInvalidResourceHandle;
  if (count == 0 || semaphores == nullptr || params == nullptr)
    return cudaErrorInvalidValue;
  const cudaError_t error = use_uncaptured(*stream);
  if (error != cudaSuccess)
    return error;
  for (unsigned i = 0; i < count; ++i)
    queue(*stream, semaphores[i]->state, params[i].params.fence.value);
  return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
                                     const cudaExternalMemoryHandleDesc *memHandleDesc) {
  CAMEO_EMU_API(cudaImportExternalMemory);
  if (extMem_out == nullptr || memHandleDesc == nullptr || memHandleDesc->size == 0)
    return call.result(cudaErrorInvalidValue);
  if (memHandleDesc->type != cudaExternalMemoryHandleTypeOpaqueFd)
    return call.result(cudaErrorNotSupported);
  const int fd = memHandleDesc->handle.fd;
  if (memHandleDesc->size > file_bytes(fd))
    return call.result(cudaErrorInvalidValue);
  // From here on the descriptor is ours to close.
  *extMem_out = new CUexternalMemory_st{fd, static_cast<size_t>(memHandleDesc->size)};
  return cudaSuccess;
}

cudaError_t cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t extMem,
                                              const cudaExternalMemoryBufferDesc *bufferDesc) {
  CAMEO_EMU_API(cudaExternalMemoryGetMappedBuffer);
  if (devPtr == nullptr || extMem == nullptr || bufferDesc == nullptr || bufferDesc->flags != 0 ||
      bufferDesc->size == 0 || bufferDesc->size > extMem->bytes ||
      bufferDesc->offset > extMem->bytes - bufferDesc->size)
    return call.result(cudaErrorInvalidValue);
  const cudaError_t error = unsafe_call();
  if (error != cudaSuccess)
    return call.result(error);
  const allocation *a =
      map_imported(extMem->fd, bufferDesc->offset, bufferDesc->size, current_device());
  if (a == nullptr)
    return call.result(cudaErrorMemoryAllocation);
  *devPtr = a->user;
  return cudaSuccess;
}

cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t extMem) {
  CAMEO_EMU_API(cudaDestroyExternalMemory);
  if (extMem == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  close(extMem->fd); // what is mapped of it stays until it is freed
  delete extMem;
  return cudaSuccess;
}

cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t *extSem_out,
                                        const cudaExternalSemaphoreHandleDesc *semHandleDesc) {
  CAMEO_EMU_API(cudaImportExternalSemaphore);
  if (extSem_out == nullptr || semHandleDesc == nullptr || semHandleDesc->flags != 0)
    return call.result(cudaErrorInvalidValue);
  if (semHandleDesc->type != cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd)
    return call.result(cudaErrorNotSupported);
  const int fd = semHandleDesc->handle.fd;
  if (file_bytes(fd) < sizeof(uint64_t))
    return call.result(cudaErrorInvalidValue);
  void *count = mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (count == MAP_FAILED)
    return call.result(cudaErrorInvalidValue);
  close(fd);
  *extSem_out =
      new CUexternalSemaphore_st{std::make_shared<timeline>(static_cast<uint64_t *>(count))};
  return cudaSuccess;
}

cudaError_t cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
                                              const cudaExternalSemaphoreSignalParams *paramsArray,
                                              unsigned int numExtSems, cudaStream_t stream) {
  CAMEO_EMU_API(cudaSignalExternalSemaphoresAsync);
  return call.result(queue_each(extSemArray, paramsArray, numExtSems, stream, queue_signal));
}

cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
                                            const cudaExternalSemaphoreWaitParams *paramsArray,
                                            unsigned int numExtSems, cudaStream_t stream) {
  CAMEO_EMU_API(cudaWaitExternalSemaphoresAsync);
  return call.result(queue_each(extSemArray, paramsArray, numExtSems, stream, queue_wait));
}

cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem) {
  CAMEO_EMU_API(cudaDestroyExternalSemaphore);
  if (extSem == nullptr)
    return call.result(cudaErrorInvalidResourceHandle);
  delete extSem;
  return cudaSuccess;
}

} // extern "C"
