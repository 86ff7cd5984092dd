// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A context's whole life, through the hand-made model: right results in every way of calling it,
// the right status for every wrong one, and the context usable afterwards.
#include "mlp/mlp.h"
#include "mlp_data.h"

#include "cameo/cpu/context.h"
#include "cameo/model.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

using namespace cameo;

namespace {

/// One call of the model: tensors, and whether the outputs are right.
struct call {
  explicit call(int64_t n)
      : x(mlp_test::input(n)),
        y(static_cast<size_t>(n * 10), -1.0f), x_dims{n, 64}, y_dims{-1, -1} {
    in.data = x.data();
    in.bytes = x.size() * sizeof(float);
    in.dims = x_dims;
    in.rank = 2;
    in.dtype = CAMEO_FLOAT;
    out.data = y.data();
    out.bytes = y.size() * sizeof(float);
    out.dims = y_dims;
    out.rank = 2;
    out.dtype = CAMEO_FLOAT;
  }
  call(const call &) = delete;
  call &operator=(const call &) = delete;

  status run(cameo_context *c) { return mlp_run(c, &in, 1, &out, 1, nullptr); }
  double worst_error(const float *got) const {
    double worst = 0;
    const std::vector<double> want = mlp_test::reference(x);
    for (size_t i = 0; i < want.size(); ++i)
      worst = std::fmax(worst, std::fabs(static_cast<double>(got[i]) - want[i]));
    return worst;
  }
  bool right() const {
    return y_dims[0] == x_dims[0] && y_dims[1] == 10 && worst_error(y.data()) < 1e-6;
  }
  bool untouched() const {
    for (const float v : y)
      if (v != -1.0f)
        return false;
    return true;
  }

  std::vector<float> x, y;
  int64_t x_dims[2], y_dims[2];
  cameo_tensor in{}, out{};
};

cameo_options defaults(int32_t threads = 1) {
  cameo_options o{};
  o.abi = CAMEO_ABI_VERSION;
  o.threads = threads;
  return o;
}

/// A context for the length of a test.
struct opened {
  explicit opened(const cameo_options &o) : created(mlp_create(&o, &c)) {}
  ~opened() { mlp_destroy(c); }
  opened(const opened &) = delete;
  opened &operator=(const opened &) = delete;
  cameo_context *c = nullptr;
  status created;
};

cameo_counters counters_of(cameo_context *c) {
  cameo_counters n{};
  REQUIRE(ok(cameo_counters_of(c, &n)));
  return n;
}

struct memory_watch {
  int64_t live = 0;
  int given = 0, fail_at = -1;
  static void *allocate(void *self, size_t bytes, size_t alignment, int32_t) {
    auto *w = static_cast<memory_watch *>(self);
    if (w->given++ == w->fail_at)
      return nullptr;
    w->live += static_cast<int64_t>(bytes);
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  static void release(void *self, void *memory, size_t bytes, int32_t) {
    static_cast<memory_watch *>(self)->live -= static_cast<int64_t>(bytes);
    free(memory);
  }
  cameo_options options(int32_t threads = 1) {
    cameo_options o = defaults(threads);
    o.allocator = {this, allocate, release};
    return o;
  }
};

constexpr int32_t invalid = CAMEO_INVALID_ARGUMENT;

} // namespace

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
  o.allocator.allocate = memory_watch::allocate;
  CHECK(mlp_create(&o, &c).code == invalid);
  REQUIRE(ok(mlp_create(nullptr, &c)));
  mlp_destroy(c);
}

// ---- Memory ------------------------------------------------------------------------------------

