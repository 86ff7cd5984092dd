// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that code compiled with -fsanitize=thread calls at each access, in the place of the
// sanitizer's runtime: CAMEO_EMU_ON_ACCESS(pointer, bytes, write), which the source that includes
// this defines.

#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void **) {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_atomic_thread_fence(int) {}
void __tsan_read_range(void *p, size_t n) { CAMEO_EMU_ON_ACCESS(p, n, false); }
void __tsan_write_range(void *p, size_t n) { CAMEO_EMU_ON_ACCESS(p, n, true); }

// clang turns copies and fills into these calls.
void *__tsan_memcpy(void *to, const void *from, size_t n) {
  CAMEO_EMU_ON_ACCESS(from, n, false);
  CAMEO_EMU_ON_ACCESS(to, n, true);
  return memcpy(to, from, n);
}
void *__tsan_memmove(void *to, const void *from, size_t n) {
  CAMEO_EMU_ON_ACCESS(from, n, false);
  CAMEO_EMU_ON_ACCESS(to, n, true);
  return memmove(to, from, n);
}
void *__tsan_memset(void *to, int value, size_t n) {
  CAMEO_EMU_ON_ACCESS(to, n, true);
  return memset(to, value, n);
}

#define CAMEO_EMU_ACCESS(bytes)                                                                    \
  void __tsan_read##bytes(void *p) { CAMEO_EMU_ON_ACCESS(p, bytes, false); }                       \
  void __tsan_write##bytes(void *p) { CAMEO_EMU_ON_ACCESS(p, bytes, true); }                       \
  void __tsan_unaligned_read##bytes(void *p) { CAMEO_EMU_ON_ACCESS(p, bytes, false); }             \
  void __tsan_unaligned_write##bytes(void *p) { CAMEO_EMU_ON_ACCESS(p, bytes, true); }             \
  void __tsan_volatile_read##bytes(void *p) { CAMEO_EMU_ON_ACCESS(p, bytes, false); }              \
  void __tsan_volatile_write##bytes(void *p) { CAMEO_EMU_ON_ACCESS(p, bytes, true); }
CAMEO_EMU_ACCESS(1)
CAMEO_EMU_ACCESS(2)
CAMEO_EMU_ACCESS(4)
CAMEO_EMU_ACCESS(8)
CAMEO_EMU_ACCESS(16)
#undef CAMEO_EMU_ACCESS

// Orders are all taken as the strongest.
#define CAMEO_EMU_ATOMIC(bits, type)                                                               \
  type __tsan_atomic##bits##_load(const volatile type *p, int) {                                   \
    CAMEO_EMU_ON_ACCESS(const_cast<const type *>(p), sizeof(type), false);                         \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type *p, type value, int) {                            \
    CAMEO_EMU_ON_ACCESS(const_cast<type *>(p), sizeof(type), true);                                \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  type __tsan_atomic##bits##_exchange(volatile type *p, type value, int) {                         \
    CAMEO_EMU_ON_ACCESS(const_cast<type *>(p), sizeof(type), true);                                \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *expected,              \
                                                    type desired, int, int) {                      \
    CAMEO_EMU_ON_ACCESS(const_cast<type *>(p), sizeof(type), true);                                \
    return __atomic_compare_exchange_n(p, expected, desired, false, __ATOMIC_SEQ_CST,              \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type *p, type *expected, type desired,  \
                                                  int a, int b) {                                  \
    return __tsan_atomic##bits##_compare_exchange_strong(p, expected, desired, a, b);              \
  }                                                                                                \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type expected, type desired,   \
                                                  int a, int b) { /* clang's */                    \
    __tsan_atomic##bits##_compare_exchange_strong(p, &expected, desired, a, b);                    \
    return expected;                                                                               \
  }
CAMEO_EMU_ATOMIC(8, uint8_t)
CAMEO_EMU_ATOMIC(16, uint16_t)
CAMEO_EMU_ATOMIC(32, uint32_t)
CAMEO_EMU_ATOMIC(64, uint64_t)
#undef CAMEO_EMU_ATOMIC

// Shared pointers and locks of libstdc++ use these in host code.
#define CAMEO_EMU_FETCH(bits, type, name, builtin)                                                 \
  type __tsan_atomic##bits##_fetch_##name(volatile type *p, type value, int) {                     \
    CAMEO_EMU_ON_ACCESS(const_cast<type *>(p), sizeof(type), true);                                \
    return builtin(p, value, __ATOMIC_SEQ_CST);                                                    \
  }
CAMEO_EMU_FETCH(32, uint32_t, add, __atomic_fetch_add)
CAMEO_EMU_FETCH(32, uint32_t, sub, __atomic_fetch_sub)
CAMEO_EMU_FETCH(64, uint64_t, add, __atomic_fetch_add)
CAMEO_EMU_FETCH(64, uint64_t, sub, __atomic_fetch_sub)
#undef CAMEO_EMU_FETCH

} // extern "C"
