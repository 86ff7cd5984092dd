// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies handwritten digits with the model that `cameo compile digits.onnx` turned into code,
// and draws each image as text beside the answer:  classify IMAGES.npy LABELS.npy
//
// The C++ wrapper of cameo/model.h is thin; embedded/main.cpp makes the same calls in C.

#include "cameo/model.h"
#include "digits.h"
#include "npy.h"

#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int side = 8, pixels = side * side, classes = 10;

/// The bytes of a file; empty when it cannot be read.
std::vector<unsigned char> read_file(const char *path) {
  std::vector<unsigned char> bytes;
  if (std::FILE *file = std::fopen(path, "rb")) {
    unsigned char block[4096];
    while (const std::size_t got = std::fread(block, 1, sizeof block, file))
      bytes.insert(bytes.end(), block, block + got);
    std::fclose(file);
  }
  return bytes;
}

int fail(const cameo::status &status) {
  char text[512];
  cameo_format(&status, &digits_model, text, sizeof text);
  std::fprintf(stderr, "%s\n", text);
  return 1;
}

/// Eight lines of text; the middle one ends with the answer.
void draw(const float *image, const std::string &answer) {
  static const char shades[] = " .:-=+*#%@";
  for (int row = 0; row < side; ++row) {
    std::string line;
    for (int column = 0; column < side; ++column) {
      const int shade = static_cast<int>(image[row * side + column] * 9 / 16);
      line.append(2, shades[shade < 0 ? 0 : shade > 9 ? 9 : shade]);
    }
    std::printf("  %s%s\n", line.c_str(), row == side / 2 ? answer.c_str() : "");
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s IMAGES.npy LABELS.npy\n", argv[0]);
    return 2;
  }
  const std::vector<unsigned char> image_file = read_file(argv[1]), label_file = read_file(argv[2]);
  const sample::npy_array images = sample::read_npy(image_file.data(), image_file.size(), "<f4", 4);
  const sample::npy_array labels = sample::read_npy(label_file.data(), label_file.size(), "<i8", 8);
  if (!images.data || !labels.data || images.count != labels.count * pixels) {
    std::fprintf(stderr, "%s, %s: not the images and labels of this sample\n", argv[1], argv[2]);
    return 3;
  }

  const std::int64_t batch = labels.count;
  std::vector<float> pixel_values(static_cast<std::size_t>(images.count));
  std::memcpy(pixel_values.data(), images.data, pixel_values.size() * sizeof(float));
  std::vector<float> probabilities(static_cast<std::size_t>(batch * classes));
  std::vector<std::int64_t> digits(static_cast<std::size_t>(batch));

  cameo::model model(digits_model);
  cameo::session session;
  cameo::status status = model.open(session);
  if (!cameo::ok(status))
    return fail(status);
  cameo::tensor inputs[] = {{pixel_values.data(), pixel_values.size(), {batch, 1, side, side}}};
  cameo::tensor outputs[] = {{probabilities.data(), probabilities.size(), {batch, classes}},
                             {digits.data(), digits.size(), {batch}}};
  status = session.run(inputs, outputs);
  if (cameo::ok(status))
    status = session.finish();
  if (!cameo::ok(status))
    return fail(status);

  std::int64_t right = 0;
  for (std::int64_t i = 0; i < batch; ++i) {
    std::int64_t label = 0;
    std::memcpy(&label, labels.data + i * 8, sizeof label);
    const std::int64_t digit = digits[static_cast<std::size_t>(i)];
    const float sure = probabilities[static_cast<std::size_t>(i * classes + digit)];
    right += digit == label;
    char answer[64];
    std::snprintf(answer, sizeof answer, "   %d  (%.1f %%)%s", static_cast<int>(digit),
                  100.0 * static_cast<double>(sure), digit == label ? "" : "  wrong");
    draw(&pixel_values[static_cast<std::size_t>(i * pixels)], answer);
    std::printf("\n");
  }
  std::printf("%d of %d digits right (%.1f %%)\n", static_cast<int>(right), static_cast<int>(batch),
              100.0 * static_cast<double>(right) / static_cast<double>(batch));
  return right * 100 >= batch * 95 ? 0 : 1;
}