TEST_CASE("every allocation may fail, once, and nothing leaks", "[context]") {
  for (const int32_t threads : {1, 2}) {
    int total = 0;
    {
      memory_watch w;
      opened m(w.options(threads));
      call k(3);
      REQUIRE(ok(k.run(m.c)));
      total = w.given;
    }
    REQUIRE(total >= 2);
    for (int fail = 0; fail < total; ++fail) {
      memory_watch w;
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
  memory_watch w;
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
  memory_watch w;
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
  memory_watch w;
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

// ---- Weights -----------------------------------------------------------------------------------

namespace {

/// A blob at an aligned address, to be damaged.
struct aligned_blob {
  explicit aligned_blob(std::vector<unsigned char> b)
      : bytes(b.size()),
        memory(static_cast<unsigned char *>(aligned_alloc(64, 64 * (b.size() / 64 + 1)))) {
    memcpy(memory, b.data(), bytes);
  }
  ~aligned_blob() { free(memory); }
  aligned_blob(const aligned_blob &) = delete;
  aligned_blob &operator=(const aligned_blob &) = delete;
  size_t bytes;
  unsigned char *memory;
};

status create_with(const void *blob, size_t bytes, int32_t verify) {
  cameo_options o = defaults();
  o.weights = blob;
  o.weights_bytes = bytes;
  o.verify_weights = verify;
  const opened m(o);
  return m.created;
}

struct temporary_file {
  explicit temporary_file(const std::vector<unsigned char> &content) {
    const int fd = mkstemp(path);
    FILE *f = fdopen(fd, "wb");
    fwrite(content.data(), 1, content.size(), f);
    fclose(f);
  }
  ~temporary_file() { remove(path); }
  char path[32] = "cameo_weights_XXXXXX";
};

status create_from(const char *path, memory_watch *w = nullptr) {
  cameo_options o = w ? w->options() : defaults();
  o.weights_path = path;
  opened m(o);
  if (ok(m.created)) {
    call k(2);
    CHECK(ok(k.run(m.c)));
    CHECK(k.right());
  }
  return m.created;
}

} // namespace

TEST_CASE("the hash is XXH64", "[weights]") {
  CHECK(hash64("", 0) == 0xef46db3751d8e999u);
  CHECK(hash64("abc", 3) == 0x44bc2cf5ad770999u);
  const std::vector<float> w = mlp_test::weights();
  const struct {
    size_t bytes;
    uint64_t hash;
  } known[] = {{1, 0x16b6310ebd34bd7cu},  {4, 0xf1a027137d4dabb2u},   {7, 0x90f19ed6b0820c9bu},
               {8, 0xbb11b9a1208067a2u},  {31, 0xbc0f2c51f35c57ccu},  {32, 0x837fbe384a3043bfu},
               {33, 0x669b7839dec3f480u}, {100, 0xab4367ee6cd46934u}, {9640, 0xf08930d19e96bcc5u}};
  for (const auto &k : known)
    CHECK(hash64(w.data(), k.bytes) == k.hash);
}

TEST_CASE("weights from the caller's memory", "[weights]") {
  aligned_blob b(mlp_test::blob());
  CHECK(ok(create_with(b.memory, b.bytes, 1)));
  CHECK(create_with(b.memory, b.bytes - 1, 0).code == CAMEO_LOAD_ERROR);
  CHECK(create_with(b.memory, 10, 0).code == CAMEO_LOAD_ERROR);
  CHECK(create_with(b.memory + 4, b.bytes - 4, 0).code == CAMEO_LOAD_ERROR);
  for (const size_t at : {size_t{0}, size_t{7}, size_t{8}, size_t{16}}) { // magic, bytes, hash
    b.memory[at] ^= 1;
    CHECK(create_with(b.memory, b.bytes, 0).code == CAMEO_LOAD_ERROR);
    b.memory[at] ^= 1;
  }
  b.memory[5000] ^= 0x10;
  CHECK(create_with(b.memory, b.bytes, 1).code == CAMEO_LOAD_ERROR);
  CHECK(ok(create_with(b.memory, b.bytes, 0))); // not asked to look
}

TEST_CASE("weights from a file", "[weights]") {
  const std::vector<unsigned char> good = mlp_test::blob();
  CHECK(ok(create_from(temporary_file(good).path)));
  memory_watch w;
  const auto refused = [&](const std::vector<unsigned char> &content) {
    errno = 1234;
    CHECK(create_from(temporary_file(content).path, &w).code == CAMEO_LOAD_ERROR);
    CHECK(w.live == 0);
  };
  for (const size_t length : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, good.size() - 1}) {
    std::vector<unsigned char> cut = good;
    cut.resize(length);
    refused(cut);
  }
  std::vector<unsigned char> bad = good;
  bad.push_back(0);
  refused(bad);
  for (const size_t at : {size_t{3}, size_t{64}, good.size() - 1}) {
    bad = good;
    bad[at] ^= 0x80;
    refused(bad);
  }
  errno = 1234;
  CHECK(create_from("/nonexistent/weights.bin").code == CAMEO_LOAD_ERROR);
  CHECK(create_from("/tmp").code == CAMEO_LOAD_ERROR);
  CHECK(errno == 1234);
}

TEST_CASE("weights are shared and counted", "[weights]") {
  temporary_file file(mlp_test::blob());
  memory_watch w;
  cameo_options o = w.options();
  o.weights_path = file.path;
  cameo_weights *weights = nullptr;
  REQUIRE(ok(cameo_weights_load(mlp_describe(), &o, &weights)));
  const int64_t loaded = w.live;
  CHECK(loaded >= 9640);
  o.shared = weights;
  {
    opened a(o), b(o);
    REQUIRE(ok(a.created));
    REQUIRE(ok(b.created));
    cameo_weights_release(weights); // the contexts keep them
    call k(2);
    CHECK(ok(k.run(a.c)));
    CHECK(ok(k.run(b.c)));
    CHECK(k.right());
  }
  CHECK(w.live == 0);
  CHECK(cameo_weights_load(nullptr, nullptr, &weights).code == invalid);
  cameo_weights_release(nullptr);
}

TEST_CASE("contexts of several threads share weights", "[weights]") {
  temporary_file file(mlp_test::blob());
  cameo_options o = defaults();
  o.weights_path = file.path;
  cameo_weights *weights = nullptr;
  REQUIRE(ok(cameo_weights_load(mlp_describe(), &o, &weights)));
  o.shared = weights;
  std::atomic<int> right{0};
  std::vector<std::thread> users;
  for (int u = 0; u < 3; ++u)
    users.emplace_back([&] {
      for (int i = 0; i < 30; ++i) {
        opened m(o);
        call k(2);
        right += ok(k.run(m.c)) && k.right();
      }
    });
  for (std::thread &u : users)
    u.join();
  cameo_weights_release(weights);
  CHECK(right == 90);
}

TEST_CASE("a model that has no weights at hand says so", "[weights]") {
  cameo_model m = *mlp_describe();
  m.weights.embedded = nullptr;
  cameo_context *c = nullptr;
  const cameo_options o = defaults();
  CHECK(cpu::create(m, &o, &c).code == CAMEO_LOAD_ERROR);
  m.weights = {};
  REQUIRE(ok(cpu::create(m, &o, &c)));
  cpu::destroy(c);
}

// ---- Concurrency -------------------------------------------------------------------------------

namespace {

/// Calls back into the context that is running.
struct meddler {
  cameo_context *c = nullptr;
  int busy = 0, calls = 0;
  static void parallel(void *self, int32_t count, void (*task)(void *, int32_t), void *arg) {
    auto *m = static_cast<meddler *>(self);
    ++m->calls;
    call k(1);
    cameo_tensor t = k.in;
    cameo_counters counters;
    m->busy += k.run(m->c).code == CAMEO_BUSY;
    m->busy += cameo_finish(m->c).code == CAMEO_BUSY;
    m->busy += cameo_buffer(m->c, 0, &t).code == CAMEO_BUSY;
    m->busy += cameo_counters_of(m->c, &counters).code == CAMEO_BUSY;
    m->busy += cameo_fetch(m->c, 0, k.y.data(), 40).code == CAMEO_BUSY;
    for (int32_t i = 0; i < count; ++i)
      task(arg, i);
  }
};

} // namespace

TEST_CASE("a context in use is busy", "[context]") {
  meddler m;
  cameo_options o = defaults();
  o.executor = {&m, 2, 0, meddler::parallel, nullptr};
  opened c(o);
  m.c = c.c;
  call k(4000);
  REQUIRE(ok(k.run(c.c)));
  CHECK(k.right());
  CHECK(m.calls > 0);
  CHECK(m.busy == 5 * m.calls);
}

TEST_CASE("two threads, one context: each call runs or is busy", "[context]") {
  opened m(defaults());
  std::vector<std::thread> users;
  std::atomic<int> wrong{0};
  for (int u = 0; u < 2; ++u)
    users.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        call k(4);
        const status s = k.run(m.c);
        wrong += s.code == CAMEO_OK ? !k.right() : s.code != CAMEO_BUSY || !k.untouched();
      }
    });
  for (std::thread &u : users)
    u.join();
  CHECK(wrong == 0);
}

