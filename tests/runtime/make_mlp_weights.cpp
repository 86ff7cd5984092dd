// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes mlp_weights.bin, which mlp_weights.S takes in.
#include "mlp_data.h"

#include <cstdio>

int main(int count, char **arguments) {
  FILE *file = count == 2 ? std::fopen(arguments[1], "wb") : nullptr;
  if (!file)
    return 1;
  const std::vector<unsigned char> blob = mlp_test::blob();
  const size_t written = std::fwrite(blob.data(), 1, blob.size(), file);
  return std::fclose(file) == 0 && written == blob.size() ? 0 : 1;
}
