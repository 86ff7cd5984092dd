// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the one form of NumPy's .npy files that this sample ships: version 1, C order, little
// endian. Works on bytes in memory, allocates nothing, and trusts nothing in the header: a file
// that is not as expected gives an array without data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sample {

/// A dense array inside a file's bytes. `data` is null when the file was not understood.
struct npy_array {
  const unsigned char *data = nullptr;
  std::int64_t dims[4] = {};
  int rank = 0;
  std::int64_t count = 0;
};

/// Elements must be of `type` ("<f4", "<i8") and `element` bytes wide.
inline npy_array read_npy(const unsigned char *bytes, std::size_t size, const char *type,
                          std::size_t element) {
  const std::size_t preamble = 10;
  if (size < preamble || std::memcmp(bytes, "\x93NUMPY\x01\x00", 8) != 0)
    return {};
  const std::size_t header = bytes[8] + 256u * bytes[9];
  if (size - preamble < header)
    return {};

  const char *text = reinterpret_cast<const char *>(bytes + preamble);
  const auto find = [&](const char *key) -> const char * {
    const std::size_t length = std::strlen(key);
    for (std::size_t i = 0; i + length <= header; ++i)
      if (std::memcmp(text + i, key, length) == 0)
        return text + i + length;
    return nullptr;
  };
  const char *end = text + header;
  const char *descr = find("'descr': '");
  const char *shape = find("'shape': (");
  if (!descr || !shape || !find("'fortran_order': False") ||
      static_cast<std::size_t>(end - descr) < std::strlen(type) ||
      std::memcmp(descr, type, std::strlen(type)) != 0)
    return {};

  npy_array array;
  array.count = 1;
  for (const char *c = shape; c != end && *c != ')'; ++c) {
    if (*c < '0' || *c > '9')
      continue;
    if (array.rank == 4)
      return {};
    std::int64_t dim = 0;
    for (; c != end && *c >= '0' && *c <= '9' && dim < 1000000; ++c)
      dim = 10 * dim + (*c - '0');
    --c;
    array.dims[array.rank++] = dim;
    array.count *= dim;
    if (array.count > 1000000)
      return {};
  }
  if (static_cast<std::size_t>(array.count) * element != size - preamble - header)
    return {};
  array.data = bytes + preamble + header;
  return array;
}

} // namespace sample
