// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies the test images on a machine that has no heap, no threads and no files: the model's
// memory is one static block, its weights and the images are in read-only memory. Prints a line per
// image, `digit p0 .. p9`, each probability as its bits, so that two machines can be compared
// exactly.

#include "board.h"
#include "digits.h"
#include "npy.h"

extern "C" const unsigned char images_npy[], images_npy_end[];

namespace {

constexpr std::int64_t pixels = 64, classes = 10, largest_batch = 8;

alignas(64) unsigned char arena[128 * 1024];
float image_values[largest_batch * pixels];
float probabilities[largest_batch * classes];
std::int64_t digits[largest_batch];

/// A number in hexadecimal, `width` digits, and a byte of separation.
void put_hex(std::uint32_t value, int width, char after) {
  char text[10];
  for (int i = 0; i < width; ++i)
    text[i] = "0123456789abcdef"[value >> 4 * (width - 1 - i) & 15];
  text[width] = after;
  text[width + 1] = '\0';
  board_put(text);
}

int fail(const cameo_status &status) {
  char text[256];
  cameo_format(&status, &digits_model, text, sizeof text);
  board_put(text);
  board_put("\n");
  return 1;
}

template <typename T>
cameo_tensor tensor(T *data, std::int64_t *dims, std::int32_t rank, cameo_dtype dtype,
                    std::int64_t count) {
  cameo_tensor t = {};
  t.data = data;
  t.bytes = static_cast<std::size_t>(count) * sizeof(T);
  t.dims = dims;
  t.rank = rank;
  t.dtype = dtype;
  t.space = CAMEO_SPACE_HOST;
  return t;
}

cameo_status classify(cameo_context *context, std::int64_t batch) {
  std::int64_t input_dims[] = {batch, 1, 8, 8}, row_dims[] = {batch, classes},
               digit_dims[] = {batch};
  const cameo_tensor input = tensor(image_values, input_dims, 4, CAMEO_FLOAT, batch * pixels);
  cameo_tensor outputs[] = {tensor(probabilities, row_dims, 2, CAMEO_FLOAT, batch * classes),
                            tensor(digits, digit_dims, 1, CAMEO_INT64, batch)};
  return digits_run(context, &input, 1, outputs, 2, nullptr);
}

void print(std::int64_t batch) {
  for (std::int64_t i = 0; i < batch; ++i) {
    put_hex(static_cast<std::uint32_t>(digits[i]), 1, ' ');
    for (std::int64_t c = 0; c < classes; ++c) {
      std::uint32_t bits;
      std::memcpy(&bits, &probabilities[i * classes + c], sizeof bits);
      put_hex(bits, 8, c + 1 < classes ? ' ' : '\n');
    }
  }
}

} // namespace

int main() {
  const auto size = static_cast<std::size_t>(images_npy_end - images_npy);
  const sample::npy_array images = sample::read_npy(images_npy, size, "<f4", sizeof(float));
  if (!images.data || images.count % pixels != 0)
    return 3;

  cameo_options options = {};
  options.abi = CAMEO_ABI_VERSION;
  options.threads = 1;
  options.host_arena = arena;
  options.host_arena_bytes = sizeof arena;
  cameo_context *context = nullptr;
  cameo_status status = digits_create(&options, &context);
  if (status.code != CAMEO_OK)
    return fail(status);

  // Batches of 1, 2, .. 8, 1, ..: one build serves every size.
  std::int64_t batch = 1;
  for (std::int64_t done = 0; done < images.count / pixels;
       done += batch, batch = batch % largest_batch + 1) {
    if (batch > images.count / pixels - done)
      batch = images.count / pixels - done;
    std::memcpy(image_values, images.data + static_cast<std::size_t>(done * pixels) * sizeof(float),
                static_cast<std::size_t>(batch * pixels) * sizeof(float));
    status = classify(context, batch);
    if (status.code != CAMEO_OK)
      return fail(status);
    print(batch);
  }
  digits_destroy(context);
  return 0;
}
