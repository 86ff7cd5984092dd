// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fault handler, shared by memory.cpp and host_lock.cpp.
#pragma once

namespace cameo::emu {

/// Once; a fault that is not about memory of the emulator goes to whoever handled it before.
void install_fault_handler();

} // namespace cameo::emu
