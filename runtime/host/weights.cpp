// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a model's weights come from, and that they are the right ones: size, magic and hash of the
// header are always held against the model's table; the payload is hashed when it comes from a file
// or the caller asks for it.
#include "cameo/context_base.h"

#if !CAMEO_HEAP_NONE
#include <errno.h>
#include <stdio.h>
#endif

namespace cameo {

namespace {

constexpr size_t header_bytes = sizeof(cameo_weights_header);
static_assert(header_bytes == 64, "the payload must stay aligned to 64 bytes");

bool is_magic(const char (&magic)[8]) {
  constexpr char expected[] = "CAMEOWT1";
  for (int i = 0; i < 8; ++i)
    if (magic[i] != expected[i])
      return false;
  return true;
}

status check_blob(const cameo_weights_info &info, const void *blob, size_t bytes, bool hash) {
  const auto *payload = static_cast<const unsigned char *>(blob) + header_bytes;
  const auto got = static_cast<int64_t>(bytes);
  const auto need = static_cast<int64_t>(info.bytes + header_bytes);
  if (reinterpret_cast<uintptr_t>(blob) % 64 != 0)
    return error_weights_alignment(64);
  if (bytes < header_bytes)
    return error_weights_size(got, need);
  cameo_weights_header header;
  __builtin_memcpy(&header, blob, header_bytes);
  if (!is_magic(header.magic))
    return error_weights_magic();
  if (bytes != info.bytes + header_bytes)
    return error_weights_size(got, need);
  if (header.bytes != info.bytes || header.hash != info.hash)
    return error_weights_other_model();
  if (hash && hash64(payload, bytes - header_bytes) != info.hash)
    return error_weights_hash();
  return success();
}

#if !CAMEO_HEAP_NONE
/// Reads a file of exactly `bytes` bytes.
status read_exactly(const char *path, void *memory, size_t bytes) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return error_weights_file();
  const size_t got = fread(memory, 1, bytes, file);
  const bool failed = ferror(file) != 0;
  const bool more = !failed && got == bytes && fgetc(file) != EOF;
  (void)fclose(file);
  if (failed)
    return error_weights_file();
  if (got != bytes || more)
    return error_weights_size(static_cast<int64_t>(got) + more, static_cast<int64_t>(bytes));
  return success();
}

status load_file(const cameo_weights_info &info, const char *path, cameo_weights &w) {
  const auto bytes = static_cast<size_t>(info.bytes + header_bytes);
  // More than a machine of 32 bits can address does not fit it.
  if (bytes == info.bytes + header_bytes)
    w.owned = host_allocate(w.allocator, bytes);
  if (!w.owned)
    return error_out_of_memory(static_cast<int64_t>(info.bytes + header_bytes));
  w.owned_bytes = bytes;
  const int saved = errno;
  status s = read_exactly(path, w.owned, bytes);
  errno = saved;
  if (ok(s))
    s = check_blob(info, w.owned, bytes, true);
  if (!ok(s))
    close_weights(w);
  return s;
}
#endif

} // namespace

status open_weights(const cameo_model &model, const cameo_options &options, cameo_weights &w) {
  const cameo_weights_info &info = model.weights;
  w.bytes = info.bytes;
  w.hash = info.hash;
  if (info.bytes == 0)
    return success();
  const void *blob = options.weights;
  size_t bytes = options.weights_bytes;
  const char *path = options.weights_path;
  if (!blob && !path) {
    blob = info.embedded;
    bytes = static_cast<size_t>(info.bytes + header_bytes);
    path = info.file;
  }
  if (blob) {
    CAMEO_TRY(check_blob(info, blob, bytes, options.verify_weights != 0));
  } else {
#if CAMEO_HEAP_NONE
    return error_weights_missing();
#else
    if (!path)
      return error_weights_missing();
    CAMEO_TRY(load_file(info, path, w));
    blob = w.owned;
#endif
  }
  w.data = static_cast<const unsigned char *>(blob) + header_bytes;
  return success();
}

void close_weights(cameo_weights &w) {
  host_release(w.allocator, w.owned, w.owned_bytes);
  w.owned = nullptr;
  w.data = nullptr;
}

void weights_retain(cameo_weights &w) {
#if CAMEO_THREADS
  __atomic_fetch_add(&w.counts, 1, __ATOMIC_RELAXED);
#else
  ++w.counts;
#endif
}

bool weights_drop(cameo_weights &w) {
#if CAMEO_THREADS
  return __atomic_fetch_sub(&w.counts, 1, __ATOMIC_ACQ_REL) == 1;
#else
  return --w.counts == 0;
#endif
}

} // namespace cameo
