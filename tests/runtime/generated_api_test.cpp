// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What generated code may call on its context beyond the straight path: late symbols, outputs whose
// size is known late or never bounded, loops, errors that stick. The model is a table and whatever
// body a test gives it.
#include "cameo/cpu/context.h"
#include "cameo/tensor.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

using namespace cameo;
using cpu::context;

namespace {

constexpr uint32_t host_spaces = 1u << CAMEO_SPACE_HOST;
const cameo_dim n_dims[] = {{CAMEO_DIM_SYMBOL, 0, 0, INT64_MAX, "N"}};
const cameo_dim open_dims[] = {{CAMEO_DIM_OPEN, -1, 0, INT64_MAX, "M"}};
const cameo_dim bounded_dims[] = {{CAMEO_DIM_BOUNDED, -1, 0, INT64_MAX, "N"}};
const cameo_port inputs[] = {{"x", CAMEO_TENSOR, CAMEO_FLOAT, 1, 0, n_dims, nullptr,
                              CAMEO_SPACE_HOST, host_spaces, 4, 1, nullptr, 0}};
const cameo_port outputs[] = {{"open", CAMEO_TENSOR, CAMEO_FLOAT, 1, 0, open_dims, nullptr,
                               CAMEO_SPACE_HOST, host_spaces, 4, 1, nullptr, 0},
                              {"bounded", CAMEO_TENSOR, CAMEO_FLOAT, 1, 0, bounded_dims, nullptr,
                               CAMEO_SPACE_HOST, host_spaces, 4, 1, nullptr, 0}};
const char *const symbols[] = {"N"};
const char *const nodes[] = {"first", "second", "third"};

struct kept {
  int64_t runs;
  memo<int64_t> key;
};

cameo_model make_model() {
  cameo_model m{};
  m.abi = CAMEO_ABI_VERSION;
  m.input_count = 1;
  m.output_count = 2;
  m.symbol_count = 1;
  m.node_count = 3;
  m.state_bytes = sizeof(kept);
  m.name = "probe";
  m.target = &cpu::target;
  m.inputs = inputs;
  m.outputs = outputs;
  m.symbols = symbols;
  m.nodes = nodes;
  return m;
}
const cameo_model model = make_model();

/// The body of the run under way: generated code is a plain function.
std::function<status(context &, const cameo_tensor *, cameo_tensor *)> body;
status call_body(context &c, const cameo_tensor *in, cameo_tensor *out) { return body(c, in, out); }

struct probe {
  explicit probe(const cameo_options *options = nullptr) {
    cameo_options o{};
    o.abi = CAMEO_ABI_VERSION;
    o.threads = 1;
    REQUIRE(ok(cpu::create(model, options ? options : &o, &c)));
    in.data = x;
    in.bytes = sizeof x;
    out[1].data = y;
    out[1].bytes = sizeof y;
    in.dims = dims[0];
    for (int k = 0; k < 2; ++k)
      out[k].dims = dims[1 + k];
    for (cameo_tensor *t : {&in, &out[0], &out[1]}) {
      t->rank = 1;
      t->dtype = CAMEO_FLOAT;
    }
  }
  ~probe() { cpu::destroy(c); }
  probe(const probe &) = delete;
  probe &operator=(const probe &) = delete;

  template <class F> status run(F f) {
    body = f;
    const status s = cpu::run(model, c, &in, 1, out, 2, call_body);
    body = nullptr;
    return s;
  }
  cameo_counters counters() {
    cameo_counters n{};
    REQUIRE(ok(cameo_counters_of(c, &n)));
    return n;
  }

  cameo_context *c = nullptr;
  float x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, y[8] = {};
  int64_t dims[3][1] = {{8}, {-1}, {-1}};
  cameo_tensor in{}, out[2] = {};
};

buffer make(int64_t bytes, int32_t first, int32_t last) {
  buffer b;
  b.bytes = bytes;
  b.first = first;
  b.last = last;
  return b;
}

void fill(void *memory, int value, int64_t bytes) {
  memset(memory, value, static_cast<size_t>(bytes));
}
bool filled(const void *memory, int value, int64_t bytes) {
  for (int64_t i = 0; i < bytes; ++i)
    if (static_cast<const unsigned char *>(memory)[i] != value)
      return false;
  return true;
}

} // namespace

