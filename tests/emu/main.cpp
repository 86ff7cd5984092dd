// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Catch2 without its signal handlers, which would take the place of the emulator's.
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_NO_POSIX_SIGNALS
#include <catch2/catch.hpp>
