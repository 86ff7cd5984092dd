// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context's whole life, through the hand-made model: right results in every way of calling it,
// the right status for every wrong one, and the context usable afterwards.
#include "mlp_context.h"

#include "cameo/cpu/context.h"
#include "cameo/model.h"

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

using namespace cameo;
using namespace mlp_test;

TEST_CASE("the model runs", "[context]") {
  for (const int32_t threads : {1, 2, 3}) {
    opened m(defaults(threads));
    REQUIRE(ok(m.created));
    for (const int64_t n : {1, 3, 200, 0, 7}) {
      call k(n);
      REQUIRE(ok(k.run(m.c)));
      CHECK(k.right());
    }
  }
}

TEST_CASE("the C++ wrapper runs it", "[context]") {
  model m(*mlp_describe());
  m.options().threads = 1;
  session a, b;
  REQUIRE(ok(m.open(a)));
  REQUIRE(ok(m.open(b)));
  call k(5);
  tensor in[] = {{k.x.data(), k.x.size(), {5, 64}}};
  tensor out[] = {{k.y.data(), k.y.size(), {0, 0}}};
  REQUIRE(ok(a.run(in, out)));
  CHECK(out[0].dim(0) == 5);
  CHECK(out[0].dim(1) == 10);
  CHECK(k.worst_error(k.y.data()) < 1e-6);
  session c = std::move(b);
  REQUIRE(ok(c.run(in, out)));
  CHECK(b.get() == nullptr);
  CHECK(b.run(in, out).code == invalid);
}

TEST_CASE("the table describes it", "[context]") {
  const cameo_model &m = *mlp_describe();
  CHECK(std::string(m.name) == "mlp");
  CHECK(std::string(m.inputs[0].name) == "x");
  CHECK(m.inputs[0].dims[0].kind == CAMEO_DIM_SYMBOL);
  CHECK(std::string(m.symbols[m.inputs[0].dims[0].symbol]) == "N");
  CHECK(m.blocking_syncs == 0);
  CHECK(m.run == mlp_run);
}

TEST_CASE("shapes and memory without a context", "[context]") {
  call k(9);
  k.in.data = nullptr;
  k.in.bytes = 0;
  cameo_tensor out{};
  int64_t dims[2] = {};
  out.dims = dims;
  REQUIRE(ok(mlp_infer_shapes(&k.in, 1, &out, 1)));
  CHECK(out.rank == 2);
  CHECK(dims[0] == 9);
  CHECK(dims[1] == 10);
  CHECK(out.dtype == CAMEO_FLOAT);
  CHECK(out.bytes == 360);
  cameo_memory plan{};
  REQUIRE(ok(mlp_memory(&k.in, 1, &plan)));
  CHECK(plan.host_arena >= 9 * 32 * 4 + 9 * 10 * 4);
  CHECK(plan.weights == 9640);
  CHECK(std::string(plan.peak_tensor) == "h");
  k.x_dims[0] = INT64_MAX / 64;
  CHECK(mlp_memory(&k.in, 1, &plan).code == invalid);
}

