// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One planted bug of each kind that the emulator promises to find, each in a child process, each
// with the words that name it. Beside the bugs, what looks like one and must not be reported.
#include <catch2/catch.hpp>

#include "cameo/counted.h"
#include "emu.h"
#include "report.h"
#include "session.h"

#include <cstdio>

using namespace cameo;
using namespace cameo::cuda;
using Catch::Contains;

namespace {

CAMEO_KERNEL void scale(float *y, const float *x, float a, int64_t n) {
  for (int64_t i = grid_thread(); i < n; i += grid_threads())
    y[i] = a * x[i];
}
template <class F> CAMEO_KERNEL void each(F body, int64_t n) {
  for (int64_t i = grid_thread(); i < n; i += grid_threads())
    body(i);
}
struct counted_body {
  int64_t *to;
  counted_extent extent;
};
CAMEO_KERNEL void sum_of_most(counted_body body, counted_index<1> space) {
  *body.to = body.extent.value + space.points;
}
struct copy_body {
  const float *from;
  float *to;
  CAMEO_DEVICE void operator()(int64_t i) const { to[i] = from[i]; }
};

/// Arrays of structs, and padding behind `by`.
struct scale_body {
  struct {
    int64_t begin, end;
  } axes[2];
  float by;
  float *to;
  const float *from[2];
  CAMEO_DEVICE void operator()(int64_t i) const {
    to[i] = by * (from[0] ? from[0][i] : static_cast<float>(axes[1].end));
  }
};

constexpr int64_t count = 1000;
constexpr size_t bytes = count * sizeof(float);

/// y = 2 x on the session's stream, declared as it should be.
void twice(exec &e, const char *name, float *y, const float *x, int64_t n = count) {
  access_scope scope(e, name, {read(x, n * 4), write(y, n * 4)});
  e.launch(scale, dim3(4), dim3(128), 0, y, x, 2.0f, n);
}

/// A second stream that shares the session's state.
struct second_stream {
  cudaStream_t stream = nullptr;
  scratch_arena scratch;
  exec other;
  explicit second_stream(session &s) {
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    other = exec(stream, &s.state, &scratch);
  }
  ~second_stream() { cudaStreamDestroy(stream); }
};

cudaEvent_t make_event() {
  cudaEvent_t event = nullptr;
  must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  return event;
}

/// Each thread leaves its number for its neighbour.
template <bool SYNCHRONISED> CAMEO_KERNEL void neighbours(int32_t *out) {
  int32_t *box = shared<int32_t>();
  box[thread()] = static_cast<int32_t>(thread());
  if (SYNCHRONISED)
    barrier();
  out[thread()] = box[(thread() + 1) % block_threads()];
}

template <bool SYNCHRONISED> std::vector<int32_t> neighbours_in(int variant) {
  cameo_emu_variant(variant);
  session s;
  device_array<int32_t> out(s, 64);
  s.exec.launch(neighbours<SYNCHRONISED>, dim3(1), dim3(64), 256, out.data);
  return out.values();
}

} // namespace

TEST_CASE("the host dereferences device memory", "[bugs]") {
  const std::string said = report_of([] {
    session s;
    device_array<float> x(s, count);
    volatile float *p = x.data;
    p[3] = 1.0f;
  });
  CHECK_THAT(said, Contains("the host touches byte 12 of device allocation # (4000 bytes)"));
}

TEST_CASE("an event wait is missing", "[bugs]") {
  const auto program = [](bool wait) {
    session s;
    second_stream t(s);
    device_array<float> x(s, std::vector<float>(count, 1.0f)), y(s, count), z(s, count);
    cudaEvent_t event = make_event();
    twice(s.exec, "producer", y.data, x.data);
    must(cudaEventRecord(event, s.stream));
    if (wait)
      must(cudaStreamWaitEvent(t.stream, event));
    twice(t.other, "consumer", z.data, y.data);
    must(cudaDeviceSynchronize());
    must(cudaEventDestroy(event));
  };
  program(true);
  const std::string said = report_of([&] { program(false); });
  CHECK_THAT(said, Contains("missing event wait: 'producer'") && Contains("writes and 'consumer'"));
}