TEST_CASE("one context a thread", "[context]") {
  std::vector<std::thread> users;
  std::atomic<int> right{0};
  for (int u = 0; u < 3; ++u)
    users.emplace_back([&] {
      opened m(defaults(2));
      for (int64_t i = 1; i < 30; ++i) {
        call k(i);
        right += ok(k.run(m.c)) && k.right();
      }
    });
  for (std::thread &u : users)
    u.join();
  CHECK(right == 87);
}

namespace {

/// Keeps the task until the test wants it done.
struct postponer {
  void (*task)(void *) = nullptr;
  void *arg = nullptr;
  bool refuse = false;
  static int submit(void *self, void (*task)(void *), void *arg) {
    auto *p = static_cast<postponer *>(self);
    p->task = task;
    p->arg = arg;
    return p->refuse;
  }
};

} // namespace

TEST_CASE("an executor that submits makes run asynchronous", "[context]") {
  postponer p;
  cameo_options o = defaults();
  o.executor = {&p, 1, 0, nullptr, postponer::submit};
  opened m(o);
  REQUIRE(ok(m.created));
  for (int round = 0; round < 3; ++round) {
    call k(3), other(1);
    REQUIRE(ok(k.run(m.c)));
    CHECK(k.untouched());
    CHECK(cameo_poll(m.c).code == CAMEO_NOT_READY);
    CHECK(cameo_ready(m.c, 0).code == CAMEO_NOT_READY);
    CHECK(other.run(m.c).code == CAMEO_BUSY);
    std::thread worker([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      p.task(p.arg);
    });
    CHECK(ok(cameo_finish(m.c)));
    CHECK(k.y_dims[0] == -1);
    CHECK(ok(cameo_output(m.c, 0, &k.out)));
    CHECK(k.right());
    CHECK(ok(cameo_poll(m.c)));
    worker.join();
  }
  call k(3);
  k.x_dims[1] = 1;
  REQUIRE(ok(k.run(m.c))); // found wrong where it runs
  p.task(p.arg);
  CHECK(cameo_finish(m.c).code == invalid);
  p.refuse = true;
  CHECK(k.run(m.c).code == CAMEO_LIMIT);
  CHECK(cameo_finish(m.c).code == CAMEO_LIMIT);
  CHECK(mlp_run(m.c, &k.in, 0, &k.out, 1, nullptr).code == invalid); // at once
}