TEST_CASE("wrong calls say what is wrong and harm nothing", "[context]") {
  opened m(defaults());
  call k(4), good(4);
  const auto expect = [&](status s, int32_t code, int32_t tensor) {
    INFO(s.message);
    CHECK(s.code == code);
    CHECK(s.tensor == tensor);
    CHECK(k.untouched());
    CHECK(ok(good.run(m.c)));
    CHECK(good.right());
  };
  expect(k.run(nullptr), invalid, -1);
  expect(mlp_run(m.c, &k.in, 2, &k.out, 1, nullptr), invalid, -1);
  expect(mlp_run(m.c, &k.in, 1, &k.out, 0, nullptr), invalid, -1);
  expect(mlp_run(m.c, nullptr, 1, &k.out, 1, nullptr), invalid, -1);
  k.x_dims[1] = 63;
  expect(k.run(m.c), invalid, 0);
  k.x_dims[1] = 64;
  k.in.bytes -= 1;
  expect(k.run(m.c), invalid, 0);
  k.in.bytes += 1;
  k.in.space = CAMEO_SPACE_DEVICE;
  expect(k.run(m.c), invalid, 0);
  k.in.space = CAMEO_SPACE_HOST;
  k.out.bytes -= 1;
  expect(k.run(m.c), invalid, 1);
  k.out.bytes += 1;
  k.out.data = nullptr;
  expect(k.run(m.c), invalid, 1);
  k.out.data = k.x.data() + 3;
  expect(k.run(m.c), invalid, 1);
  k.out.data = k.y.data();
  k.out.dims = nullptr;
  expect(k.run(m.c), invalid, 1);
  k.out.dims = k.y_dims;
  CHECK(ok(k.run(m.c)));
  CHECK(k.right());
  CHECK(ok(cameo_finish(m.c)));
}

namespace {

status never_called(cpu::context &, const cameo_tensor *, cameo_tensor *) { std::abort(); }

} // namespace

TEST_CASE("other models' contexts and calls before a run are refused", "[context]") {
  opened m(defaults());
  const cameo_model other = *mlp_describe();
  call k(1);
  CHECK(cpu::run(other, m.c, &k.in, 1, &k.out, 1, never_called).code == invalid);
  CHECK(cameo_finish(nullptr).code == invalid);
  CHECK(cameo_fetch(m.c, 1, k.y.data(), 4).code == invalid);
  CHECK(cameo_fetch(m.c, 0, nullptr, 4).code == invalid);
  CHECK(cameo_ready(m.c, -1).code == invalid);
  CHECK(cameo_finish(m.c).code == invalid);
  CHECK(cameo_counters_of(m.c, nullptr).code == invalid);
  mlp_destroy(nullptr);
}

TEST_CASE("options are checked", "[context]") {
  cameo_context *c = nullptr;
  cameo_options o = defaults();
  o.abi = 99;
  CHECK(mlp_create(&o, &c).code == invalid);
  CHECK(c == nullptr);
  CHECK(mlp_create(&o, nullptr).code == invalid);
  o = defaults();
  o.allocator.allocate = counting_allocator::allocate;
  CHECK(mlp_create(&o, &c).code == invalid);
  REQUIRE(ok(mlp_create(nullptr, &c)));
  mlp_destroy(c);
}

// ---- Memory ------------------------------------------------------------------------------------

TEST_CASE("every allocation may fail, once, and nothing leaks", "[context]") {
  for (const int32_t threads : {1, 2}) {
    int total = 0;
    {
      counting_allocator w;
      opened m(w.options(threads));
      call k(3);
      REQUIRE(ok(k.run(m.c)));
      total = w.given;
    }
    REQUIRE(total >= 2);
    for (int fail = 0; fail < total; ++fail) {
      counting_allocator w;
      w.fail_at = fail;
      {
        opened m(w.options(threads));
        call k(3);
        if (ok(m.created)) {
          CHECK(k.run(m.c).code == CAMEO_OUT_OF_MEMORY);
          CHECK(k.untouched());
          CHECK(ok(k.run(m.c))); // the next try works
          CHECK(k.right());
        } else {
          CHECK(m.created.code == CAMEO_OUT_OF_MEMORY);
          CHECK(m.c == nullptr);
        }
      }
      CHECK(w.live == 0);
    }
  }
}

TEST_CASE("memory is allocated once", "[context]") {
  counting_allocator w;
  opened m(w.options());
  call large(50), small(2);
  REQUIRE(ok(large.run(m.c)));
  CHECK(counters_of(m.c).host_allocs == 1);
  const int given = w.given;
  for (int i = 0; i < 5; ++i) {
    REQUIRE(ok(small.run(m.c)));
    REQUIRE(ok(large.run(m.c)));
    CHECK(counters_of(m.c).host_allocs == 0);
  }
  CHECK(w.given == given);
}

