// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cpu::exec without a model, for calling kernel templates directly: in tests, benchmarks, and
// programs that want a kernel and nothing else.
#pragma once

#include "cameo/cpu/context.h"

namespace cameo::cpu {

class standalone {
public:
  /// `threads` as in cameo_options; `options` may bring an executor or allocator instead.
  explicit standalone(int32_t threads = 1);
  explicit standalone(const cameo_options &options);
  ~standalone() { destroy(context_); }
  standalone(const standalone &) = delete;
  standalone &operator=(const standalone &) = delete;

  /// Whether there is an exec: the system may have refused memory.
  explicit operator bool() const { return context_ != nullptr; }
  exec &compute() { return static_cast<context *>(context_)->compute; }
  /// The first error raised since the last reset().
  status raised() const { return static_cast<context *>(context_)->ready(); }
  void reset() { context_->fault = {}; }

private:
  cameo_context *context_ = nullptr;
};

} // namespace cameo::cpu
