// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fibers: stacks and the switch between them. Own assembly on x86-64 and aarch64 (a few
// nanoseconds), ucontext elsewhere or with -DCAMEO_EMU_UCONTEXT. Knows nothing of CUDA. Tells the
// thread and address sanitizers about every switch when the program is built with one; both are
// found at run time through weak symbols, so that this file need not be instrumented itself. One OS
// thread at a time may use it.
#pragma once

#include <cstddef>

namespace cameo::emu {

/// A suspended flow of control. The one that the host thread came with has no stack of its own
/// here.
struct fiber {
  void *stack_pointer = nullptr; ///< where its registers are saved
  char *stack = nullptr;         ///< lowest address, or null for the host's own stack
  void *sanitizer_stack = nullptr;
  void *race_context =
      nullptr; ///< the thread sanitizer's name for it; kept when the stack changes hands
};

constexpr size_t fiber_stack_bytes = 256 * 1024;

/// Gives `f` a stack on which `entry` will start at the first switch to it; `entry` never returns.
void fiber_start(fiber &f, void (*entry)());

/// Gives the stack back. The caller may still be running on it until the next switch, which must be
/// fiber_leave.
void fiber_release_stack(fiber &f);

/// Suspends `from` and continues `to`.
void fiber_switch(fiber &from, fiber &to);
/// The same when `from` will never be continued on this stack.
void fiber_leave(fiber &from, fiber &to);

/// To be called first thing in `entry` and nowhere else.
void fiber_entered();

/// `to` goes on using the running stack as another flow of control: no switch, but the race
/// detector hears of it.
void fiber_inherit(fiber &from, fiber &to);

/// Whether the program is built with the thread sanitizer.
bool race_detection();

/// Happens-before edges for the race detector; nothing without one.
void race_release(void *object);
void race_acquire(void *object);

/// Aborts the program if a stack of the pool has overflowed; cheap enough for once per block.
void fiber_check_stack(const fiber &f);

} // namespace cameo::emu