TEST_CASE("state is zero at create and kept", "[generated]") {
  probe p;
  for (int64_t i = 0; i < 3; ++i)
    REQUIRE(ok(p.run([&](context &c, const cameo_tensor *, cameo_tensor *) {
      CHECK(c.state<kept>().runs++ == i);
      return c.done();
    })));
}

TEST_CASE("a shape program that fails is run again", "[generated]") {
  probe p;
  const auto attempt = [&](int64_t n, bool fail) {
    bool ran = false;
    (void)p.run([&](context &c, const cameo_tensor *, cameo_tensor *) {
      kept &k = c.state<kept>();
      if (c.changed(k.key, n)) {
        ran = true;
        if (fail)
          return error_extent_overflow();
        c.remember(k.key, n);
      }
      return c.done();
    });
    return ran;
  };
  CHECK(attempt(0, false)); // zero state is no memory of having run for zero
  CHECK_FALSE(attempt(0, false));
  CHECK(attempt(5, true));
  CHECK(attempt(0, false));
  CHECK(attempt(5, false));
  CHECK_FALSE(attempt(5, false));
}

TEST_CASE("late buffers move nothing alive", "[generated]") {
  probe p;
  // Facts at entry: a lives through, b dies before the late symbol.
  for (const int64_t late : {64, 4096, 1 << 20, 100, 3 << 20}) {
    const status s = p.run([&](context &c, const cameo_tensor *, cameo_tensor *) {
      buffer b[4] = {make(1000, 0, 9), make(5000, 0, 2), make(unknown_bytes, 3, 6),
                     make(unknown_bytes, 4, 9)};
      CAMEO_TRY(c.plan(b, 128));
      void *a = c.at<void *>(b[0]);
      fill(a, 1, 1000);
      fill(c.at<char>(b[1]), 2, 5000);
      b[2].bytes = b[3].bytes = late;
      CAMEO_TRY(c.replan(b, 3));
      fill(c.at<char>(b[2]), 3, late);
      fill(c.at<char>(b[3]), 4, late);
      CHECK(c.at<void *>(b[0]) == a);
      CHECK(filled(a, 1, 1000));
      CHECK(filled(c.at<char>(b[2]), 3, late));
      {
        cpu::access_scope scope(c.compute, "k", {});
        void *scratch = c.compute.scratch(128);
        REQUIRE(scratch);
        fill(scratch, 5, 128);
      }
      CHECK(filled(c.at<char>(b[3]), 4, late));
      CHECK(filled(a, 1, 1000));
      return c.done();
    });
    CHECK(ok(s));
  }
}

TEST_CASE("an arena grows to what late symbols needed", "[generated]") {
  probe p;
  const auto run = [&](int64_t late) {
    REQUIRE(ok(p.run([&](context &c, const cameo_tensor *, cameo_tensor *) {
      buffer b[2] = {make(256, 0, 9), make(unknown_bytes, 3, 6)};
      CAMEO_TRY(c.plan(b));
      b[1].bytes = late;
      CAMEO_TRY(c.replan(b, 3));
      fill(c.at<char>(b[1]), 3, late);
      return c.done();
    })));
    return p.counters().host_allocs;
  };
  CHECK(run(100000) == 2); // the arena, and a block behind it
  CHECK(run(100000) == 1); // a longer arena
  CHECK(run(100000) == 0);
  CHECK(run(50) == 0);
}

TEST_CASE("a late symbol in a loop reuses its block", "[generated]") {
  probe p;
  REQUIRE(ok(p.run([&](context &c, const cameo_tensor *, cameo_tensor *) {
    buffer b[3] = {make(64, 0, 9), make(unknown_bytes, 2, 4), make(unknown_bytes, 3, 4)};
    CAMEO_TRY(c.plan(b));
    fill(c.at<char>(b[0]), 9, 64);
    for (int64_t i = 0; i < 20; ++i) {
      CAMEO_TRY(c.trip(i));
      b[1].bytes = 1000 * (i + 1);
      b[2].bytes = unknown_bytes;
      CAMEO_TRY(c.replan(b, 2));
      fill(c.at<char>(b[1]), 1, b[1].bytes);
      b[2].bytes = 500 * (20 - i);
      CAMEO_TRY(c.replan(b, 3));
      fill(c.at<char>(b[2]), 2, b[2].bytes);
      CHECK(filled(c.at<char>(b[1]), 1, b[1].bytes));
    }
    CHECK(filled(c.at<char>(b[0]), 9, 64));
    return c.done();
  })));
  CHECK(p.counters().loop_iterations == 20);
}

