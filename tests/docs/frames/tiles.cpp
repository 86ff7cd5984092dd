// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Around the piece on a pipeline of the page on embedding; the model is compiled for CUDA, the
// device is the emulator, whose record says what may go on side by side.
#include "raw.h"

#include "cameo/emu/emu.h"
#include "cameo/model.h"
#include "net.h"

#include <cuda_runtime_api.h>
// INCLUDES

static size_t in_bytes = 0, out_bytes = 0;

static float *pinned(const std::vector<float> &values, float factor) {
  void *memory = nullptr;
  cudaMallocHost(&memory, values.size() * sizeof(float));
  auto *copy = static_cast<float *>(memory);
  for (size_t i = 0; i < values.size(); ++i)
    copy[i] = factor * values[i];
  return copy;
}

struct slot {
  void *pixels = nullptr, *scores = nullptr;
  cudaEvent_t filled{}, read{}, computed{}, fetched{};
  slot() {
    cudaMalloc(&pixels, in_bytes);
    cudaMalloc(&scores, out_bytes);
    for (cudaEvent_t *event : {&filled, &read, &computed, &fetched})
      cudaEventCreateWithFlags(event, cudaEventDisableTiming);
  }
};

int main() {
  const std::vector<float> image = read_raw<float>("image.raw"),
                           expected = read_raw<float>("scores.raw");
  in_bytes = image.size() * sizeof(float);
  out_bytes = expected.size() * sizeof(float);
  std::vector<float *> images, scores;
  for (int n = 1; n <= 4; ++n) { // each a times brighter than the first
    images.push_back(pinned(image, static_cast<float>(n)));
    scores.push_back(pinned(expected, 0));
  }
  cameo::model model(net_model);
  cameo::session session;
  cameo::status status = model.open(session);
  cudaStream_t up{}, work{}, down{};
  for (cudaStream_t *stream : {&up, &work, &down})
    cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  slot slots[2];
  cameo_emu_record(1);
  // SNIPPET
  if (!cameo::ok(status))
    return 2;
  constexpr const char *to_device = "copy host to device", *to_host = "copy device to host";
  if (cameo_emu_beside(to_device, to_host) < 3)
    return 3;
  for (size_t n = 0; n < scores.size(); ++n) {
    std::vector<float> wanted = expected;
    for (float &score : wanted)
      score *= static_cast<float>(n + 1);
    if (!are_close(std::vector<float>(scores[n], scores[n] + wanted.size()), wanted))
      return 4;
  }
  return 0;
}