TEST_CASE("contexts by the thousand leave nothing", "[context]") {
  counting_allocator w;
  for (int i = 0; i < 2000; ++i) {
    opened m(w.options());
    REQUIRE(ok(m.created));
  }
  CHECK(w.live == 0);
}

TEST_CASE("the shape program runs when the dims change", "[context]") {
  opened m(defaults());
  call two(2), three(3);
  const auto runs = [&](call &k) {
    REQUIRE(ok(k.run(m.c)));
    CHECK(k.right());
    return counters_of(m.c).shape_program_runs;
  };
  CHECK(runs(two) == 1);
  CHECK(runs(two) == 0);
  CHECK(runs(three) == 1);
  CHECK(runs(two) == 1);
}

TEST_CASE("a caller's arena holds everything", "[context]") {
  call k(6);
  cameo_memory plan{};
  REQUIRE(ok(mlp_memory(&k.in, 1, &plan)));
  counting_allocator w;
  std::vector<unsigned char> memory(plan.host_arena + 64 + 32, 0xee);
  unsigned char *aligned = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64);
  cameo_options o = w.options();
  o.host_arena = aligned;
  o.host_arena_bytes = plan.host_arena;
  {
    opened m(o);
    REQUIRE(ok(m.created));
    REQUIRE(ok(k.run(m.c)));
    CHECK(k.right());
    CHECK(w.given == 0);
    // More rows than the arena was made for: refused with both sizes, and still usable.
    call large(60);
    const status s = large.run(m.c);
    CHECK(s.code == CAMEO_LIMIT);
    CHECK(s.values[1] > s.values[0]);
    CHECK(large.untouched());
    REQUIRE(ok(k.run(m.c)));
  }
  for (const unsigned char *p = aligned + plan.host_arena; p != memory.data() + memory.size(); ++p)
    REQUIRE(*p == 0xee);
  o.host_arena_bytes = 100;
  cameo_context *c = nullptr;
  CHECK(mlp_create(&o, &c).code == CAMEO_LIMIT);
}

// ---- Buffers, strides, environment
// ----------------------------------------------------------------

TEST_CASE("lent memory binds without a copy", "[context]") {
  opened m(defaults());
  call k(5);
  cameo_tensor in = k.in, out = k.out;
  k.y_dims[0] = 5;
  k.y_dims[1] = 10;
  REQUIRE(ok(cameo_buffer(m.c, 0, &in)));
  REQUIRE(ok(cameo_buffer(m.c, 1, &out)));
  CHECK(in.bytes == 5 * 64 * 4);
  memcpy(in.data, k.x.data(), in.bytes);
  REQUIRE(ok(mlp_run(m.c, &in, 1, &out, 1, nullptr)));
  CHECK(k.worst_error(static_cast<float *>(out.data)) < 1e-6);
  CHECK(counters_of(m.c).repacks == 0);
  float y[50];
  REQUIRE(ok(cameo_fetch(m.c, 0, y, sizeof y)));
  CHECK(memcmp(y, out.data, sizeof y) == 0);
  CHECK(cameo_fetch(m.c, 0, y, sizeof y - 1).code == invalid);
  CHECK(cameo_buffer(m.c, 2, &in).code == invalid);
  k.x_dims[1] = 65;
  CHECK(cameo_buffer(m.c, 0, &in).code == invalid);
}

