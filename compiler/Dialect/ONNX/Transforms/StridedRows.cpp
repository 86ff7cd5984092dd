// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/ONNX/Transforms/StridedRows.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstring>

using namespace llvm;
using namespace cameo;

namespace {

/// The same indices in the same order by fewer, longer axes.
struct MergedAxes {
  SmallVector<int64_t> extents;
  SmallVector<Strides> strides;

  MergedAxes(ArrayRef<int64_t> from, ArrayRef<Strides> of) : strides(of.size()) {
    for (size_t axis = 0; axis < from.size(); ++axis) {
      if (from[axis] == 1)
        continue;
      bool continues = !extents.empty() && all_of(zip_equal(strides, of), [&](const auto &both) {
        const auto &[merged, own] = both;
        return merged.back() == own[axis] * from[axis];
      });
      if (continues)
        extents.back() *= from[axis]; // checked: the shape of a value that is in memory
      else
        extents.push_back(from[axis]);
      for (auto [merged, own] : zip_equal(strides, of)) {
        merged.resize(extents.size());
        merged.back() = own[axis];
      }
    }
  }
};

template <class Word>
void copyWords(const char *from, int64_t fromStep, char *to, int64_t toStep, int64_t count) {
  constexpr auto size = static_cast<int64_t>(sizeof(Word));
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStep * size, from + i * fromStep * size, size);
}

} // namespace

void cameo::forEachRow(ArrayRef<int64_t> extents, ArrayRef<Strides> strides,
                       function_ref<void(const StridedRow &)> visit) {
  if (is_contained(extents, 0))
    return;
  MergedAxes axes(extents, strides);
  size_t outer = axes.extents.empty() ? 0 : axes.extents.size() - 1;
  SmallVector<int64_t> index(outer, 0), starts(strides.size(), 0), steps;
  for (const Strides &own : axes.strides)
    steps.push_back(own.empty() ? 0 : own.back());
  StridedRow row{axes.extents.empty() ? 1 : axes.extents.back(), starts, steps};
  while (true) {
    visit(row);
    size_t axis = outer;
    for (; axis > 0; --axis) {
      bool wraps = ++index[axis - 1] == axes.extents[axis - 1];
      for (auto [start, own] : zip_equal(starts, axes.strides))
        start += wraps ? -own[axis - 1] * (axes.extents[axis - 1] - 1) : own[axis - 1];
      if (!wraps)
        break;
      index[axis - 1] = 0;
    }
    if (axis == 0)
      return;
  }
}

void cameo::copyRow(unsigned elementBytes, const char *from, int64_t fromStep, char *to,
                    int64_t toStep, int64_t count) {
  if (fromStep == 1 && toStep == 1) {
    std::memcpy(to, from, static_cast<size_t>(count) * elementBytes);
    return;
  }
  switch (elementBytes) {
  case 1:
    return copyWords<uint8_t>(from, fromStep, to, toStep, count);
  case 2:
    return copyWords<uint16_t>(from, fromStep, to, toStep, count);
  case 4:
    return copyWords<uint32_t>(from, fromStep, to, toStep, count);
  default:
    assert(elementBytes == 8 && "no element of a numeric constant has another size");
    return copyWords<uint64_t>(from, fromStep, to, toStep, count);
  }
}

Strides cameo::getRowMajorStrides(ArrayRef<int64_t> shape) {
  Strides strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = stride;
    stride *= std::max<int64_t>(shape[axis], 1); // checked: the shape of a value that is in memory
  }
  return strides;
}
