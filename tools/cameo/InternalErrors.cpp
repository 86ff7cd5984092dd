// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing here allocates: the heap may be what is broken. Lines are made in a fixed buffer and
// written by one call.

#include "InternalErrors.h"

#include "Support/Diagnostic.h"
#include "Support/SignalStack.h"

#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace cameo;

namespace {

constexpr const char *kHint = "this is a bug of Cameo's, please report it with the model";

[[noreturn]] void exitWith(const char *what, const char *file, unsigned line) {
  char text[1024];
  int length =
      file ? std::snprintf(text, sizeof text, "cameo: internal error: %.600s (%.200s:%u); %s\n",
                           what, file, line, kHint)
           : std::snprintf(text, sizeof text, "cameo: internal error: %.600s; %s\n", what, kHint);
  for (int i = 0; i + 1 < length; ++i)
    if (text[i] < ' ' || text[i] > '~')
      text[i] = '?';
  (void)!::write(STDERR_FILENO, text, static_cast<size_t>(length));
  ::_exit(static_cast<int>(ExitClass::Internal));
}

[[noreturn]] void exitOnFatalError(void *, const char *reason, bool) {
  exitWith(reason, nullptr, 0);
}

[[noreturn]] void exitOnSignal(int number) {
  const char *name = ::sigabbrev_np(number);
  char what[64];
  std::snprintf(what, sizeof what, "signal SIG%s", name ? name : "?");
  exitWith(what, nullptr, 0);
}

} // namespace

/// `assert` calls this: the C library's own prints and aborts.
extern "C" void __assert_fail(const char *condition, const char *file, unsigned line,
                              const char *) noexcept {
  exitWith(condition, file, line);
}

#ifdef _GLIBCXX_ASSERTIONS
/// The standard library's checks call this.
namespace std {
void __glibcxx_assert_fail(const char *file, int line, const char *,
                           const char *condition) noexcept {
  exitWith(condition, file, static_cast<unsigned>(line));
}
} // namespace std
#endif

void cli::installInternalErrorHandlers() {
  llvm::install_fatal_error_handler(exitOnFatalError);
  static const SignalStack stack; // the main thread's
  for (int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction before;
    if (::sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL)
      continue;
    struct sigaction action = {};
    action.sa_handler = exitOnSignal;
    action.sa_flags = SA_ONSTACK;
    ::sigaction(number, &action, nullptr);
  }
}
