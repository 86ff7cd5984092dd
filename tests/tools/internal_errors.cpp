// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// internal_errors KIND: commits the bug KIND as the compiler could, with the compiler's flags and
// handlers. KIND `none` is none. internal_errors.py holds what it prints and how it ends.

#include "InternalErrors.h"
#include "Support/SignalStack.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/thread.h"

#include <cassert>
#include <csignal>
#include <cstdio>
#include <optional>
#include <vector>

namespace {

/// Nothing that the optimiser can know: 0.
volatile size_t length = 0;

int descend(int depth) {
  volatile char frame[4096] = {};
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : descend(depth + 1) + frame[0];
}

struct Bug {
  llvm::StringRef kind;
  int (*commit)();
};

const Bug bugs[] = {
    {"none", [] { return 0; }},
    {"assertion",
     [] {
       assert(length && "a length");
       return 0;
     }},
    {"vector", [] { return std::vector<int>(length)[length]; }},
    {"optional", [] { return *(length ? std::optional<int>(1) : std::nullopt); }},
    {"array_ref", [] { return llvm::ArrayRef<int>(nullptr, length)[length]; }},
    {"fatal_error", []() -> int { llvm::report_fatal_error("a\nfatal error"); }},
    {"abort", []() -> int { ::abort(); }},
    {"null", []() -> int { return *reinterpret_cast<volatile int *>(length); }},
    {"division", [] { return std::raise(SIGFPE); }},
    {"stack", [] { return descend(0); }},
    {"stack_of_thread",
     [] {
       int result = 0;
       llvm::thread worker(std::optional<unsigned>(1 << 20), [&] {
         cameo::SignalStack signals;
         result = descend(0);
       });
       worker.join();
       return result;
     }},
};

} // namespace

int main(int, char **argv) {
  cameo::cli::installInternalErrorHandlers();
  for (const Bug &bug : bugs)
    if (bug.kind == argv[1])
      return bug.commit();
  std::fputs("no such bug\n", stderr);
  return 2;
}
