// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Going through arrays of several strides at once, row by row: rows as long as the strides allow,
// so that what is done with one is a loop that knows nothing of extents.

#ifndef CAMEO_DIALECT_ONNX_TRANSFORMS_STRIDEDROWS_H
#define CAMEO_DIALECT_ONNX_TRANSFORMS_STRIDEDROWS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace cameo {

using Strides = llvm::SmallVector<int64_t>;

/// One row in each of several arrays: `count` elements from `starts` on, `steps` apart.
struct StridedRow {
  int64_t count;
  llvm::ArrayRef<int64_t> starts, steps;
};

/// Visits the indices below `extents` in row-major order; an array's element at an index is the sum
/// of the index times the array's strides.
void forEachRow(llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<Strides> strides,
                llvm::function_ref<void(const StridedRow &)> visit);

/// Copies `count` elements of 1, 2, 4 or 8 bytes, which in memory are so many elements apart.
void copyRow(unsigned elementBytes, const char *from, int64_t fromStep, char *to, int64_t toStep,
             int64_t count);

/// The row-major strides of extents.
Strides getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace cameo

#endif // CAMEO_DIALECT_ONNX_TRANSFORMS_STRIDEDROWS_H
