// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Around the piece on other APIs of the page on embedding; the model is compiled for CUDA, the
// device is the emulator, and the renderer is this file.
#include "raw.h"

#include "cameo/model.h"
#include "net.h"

#include <cstring>
#include <cuda_runtime_api.h>
#include <sys/mman.h>
#include <unistd.h>
// INCLUDES

/// The renderer's side of what it shares.
static void *share(size_t bytes, int &fd) {
  const int file = memfd_create("shared", MFD_CLOEXEC);
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0)
    return nullptr;
  fd = dup(file);
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
}

int main() {
  const std::vector<float> image = read_raw<float>("image.raw"),
                           expected = read_raw<float>("scores.raw");
  const size_t in_bytes = image.size() * sizeof(float), out_bytes = expected.size() * sizeof(float);
  int memory_fd = -1, semaphore_fd = -1;
  void *drawing = share(in_bytes, memory_fd);
  auto *count = static_cast<uint64_t *>(share(sizeof(uint64_t), semaphore_fd));
  cudaExternalMemory_t memory = nullptr;
  cudaExternalSemaphore_t semaphore = nullptr;
  void *pixels = nullptr, *scores = nullptr;
  cameo::model model(net_model);
  cameo::session session;
  cameo::status status = model.open(session);
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMalloc(&scores, out_bytes);
  cameo::tensor out[] = {{scores, out_bytes, CAMEO_FLOAT, {2, 10}, CAMEO_SPACE_DEVICE}};
  // SNIPPET
  std::memcpy(drawing, image.data(), in_bytes); // drawn behind all that was enqueued
  *count = 1;
  if (!cameo::ok(status) || !cameo::ok(session.finish()))
    return 2;
  std::vector<float> host(expected.size());
  cudaMemcpy(host.data(), scores, out_bytes, cudaMemcpyDeviceToHost);
  cudaStreamSynchronize(stream);
  if (*count != 2)
    return 3;
  cudaFree(pixels);
  cudaDestroyExternalMemory(memory);
  cudaDestroyExternalSemaphore(semaphore);
  cudaStreamDestroy(stream);
  return are_close(host, expected) ? 0 : 1;
}
