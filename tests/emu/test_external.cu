// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models on memory that another API made, behind its semaphores and in front of them: no copy, no
// wait of the host. The other API is played by this file: memory is a file that both sides map, a
// timeline semaphore a count in one.
#include <catch2/catch.hpp>

#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"
#include "report.h"

using namespace cameo;
using namespace calls;

namespace {

/// The other API's side of something shared.
class shared_file {
public:
  explicit shared_file(size_t bytes) : bytes_(bytes), fd_(memfd_create("shared", MFD_CLOEXEC)) {
    REQUIRE(ftruncate(fd_, static_cast<off_t>(bytes)) == 0);
    mapping_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    REQUIRE(mapping_ != MAP_FAILED);
  }
  ~shared_file() {
    munmap(mapping_, bytes_);
    close(fd_);
  }
  shared_file(const shared_file &) = delete;
  shared_file &operator=(const shared_file &) = delete;

  template <class T> T *at(size_t offset = 0) {
    return reinterpret_cast<T *>(static_cast<char *>(mapping_) + offset);
  }
  size_t bytes() const { return bytes_; }
  /// A descriptor for the CUDA side, which takes it.
  int exported() const { return dup(fd_); }

private:
  size_t bytes_;
  int fd_;
  void *mapping_;
};

cudaExternalMemoryHandleDesc memory_desc(const shared_file &file) {
  cudaExternalMemoryHandleDesc desc{};
  desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
  desc.handle.fd = file.exported();
  desc.size = file.bytes();
  return desc;
}

/// Device memory for a part of the file.
class imported_memory {
public:
  imported_memory(const shared_file &file, size_t offset, size_t bytes) {
    const cudaExternalMemoryHandleDesc desc = memory_desc(file);
    must(cudaImportExternalMemory(&memory_, &desc));
    cudaExternalMemoryBufferDesc part{};
    part.offset = offset;
    part.size = bytes;
    must(cudaExternalMemoryGetMappedBuffer(&data, memory_, &part));
  }
  ~imported_memory() {
    cudaFree(data);
    cudaDestroyExternalMemory(memory_);
  }
  imported_memory(const imported_memory &) = delete;
  imported_memory &operator=(const imported_memory &) = delete;

  cameo_tensor tensor(int64_t *dims) const {
    cameo_tensor t{};
    t.data = data;
    t.bytes = static_cast<uint64_t>(*dims) * 4;
    t.dims = dims;
    t.rank = 1;
    t.dtype = CAMEO_FLOAT;
    t.space = CAMEO_SPACE_DEVICE;
    return t;
  }
  void *data = nullptr;

private:
  cudaExternalMemory_t memory_ = nullptr;
};

class imported_semaphore {
public:
  explicit imported_semaphore(const shared_file &file) {
    cudaExternalSemaphoreHandleDesc desc{};
    desc.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
    desc.handle.fd = file.exported();
    must(cudaImportExternalSemaphore(&semaphore_, &desc));
  }
  ~imported_semaphore() { cudaDestroyExternalSemaphore(semaphore_); }
  imported_semaphore(const imported_semaphore &) = delete;
  imported_semaphore &operator=(const imported_semaphore &) = delete;

  cudaError_t wait(uint64_t value, cudaStream_t stream) const {
    cudaExternalSemaphoreWaitParams params{};
    params.params.fence.value = value;
    return cudaWaitExternalSemaphoresAsync(&semaphore_, &params, 1, stream);
  }
  cudaError_t signal(uint64_t value, cudaStream_t stream) const {
    cudaExternalSemaphoreSignalParams params{};
    params.params.fence.value = value;
    return cudaSignalExternalSemaphoresAsync(&semaphore_, &params, 1, stream);
  }

private:
  cudaExternalSemaphore_t semaphore_ = nullptr;
};

} // namespace

TEST_CASE("a model between the semaphores of another API", "[external]") {
  int64_t n[1] = {300};
  constexpr size_t bytes = 1200, offset = 4096 + 256; // as an allocation of theirs may lie
  shared_file pixels(3 * 4096), results(4096), fence(sizeof(uint64_t));
  own_stream stream;
  owner o;
  const imported_memory x(pixels, offset, bytes), y(results, 0, bytes);
  const imported_semaphore semaphore(fence);
  const cameo_tensor in = x.tensor(n);
  cameo_tensor out = y.tensor(n);
  for (uint64_t frame = 0; frame < 4; ++frame) {
    std::vector<float> values = ramp(300);
    for (float &value : values)
      value += static_cast<float>(frame);
    cameo_emu_reset_counters();
    must(semaphore.wait(2 * frame + 1, stream.handle));
    well(scaled_model.run(o.c, &in, 1, &out, 1, stream.handle));
    must(semaphore.signal(2 * frame + 2, stream.handle));
    if (frame > 0) {
      const cameo_emu_counters seen = emulator();
      CHECK(seen.h2d + seen.d2h + seen.d2h_outputs == 0);
      CHECK(seen.blocking_syncs + seen.implicit_syncs == 0);
      CHECK(seen.device_allocs == 0);
    }
    // Theirs is written last, behind all that was enqueued here.
    memcpy(pixels.at<float>(offset), values.data(), bytes);
    __atomic_store_n(fence.at<uint64_t>(), 2 * frame + 1, __ATOMIC_RELEASE);
    well(cameo_finish(o.c));
    must(cudaStreamSynchronize(stream.handle));
    CHECK(__atomic_load_n(fence.at<uint64_t>(), __ATOMIC_ACQUIRE) == 2 * frame + 2);
    CHECK(std::vector<float>(results.at<float>(), results.at<float>() + 300) == expected(values));
  }
  // Nothing beside the mapped bytes was touched.
  CHECK(*pixels.at<float>(offset - 4) == 0);
  CHECK(*pixels.at<float>(offset + bytes) == 0);
}

