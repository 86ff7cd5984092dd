// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Around the piece on one model behind another of the page on the generated API: the bright ones of
// some images, and their scores. The device is the emulator, which says that nobody has waited.
#include "raw.h"

#include "cameo/emu/emu.h"
#include "cameo/model.h"
#include "finder.h"
#include "net.h"

#include <cuda_runtime_api.h>
// INCLUDES

/// Image 0 and 1 of the file, `dark` others, and one that is bright.
static std::vector<float> make_images(const std::vector<float> &file, size_t dark) {
  std::vector<float> images = file;
  for (float &pixel : images)
    pixel += 1;
  images.insert(images.end(), dark * file.size() / 2, 0.0f);
  images.insert(images.end(), file.size() / 2, 2.0f);
  return images;
}

static bool run(cameo::session &finder, cameo::session &classifier, size_t dark) {
  const std::vector<float> file = read_raw<float>("image.raw"), images = make_images(file, dark);
  const auto batch = static_cast<int64_t>(dark + 3);
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  const size_t bytes = images.size() * sizeof(float),
               score_bytes = static_cast<size_t>(batch) * 10 * sizeof(float);
  void *memory[3] = {};
  cudaMalloc(&memory[0], bytes);
  cudaMalloc(&memory[1], bytes);
  cudaMalloc(&memory[2], score_bytes);
  cudaMemcpy(memory[0], images.data(), bytes, cudaMemcpyDefault);
  cameo::tensor in[] = {{memory[0], bytes, CAMEO_FLOAT, {batch, 3, 5, 7}, CAMEO_SPACE_DEVICE}};
  cameo::tensor found[] = {{memory[1], bytes, CAMEO_FLOAT, {batch, 3, 5, 7}, CAMEO_SPACE_DEVICE}};
  cameo::tensor scores[] = {{memory[2], score_bytes, CAMEO_FLOAT, {batch, 10}, CAMEO_SPACE_DEVICE}};
  cameo_emu_reset_counters();
  // SNIPPET
  cameo_emu_counters seen;
  cameo_emu_get_counters(&seen);
  cameo_counters first{}, second{};
  const bool counted = cameo::ok(finder.counters(first)) && cameo::ok(classifier.counters(second));
  std::vector<float> got(30), dense(30);
  cudaMemcpy(got.data(), memory[2], got.size() * sizeof(float), cudaMemcpyDefault);
  // The score of a class is linear in the means of the image.
  const std::vector<float> plain = read_raw<float>("scores.raw");
  for (size_t k = 0; k < 10; ++k) {
    const float w = static_cast<float>(k), step = 2.0f / 29;
    const float ones = -3 + step * (w + (w + 10) + (w + 20));
    dense[k] = plain[k] + ones;
    dense[10 + k] = plain[10 + k] + ones;
    dense[20 + k] = 2 * ones;
  }
  for (void *each : memory)
    cudaFree(each);
  cudaStreamDestroy(stream);
  // A finish of either model waits, and nothing else does.
  return cameo::ok(status) && counted && scores[0].dim(0) == 3 && are_close(got, dense) &&
         first.blocking_syncs + second.blocking_syncs == 0 && seen.blocking_syncs <= 2;
}

int main() {
  cameo::model first(finder_model), second(net_model);
  cameo::session finder, classifier;
  if (!cameo::ok(first.open(finder)) || !cameo::ok(second.open(classifier)))
    return 3;
  for (const size_t dark : {2, 0, 5})
    if (!run(finder, classifier, dark))
      return 1;
  return 0;
}
