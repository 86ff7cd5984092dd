// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An application with a stream and device memory of its own: it copies images, has the model run
// behind the copies, and copies the digits, all on that stream, for which it waits once.
// application IMAGES.npy LABELS.npy
#include "cameo/model.h"
#include "digits.h"
#include "npy.h"

#include <cstdio>
#include <cuda_runtime_api.h>
#include <fstream>
#include <iterator>
#include <vector>

static std::vector<char> read_file(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

static sample::npy_array parse(const std::vector<char> &file, const char *type, size_t bytes) {
  return sample::read_npy(reinterpret_cast<const unsigned char *>(file.data()), file.size(), type,
                          bytes);
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const std::vector<char> image_file = read_file(argv[1]), label_file = read_file(argv[2]);
  const sample::npy_array images = parse(image_file, "<f4", 4),
                          labels = parse(label_file, "<i8", 8);
  const int64_t batch = labels.count;
  const size_t pixel_bytes = static_cast<size_t>(images.count) * sizeof(float);
  std::vector<int64_t> digits(static_cast<size_t>(batch)), right(digits.size());
  std::memcpy(right.data(), labels.data, digits.size() * sizeof(int64_t));

  cameo::model model(digits_model);
  cameo::session session;
  cameo::status status = model.open(session);
  cudaStream_t stream = nullptr;
  void *pixels = nullptr, *scores = nullptr, *answers = nullptr;
  const size_t score_bytes = digits.size() * 10 * sizeof(float),
               answer_bytes = digits.size() * sizeof(int64_t);
  if (!cameo::ok(status) ||
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
      cudaMalloc(&pixels, pixel_bytes) != cudaSuccess ||
      cudaMalloc(&scores, score_bytes) != cudaSuccess ||
      cudaMalloc(&answers, answer_bytes) != cudaSuccess)
    return 1;
  cudaMemcpyAsync(pixels, images.data, pixel_bytes, cudaMemcpyHostToDevice, stream);
  cameo::tensor in[] = {{pixels, pixel_bytes, CAMEO_FLOAT, {batch, 1, 8, 8}, CAMEO_SPACE_DEVICE}};
  cameo::tensor out[] = {{scores, score_bytes, CAMEO_FLOAT, {batch, 10}, CAMEO_SPACE_DEVICE},
                         {answers, answer_bytes, CAMEO_INT64, {batch}, CAMEO_SPACE_DEVICE}};
  status = session.run(in, out, stream);
  cudaMemcpyAsync(digits.data(), answers, answer_bytes, cudaMemcpyDeviceToHost, stream);
  if (!cameo::ok(status) || cudaStreamSynchronize(stream) != cudaSuccess ||
      !cameo::ok(session.finish()))
    return 1;
  int64_t count = 0;
  for (size_t k = 0; k < digits.size(); ++k)
    count += digits[k] == right[k];
  std::printf("%lld of %lld are right\n", static_cast<long long>(count),
              static_cast<long long>(batch));
  return count * 10 > batch * 9 ? 0 : 1;
}
