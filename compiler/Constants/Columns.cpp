// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Constants/EvaluateSteps.h"
#include "Dialect/Prog/IR/ColumnBlocks.h"

#include <cstring>

using namespace llvm;
using namespace cameo;

std::vector<char> cameo::evaluate(prog::ColumnsAttr step, ArrayRef<int64_t> shape,
                                  const WeightElements &elements) {
  column_blocks to = prog::getColumnBlocks(step, shape);
  std::vector<uint32_t> numbers(static_cast<size_t>(to.blocks() * to.rows() * to.lanes));
  auto origin = static_cast<uint32_t>(step.getOrigin());
  auto bits = static_cast<uint32_t>(step.getBits());
  size_t from = 0;
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int64_t place = 0; place < shape[1]; ++place, ++from) {
      int64_t column = step.getAxis() == 0 ? row : place;
      int64_t depth = step.getAxis() == 0 ? place : row;
      uint32_t &number = numbers[static_cast<size_t>(to.number(column, depth))];
      if (bits == 0) {
        std::memcpy(&number, elements.get(from), sizeof(number));
        continue;
      }
      uint32_t code = static_cast<unsigned char>(*elements.get(from)) + origin;
      number |= (code & ((1u << bits) - 1)) << bits * static_cast<uint32_t>(to.part(depth));
    }
  std::vector<char> bytes(numbers.size() * sizeof(uint32_t));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}
