// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory: the caller's allocator, or the C library's where the build has a heap. Large blocks
// ask for 2 MiB pages, which weights and arenas are worth. errno is left as it was.
#include "cameo/context_base.h"

#if !CAMEO_HEAP_NONE
#include <errno.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#endif

namespace cameo {

namespace {

constexpr size_t alignment = 64;

#if !CAMEO_HEAP_NONE
constexpr size_t huge_page = size_t{2} << 20;

void *default_allocate(void *, size_t bytes, size_t align, int32_t) {
  const int saved = errno;
  if (bytes >= 2 * huge_page)
    align = huge_page;
  void *memory = nullptr;
  if (bytes <= SIZE_MAX - align)
    memory = aligned_alloc(align, (bytes + align - 1) / align * align);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (memory && align == huge_page)
    (void)madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
  errno = saved;
  return memory;
}

void default_release(void *, void *memory, size_t, int32_t) { free(memory); }
#endif

} // namespace

status check_options(const cameo_options *options, cameo_options &filled) {
  filled = options ? *options : cameo_options{};
  if (options && options->abi != CAMEO_ABI_VERSION)
    return error_options_version(options->abi);
  cameo_allocator &a = filled.allocator;
  if (!a.allocate != !a.release)
    return error_null_argument();
  if (!a.allocate) {
#if CAMEO_HEAP_NONE
    if (!filled.host_arena)
      return error_no_heap();
#else
    a = {nullptr, default_allocate, default_release};
#endif
  }
  if (!filled.host_arena)
    filled.host_arena_bytes = 0;
  if (filled.max_loop_trips <= 0)
    filled.max_loop_trips = int64_t{1} << 31;
  return success();
}

void *host_allocate(const cameo_allocator &allocator, size_t bytes) {
  if (!allocator.allocate)
    return nullptr;
  return allocator.allocate(allocator.user, bytes, alignment, CAMEO_SPACE_HOST);
}

void host_release(const cameo_allocator &allocator, void *memory, size_t bytes) {
  if (memory)
    allocator.release(allocator.user, memory, bytes, CAMEO_SPACE_HOST);
}

void *host_allocate(cameo_context &context, size_t bytes) {
  void *memory = host_allocate(context.options.allocator, bytes);
  if (memory)
    ++context.counters.host_allocs;
  return memory;
}

void host_release(cameo_context &context, void *memory, size_t bytes) {
  host_release(context.options.allocator, memory, bytes);
}

void log(const cameo_options &options, cameo_log_level level, const char *message) {
  if (options.logger.log)
    options.logger.log(options.logger.user, level, message);
}

} // namespace cameo