namespace {

/// Captures what `work` gives the session's stream, and launches it once.
template <class F> void launch_captured(session &s, F work) {
  must(cudaStreamSynchronize(s.stream));
  must(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeThreadLocal));
  work();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  must(cudaStreamEndCapture(s.stream, &graph));
  must(cudaGraphInstantiate(&exec, graph, 0));
  must(cudaGraphLaunch(exec, s.stream));
  must(cudaGraphExecDestroy(exec));
  must(cudaGraphDestroy(graph));
}

} // namespace

TEST_CASE("an edge of a graph is missing", "[bugs]") {
  const auto program = [](bool wait) {
    session s;
    second_stream t(s);
    device_array<float> x(s, std::vector<float>(count, 1.0f)), y(s, count), z(s, count);
    cudaEvent_t forked = make_event(), written = make_event(), joined = make_event();
    launch_captured(s, [&] {
      must(cudaEventRecord(forked, s.stream));
      must(cudaStreamWaitEvent(t.stream, forked));
      twice(s.exec, "producer", y.data, x.data);
      must(cudaEventRecord(written, s.stream));
      if (wait)
        must(cudaStreamWaitEvent(t.stream, written));
      twice(t.other, "consumer", z.data, y.data);
      must(cudaEventRecord(joined, t.stream));
      must(cudaStreamWaitEvent(s.stream, joined));
    });
    CHECK(z.values() == std::vector<float>(count, 4.0f));
    for (const cudaEvent_t event : {forked, written, joined})
      must(cudaEventDestroy(event));
  };
  program(true);
  const std::string said = report_of([&] { program(false); });
  CHECK_THAT(said, Contains("missing event wait: 'producer'") && Contains("writes and 'consumer'"));
}

TEST_CASE("a stream does not wait for a graph in another", "[bugs]") {
  const std::string said = report_of([] {
    session s;
    second_stream t(s);
    device_array<float> x(s, std::vector<float>(count, 1.0f)), y(s, count);
    launch_captured(s, [&] { twice(s.exec, "captured", y.data, x.data); });
    must(cudaMemsetAsync(x.data, 0, bytes, t.stream));
  });
  CHECK_THAT(said, Contains("missing event wait: 'captured'") && Contains("reads and 'memset'"));
}

TEST_CASE("a graph uses memory that has been freed since", "[bugs]") {
  const std::string said = report_of([] {
    session s;
    device_array<float> x(s, std::vector<float>(count, 1.0f));
    void *y = nullptr;
    must(cudaMalloc(&y, bytes));
    must(cudaStreamSynchronize(s.stream));
    must(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeThreadLocal));
    twice(s.exec, "twice", static_cast<float *>(y), x.data);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    must(cudaStreamEndCapture(s.stream, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaFree(y));
    must(cudaGraphLaunch(exec, s.stream));
  });
  CHECK_THAT(said, Contains("node 'twice' of a graph writes") &&
                       Contains("byte 0 of freed device allocation"));
}

TEST_CASE("the result of a graph is read before its sync", "[bugs]") {
  const auto program = [](bool wait) {
    session s;
    device_array<float> x(s, std::vector<float>(count, 1.0f));
    void *result = nullptr;
    must(cudaMallocHost(&result, bytes));
    launch_captured(
        s, [&] { must(cudaMemcpyAsync(result, x.data, bytes, cudaMemcpyDeviceToHost, s.stream)); });
    if (wait)
      must(cudaStreamSynchronize(s.stream));
    CHECK(static_cast<const float *>(result)[7] == 1.0f);
    must(cudaFreeHost(result));
  };
  program(true);
  const std::string said = report_of([&] { program(false); });
  CHECK_THAT(said, Contains("the host touches byte 28 of pinned allocation #") &&
                       Contains("before it has waited for 'copy device to host'"));
}

TEST_CASE("a buffer is overwritten while another stream may still read it", "[bugs]") {
  const std::string said = report_of([] {
    session s;
    second_stream t(s);
    device_array<float> x(s, std::vector<float>(count, 1.0f)), y(s, count);
    must(cudaStreamSynchronize(s.stream));
    twice(s.exec, "reader", y.data, x.data);
    must(cudaMemsetAsync(x.data, 0, bytes, t.stream));
  });
  CHECK_THAT(said, Contains("missing event wait: 'reader'") && Contains("reads and 'memset'"));
}

