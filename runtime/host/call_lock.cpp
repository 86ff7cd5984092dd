// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The call lock: a context that is inside a call refuses another. Here and not beside the generic
// calls, since it depends on how the runtime was built.
#include "cameo/context_base.h"

namespace cameo {

status enter(cameo_context &context) {
#if CAMEO_THREADS
  if (__atomic_exchange_n(&context.busy, 1, __ATOMIC_ACQUIRE))
    return error_busy();
#else
  if (context.busy)
    return error_busy();
  context.busy = 1;
#endif
  return success();
}

void leave(cameo_context &context) {
#if CAMEO_THREADS
  __atomic_store_n(&context.busy, 0, __ATOMIC_RELEASE);
#else
  context.busy = 0;
#endif
}

status read_counters(cameo_context *context, cameo_counters *counters) {
  CAMEO_TRY(enter(*context));
  *counters = context->counters;
  leave(*context);
  return success();
}

} // namespace cameo
