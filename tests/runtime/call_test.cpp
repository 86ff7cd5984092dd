// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of a call that contexts of all targets share.
#include "cameo/call.h"

#include <catch2/catch.hpp>

using namespace cameo;

namespace {

constexpr cameo_dim fixed[] = {dim_value(3)};
constexpr cameo_dim bounded[] = {dim_bounded(8, "n")};
constexpr cameo_dim open_dim[] = {dim_open(0, "n")};
constexpr cameo_default initial = {nullptr, 128, nullptr};
constexpr cameo_port inputs[] = {tensor_port<float>("x", fixed, 0, 0, 1),
                                 tensor_port<float>("d", fixed, 0, 0, 1, &initial)};
constexpr cameo_port outputs[] = {
    tensor_port<float>("fixed", fixed, 0, 0, 1), tensor_port<float>("bounded", bounded, 0, 0, 1),
    tensor_port<float>("open", open_dim, 0, 0, 1), tensor_port<float>("any", any_rank, 0, 0, 1)};
constexpr int32_t fixed_one = 0, bounded_one = 1, open_one = 2, any_one = 3;

constexpr cameo_model model_of() {
  cameo_model m{};
  m.input_count = 2;
  m.output_count = 4;
  m.inputs = inputs;
  m.outputs = outputs;
  m.state_bytes = 100;
  return m;
}
constexpr cameo_model model = model_of();

/// A context of no target, whose bindings are in memory of its own.
struct any_context {
  cameo_context c{};
  cameo_tensor tensors[6] = {};
  any_context() {
    c.model = &model;
    c.options.max_loop_trips = 2;
    c.tensors.inputs = tensors;
    c.tensors.outputs = tensors + 2;
  }
};

cameo_tensor three_floats(int64_t *dims, void *data = nullptr) {
  cameo_tensor t{};
  t.data = data;
  t.bytes = data ? 12 : 0;
  t.dims = dims;
  t.rank = 1;
  t.dtype = CAMEO_FLOAT;
  return t;
}

} // namespace

TEST_CASE("the parts of a context lie one behind the other, aligned", "[call]") {
  const context_layout l = lay_out(model, 1000, 56, 24);
  CHECK(l.ports == 1024);
  CHECK(l.bound == 1024 + 384);     // 6 ports
  CHECK(l.tensors == l.bound + 64); // 4 numbers
  CHECK(l.others >= l.tensors + static_cast<int64_t>(bindings::bytes(model)));
  CHECK(l.state == l.others + 64);
  CHECK(l.end == l.state + 128);
  CHECK(lay_out(model, 1000, 56, 0).state == lay_out(model, 1000, 56, 0).others);
  for (const int64_t at : {l.ports, l.bound, l.tensors, l.others, l.state, l.end})
    CHECK(at % arena_alignment == 0);
}

TEST_CASE("an absent input has its default, or only dims", "[call]") {
  const any_context a;
  unsigned char weights[256];
  CHECK(default_of(a.c, 0, weights) == nullptr);
  CHECK(default_of(a.c, 1, weights) == weights + 128);
}

TEST_CASE("an output is written where the caller says", "[call]") {
  any_context a;
  int64_t dims[1] = {3};
  float memory[8];
  for (const int32_t k : {fixed_one, bounded_one, open_one, any_one}) {
    cameo_tensor t = three_floats(dims, memory);
    bool lends = true;
    CHECK(ok(find_output_memory(a.c, t, k, 12, lends)));
    CHECK_FALSE(lends);
    CHECK(t.data == memory);
  }
}

TEST_CASE("memory is lent where the run decides how much it is", "[call]") {
  any_context a;
  int64_t dims[1] = {3};
  for (const int32_t k : {fixed_one, bounded_one, open_one, any_one}) {
    cameo_tensor t = three_floats(dims);
    bool lends = false;
    const status s = find_output_memory(a.c, t, k, 12, lends);
    CHECK(lends == (k == open_one || k == any_one));
    CHECK(ok(s) == lends);
    if (!lends) {
      CHECK(s.code == error_null_data(2 + k).code);
      CHECK(s.tensor == 2 + k);
    }
  }
}

TEST_CASE("a caller's `bind` is asked for the bytes that an output spans", "[call]") {
  any_context a;
  int64_t dims[1] = {3}, strides[1] = {2};
  float memory[8];
  cameo_tensor t = three_floats(dims);
  t.user = memory;
  t.bind = [](void *user, const cameo_tensor *, size_t bytes) -> void * {
    return bytes == 20 ? user : nullptr;
  };
  t.strides = strides;
  bool lends = true;
  CHECK(ok(find_output_memory(a.c, t, open_one, 12, lends)));
  CHECK(t.data == memory);
  CHECK(t.bytes == 20);
  CHECK_FALSE(lends);
  t = three_floats(dims); // dense: 12 bytes, which it does not have
  t.bind = [](void *, const cameo_tensor *, size_t) -> void * { return nullptr; };
  const status s = find_output_memory(a.c, t, open_one, 12, lends);
  CHECK(s.code == CAMEO_OUT_OF_MEMORY);
  CHECK(s.tensor == 2 + open_one);
}

TEST_CASE("memory is lent for a shape that the port has", "[call]") {
  const any_context a;
  int64_t dims[1] = {3}, bytes = 0;
  cameo_tensor t = three_floats(dims);
  CHECK(ok(check_lent(a.c, 0, t, bytes)));
  CHECK(bytes == 12);
  CHECK(ok(check_lent(a.c, 2 + fixed_one, t, bytes)));
  dims[0] = 4;
  CHECK(check_lent(a.c, 0, t, bytes).tensor == 0);
  CHECK(check_lent(a.c, 2 + fixed_one, t, bytes).tensor == 2);
  t.kind = CAMEO_SEQUENCE;
  CHECK(check_lent(a.c, 1, t, bytes).code == error_not_lendable(1).code);
  float memory[3];
  t = three_floats(dims);
  int64_t strides[1] = {7};
  t.strides = strides;
  lend_memory(t, memory, 12, CAMEO_SPACE_DEVICE);
  CHECK(t.data == memory);
  CHECK(t.bytes == 12);
  CHECK(t.space == CAMEO_SPACE_DEVICE);
  CHECK(t.strides == nullptr);
}

TEST_CASE("an output is fetched into memory that is long enough", "[call]") {
  any_context a;
  int64_t dims[1] = {3}, need = 0;
  a.c.tensors.outputs[1] = three_floats(dims);
  CHECK(ok(check_fetch(a.c, 1, 12, need)));
  CHECK(need == 12);
  const status s = check_fetch(a.c, 1, 11, need);
  CHECK(s.code == error_bytes(3, 11, 12).code);
  CHECK(s.tensor == 3);
  a.c.tensors.outputs[1].kind = CAMEO_SEQUENCE;
  CHECK(check_fetch(a.c, 1, 12, need).code == error_not_lendable(3).code);
}

TEST_CASE("iterations are counted up to the caller's limit", "[call]") {
  any_context a;
  CHECK(ok(count_trip(a.c, 0, 7)));
  CHECK(ok(count_trip(a.c, 1, 7)));
  const status s = count_trip(a.c, 2, 7);
  CHECK(s.code == CAMEO_LIMIT);
  CHECK(s.node == 7);
  CHECK(a.c.counters.loop_iterations == 3);
}