TEST_CASE("a sync of the host orders two streams", "[bugs]") {
  session s;
  second_stream t(s);
  device_array<float> x(s, std::vector<float>(count, 1.0f)), y(s, count), z(s, count);
  twice(s.exec, "producer", y.data, x.data);
  must(cudaStreamSynchronize(s.stream));
  twice(t.other, "consumer", z.data, y.data);
  must(cudaStreamSynchronize(t.stream));
  CHECK(z.values()[5] == 4.0f);
}

TEST_CASE("disjoint parts of one allocation need no order", "[bugs]") {
  session s;
  second_stream t(s);
  device_array<float> x(s, 2 * count), y(s, 2 * count);
  must(cudaMemset(x.data, 0, x.bytes()));
  must(cudaDeviceSynchronize());
  twice(s.exec, "first half", y.data, x.data);
  twice(t.other, "second half", y.data + count, x.data + count);
  must(cudaDeviceSynchronize());
}

TEST_CASE("a kernel is given memory that was freed", "[bugs]") {
  const std::string said = report_of([] {
    session s;
    float *x = nullptr;
    must(cudaMalloc(reinterpret_cast<void **>(&x), bytes));
    device_array<float> y(s, count);
    must(cudaFree(x));
    s.exec.launch(scale, dim3(1), dim3(32), 0, y.data, static_cast<const float *>(x), 2.0f, count);
  });
  CHECK_THAT(said, Contains("argument 1 of kernel 'kernel'") &&
                       Contains("byte 0 of freed device allocation # (4000 bytes)"));
}

TEST_CASE("a kernel uses memory after its free in stream order", "[bugs]") {
  const std::string said = report_of([] {
    session s;
    void *memory = nullptr;
    must(cudaMallocAsync(&memory, bytes, s.stream));
    auto *x = static_cast<float *>(memory);
    device_array<float> y(s, count);
    twice(s.exec, "in time", y.data, x);
    must(cudaFreeAsync(x, s.stream));
    twice(s.exec, "too late", y.data, x);
    must(cudaStreamSynchronize(s.stream));
  });
  CHECK_THAT(said, Contains("a kernel touches") && Contains("freed device allocation #") &&
                       Contains("[kernel too late"));
}

TEST_CASE("memory is freed twice", "[bugs]") {
  const std::string said = report_of([] {
    float *x = nullptr;
    must(cudaMalloc(reinterpret_cast<void **>(&x), bytes));
    must(cudaFree(x));
    must(cudaFree(x));
  });
  CHECK_THAT(said, Contains("cudaFree(") && Contains("freed device allocation #"));
}

TEST_CASE("a barrier is missing", "[bugs]") {
  // The default detector: what a program computes must not depend on the order of threads or on
  // uninitialised memory.
  CHECK(neighbours_in<true>(0) == neighbours_in<true>(1));
  CHECK(neighbours_in<true>(0) == neighbours_in<true>(3));
  CHECK(neighbours_in<false>(0) != neighbours_in<false>(1));
  CHECK(neighbours_in<false>(0) != neighbours_in<false>(2));
  cameo_emu_variant(0);
}

TEST_CASE("a copy has the wrong direction", "[bugs]") {
  const std::string said = report_of([] {
    session s;
    device_array<float> x(s, count), y(s, count);
    must(cudaMemcpyAsync(x.data, y.data, bytes, cudaMemcpyHostToDevice, s.stream));
  });
  CHECK_THAT(said,
             Contains("wrong copy direction: asked for host to device, but the target is byte 0 of "
                      "device allocation #") &&
                 Contains("the source is byte 0 of device allocation #"));
}

TEST_CASE("a copy leaves its allocation", "[bugs]") {
  const std::string said = report_of([] {
    session s;
    device_array<float> x(s, count);
    std::vector<float> host(count + 3);
    must(cudaMemcpyAsync(x.data, host.data(), bytes + 12, cudaMemcpyHostToDevice, s.stream));
  });
  CHECK_THAT(said, Contains("4012 bytes") && Contains(": 12 too many"));
}

