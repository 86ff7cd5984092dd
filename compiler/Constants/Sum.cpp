// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Constants/EvaluateSteps.h"

#include <cstring>

using namespace llvm;
using namespace cameo;

std::vector<char> cameo::evaluate(prog::SumAttr step, ArrayRef<int64_t> shape,
                                  const WeightElements &elements) {
  size_t numSums = static_cast<size_t>(shape.front()), depth = 1, from = 0;
  for (int64_t extent : shape.drop_front())
    depth *= static_cast<size_t>(extent); // checked: by the memory of the elements
  std::vector<char> sums(numSums * sizeof(uint32_t));
  for (size_t number = 0; number < numSums; ++number) {
    uint32_t sum = 0; // wraps, as those that it is taken from
    for (size_t tap = 0; tap < depth; ++tap, ++from)
      sum +=
          static_cast<uint32_t>(step.getFactor() * static_cast<signed char>(*elements.get(from)));
    std::memcpy(&sums[number * sizeof(sum)], &sum, sizeof(sum));
  }
  return sums;
}
