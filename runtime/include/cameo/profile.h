// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels tell whoever profiles: where everything is built with CAMEO_PROFILE, the kernel
// functions of generated code and the templates call these, which the profiler defines. Nothing is
// left of them elsewhere.
#pragma once

#include "cameo/config.h"
#include <stdint.h>

#if CAMEO_PROFILE
extern "C" {
/// A kernel begins: the name of its function, and the bytes of what it reads and writes, each
/// tensor once. One that begins inside another is part of that.
void cameo_profile_begin(const char *kernel, int64_t bytes);
/// It multiplies and adds so often, each counted by itself.
void cameo_profile_operations(int64_t count);
void cameo_profile_end(void);

/// On a device only, in front of `begin`: the stream that its launches go to.
void cameo_profile_stream(void *stream);
/// On a device only, behind `begin`: one of what it reads and writes.
void cameo_profile_access(const void *memory, int64_t bytes, int32_t writes);
/// On a device only: each thread of the next launch goes through so many elements in turn, along a
/// row or the depth of a product.
void cameo_profile_depth(int64_t count);
}
#define CAMEO_OPERATIONS(count) cameo_profile_operations(count)
#define CAMEO_DEPTH(count) cameo_profile_depth(count)
#else
#define CAMEO_OPERATIONS(count) static_assert(true, "")
#define CAMEO_DEPTH(count) static_assert(true, "")
#endif
