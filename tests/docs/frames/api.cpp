// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Around the first program of the page on the generated API.
#include "raw.h"
// INCLUDES

int main() {
  auto pixels = read_raw<float>("image.raw");
  int64_t batch = 2, height = 5, width = 7;
  std::vector<float> scores(static_cast<size_t>(batch) * 10, NAN);
  // SNIPPET
  if (!cameo::ok(status))
    return 2;
  return are_close(scores, read_raw<float>("scores.raw")) ? 0 : 1;
}
