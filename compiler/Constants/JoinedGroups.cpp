// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Constants/EvaluateSteps.h"

#include <cstring>

using namespace llvm;
using namespace cameo;

std::vector<char> cameo::evaluate(prog::JoinedGroupsAttr step, ArrayRef<int64_t> shape,
                                  const WeightElements &elements) {
  size_t bytes = elements.elementBytes, from = 0;
  int64_t count = step.getCount(), inGroup = shape[0] / step.getGroups(), taps = shape[1];
  for (int64_t extent : shape.drop_front(2))
    taps *= extent; // checked: by the memory of the elements
  std::vector<char> joined(static_cast<size_t>(shape[0] * count * taps) * bytes);
  for (int64_t out = 0; out < shape[0]; ++out) {
    auto to = static_cast<size_t>((out * count + out / inGroup % count) * taps);
    for (int64_t tap = 0; tap < taps; ++tap, ++to, ++from)
      std::memcpy(&joined[to * bytes], elements.get(from), bytes);
  }
  return joined;
}