/// Options of a context on one thread whose memory is an arena of the caller's.
static cameo_options in_arena(std::vector<unsigned char> &arena) {
  cameo_options o{};
  o.abi = CAMEO_ABI_VERSION;
  o.threads = 1;
  o.host_arena = arena.data();
  o.host_arena_bytes = arena.size();
  return o;
}

TEST_CASE("late needs beyond a caller's arena are refused", "[generated]") {
  std::vector<unsigned char> arena(20000);
  const cameo_options o = in_arena(arena);
  probe p(&o);
  const auto run = [&](int64_t late) {
    return p.run([&](context &c, const cameo_tensor *, cameo_tensor *) {
      buffer b[2] = {make(256, 0, 9), make(unknown_bytes, 3, 6)};
      CAMEO_TRY(c.plan(b));
      b[1].bytes = late;
      CAMEO_TRY(c.replan(b, 3));
      return c.done();
    });
  };
  CHECK(run(50000).code == CAMEO_LIMIT);
  CHECK(ok(run(500)));
}

TEST_CASE("scratch that a caller's arena has no room for comes from the allocator", "[generated]") {
  std::vector<unsigned char> arena(20000);
  const cameo_options o = in_arena(arena);
  probe p(&o);
  const status s = p.run([&](context &c, const cameo_tensor *, cameo_tensor *) {
    CAMEO_TRY(c.plan(4096, 64000));
    fill(c.at<char>(int64_t{0}), 1, 4096);
    cpu::access_scope scope(c.compute, "k", {});
    void *scratch = c.compute.scratch(64000);
    REQUIRE(scratch);
    fill(scratch, 2, 64000);
    CHECK(filled(c.at<char>(int64_t{0}), 1, 4096));
    return c.done();
  });
  CHECK(ok(s));
}

TEST_CASE("loops have a cap", "[generated]") {
  cameo_options o{};
  o.abi = CAMEO_ABI_VERSION;
  o.threads = 1;
  o.max_loop_trips = 10;
  probe p(&o);
  const status s = p.run([&](context &c, const cameo_tensor *, cameo_tensor *) {
    c.step(2);
    for (int64_t i = 0;; ++i)
      CAMEO_TRY(c.trip(i));
    return c.done();
  });
  CHECK(s.code == CAMEO_LIMIT);
  CHECK(s.node == 2);
  CHECK(s.values[0] == 10);
}

// ---- Outputs -----------------------------------------------------------------------------------

namespace {

/// Writes 0, 1, 2... to an output of n elements.
status count_up(context &c, cameo_tensor &out, int64_t n) {
  float *y = c.output<float>(out, {n});
  CAMEO_TRY(c.ready());
  for (int64_t i = 0; i < n; ++i)
    y[i] = static_cast<float>(i);
  return c.done();
}

} // namespace

TEST_CASE("an open output is lent", "[generated]") {
  probe p;
  for (const int64_t n : {3, 1000, 5, 0}) {
    p.out[0].data = nullptr;
    REQUIRE(ok(p.run([&](context &c, const cameo_tensor *, cameo_tensor *out) {
      return count_up(c, out[0], n);
    })));
    CHECK(p.dims[1][0] == n);
    if (n > 0)
      CHECK(static_cast<float *>(p.out[0].data)[n - 1] == static_cast<float>(n - 1));
  }
}

TEST_CASE("what is lent is dense", "[generated]") {
  probe p;
  const int64_t apart[] = {3};
  p.out[0].strides = apart;
  REQUIRE(ok(p.run([&](context &c, const cameo_tensor *, cameo_tensor *out) {
    return count_up(c, out[0], 7);
  })));
  CHECK(p.out[0].strides == nullptr);
  CHECK(static_cast<float *>(p.out[0].data)[6] == 6);
}

TEST_CASE("a tensor's strides and events are its copies' too", "[generated]") {
  float memory[8];
  int one = 0, other = 0;
  tensor copy;
  {
    tensor first(memory, {2, 3});
    copy = first.strides({4, 1}).events(&one, &other);
  }
  const cameo_tensor c = copy.c();
  CHECK(c.strides[0] == 4);
  CHECK(c.strides[1] == 1);
  CHECK(c.ready == &one);
  CHECK(c.done == &other);
  CHECK(tensor(memory, {2, 3}).c().strides == nullptr);
}

