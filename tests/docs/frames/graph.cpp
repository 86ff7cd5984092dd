// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Around the piece on CUDA graphs of the page on the generated API; the model is compiled for CUDA,
// and the device is the emulator.
#include "raw.h"

#include "cameo/model.h"
#include "net.h"

#include <cstdlib>
#include <cuda_runtime_api.h>
// INCLUDES

static std::vector<float> expected;
static size_t used = 0;

/// The result of a launch for the n-th image, which is the first one n + 1 times as bright.
static void use(const float *scores) {
  std::vector<float> host(expected.size()), wanted = expected;
  cudaMemcpy(host.data(), scores, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
  ++used;
  for (float &score : wanted)
    score *= static_cast<float>(used);
  if (!are_close(host, wanted))
    std::exit(1);
}

int main() {
  std::vector<std::vector<float>> images(3, read_raw<float>("image.raw"));
  for (size_t n = 0; n < images.size(); ++n)
    for (float &pixel : images[n])
      pixel *= static_cast<float>(n + 1);
  expected = read_raw<float>("scores.raw");
  cameo::model model(net_model);
  cameo::session session;
  if (!cameo::ok(model.open(session)))
    return 3;
  cudaStream_t stream = nullptr;
  void *pixels = nullptr, *memory = nullptr;
  const size_t in_bytes = images[0].size() * sizeof(float),
               out_bytes = expected.size() * sizeof(float);
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMalloc(&pixels, in_bytes);
  cudaMalloc(&memory, out_bytes);
  cudaMemsetAsync(pixels, 0, in_bytes, stream);
  const auto *scores = static_cast<const float *>(memory);
  cameo::tensor in[] = {{pixels, in_bytes, CAMEO_FLOAT, {2, 3, 5, 7}, CAMEO_SPACE_DEVICE}};
  cameo::tensor out[] = {{memory, out_bytes, CAMEO_FLOAT, {2, 10}, CAMEO_SPACE_DEVICE}};
  // SNIPPET
  if (!cameo::ok(status))
    return 2;
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return used == images.size() ? 0 : 4;
}
