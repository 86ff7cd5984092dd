// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs as a request has them, and outputs as a model leaves them: each in memory of the space, at
// the offset and the strides that the request wants.
#pragma once

#include "cameo/abi.h"
#include "memory.h"

#include <string>
#include <vector>

namespace driver {

/// The next number of the request.
long long read_number();

struct bound_input {
  cameo_tensor tensor{};
  std::vector<int64_t> dims, strides;
  place where;
  bytes texts; ///< what strings refer to
  bytes image; ///< what its memory holds
  block memory;

  void read();
  void make_absent();
  /// Puts it into memory as the request wants it.
  void bind(const cameo_port &port);
  /// Puts it there again, where an output has been written over it.
  void restore() { copy(tensor.data, image.data(), image.size(), tensor.space); }
};

struct bound_output {
  cameo_tensor tensor{};
  int64_t dims[CAMEO_MAX_RANK] = {};
  std::vector<int64_t> strides, capacity;
  place where;
  block memory;
  bytes early; ///< what a stream of the caller's has read

  static void *bind(void *self, const cameo_tensor *tensor, size_t size);
  void prepare(const cameo_port &port);
  /// Has it in the memory of an input.
  void lie_in(const bound_input &input);
  /// Gives it the strides for the dims that it will have.
  void stride(const int64_t *expected);
  bytes fetch(std::string &found) const;
};

} // namespace driver
