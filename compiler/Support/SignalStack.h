// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stack on which handlers of signals run, so that a stack that is full can still be told.

#ifndef CAMEO_SUPPORT_SIGNALSTACK_H
#define CAMEO_SUPPORT_SIGNALSTACK_H

#include <csignal>
#include <vector>

namespace cameo {

/// The alternate signal stack of the thread that makes it, while it lives.
class SignalStack {
public:
  SignalStack() : bytes(64 * 1024) {
    stack_t own = {};
    own.ss_sp = bytes.data();
    own.ss_size = bytes.size();
    ::sigaltstack(&own, &before);
  }
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;
  ~SignalStack() { ::sigaltstack(&before, nullptr); }

private:
  std::vector<char> bytes;
  stack_t before = {};
};

} // namespace cameo

#endif // CAMEO_SUPPORT_SIGNALSTACK_H
