// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a model's weights come from, and that they are the right ones: size, magic and hash of the
// header are always held against the model's table; the payload is hashed when it comes from a file
// or the caller asks for it. The file that the table names lies beside the program, whatever the
// working directory is.
#include "cameo/context_base.h"

#if !CAMEO_HEAP_NONE
#include <errno.h>
#include <stdio.h>
#if defined(__linux__)
#include <unistd.h>
#elif defined(__APPLE__)
#include <mach-o/dyld.h>
#endif
#endif

namespace cameo {

namespace {

constexpr size_t header_bytes = sizeof(cameo_weights_header);
static_assert(header_bytes == 64, "the payload must stay aligned to 64 bytes");

/// Header and weights, of which a machine of 32 bits may address less.
size_t blob_bytes(const cameo_weights_info &info) {
  constexpr uint64_t most = SIZE_MAX;
  const uint64_t bytes = info.bytes + header_bytes;
  return bytes & most;
}

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
/// Reads a file of exactly `bytes` bytes; `unreadable` says what is wrong if it cannot be read.
status read_exactly(const char *path, void *memory, size_t bytes, const status &unreadable) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return unreadable;
  const size_t got = fread(memory, 1, bytes, file);
  const bool failed = ferror(file) != 0;
  const bool more = !failed && got == bytes && fgetc(file) != EOF;
  (void)fclose(file);
  if (failed)
    return unreadable;
  if (got != bytes || more)
    return error_weights_size(static_cast<int64_t>(got) + more, static_cast<int64_t>(bytes));
  return success();
}

/// A path, in a buffer of its own.
struct path_text {
  char text[4096];
};

/// The program's own file; false where the system does not tell.
bool find_program(path_text &path) {
#if defined(__linux__)
  const int saved = errno;
  const ssize_t length = readlink("/proc/self/exe", path.text, sizeof path.text - 1);
  errno = saved;
  if (length <= 0 || static_cast<size_t>(length) >= sizeof path.text - 1)
    return false;
  path.text[length] = '\0';
  return true;
#elif defined(__APPLE__)
  uint32_t bytes = sizeof path.text;
  return _NSGetExecutablePath(path.text, &bytes) == 0;
#else
  (void)path;
  return false;
#endif
}

/// Where `file` is if it lies beside the program, in the working directory where nobody knows where
/// that is; null when that is too long.
const char *beside_program(const char *file, path_text &path) {
  size_t folder = 0;
  if (find_program(path))
    for (size_t i = 0; path.text[i]; ++i)
      if (path.text[i] == '/')
        folder = i + 1;
  const size_t length = __builtin_strlen(file) + 1;
  if (folder + length > sizeof path.text)
    return nullptr;
  __builtin_memcpy(path.text + folder, file, length);
  return path.text;
}

status load_file(const cameo_weights_info &info, const char *path, const status &unreadable,
                 cameo_weights &w) {
  const size_t bytes = blob_bytes(info);
  // More than a machine of 32 bits can address does not fit it.
  if (bytes == info.bytes + header_bytes)
    w.owned = host_allocate(w.allocator, bytes);
  if (!w.owned)
    return error_out_of_memory(static_cast<int64_t>(info.bytes + header_bytes));
  w.owned_bytes = bytes;
  const int saved = errno;
  status s = read_exactly(path, w.owned, bytes, unreadable);
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
    bytes = blob_bytes(info);
  }
  if (blob) {
    CAMEO_TRY(check_blob(info, blob, bytes, options.verify_weights != 0));
  } else {
#if CAMEO_HEAP_NONE
    return error_weights_missing();
#else
    path_text own;
    const bool is_own = !path;
    if (is_own && info.file)
      path = beside_program(info.file, own);
    if (!path)
      return error_weights_missing();
    CAMEO_TRY(load_file(info, path, is_own ? error_own_weights_file() : error_weights_file(), w));
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