TEST_CASE("an open output asks the caller for memory once", "[generated]") {
  probe p;
  struct wish {
    int calls = 0;
    size_t bytes = 0;
    int64_t extent = 0;
    std::vector<float> memory;
    static void *bind(void *self, const cameo_tensor *t, size_t bytes) {
      auto *w = static_cast<wish *>(self);
      ++w->calls;
      w->bytes = bytes;
      w->extent = t->dims[0];
      w->memory.resize(bytes / 4);
      return bytes > 1000 ? nullptr : w->memory.data();
    }
  } w;
  const auto run = [&](int64_t n) {
    p.out[0].data = nullptr;
    p.out[0].bind = wish::bind;
    p.out[0].user = &w;
    return p.run([&](context &c, const cameo_tensor *, cameo_tensor *out) {
      return count_up(c, out[0], n);
    });
  };
  const int64_t apart[] = {3};
  p.out[0].strides = apart;
  REQUIRE(ok(run(7)));
  CHECK(w.bytes == (6 * 3 + 1) * 4); // what the elements span
  CHECK(w.memory[18] == 6);
  CHECK(p.counters().repacks == 1);
  p.out[0].strides = nullptr;
  w.calls = 0;
  REQUIRE(ok(run(7)));
  CHECK(w.calls == 1);
  CHECK(w.bytes == 28);
  CHECK(w.extent == 7);
  CHECK(w.memory[6] == 6);
  CHECK(p.out[0].data == w.memory.data());
  const status refused = run(500);
  CHECK(refused.code == CAMEO_OUT_OF_MEMORY);
  CHECK(refused.tensor == 1);
}

TEST_CASE("an output without memory that is not open is an error", "[generated]") {
  probe p;
  p.out[1].data = nullptr;
  const status s = p.run(
      [&](context &c, const cameo_tensor *, cameo_tensor *out) { return count_up(c, out[1], 3); });
  CHECK(s.code == CAMEO_INVALID_ARGUMENT);
  CHECK(s.tensor == 2);
}

TEST_CASE("a bounded output reports what it became", "[generated]") {
  probe p;
  REQUIRE(ok(p.run([&](context &c, const cameo_tensor *, cameo_tensor *out) {
    float *y = c.output<float>(out[1], {8});
    CAMEO_TRY(c.ready());
    y[0] = 5;
    c.shrink(out[1], {1});
    return c.done();
  })));
  CHECK(p.dims[2][0] == 1);
  float y = 0;
  REQUIRE(ok(cameo_fetch(p.c, 1, &y, 4)));
  CHECK(y == 5);
}

TEST_CASE("the first error of bindings is the one returned", "[generated]") {
  probe p;
  p.in.bytes = 1;
  p.out[1].bytes = 1;
  bool reached = false;
  const status s = p.run([&](context &c, const cameo_tensor *in, cameo_tensor *out) {
    const float *x = c.input<float>(in[0]);
    float *y = c.output<float>(out[1], {8});
    CHECK(x == nullptr);
    CHECK(y == nullptr);
    CAMEO_TRY(c.ready());
    reached = true;
    return c.done();
  });
  CHECK(s.tensor == 0);
  CHECK_FALSE(reached);
}

TEST_CASE("an error raised by a kernel names its node and leaves the context usable",
          "[generated]") {
  probe p;
  const auto run = [&](bool raise_it) {
    return p.run([&](context &c, const cameo_tensor *, cameo_tensor *) {
      c.step(1);
      {
        cpu::access_scope scope(c.compute, "k", {});
        if (raise_it)
          raise(c.compute.flag(), CAMEO_OUT_OF_RANGE, 12, 10);
      }
      c.step(2);
      {
        cpu::access_scope scope(c.compute, "l", {});
        if (raise_it)
          c.compute.raise(CAMEO_INVALID_ARGUMENT, 0, 0);
      }
      return c.done();
    });
  };
  const status s = run(true);
  CHECK(s.code == CAMEO_OUT_OF_RANGE);
  CHECK(s.node == 1);
  CHECK(s.values[0] == 12);
  char text[100];
  cameo_format(&s, &model, text, sizeof text);
  CHECK(std::string(text) == "OUT_OF_RANGE: node \"second\": value 12 is out of range of 10");
  CHECK(cameo_finish(p.c).code == CAMEO_OUT_OF_RANGE);
  CHECK(ok(run(false)));
  CHECK(p.counters().launches == 2);
}