TEST_CASE("a kernel overruns its buffer", "[bugs]") {
  SECTION("far enough to leave its pages") {
    const std::string said = report_of([] {
      session s;
      device_array<float> x(s, 2 * count), y(s, count);
      access_scope scope(s.exec, "long", {x.reads(), y.writes()});
      s.exec.launch(scale, dim3(4), dim3(128), 0, y.data, static_cast<const float *>(x.data), 2.0f,
                    2 * count);
      must(cudaStreamSynchronize(s.stream));
    });
    CHECK_THAT(said, Contains("a kernel touches") &&
                         Contains("past the end of device allocation # (4000 bytes)") &&
                         Contains("[kernel long, block"));
  }
  SECTION("by one element, into the padding") {
    const std::string said = report_of([] {
      session s;
      device_array<float> x(s, 2 * count), y(s, count);
      access_scope scope(s.exec, "longer", {x.reads(), y.writes()});
      s.exec.launch(scale, dim3(4), dim3(128), 0, y.data, static_cast<const float *>(x.data), 2.0f,
                    count + 1);
      must(cudaStreamSynchronize(s.stream));
    });
    CHECK_THAT(said, Contains("kernel 'longer' wrote 0 bytes past the end of device allocation #"));
  }
  SECTION("in front") {
    const std::string said = report_of([] {
      session s;
      device_array<float> x(s, 2 * count), y(s, count);
      s.exec.launch(scale, dim3(1), dim3(32), 0, y.data - 1, static_cast<const float *>(x.data),
                    2.0f, count);
      must(cudaStreamSynchronize(s.stream));
    });
    CHECK_THAT(said, Contains("4 bytes before the start of device allocation #"));
  }
  SECTION("of shared memory") {
    const std::string said = report_of([] {
      session s;
      device_array<int32_t> out(s, 64);
      s.exec.launch(neighbours<true>, dim3(1), dim3(64), 252, out.data);
      must(cudaStreamSynchronize(s.stream));
    });
    CHECK_THAT(said, Contains("past the end of its 252 bytes of shared memory"));
  }
}

TEST_CASE("a scope declares more than there is", "[bugs]") {
  const std::string said = report_of([] {
    session s;
    device_array<float> x(s, count), y(s, count);
    access_scope scope(s.exec, "liar", {read(x.data, bytes + 4), y.writes()});
    s.exec.launch(scale, dim3(1), dim3(32), 0, y.data, static_cast<const float *>(x.data), 2.0f,
                  count);
  });
  CHECK_THAT(said, Contains("kernel 'liar' declares that it reads 4004 bytes") &&
                       Contains(": 4 too many"));
}

TEST_CASE("a host pointer is handed to a kernel", "[bugs]") {
  SECTION("as an argument") {
    const std::string said = report_of([] {
      session s;
      std::vector<float> x(count);
      device_array<float> y(s, count);
      s.exec.launch(scale, dim3(1), dim3(32), 0, y.data, static_cast<const float *>(x.data()), 2.0f,
                    count);
    });
    CHECK_THAT(said,
               Contains("argument 1 of kernel 'kernel' holds") && Contains("which is host memory"));
  }
  SECTION("inside a functor") {
    const std::string said = report_of([] {
      session s;
      std::vector<float> x(count);
      device_array<float> y(s, count);
      s.exec.launch(each<copy_body>, dim3(1), dim3(32), 0, copy_body{x.data(), y.data}, count);
    });
    CHECK_THAT(said,
               Contains("argument 0 of kernel 'kernel' holds") && Contains("which is host memory"));
  }
  SECTION("inside a functor, behind arrays and padding") {
    const std::string said = report_of([] {
      session s;
      std::vector<float> x(count);
      device_array<float> y(s, count);
      s.exec.launch(each<scale_body>, dim3(1), dim3(32), 0,
                    scale_body{{{0, 1}, {1, 2}}, 2.0f, y.data, {nullptr, x.data()}}, count);
    });
    CHECK_THAT(said, Contains("argument 0 of kernel 'kernel' holds") &&
                         Contains("(byte 56 of it), which is host memory"));
  }
  SECTION("pinned") {
    const std::string said = report_of([] {
      session s;
      void *x = nullptr;
      must(cudaMallocHost(&x, bytes));
      device_array<float> y(s, count);
      s.exec.launch(scale, dim3(1), dim3(32), 0, y.data, static_cast<const float *>(x), 2.0f,
                    count);
    });
    CHECK_THAT(said, Contains("which is byte 0 of pinned allocation"));
  }
}

