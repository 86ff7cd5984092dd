// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of every space for the tensors of a run, and what lies in it: elements one behind the
// other, or at strides, with a pattern in the gaps and behind the end that nobody may change.
#pragma once

#include "cameo/abi.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace driver {

[[noreturn]] void die(const char *what);

/// Whether it is pageable memory of the host, or none.
inline bool is_pageable(int space) {
  return space == CAMEO_SPACE_HOST || space == CAMEO_SPACE_NULL;
}
void copy(void *to, const void *from, size_t bytes, int space);

using bytes = std::vector<unsigned char>;

class block {
public:
  block() = default;
  block(const block &) = delete;
  block &operator=(const block &) = delete;
  block(block &&other) noexcept;
  ~block();

  void *reserve(size_t size, int space);
  bool is_intact() const;
  int space() const { return space_; }

private:
  unsigned char *memory_ = nullptr;
  size_t size_ = 0;
  int space_ = CAMEO_SPACE_HOST;
};

/// How a request wants a tensor to lie.
struct place {
  int space = -1; ///< -1: what the model prefers
  size_t offset = 0;
  int64_t pad = 0;              ///< elements between the rows
  std::vector<int64_t> strides; ///< of all dims; none: what `pad` makes of them
};

/// The strides of a place for these dims; empty for dense ones.
std::vector<int64_t> strides_of(const place &where, const int64_t *dims, int32_t rank);

/// Bytes of a tensor's elements without gaps, and from the first to the last.
size_t dense_bytes_of(const cameo_tensor &tensor);
size_t span_bytes_of(const cameo_tensor &tensor);
/// Whether elements lie otherwise than one behind the other.
bool has_gaps(const cameo_tensor &tensor);
/// Elements as the tensor has them, `gap` between; and back.
bytes spread(const cameo_tensor &tensor, const bytes &dense, unsigned char gap);
bytes gather(const cameo_tensor &tensor, const bytes &image);
/// The pattern in the gaps of an output, and behind every block.
constexpr unsigned char guard = 0xa5;
/// Whether all between the elements still is that.
bool gaps_are_intact(const cameo_tensor &tensor, const bytes &image);

/// Strings as requests and answers have them: the length of each, in eight bytes, and its
/// characters; and as tensors have them, which refer to `texts`.
bytes pack_strings(const bytes &strings);
bytes strings_in(const bytes &texts);

} // namespace driver
