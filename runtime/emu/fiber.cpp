// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See fiber.h. The assembly saves what a called function must preserve, and nothing else: rounding
// mode and signal mask are the same for all fibers. Stacks are pooled; there is no guard page below
// each (a grid of resident blocks would run into the kernel's limit on mappings), but a canary.
#include "fiber.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <sys/mman.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#define CAMEO_EMU_UCONTEXT 1
#endif

#if defined(CAMEO_EMU_UCONTEXT)
#include <ucontext.h>
#endif

extern "C" {
__attribute__((weak)) void *__tsan_create_fiber(unsigned flags);
__attribute__((weak)) void *__tsan_get_current_fiber();
__attribute__((weak)) void __tsan_switch_to_fiber(void *fiber, unsigned flags);
__attribute__((weak)) void __tsan_acquire(void *object);
__attribute__((weak)) void __tsan_release(void *object);
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **save, const void *bottom,
                                                          size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *saved, const void **bottom,
                                                           size_t *size);
}

namespace cameo::emu {
namespace {

constexpr uint64_t canary = 0x5ca1ab1edeadbeefu;
constexpr unsigned no_implied_order = 1; // of __tsan_switch_to_fiber: a switch alone orders nothing

auto &free_stacks =
    *new std::vector<char *>; // never destroyed: fibers may be wanted until the very end

// The stack that the host thread came with, as the address sanitizer knows it.
const void *host_bottom = nullptr;
size_t host_size = 0;

// Whether the last switch left the host's own stack.
bool from_host = false;

char *take_stack() {
  if (!free_stacks.empty()) {
    char *stack = free_stacks.back();
    free_stacks.pop_back();
    return stack;
  }
  void *memory = mmap(nullptr, fiber_stack_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    fprintf(stderr, "cameo-emu: no memory for the stack of a CUDA thread\n");
    abort();
  }
  memcpy(memory, &canary, sizeof(canary));
  return static_cast<char *>(memory);
}

/// Tops at equal offsets in their pages would all fall into the same cache sets.
size_t top_offset(const char *stack) {
  const size_t number = reinterpret_cast<uintptr_t>(stack) / fiber_stack_bytes;
  return fiber_stack_bytes - 64 - number % 32 * 192;
}

void announce(fiber &to, void **save) {
  if (__tsan_switch_to_fiber != nullptr) {
    if (to.race_context == nullptr)
      to.race_context = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(to.race_context, no_implied_order);
  }
  if (__sanitizer_start_switch_fiber != nullptr) {
    if (to.stack == nullptr)
      __sanitizer_start_switch_fiber(save, host_bottom, host_size);
    else
      __sanitizer_start_switch_fiber(save, to.stack, fiber_stack_bytes);
  }
}

void arrived(void *saved) {
  if (__sanitizer_finish_switch_fiber == nullptr)
    return;
  if (from_host)
    __sanitizer_finish_switch_fiber(saved, &host_bottom, &host_size);
  else
    __sanitizer_finish_switch_fiber(saved, nullptr, nullptr);
}

} // namespace

#if defined(CAMEO_EMU_UCONTEXT)

namespace {
void exchange(fiber &from, fiber &to) {
  // The saved state lives on the suspended stack, as it does with the assembly.
  ucontext_t here;
  from.stack_pointer = &here;
  swapcontext(&here, static_cast<ucontext_t *>(to.stack_pointer));
}
} // namespace

void fiber_start(fiber &f, void (*entry)()) {
  f.stack = take_stack();
  const size_t size = (top_offset(f.stack) - sizeof(ucontext_t)) & ~size_t{63};
  auto *start = new (f.stack + size) ucontext_t;
  getcontext(start);
  start->uc_stack.ss_sp = f.stack;
  start->uc_stack.ss_size = size;
  start->uc_link = nullptr;
  makecontext(start, entry, 0);
  f.stack_pointer = start;
}

#else

#if defined(__x86_64__)
asm(R"(
  .text
  .p2align 4
  .globl cameo_emu_exchange
  .hidden cameo_emu_exchange
  .type cameo_emu_exchange, @function
cameo_emu_exchange:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size cameo_emu_exchange, . - cameo_emu_exchange
)");
constexpr size_t saved_words =
    8; // six registers, the return address, and a null caller for unwinders
constexpr size_t return_word = 6;
#else
asm(R"(
  .text
  .p2align 4
  .globl cameo_emu_exchange
  .hidden cameo_emu_exchange
  .type cameo_emu_exchange, %function
cameo_emu_exchange:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
  .size cameo_emu_exchange, . - cameo_emu_exchange
)");
constexpr size_t saved_words = 20; // x19-x30, d8-d15
constexpr size_t return_word = 11; // x30
#endif

extern "C" void cameo_emu_exchange(void **from, void *to);

namespace {
void exchange(fiber &from, fiber &to) { cameo_emu_exchange(&from.stack_pointer, to.stack_pointer); }
} // namespace

void fiber_start(fiber &f, void (*entry)()) {
  f.stack = take_stack();
  // Both ABIs: 16-byte aligned at a call, so x86-64 enters a function 8 bytes below that.
  uintptr_t top = reinterpret_cast<uintptr_t>(f.stack + top_offset(f.stack)) & ~uintptr_t{15};
  auto *words = reinterpret_cast<void **>(top) - saved_words;
  memset(static_cast<void *>(words), 0, saved_words * sizeof(void *));
  words[return_word] = reinterpret_cast<void *>(entry);
  f.stack_pointer = static_cast<void *>(words);
}

#endif

void fiber_release_stack(fiber &f) {
  free_stacks.push_back(f.stack);
  f.stack = nullptr;
}

void fiber_switch(fiber &from, fiber &to) {
  if (__tsan_get_current_fiber != nullptr && from.race_context == nullptr)
    from.race_context = __tsan_get_current_fiber();
  const bool host = from.stack == nullptr;
  announce(to, &from.sanitizer_stack);
  from_host = host;
  exchange(from, to);
  arrived(from.sanitizer_stack);
}

void fiber_leave(fiber &from, fiber &to) {
  announce(to, nullptr);
  from_host = false;
  exchange(from, to);
}

void fiber_entered() { arrived(nullptr); }

void fiber_inherit(fiber &from, fiber &to) {
  to.stack = from.stack;
  from.stack = nullptr;
  if (__tsan_switch_to_fiber != nullptr) {
    if (to.race_context == nullptr)
      to.race_context = __tsan_create_fiber(0);
    __tsan_switch_to_fiber(to.race_context, no_implied_order);
  }
}

bool race_detection() { return __tsan_switch_to_fiber != nullptr; }

void race_release(void *object) {
  if (__tsan_release != nullptr)
    __tsan_release(object);
}

void race_acquire(void *object) {
  if (__tsan_acquire != nullptr)
    __tsan_acquire(object);
}

void fiber_check_stack(const fiber &f) {
  uint64_t value = canary;
  if (f.stack != nullptr)
    memcpy(&value, f.stack, sizeof(value));
  if (value != canary) {
    fprintf(stderr, "cameo-emu: a CUDA thread needs more than %zu bytes of stack\n",
            fiber_stack_bytes);
    abort();
  }
}

} // namespace cameo::emu
