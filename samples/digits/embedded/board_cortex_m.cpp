// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The board is a bare Cortex-M4F: vector table, start-up, and semihosting for the console. Assumes
// cortex_m.ld's symbols; nothing runs before `start`, and a fault of any kind ends the program with
// code 70.

#include "board.h"

#include <cstdint>

extern "C" {
extern std::uint32_t stack_top[], data_begin[], data_end[], data_image[], bss_begin[], bss_end[];
extern void (*init_begin[])();
extern void (*init_end[])();
int main();
}

namespace {

/// One call to the debugger or emulator that runs the board.
int semihost(int operation, const void *argument) {
  register int r0 asm("r0") = operation;
  register const void *r1 asm("r1") = argument;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

constexpr int write0 = 0x04, exit_extended = 0x20;
constexpr std::uint32_t application_exit = 0x20026;

[[noreturn]] void start() {
  // The floating-point unit is off after reset: full access to coprocessors 10 and 11.
  volatile std::uint32_t &access_control = *reinterpret_cast<volatile std::uint32_t *>(0xe000ed88);
  access_control = access_control | 0xfu << 20;
  asm volatile("dsb\n isb" ::: "memory");

  const std::uint32_t *from = data_image;
  for (std::uint32_t *to = data_begin; to != data_end;)
    *to++ = *from++;
  for (std::uint32_t *to = bss_begin; to != bss_end;)
    *to++ = 0;
  for (auto constructor = init_begin; constructor != init_end; ++constructor)
    (*constructor)();
  board_exit(main());
}

[[noreturn]] void fault() { board_exit(70); }

} // namespace

/// The stack, reset, and the fourteen system exceptions; no interrupt is ever enabled.
struct vector_table {
  std::uint32_t *stack;
  void (*reset)();
  void (*exceptions[14])();
};

extern "C" __attribute__((section(".vectors"), used))
const vector_table vectors = {stack_top,
                              start,
                              {fault, fault, fault, fault, fault, fault, fault, fault, fault, fault,
                               fault, fault, fault, fault}};

void board_put(const char *text) { semihost(write0, text); }

void board_exit(int code) {
  const std::uint32_t reason[] = {application_exit, static_cast<std::uint32_t>(code)};
  semihost(exit_extended, reason);
  for (;;) {
  }
}
