// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that the program asks of the machine below it. One file implements it per machine; none of
// them uses a heap, threads or files.
#pragma once

/// Writes text to the console.
void board_put(const char *text);

/// Ends the program; `code` is what a shell would see.
[[noreturn]] void board_exit(int code);