namespace {

/// Writes over what calls before it have left on the stack.
[[gnu::noinline]] void bury() {
  volatile unsigned char dead[1 << 14];
  for (volatile unsigned char &byte : dead)
    byte = 0x55;
}

/// The tensors die with the call; the data does not.
[[gnu::noinline]] status run_and_return(session &s, const std::vector<float> &x,
                                        std::vector<float> &y, int64_t n) {
  tensor in[] = {{x.data(), x.size(), {n, 64}}};
  tensor out[] = {{y.data(), y.size(), {n, 10}}};
  return s.run(in, out);
}

} // namespace

TEST_CASE("the tensors may be gone when run has returned", "[context]") {
  for (const bool later : {false, true}) {
    postponer p;
    model m(*mlp_describe());
    m.options().threads = 1;
    if (later)
      m.options().executor = {&p, 1, 0, nullptr, postponer::submit};
    session s;
    REQUIRE(ok(m.open(s)));
    call k(7);
    REQUIRE(ok(run_and_return(s, k.x, k.y, 7)));
    bury();
    if (later) {
      CHECK(k.untouched());
      p.task(p.arg);
    }
    REQUIRE(ok(s.finish()));
    CHECK(k.worst_error(k.y.data()) < 1e-6);
    bury();
    float fetched[70] = {};
    REQUIRE(ok(s.fetch(0, fetched, sizeof fetched)));
    CHECK(k.worst_error(fetched) < 1e-6);
    tensor out[] = {{k.y.data(), k.y.size(), {0, 0}}};
    REQUIRE(ok(s.finish(out)));
    CHECK(out[0].dim(0) == 7);
    CHECK(out[0].dim(1) == 10);
    CHECK(out[0].data<float>() == k.y.data());
  }
}

TEST_CASE("ranks that do not fit are refused, and nothing is read by them", "[context]") {
  opened m(defaults());
  call k(2);
  for (const int32_t rank : {-1, 0, 1, 3, 64, 1000, INT32_MAX, INT32_MIN}) {
    k.in.rank = rank;
    CHECK(k.run(m.c).code == invalid);
  }
  k.in.rank = 2;
  cameo_tensor none{};
  CHECK(cameo_output(m.c, 0, nullptr).code == invalid);
  CHECK(cameo_output(m.c, 0, &none).code == invalid); // no room for the dims
  CHECK(cameo_output(m.c, 1, &k.out).code == invalid);
  CHECK(cameo_output(m.c, 0, &k.out).code == invalid); // of a run that was refused
  CHECK(k.y_dims[0] == -1);
  REQUIRE(ok(k.run(m.c)));
  CHECK(k.right());
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
