// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Around the lines that the README of a generated folder shows, for the digits sample.
#include "raw.h"

#include "cameo/model.h"
#include "digits.h"
// INCLUDES

int main() {
  auto pixels = read_raw<float>("pixels.raw");
  const auto batch = static_cast<int64_t>(pixels.size() / 64);
  std::vector<float> probabilities(static_cast<size_t>(batch) * 10, NAN);
  std::vector<int64_t> digits(static_cast<size_t>(batch), -1);
  cameo::tensor inputs[] = {{pixels.data(), pixels.size(), {batch, 1, 8, 8}}};
  cameo::tensor outputs[] = {{probabilities.data(), probabilities.size(), {batch, 10}},
                             {digits.data(), digits.size(), {batch}}};
  // SNIPPET
  if (!cameo::ok(s)) {
    std::fprintf(stderr, "%s: %s\n", cameo_code_name(s.code), s.message);
    return 2;
  }
  return are_close(probabilities, read_raw<float>("probabilities.raw")) &&
                 digits == read_raw<int64_t>("digits.raw")
             ? 0
             : 1;
}
