// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of every struct of abi.h on 64-bit targets. Whoever changes a line here bumps
// CAMEO_ABI_VERSION with it.
#include "cameo/abi.h"

#include <catch2/catch.hpp>

#define LAYOUT(type, size) static_assert(sizeof(void *) != 8 || sizeof(type) == size, #type)
#define MEMBER(type, member, offset)                                                               \
  static_assert(sizeof(void *) != 8 || offsetof(type, member) == offset, #type "." #member)

static_assert(CAMEO_ABI_VERSION == 3, "the layouts below are those of version 3");

LAYOUT(cameo_status, 56);
MEMBER(cameo_status, message, 16);
MEMBER(cameo_status, values, 24);

LAYOUT(cameo_string, 16);

LAYOUT(cameo_tensor, 80);
MEMBER(cameo_tensor, dims, 16);
MEMBER(cameo_tensor, strides, 24);
MEMBER(cameo_tensor, rank, 32);
MEMBER(cameo_tensor, dtype, 36);
MEMBER(cameo_tensor, space, 40);
MEMBER(cameo_tensor, kind, 44);
MEMBER(cameo_tensor, ready, 48);
MEMBER(cameo_tensor, bind, 64);

LAYOUT(cameo_allocator, 24);
LAYOUT(cameo_executor, 32);
LAYOUT(cameo_logger, 16);

LAYOUT(cameo_attribute, 40);
MEMBER(cameo_attribute, count, 12);
MEMBER(cameo_attribute, ints, 16);
MEMBER(cameo_attribute, strings, 32);

LAYOUT(cameo_call, 32);
MEMBER(cameo_call, counts, 16);
MEMBER(cameo_call, count_count, 24);

LAYOUT(cameo_options, 160);
MEMBER(cameo_options, shared, 16);
MEMBER(cameo_options, weights_path, 40);
MEMBER(cameo_options, allocator, 48);
MEMBER(cameo_options, host_arena, 72);
MEMBER(cameo_options, max_loop_trips, 104);
MEMBER(cameo_options, executor, 112);
MEMBER(cameo_options, logger, 144);

LAYOUT(cameo_memory, 56);
LAYOUT(cameo_counters, 152);
LAYOUT(cameo_dim, 32);
LAYOUT(cameo_port, 72);
LAYOUT(cameo_weights_header, 64);
LAYOUT(cameo_weights_info, 32);

LAYOUT(cameo_model, 168);
MEMBER(cameo_model, state_bytes, 28);
MEMBER(cameo_model, name, 32);
MEMBER(cameo_model, inputs, 64);
MEMBER(cameo_model, weights, 96);
MEMBER(cameo_model, infer_shapes, 128);

TEST_CASE("dtypes are numbered as ONNX numbers them", "[abi]") {
  CHECK(CAMEO_FLOAT == 1);
  CHECK(CAMEO_STRING == 8);
  CHECK(CAMEO_BFLOAT16 == 16);
  CHECK(CAMEO_FLOAT8E8M0 == 24);
  CHECK(CAMEO_FLOAT6E3M2 == 28);
}
