// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Constants/EvaluateSteps.h"
#include "Dialect/Prog/IR/ColumnBlocks.h"

#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace cameo;

/// The codes of a column that lie in one number, from `element` on, `distance` apart.
static uint32_t joinCodes(prog::ColumnsAttr step, const WeightElements &elements, int64_t element,
                          int64_t distance, int64_t count) {
  auto bits = static_cast<uint32_t>(step.getBits());
  auto origin = static_cast<uint32_t>(step.getOrigin());
  uint32_t number = 0;
  for (uint32_t part = 0; part < static_cast<uint32_t>(count); ++part, element += distance) {
    uint32_t code = static_cast<unsigned char>(*elements.get(static_cast<size_t>(element)));
    number |= ((code + origin) & ((1u << bits) - 1)) << bits * part;
  }
  return number;
}

std::vector<char> cameo::evaluate(prog::ColumnsAttr step, ArrayRef<int64_t> shape,
                                  const WeightElements &elements) {
  column_blocks to = prog::getColumnBlocks(step, shape);
  size_t numberBytes = step.getBits() == 0 ? elements.elementBytes : sizeof(uint32_t);
  std::vector<char> bytes(static_cast<size_t>(to.blocks() * to.rows() * to.lanes) * numberBytes);
  int64_t columnStep = step.getAxis() == 0 ? shape[1] : 1;
  int64_t depthStep = step.getAxis() == 0 ? 1 : shape[1];
  for (int64_t begin = 0; begin < to.columns; begin += to.lanes)
    for (int64_t depth = 0; depth < to.depth; depth += to.together) {
      char *row = &bytes[static_cast<size_t>(to.number(begin, depth)) * numberBytes];
      int64_t count = std::min(to.together, to.depth - depth);
      for (int64_t column = begin; column < std::min(begin + to.lanes, to.columns); ++column) {
        int64_t element = column * columnStep + depth * depthStep;
        if (step.getBits() == 0) {
          std::memcpy(row, elements.get(static_cast<size_t>(element)), numberBytes);
        } else {
          uint32_t number = joinCodes(step, elements, element, depthStep, count);
          std::memcpy(row, &number, sizeof(number));
        }
        row += numberBytes;
      }
    }
  return bytes;
}