TEST_CASE("an extent of an output is a tensor", "[context]") {
  opened m(defaults());
  cameo_tensor extent{};
  CHECK(cameo_extent(m.c, 0, 0, &extent).code == invalid); // nothing has run
  call k(5);
  REQUIRE(ok(mlp_run(m.c, &k.in, 1, &k.out, 1, nullptr)));
  for (int32_t d = 0; d < 2; ++d) {
    REQUIRE(ok(cameo_extent(m.c, 0, d, &extent)));
    CHECK((extent.dtype == CAMEO_INT64 && extent.rank == 0 && extent.bytes == 8));
    CHECK(extent.space == CAMEO_SPACE_HOST);
    CHECK(*static_cast<const int64_t *>(extent.data) == (d == 0 ? 5 : 10));
  }
  CHECK(cameo_extent(m.c, 0, 2, &extent).code == invalid);
  CHECK(cameo_extent(m.c, 0, -1, &extent).code == invalid);
  CHECK(cameo_extent(m.c, 1, 0, &extent).code == invalid);
  CHECK(cameo_extent(m.c, 0, 0, nullptr).code == invalid);
}

TEST_CASE("strided and misaligned tensors are repacked once", "[context]") {
  opened m(defaults());
  call k(3), plain(3);
  std::vector<float> wide(3 * 200, 7.0f), column(3 * 40, 7.0f);
  for (size_t n = 0; n < 3; ++n)
    for (size_t i = 0; i < 64; ++i)
      wide[n * 200 + i * 3] = k.x[n * 64 + i];
  const int64_t in_strides[] = {200, 3}, out_strides[] = {1, 4};
  k.in.data = wide.data();
  k.in.bytes = wide.size() * 4;
  k.in.strides = in_strides;
  k.out.data = column.data();
  k.out.bytes = column.size() * 4;
  k.out.strides = out_strides;
  REQUIRE(ok(k.run(m.c)));
  const cameo_counters n = counters_of(m.c);
  CHECK(n.repacks == 2);
  CHECK(n.repack_bytes == 3 * 64 * 4 + 3 * 10 * 4);
  for (size_t r = 0; r < 3; ++r)
    for (size_t i = 0; i < 10; ++i)
      k.y[r * 10 + i] = column[r + i * 4];
  CHECK(k.right());
  CHECK(column[3] == 7.0f); // between the elements
  float fetched[30];
  REQUIRE(ok(cameo_fetch(m.c, 0, fetched, sizeof fetched)));
  CHECK(memcmp(fetched, k.y.data(), sizeof fetched) == 0);

  std::vector<unsigned char> shifted(plain.in.bytes + 1);
  memcpy(shifted.data() + 1, plain.x.data(), plain.in.bytes);
  plain.in.data = shifted.data() + 1;
  REQUIRE(ok(plain.run(m.c)));
  CHECK(plain.right());
  CHECK(counters_of(m.c).repacks == 1);
}

TEST_CASE("errno and the floating-point environment are the caller's", "[context]") {
  opened m(defaults(2));
  call k(100), upward(100);
  REQUIRE(ok(k.run(m.c)));
  errno = 77;
  fesetround(FE_UPWARD);
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040);
  const unsigned csr = _mm_getcsr();
#endif
  const status s = upward.run(m.c);
#if defined(__SSE2__)
  CHECK((_mm_getcsr() & 0xffc0) == (csr & 0xffc0));
  _mm_setcsr(_mm_getcsr() & ~0x8040u);
#endif
  CHECK(fegetround() == FE_UPWARD);
  fesetround(FE_TONEAREST);
  CHECK(errno == 77);
  REQUIRE(ok(s));
  CHECK(memcmp(k.y.data(), upward.y.data(), k.out.bytes) == 0);
}

TEST_CASE("the same input gives the same bits on any number of threads", "[context]") {
  call first(333);
  {
    opened m(defaults(1));
    REQUIRE(ok(first.run(m.c)));
  }
  for (const int32_t threads : {2, 3, 5}) {
    opened m(defaults(threads));
    for (int i = 0; i < 20; ++i) {
      call k(333);
      REQUIRE(ok(k.run(m.c)));
      REQUIRE(memcmp(k.y.data(), first.y.data(), first.out.bytes) == 0);
    }
  }
}
