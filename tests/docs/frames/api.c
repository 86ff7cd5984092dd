/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Around the same program in C.
 */
#include <math.h>
#include <stdio.h>

// INCLUDES

enum { batch = 2, height = 5, width = 7 };

static float pixels[batch * 3 * height * width], scores[batch * 10], expected[batch * 10];

static int read_raw(const char *path, float *values, size_t count) {
  FILE *file = fopen(path, "rb");
  size_t got = file ? fread(values, sizeof *values, count, file) : 0;
  if (file)
    fclose(file);
  return got == count;
}

int main(void) {
  if (!read_raw("image.raw", pixels, sizeof pixels / sizeof *pixels) ||
      !read_raw("scores.raw", expected, sizeof expected / sizeof *expected))
    return 3;
  for (int i = 0; i < batch * 10; ++i)
    scores[i] = NAN;
  // SNIPPET
  if (status.code != CAMEO_OK)
    return 2;
  for (int i = 0; i < batch * 10; ++i)
    if (!(fabsf(scores[i] - expected[i]) <= 1e-5f + 1e-4f * fabsf(expected[i])))
      return 1;
  return 0;
}