TEST_CASE("what lies in the padding of an argument is no pointer", "[bugs]") {
  session s;
  device_array<float> y(s, count);
  void *freed = nullptr;
  must(cudaMalloc(&freed, bytes));
  must(cudaFree(freed));
  uintptr_t words[sizeof(scale_body) / sizeof(uintptr_t)];
  for (uintptr_t &word : words)
    word = reinterpret_cast<uintptr_t>(freed);
  scale_body body;
  memcpy(static_cast<void *>(&body), words, sizeof(body));
  body.axes[0] = body.axes[1] = {1, 7};
  body.to = y.data;
  body.from[0] = body.from[1] = nullptr;
  s.exec.launch(each<scale_body>, dim3(1), dim3(32), 0, body, count);
  CHECK(s.finish() == cudaSuccess);
  CHECK(y.values()[count - 1] == body.by * 7);
}

TEST_CASE("what a counted extent can be at most is no pointer, its source is", "[bugs]") {
  SECTION("the most, of an extent and of a space") {
    session s;
    device_array<int64_t> y(s, 1);
    void *freed = nullptr;
    must(cudaMalloc(&freed, bytes));
    must(cudaFree(freed));
    const auto most = static_cast<int64_t>(reinterpret_cast<uintptr_t>(freed));
    s.exec.launch(sum_of_most, dim3(1), dim3(1), 0, counted_body{y.data, most},
                  counted_index<1>(most));
    CHECK(s.finish() == cudaSuccess);
    CHECK(y.values()[0] == 2 * most);
  }
  SECTION("the source, in a functor") {
    const std::string said = report_of([] {
      session s;
      const int64_t source = 1;
      device_array<int64_t> y(s, 1);
      s.exec.launch(sum_of_most, dim3(1), dim3(1), 0, counted_body{y.data, counted(&source, 1)},
                    counted_index<1>(1));
    });
    CHECK_THAT(said, Contains("argument 0 of kernel 'kernel' holds") &&
                         Contains("(byte 8 of it), which is host memory"));
  }
  SECTION("the source, in a space") {
    const std::string said = report_of([] {
      session s;
      const int64_t source = 1;
      device_array<int64_t> y(s, 1);
      s.exec.launch(sum_of_most, dim3(1), dim3(1), 0, counted_body{y.data, 1},
                    counted_index<1>(counted(&source, 1)));
    });
    CHECK_THAT(said, Contains("argument 1 of kernel 'kernel' holds") &&
                         Contains("(byte 0 of it), which is host memory"));
  }
}

TEST_CASE("pinned memory is used before its sync", "[bugs]") {
  const auto program = [](int mistake) {
    session s;
    device_array<float> x(s, std::vector<float>(count, 3.0f));
    void *memory = nullptr;
    must(cudaMallocHost(&memory, 2 * bytes));
    auto *pinned = static_cast<volatile float *>(memory);
    float *target = static_cast<float *>(memory);
    must(cudaMemcpyAsync(target, x.data, bytes, cudaMemcpyDeviceToHost, s.stream));
    if (mistake == 0 && pinned[7] == 3.0f) // a result that is not there yet
      printf("early\n");
    const float beside = pinned[count + 100]; // of the same pages, but nobody's
    (void)beside;
    must(cudaStreamSynchronize(s.stream));
    const bool there = pinned[7] == 3.0f;
    must(cudaMemcpyAsync(x.data, target, bytes, cudaMemcpyHostToDevice, s.stream));
    const float again = pinned[8]; // reading what is being read is well
    if (mistake == 1)
      pinned[8] = again + 1; // writing is not
    must(cudaStreamSynchronize(s.stream));
    must(cudaFreeHost(memory));
    return there;
  };
  CHECK(program(-1));
  CHECK_THAT(report_of([&] { program(0); }),
             Contains("the host touches byte 28 of pinned allocation") &&
                 Contains("before it has waited for 'copy device to host'"));
  CHECK_THAT(report_of([&] { program(1); }),
             Contains("the host writes byte 32 of pinned allocation") &&
                 Contains("before it has waited for 'copy host to device'"));
}

// ---- inside a kernel ----

