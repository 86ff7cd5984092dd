// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Around the guide's program: the digits sample's images, and ONNX Runtime's answers to hold it to.
#include "raw.h"
// INCLUDES

int main() {
  auto pixels = read_raw<float>("pixels.raw");
  const auto batch = static_cast<int64_t>(pixels.size() / 64);
  std::vector<float> probabilities(static_cast<size_t>(batch) * 10, NAN);
  std::vector<int64_t> digits(static_cast<size_t>(batch), -1);
  // SNIPPET
  if (!cameo::ok(status))
    return 2;
  return are_close(probabilities, read_raw<float>("probabilities.raw")) &&
                 digits == read_raw<int64_t>("digits.raw")
             ? 0
             : 1;
}
