// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See memory.h. Where elements lie is computed here once more, not by the runtime under test.
#include "memory.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#if CAMEO_DRIVER_DEVICE_MEMORY
#include <cuda_runtime_api.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DRIVER_IS_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(DRIVER_IS_SANITIZED)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#endif

namespace driver {
namespace {

constexpr size_t guard_bytes = 64;

#if CAMEO_DRIVER_DEVICE_MEMORY
void check(cudaError_t error) {
  if (error != cudaSuccess)
    die(cudaGetErrorString(error));
}
#endif

void *allocate(size_t size, int space) {
  void *memory = nullptr;
#if CAMEO_DRIVER_DEVICE_MEMORY
  if (space == CAMEO_SPACE_DEVICE)
    check(cudaMalloc(&memory, size));
  else if (space == CAMEO_SPACE_PINNED)
    check(cudaHostAlloc(&memory, size, cudaHostAllocDefault));
  else if (space == CAMEO_SPACE_MANAGED)
    check(cudaMallocManaged(&memory, size, cudaMemAttachGlobal));
#endif
  if (!memory && is_pageable(space))
    memory = std::aligned_alloc(256, (size + 255) / 256 * 256);
  if (!memory)
    die("no memory of the wanted space");
  return memory;
}

void release(void *memory, int space) {
#if CAMEO_DRIVER_DEVICE_MEMORY
  if (space == CAMEO_SPACE_DEVICE || space == CAMEO_SPACE_MANAGED)
    check(cudaFree(memory));
  else if (space == CAMEO_SPACE_PINNED)
    check(cudaFreeHost(memory));
#endif
  if (is_pageable(space))
    std::free(memory);
}

int64_t count_of(const cameo_tensor &t) {
  int64_t count = 1;
  for (int32_t d = 0; d < t.rank; ++d)
    count *= t.dims[d];
  return count;
}

size_t width_of(const cameo_tensor &t) {
  return static_cast<size_t>(cameo_dtype_bits(t.dtype)) / 8;
}

/// Where element `number` in row-major order lies, in elements.
size_t offset_of(const cameo_tensor &t, int64_t number) {
  int64_t offset = 0;
  for (int32_t d = t.rank; d-- > 0;) {
    offset += number % t.dims[d] * t.strides[d];
    number /= t.dims[d];
  }
  return static_cast<size_t>(offset);
}

} // namespace

void die(const char *what) {
  std::fprintf(stderr, "driver: %s\n", what);
  std::exit(3);
}

void copy(void *to, const void *from, size_t size, int space) {
#if CAMEO_DRIVER_DEVICE_MEMORY
  if (!is_pageable(space)) {
    check(cudaMemcpy(to, from, size, cudaMemcpyDefault));
    return;
  }
#else
  (void)space;
#endif
  if (size)
    std::memcpy(to, from, size);
}

block::block(block &&other) noexcept
    : memory_(other.memory_), size_(other.size_), space_(other.space_) {
  other.memory_ = nullptr;
}

block::~block() {
  if (memory_)
    release(memory_, space_);
}

void *block::reserve(size_t size, int space) {
  if (memory_)
    release(memory_, space_);
  memory_ = static_cast<unsigned char *>(allocate(size + guard_bytes, space));
  size_ = size;
  space_ = space;
  const bytes pattern(guard_bytes, guard);
  copy(memory_ + size, pattern.data(), guard_bytes, space);
  // Under the sanitizer who touches the guard is ended where he does it, readers too.
  if (is_pageable(space))
    ASAN_POISON_MEMORY_REGION(memory_ + size, guard_bytes);
  return memory_;
}

bool block::is_intact() const {
  unsigned char pattern[guard_bytes];
  if (!memory_)
    return true;
  ASAN_UNPOISON_MEMORY_REGION(memory_ + size_, guard_bytes);
  copy(pattern, memory_ + size_, guard_bytes, space_);
  if (is_pageable(space_))
    ASAN_POISON_MEMORY_REGION(memory_ + size_, guard_bytes);
  for (const unsigned char byte : pattern)
    if (byte != guard)
      return false;
  return true;
}

std::vector<int64_t> strides_of(const place &where, const int64_t *dims, int32_t rank) {
  if (!where.strides.empty() || where.pad == 0 || rank < 2)
    return where.strides;
  std::vector<int64_t> strides(static_cast<size_t>(rank), 1);
  for (auto d = static_cast<size_t>(rank) - 1; d-- > 0;)
    strides[d] =
        strides[d + 1] * dims[d + 1] + (d + 2 == static_cast<size_t>(rank) ? where.pad : 0);
  return strides;
}

size_t dense_bytes_of(const cameo_tensor &t) {
  const auto bits =
      static_cast<size_t>(cameo_dtype_bits(t.dtype)) * static_cast<size_t>(count_of(t));
  return (bits + 7) / 8;
}

size_t span_bytes_of(const cameo_tensor &t) {
  if (!has_gaps(t))
    return dense_bytes_of(t);
  return (offset_of(t, count_of(t) - 1) + 1) * width_of(t);
}

bool has_gaps(const cameo_tensor &t) {
  if (!t.strides || count_of(t) == 0)
    return false;
  int64_t stride = 1;
  for (int32_t d = t.rank; d-- > 0;) {
    if (t.dims[d] != 1 && t.strides[d] != stride)
      return true;
    stride *= t.dims[d];
  }
  return false;
}

bytes spread(const cameo_tensor &t, const bytes &dense, unsigned char gap) {
  if (!has_gaps(t))
    return dense;
  const size_t width = width_of(t);
  bytes image(span_bytes_of(t), gap);
  for (int64_t i = 0; i < count_of(t); ++i)
    std::memcpy(&image[offset_of(t, i) * width], &dense[static_cast<size_t>(i) * width], width);
  return image;
}

bytes gather(const cameo_tensor &t, const bytes &image) {
  if (!has_gaps(t))
    return image;
  const size_t width = width_of(t);
  bytes dense(dense_bytes_of(t));
  for (int64_t i = 0; i < count_of(t); ++i)
    std::memcpy(&dense[static_cast<size_t>(i) * width], &image[offset_of(t, i) * width], width);
  return dense;
}

bool gaps_are_intact(const cameo_tensor &t, const bytes &image) {
  if (!has_gaps(t))
    return true;
  // Bytes behind elements of the pattern are the gaps.
  bytes left = image;
  const size_t width = width_of(t);
  for (int64_t i = 0; i < count_of(t); ++i)
    std::memset(&left[offset_of(t, i) * width], guard, width);
  for (const unsigned char byte : left)
    if (byte != guard)
      return false;
  return true;
}

bytes pack_strings(const bytes &strings) {
  bytes texts;
  for (size_t at = 0; at < strings.size(); at += sizeof(cameo_string)) {
    cameo_string s;
    std::memcpy(&s, &strings[at], sizeof s);
    const uint64_t size = s.size;
    const auto *length = reinterpret_cast<const unsigned char *>(&size),
               *text = reinterpret_cast<const unsigned char *>(s.data);
    texts.insert(texts.end(), length, length + sizeof size);
    texts.insert(texts.end(), text, text + s.size);
  }
  return texts;
}

bytes strings_in(const bytes &texts) {
  bytes strings;
  for (size_t at = 0; at < texts.size();) {
    uint64_t size = 0;
    if (texts.size() - at < sizeof size)
      die("the request has a string that is cut");
    std::memcpy(&size, &texts[at], sizeof size);
    at += sizeof size;
    if (texts.size() - at < size)
      die("the request has a string that is cut");
    const cameo_string s = {reinterpret_cast<const char *>(texts.data() + at),
                            static_cast<size_t>(size)};
    const auto *element = reinterpret_cast<const unsigned char *>(&s);
    strings.insert(strings.end(), element, element + sizeof s);
    at += s.size;
  }
  return strings;
}

} // namespace driver
