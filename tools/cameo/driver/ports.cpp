// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ports.h"
#include "witness.h"

#include <cstdio>

namespace driver {

/// Strides for a tensor of another rank would be read beyond their end.
static void hold_rank(const std::vector<int64_t> &strides, int32_t rank) {
  if (!strides.empty() && strides.size() != static_cast<size_t>(rank))
    die("the request has strides of another rank than the tensor's");
}

long long read_number() {
  long long number = 0;
  if (std::scanf("%lld", &number) != 1)
    die("a number is missing in the request");
  return number;
}

/// DTYPE SPACE OFFSET RANK DIM... BYTES newline, then the bytes.
void bound_input::read() {
  tensor.kind = CAMEO_TENSOR;
  tensor.dtype = static_cast<int32_t>(read_number());
  where.space = static_cast<int>(read_number());
  where.offset = static_cast<size_t>(read_number());
  tensor.rank = static_cast<int32_t>(read_number());
  for (int32_t d = 0; d < tensor.rank; ++d)
    dims.push_back(read_number());
  image.resize(static_cast<size_t>(read_number()));
  std::getchar();
  if (!image.empty() && std::fread(image.data(), 1, image.size(), stdin) != image.size())
    die("the request is cut");
  if (tensor.dtype == CAMEO_STRING) {
    texts = std::move(image);
    image = strings_in(texts);
  }
  tensor.dims = dims.data();
}

void bound_input::make_absent() {
  tensor.kind = CAMEO_TENSOR;
  where.space = CAMEO_SPACE_NULL;
}

void bound_input::bind(const cameo_port &port) {
  tensor.space = where.space < 0 ? port.space : where.space;
  if (tensor.space == CAMEO_SPACE_NULL)
    return;
  strides = strides_of(where, dims.data(), tensor.rank);
  hold_rank(strides, tensor.rank);
  tensor.strides = strides.empty() ? nullptr : strides.data();
  image = spread(tensor, image, 0xff);
  auto *first =
      static_cast<unsigned char *>(memory.reserve(image.size() + where.offset, tensor.space));
  copy(first + where.offset, image.data(), image.size(), tensor.space);
  tensor.data = first + where.offset;
  tensor.bytes = image.size();
}

void *bound_output::bind(void *self, const cameo_tensor *tensor, size_t size) {
  const witness::pause ours;
  auto &output = *static_cast<bound_output *>(self);
  void *data = output.memory.reserve(size, tensor->space);
  output.capacity.assign(tensor->dims, tensor->dims + tensor->rank);
  if (has_gaps(*tensor))
    copy(data, bytes(size, guard).data(), size, tensor->space);
  if (is_pageable(tensor->space) || tensor->space == CAMEO_SPACE_PINNED)
    witness::add_output(data, size);
  return data;
}

void bound_output::prepare(const cameo_port &port) {
  tensor = {};
  tensor.kind = port.kind;
  tensor.dtype = port.dtype;
  tensor.rank = port.rank;
  tensor.space = where.space < 0 ? port.space : where.space;
  tensor.dims = dims;
  tensor.bind = bind;
  tensor.user = this;
  early.clear();
}

void bound_output::lie_in(const bound_input &input) {
  tensor.bind = nullptr;
  tensor.space = input.tensor.space;
  tensor.data = input.tensor.data;
  tensor.bytes = input.tensor.bytes;
  if (is_pageable(tensor.space) || tensor.space == CAMEO_SPACE_PINNED)
    witness::add_output(tensor.data, tensor.bytes);
}

void bound_output::stride(const int64_t *expected) {
  strides = strides_of(where, expected, tensor.rank);
  hold_rank(strides, tensor.rank);
  tensor.strides = strides.empty() ? nullptr : strides.data();
}

bytes bound_output::fetch(std::string &found) const {
  bytes image = early;
  if (image.empty() && dense_bytes_of(tensor) > 0) {
    image.resize(tensor.strides ? tensor.bytes : dense_bytes_of(tensor));
    copy(image.data(), tensor.data, image.size(), tensor.space);
  }
  image.resize(has_gaps(tensor) ? image.size() : dense_bytes_of(tensor));
  cameo_tensor whole = tensor;
  whole.dims = const_cast<int64_t *>(capacity.data());
  if (has_gaps(tensor) && !gaps_are_intact(whole, image))
    found = "an output was written between its elements";
  const bytes dense = gather(tensor, image);
  return tensor.dtype == CAMEO_STRING ? pack_strings(dense) : dense;
}

} // namespace driver