TEST_CASE("a wait comes behind the signal that lets it pass", "[external]") {
  shared_file file(4096), fence(sizeof(uint64_t));
  const auto use = [&](uint64_t awaited) {
    own_stream first, second;
    const imported_memory memory(file, 0, 1200);
    const imported_semaphore semaphore(fence);
    must(cudaMemsetAsync(memory.data, 1, 1200, first.handle));
    must(semaphore.signal(1, first.handle));
    must(cudaMemsetAsync(memory.data, 2, 1200, first.handle));
    must(semaphore.signal(2, first.handle));
    must(semaphore.wait(awaited, second.handle));
    must(cudaMemsetAsync(memory.data, 3, 1200, second.handle));
    must(cudaDeviceSynchronize());
  };
  CHECK_THAT(report_of([&] { use(1); }), Catch::Contains("missing event wait: 'memset'"));
  CHECK(report_of([&] { use(2); }) == "not caught: ");
}

TEST_CASE("semaphores that are used wrongly", "[external]") {
  shared_file fence(sizeof(uint64_t));
  const auto use = [&](bool signals, uint64_t value) {
    *fence.at<uint64_t>() = 5;
    own_stream stream;
    const imported_semaphore semaphore(fence);
    must(signals ? semaphore.signal(value, stream.handle) : semaphore.wait(value, stream.handle));
    must(cudaStreamSynchronize(stream.handle));
  };
  CHECK_THAT(report_of([&] { use(false, 6); }),
             Catch::Contains("waits for a semaphore to be signalled with 6, which is at 5"));
  CHECK_THAT(report_of([&] { use(true, 5); }),
             Catch::Contains("is signalled with 5 when it is at 5 already"));
  CHECK(report_of([&] { use(false, 5); }) == "not caught: ");
}

TEST_CASE("imported memory ends where it ends", "[external]") {
  shared_file file(4096);
  CHECK_THAT(report_of([&] {
               const imported_memory memory(file, 0, 1200);
               cudaMemset(memory.data, 0, 1204);
             }),
             Catch::Contains("1204 bytes at") && Catch::Contains("4 too many"));
}

TEST_CASE("what cannot be imported", "[external]") {
  shared_file file(4096);
  cudaExternalMemory_t memory = nullptr;
  cudaExternalMemoryHandleDesc desc = memory_desc(file);
  desc.size = 4097;
  CHECK(cudaImportExternalMemory(&memory, &desc) == cudaErrorInvalidValue);
  desc.size = 4096;
  desc.type = cudaExternalMemoryHandleTypeD3D12Heap;
  CHECK(cudaImportExternalMemory(&memory, &desc) == cudaErrorNotSupported);
  desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
  must(cudaImportExternalMemory(&memory, &desc)); // closes the descriptor in the end

  void *data = nullptr;
  cudaExternalMemoryBufferDesc part{};
  part.offset = 4096 - 16;
  part.size = 17;
  CHECK(cudaExternalMemoryGetMappedBuffer(&data, memory, &part) == cudaErrorInvalidValue);
  must(cudaDestroyExternalMemory(memory));

  cudaExternalSemaphore_t semaphore = nullptr;
  cudaExternalSemaphoreHandleDesc of{};
  of.handle.fd = -1;
  of.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
  CHECK(cudaImportExternalSemaphore(&semaphore, &of) == cudaErrorInvalidValue);
  of.type = cudaExternalSemaphoreHandleTypeOpaqueFd;
  CHECK(cudaImportExternalSemaphore(&semaphore, &of) == cudaErrorNotSupported);
}

TEST_CASE("semaphores are no part of a capture", "[external]") {
  shared_file fence(sizeof(uint64_t));
  own_stream stream;
  const imported_semaphore semaphore(fence);
  must(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeRelaxed));
  CHECK(semaphore.wait(1, stream.handle) == cudaErrorNotSupported);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream.handle, &graph) == cudaErrorStreamCaptureInvalidated);
  CHECK(graph == nullptr);
}