namespace {

CAMEO_KERNEL void early_exit(int32_t n) {
  if (static_cast<int32_t>(thread()) >= n)
    return;
  barrier();
}
CAMEO_KERNEL void half_of_a_barrier() {
  if (warp() == 0)
    barrier();
  else
    named_barrier_wait(1, 64);
}
CAMEO_KERNEL void two_barriers() {
  if (lane() == 0)
    barrier();
  else
    barrier();
}
CAMEO_KERNEL void wrong_mask() { warp_barrier(lane() < 16 ? full_mask : 0x0000ffffu); }
CAMEO_KERNEL void diverged(int32_t *out) {
  int32_t v = 1;
  if (lane() % 2 == 0)
    v += shuffle(v, 0);
  else
    v += shuffle(v, 1);
  *out = v;
}
CAMEO_KERNEL void misaligned(const float *x, float *y) { store_pack(y, load_pack<4>(x + 1)); }
CAMEO_KERNEL void endless(const uint32_t *flag) {
  spin_until([=] { return load_acquire(flag) == 1; });
}
CAMEO_KERNEL void copied_too_early(const float *x, float *y) {
  float *tile = shared<float>();
  copy_async<16>(tile + 4 * thread(), x + 4 * thread());
  copy_async_commit();
  barrier(); // but no wait
  y[thread()] = tile[thread()];
}
CAMEO_KERNEL void no_init() { mbarrier_wait(shared<uint64_t>(), 0); }
CAMEO_KERNEL void phase_never_ends() {
  uint64_t *b = shared<uint64_t>();
  if (thread() == 0)
    mbarrier_init(b, 2);
  barrier();
  if (thread() == 0)
    mbarrier_arrive(b);
  mbarrier_wait(b, 0);
}

template <class... P, class... A>
std::string report_of_kernel(void (*kernel)(P...), unsigned threads, A... a) {
  return report_of([=] {
    session s;
    s.exec.launch(kernel, dim3(1), dim3(threads), 1024, a...);
    must(cudaStreamSynchronize(s.stream));
  });
}

} // namespace

TEST_CASE("barriers and warps that cannot work", "[bugs]") {
  CHECK_THAT(report_of_kernel(early_exit, 64, 40),
             Contains("this thread has ended while others wait at the barrier"));
  CHECK_THAT(report_of_kernel(half_of_a_barrier, 64),
             Contains("deadlock: 64 threads never end: 32 in a barrier at") &&
                 Contains(", 32 in a barrier at"));
  CHECK_THAT(report_of_kernel(two_barriers, 32),
             Contains("lanes of one warp wait at different barriers"));
  CHECK_THAT(report_of_kernel(wrong_mask, 32), Contains("lane 16 is not in the mask 0000ffff"));
  CHECK_THAT(report_of_kernel(no_init, 32), Contains("mbarrier used before mbarrier_init"));
  CHECK_THAT(report_of_kernel(phase_never_ends, 32), Contains("32 in a spin loop"));
  cameo_emu_thread_order(CAMEO_EMU_REVERSE, 0);
  CHECK_THAT(report_of_kernel(early_exit, 64, 40),
             Contains("24 threads of the block had ended before this barrier"));
  cameo_emu_thread_order(CAMEO_EMU_FORWARD, 0);
}

TEST_CASE("undefined use of the device", "[bugs]") {
  session s;
  device_array<float> x(s, std::vector<float>(256, 1.0f)), y(s, 256);
  device_array<int32_t> out(s, 1);
  device_array<uint32_t> flag(s, std::vector<uint32_t>(1));
  const float *from = x.data;
  const uint32_t *waited = flag.data;
  must(cudaStreamSynchronize(s.stream));
  CHECK_THAT(report_of_kernel(diverged, 32, out.data),
             Contains("lanes of one warp come to different warp-wide operations"));
  CHECK_THAT(report_of_kernel(misaligned, 1, from, y.data),
             Contains("wide load of") && Contains("not 16-byte aligned"));
  CHECK_THAT(report_of_kernel(endless, 1, waited), Contains("1 in a spin loop at"));
  s.exec.launch(copied_too_early, dim3(1), dim3(32), 1024, from, y.data);
  const float seen = y.values()[0];
  CHECK(seen != seen); // poison, not 1
}
