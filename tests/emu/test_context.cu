// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA context under programs such as the compiler writes: every space a tensor can be in, what
// each run costs in transfers and waits, errors of kernels, of calls and of the device, memory that
// grows. The emulator is the judge of what really happened.
#include <catch2/catch.hpp>

#include "calls.h"
#include "cameo/cuda/standalone.h"
#include "counted_model.h"

using namespace cameo;
using namespace calls;

namespace {

const cameo_model &counted_model = gen::counted::model;

const char *const space_names[] = {"host", "pinned", "device", "managed"};

} // namespace

TEST_CASE("an input of few bytes goes with a launch, a larger one is copied", "[context]") {
  for (int32_t space : {CAMEO_SPACE_HOST, CAMEO_SPACE_PINNED})
    for (int64_t stride : {1, 3})
      for (size_t n : {1, 3, 128, 129}) {
        INFO(space_names[space] << ", stride " << stride << ", " << n << " floats");
        owner o;
        vector_in x(space, ramp(n), stride), y(CAMEO_SPACE_DEVICE, std::vector<float>(n));
        for (int repeat = 0; repeat < 3; ++repeat) {
          well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
          const cameo_counters said = o.counters();
          well(cameo_finish(o.c));
          CHECK(y.values() == expected(ramp(n)));
          const bool is_small = 4 * n <= CAMEO_LAUNCH_UPLOAD_BYTES;
          CHECK(said.launch_uploads == (is_small ? 1 : 0));
          CHECK(said.h2d == (is_small ? 0 : 1));
          CHECK(said.launches == (is_small ? 2 : 1));
          CHECK(said.repacks == (stride == 3 && n > 1 ? 1 : 0));
        }
      }
}

TEST_CASE("every space of input and output, dense and strided", "[context]") {
  for (int32_t in_space = 0; in_space < 4; ++in_space) {
    for (int32_t out_space = 0; out_space < 4; ++out_space) {
      for (int64_t stride : {1, 3}) {
        INFO(space_names[in_space] << " to " << space_names[out_space] << ", stride " << stride);
        owner o;
        vector_in x(in_space, ramp(300), stride), y(out_space, std::vector<float>(300), stride);
        const bool in_host = in_space <= CAMEO_SPACE_PINNED,
                   out_host = out_space <= CAMEO_SPACE_PINNED;
        for (int repeat = 0; repeat < 3; ++repeat) {
          cameo_emu_reset_counters();
          well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
          const cameo_emu_counters seen = emulator();
          const cameo_counters said = o.counters();
          well(cameo_finish(o.c));
          CHECK(y.values() == expected(ramp(300)));
          CHECK(said.h2d == (in_host ? 1 : 0));
          CHECK(said.h2d_bytes == (in_host ? 1200 : 0));
          CHECK(said.d2h == 0);
          CHECK(said.d2h_outputs == (out_host ? 1 : 0));
          CHECK(said.d2d == 1);
          CHECK(said.repacks == (stride == 3 ? 1 + !out_host : 0)); // the host's is done by finish
          CHECK(said.launches == 1 + (stride == 3 ? !in_host + !out_host : 0));
          if (repeat > 0) { // warm: what the emulator saw is what the run says
            CHECK(seen.h2d == said.h2d);
            CHECK(seen.d2h == said.d2h_outputs);
            CHECK(seen.blocking_syncs == 0);
            CHECK(said.blocking_syncs == 0);
            CHECK(seen.device_allocs == 0);
            CHECK(seen.pinned_allocs == 0);
            CHECK(seen.launches == said.launches);
          }
        }
      }
    }
  }
}

TEST_CASE("a run on device memory neither copies nor waits", "[context]") {
  owner o;
  vector_in x(CAMEO_SPACE_DEVICE, ramp(1000)), y(CAMEO_SPACE_DEVICE, std::vector<float>(1000));
  well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
  well(cameo_finish(o.c));
  cameo_emu_reset_counters();
  for (int i = 0; i < 10; ++i)
    well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
  CHECK(emulator().h2d + emulator().d2h + emulator().blocking_syncs + emulator().memsets == 0);
  CHECK(emulator().launches == 10);
  CHECK(cameo_poll(o.c).code == CAMEO_NOT_READY);
  well(cameo_finish(o.c));
  well(cameo_finish(o.c)); // and again
  CHECK(y.values() == expected(ramp(1000)));
}

TEST_CASE("polling reaches the end of a run", "[context]") {
  owner o;
  vector_in x(CAMEO_SPACE_HOST, ramp(10)), y(CAMEO_SPACE_HOST, std::vector<float>(10));
  well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
  int polls = 0;
  status s = cameo_poll(o.c);
  for (; s.code == CAMEO_NOT_READY && polls < 1000; ++polls)
    s = cameo_poll(o.c);
  well(s);
  CHECK(polls > 0);
  CHECK(y.values() == expected(ramp(10)));
  well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
  CHECK(cameo_ready(o.c, 0).code == CAMEO_NOT_READY);
  well(cameo_wait(o.c, 0));
  CHECK(y.values() == expected(ramp(10)));
  float two[2] = {};
  CHECK(cameo_fetch(o.c, 0, two, sizeof(two)).code == CAMEO_INVALID_ARGUMENT);
  float ten[10] = {};
  well(cameo_fetch(o.c, 0, ten, sizeof(ten)));
  CHECK(ten[9] == 18.5f);
}

TEST_CASE("the host may change a pageable input right after run", "[context]") {
  owner o;
  vector_in x(CAMEO_SPACE_HOST, ramp(50)), y(CAMEO_SPACE_DEVICE, std::vector<float>(50));
  well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
  x.host.assign(50, 77.0f);
  well(cameo_finish(o.c));
  CHECK(y.values() == expected(ramp(50)));
}

TEST_CASE("runs may follow one another without finish, in every space", "[context]") {
  for (int32_t space = 0; space < 4; ++space) {
    INFO(space_names[space]);
    owner o;
    vector_in x(space, ramp(40)), x2(space, ramp(80)), y(space, std::vector<float>(40)),
        y2(space, std::vector<float>(80));
    for (int i = 0; i < 3; ++i) {
      well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
      well(scaled_model.run(o.c, &x2.tensor, 1, &y2.tensor, 1, nullptr));
    }
    well(cameo_finish(o.c));
    CHECK(y.values() == expected(ramp(40)));
    CHECK(y2.values() == expected(ramp(80)));
  }
}

TEST_CASE("the caller's streams and events order the run", "[context]") {
  owner o;
  cudaStream_t producer, consumer;
  cudaEvent_t filled, emptied;
  must(cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking));
  must(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
  must(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
  must(cudaEventCreateWithFlags(&emptied, cudaEventDisableTiming));
  vector_in x(CAMEO_SPACE_DEVICE, std::vector<float>(64)),
      y(CAMEO_SPACE_PINNED, std::vector<float>(64));
  const std::vector<float> late = ramp(64);
  for (cudaStream_t stream : {producer, consumer, cudaStream_t{nullptr}, consumer}) {
    must(cudaMemcpyAsync(x.memory, late.data(), 256, cudaMemcpyHostToDevice, producer));
    must(cudaEventRecord(filled, producer));
    x.tensor.ready = filled;
    y.tensor.done = emptied;
    well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, stream));
    must(cudaEventSynchronize(emptied)); // the tensor's own event is enough
    CHECK(static_cast<float *>(y.memory)[63] == 126.5f);
    well(cameo_finish(o.c));
    y.tensor.done = nullptr;
  }
  // On the caller's stream its sync is enough, too.
  well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, consumer));
  must(cudaStreamSynchronize(consumer));
  CHECK(static_cast<float *>(y.memory)[10] == 20.5f);
  well(cameo_finish(o.c));
  must(cudaStreamDestroy(producer));
  must(cudaStreamDestroy(consumer));
  must(cudaEventDestroy(filled));
  must(cudaEventDestroy(emptied));
}

TEST_CASE("what a kernel raises comes out at finish, and the context goes on", "[context]") {
  owner o;
  std::vector<float> bad = ramp(300);
  bad[200] = -7;
  bad[100] = -3;
  vector_in x(CAMEO_SPACE_DEVICE, bad), good(CAMEO_SPACE_DEVICE, ramp(300)),
      y(CAMEO_SPACE_HOST, std::vector<float>(300));
  for (int i = 0; i < 2; ++i) {
    well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
    CHECK(o.counters().d2h == 0); // the slot is fetched by finish
    const status s = cameo_finish(o.c);
    CHECK(s.code == CAMEO_OUT_OF_RANGE);
    CHECK(s.node == 1);
    CHECK(text_of(s).find("-7") != std::string::npos); // the smallest
    well(scaled_model.run(o.c, &good.tensor, 1, &y.tensor, 1, nullptr));
    well(cameo_finish(o.c));
    CHECK(y.values() == expected(ramp(300)));
  }
  // The first error of runs that nobody finished stays.
  well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
  vector_in device_y(CAMEO_SPACE_DEVICE, std::vector<float>(300));
  well(scaled_model.run(o.c, &x.tensor, 1, &device_y.tensor, 1, nullptr));
  well(scaled_model.run(o.c, &good.tensor, 1, &device_y.tensor, 1, nullptr));
  CHECK(cameo_finish(o.c).code == CAMEO_OUT_OF_RANGE);
  CHECK(cameo_finish(o.c).code == CAMEO_OUT_OF_RANGE); // until the next run
  well(scaled_model.run(o.c, &good.tensor, 1, &device_y.tensor, 1, nullptr));
  well(cameo_finish(o.c));
}

TEST_CASE("a run that has to end the one before counts what that takes", "[context]") {
  owner o;
  vector_in x(CAMEO_SPACE_DEVICE, ramp(300)), y(CAMEO_SPACE_HOST, std::vector<float>(300));
  for (int i = 0; i < 3; ++i) {
    cameo_emu_reset_counters();
    well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
    const cameo_emu_counters seen = emulator();
    const cameo_counters said = o.counters();
    CHECK(said.d2h == (i > 0 ? 1 : 0)); // the slot of the run before
    CHECK(seen.d2h == said.d2h + said.d2h_outputs);
    CHECK(seen.d2h_bytes == said.d2h_bytes + 1200);
    CHECK(seen.blocking_syncs == said.blocking_syncs);
  }
  well(cameo_finish(o.c));
}

TEST_CASE("empty tensors launch nothing", "[context]") {
  owner o;
  vector_in x(CAMEO_SPACE_HOST, {}), y(CAMEO_SPACE_HOST, {});
  well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
  well(cameo_finish(o.c));
  CHECK(o.counters().launches == 0);
  CHECK(o.counters().h2d == 0);
  CHECK(o.counters().d2h_outputs == 0);
}

TEST_CASE("extents that the device counts", "[context]") {
  std::vector<float> values = ramp(100);
  for (size_t i = 0; i < 100; i += 3)
    values[i] = -values[i];
  std::vector<float> positives;
  for (const float v : values)
    if (v > 0)
      positives.push_back(v);
  for (const bool on_host : {false, true}) {
    for (int32_t space = 0; space < 3; ++space) {
      INFO((on_host ? "decided on the host, " : "kept on the device, ") << space_names[space]);
      gen::counted::on_host = on_host;
      owner o(counted_model);
      vector_in x(CAMEO_SPACE_DEVICE, values), y(space, std::vector<float>(100));
      for (int repeat = 0; repeat < 2; ++repeat) {
        cameo_emu_reset_counters();
        well(counted_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
        const cameo_counters said = o.counters();
        CHECK(said.d2h == 1);
        CHECK(said.d2h_bytes == 8);
        CHECK(said.blocking_syncs == (on_host ? 1 : 0));
        CHECK(said.d2h_outputs == (space < 2 ? 1 : 0));
        if (repeat > 0)
          CHECK(emulator().blocking_syncs == said.blocking_syncs);
        well(cameo_finish(o.c));
        CHECK(y.dims[0] == static_cast<int64_t>(on_host ? positives.size() : 100));
        well(cameo_output(o.c, 0, &y.tensor));
        CHECK(y.dims[0] == static_cast<int64_t>(positives.size()));
        CHECK(y.values() == positives);
        y.dims[0] = 100;
      }
    }
  }
}

TEST_CASE("calls that are wrong say which tensor, and how", "[context]") {
  owner o;
  vector_in x(CAMEO_SPACE_DEVICE, ramp(8)), y(CAMEO_SPACE_DEVICE, std::vector<float>(8));
  const auto run = [&] { return scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr); };
  x.tensor.space = CAMEO_SPACE_HOST;
  CHECK(text_of(run()) ==
        "INVALID_ARGUMENT: input \"x\": space says host, but the memory is device");
  x.tensor.space = CAMEO_SPACE_DEVICE;
  y.tensor.data = y.host.data();
  CHECK(text_of(run()) ==
        "INVALID_ARGUMENT: output \"y\": space says device, but the memory is host");
  y.tensor.data = y.memory;
  y.tensor.bytes = 20;
  CHECK(run().code == CAMEO_INVALID_ARGUMENT);
  y.tensor.bytes = 32;
  y.tensor.data = x.memory;
  CHECK(run().code == CAMEO_INVALID_ARGUMENT); // overlap
  y.tensor.data = y.memory;
  CHECK(scaled_model.run(o.c, &x.tensor, 2, &y.tensor, 1, nullptr).code == CAMEO_INVALID_ARGUMENT);
  CHECK(counted_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr).code == CAMEO_INVALID_ARGUMENT);
  well(run());
  well(cameo_finish(o.c));
  CHECK(y.values() == expected(ramp(8)));
}

TEST_CASE("no device, an old driver, another architecture", "[context]") {
  cameo_options options = defaults();
  cameo_context *c = nullptr;
  cameo_emu_devices(0, 1 << 30, 90);
  CHECK(scaled_model.create(&options, &c).code == CAMEO_UNSUPPORTED);
  cameo_emu_devices(1, 1 << 30, 75);
  const status s = scaled_model.create(&options, &c);
  CHECK(s.code == CAMEO_WRONG_ARCH);
  CHECK(text_of(s).find("7.5") != std::string::npos);
  cameo_emu_devices(1, size_t{16} << 30, 90);
  cameo_emu_fail("cudaGetDeviceCount", 1, cudaErrorInsufficientDriver, 0);
  CHECK(scaled_model.create(&options, &c).code == CAMEO_UNSUPPORTED);
  options.device = 3;
  CHECK(scaled_model.create(&options, &c).code == CAMEO_INVALID_ARGUMENT);
  CHECK(c == nullptr);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("the caller's current device is kept", "[context]") {
  cameo_emu_devices(2, size_t{16} << 30, 90);
  must(cudaSetDevice(1));
  {
    owner o; // on device 0
    int device = -1;
    must(cudaGetDevice(&device));
    CHECK(device == 1);
    vector_in x(CAMEO_SPACE_HOST, ramp(8)), y(CAMEO_SPACE_HOST, std::vector<float>(8));
    well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
    well(cameo_finish(o.c));
    must(cudaGetDevice(&device));
    CHECK(device == 1);
    CHECK(y.values() == expected(ramp(8)));
    vector_in elsewhere(CAMEO_SPACE_DEVICE, ramp(8)); // on device 1
    CHECK(scaled_model.run(o.c, &elsewhere.tensor, 1, &y.tensor, 1, nullptr).code ==
          CAMEO_INVALID_ARGUMENT);
  }
  must(cudaSetDevice(0));
  cameo_emu_devices(1, size_t{16} << 30, 90);
}

TEST_CASE("any call of the API may fail once: a status, no leak, and the next try works",
          "[context]") {
  const char *const functions[] = {"cudaMalloc",
                                   "cudaMallocHost",
                                   "cudaStreamCreateWithFlags",
                                   "cudaEventCreateWithFlags",
                                   "cudaMemcpyAsync",
                                   "cudaLaunchKernel",
                                   "cudaEventRecord",
                                   "cudaStreamWaitEvent",
                                   "cudaMemsetAsync",
                                   "cudaPointerGetAttributes",
                                   "cudaFuncGetAttributes",
                                   "cudaEventSynchronize",
                                   "cudaStreamIsCapturing"};
  const cameo_emu_counters before = emulator();
  for (const char *function : functions) {
    int failures = 0;
    for (int64_t call = 1; call < 40; ++call) {
      INFO(function << ", call " << call);
      vector_in x(CAMEO_SPACE_HOST, ramp(32)), y(CAMEO_SPACE_HOST, std::vector<float>(32));
      const bool memory = std::string(function).find("cudaMalloc") == 0;
      cameo_emu_fail(function, call, memory ? cudaErrorMemoryAllocation : cudaErrorNotSupported, 0);
      cameo_options options = defaults();
      cameo_context *c = nullptr;
      status s = scaled_model.create(&options, &c);
      if (s.code == CAMEO_OK)
        s = scaled_model.run(c, &x.tensor, 1, &y.tensor, 1, nullptr);
      if (s.code == CAMEO_OK)
        s = cameo_finish(c);
      const bool failed = s.code != CAMEO_OK;
      if (failed) {
        ++failures;
        CHECK(s.code == (memory ? CAMEO_OUT_OF_MEMORY : CAMEO_UNSUPPORTED));
        CHECK(cudaGetLastError() == cudaSuccess);
      }
      cameo_emu_clear_failures();
      if (c != nullptr) { // usable again
        well(scaled_model.run(c, &x.tensor, 1, &y.tensor, 1, nullptr));
        well(cameo_finish(c));
      }
      if (c != nullptr)
        CHECK(y.values() == expected(ramp(32)));
      scaled_model.destroy(c);
      if (!failed)
        break; // there are no more calls
    }
    INFO(function);
    CHECK(failures > 0);
  }
  const cameo_emu_counters after = emulator();
  CHECK(after.live_device_allocs == before.live_device_allocs);
  CHECK(after.live_pinned_allocs == before.live_pinned_allocs);
  CHECK(after.live_streams == before.live_streams);
  CHECK(after.live_events == before.live_events);
}

TEST_CASE("a device that fails is lost for good, with the first suspect", "[context]") {
  cameo_options options = defaults();
  cameo_context *c = nullptr;
  well(scaled_model.create(&options, &c));
  vector_in x(CAMEO_SPACE_DEVICE, ramp(32)), y(CAMEO_SPACE_HOST, std::vector<float>(32));
  well(scaled_model.run(c, &x.tensor, 1, &y.tensor, 1, nullptr));
  well(cameo_finish(c));
  cameo_emu_fail("kernel", 1, cudaErrorIllegalAddress, 0);
  well(scaled_model.run(c, &x.tensor, 1, &y.tensor, 1, nullptr));
  const status s = cameo_finish(c);
  CHECK(s.code == CAMEO_DEVICE_LOST);
  CHECK(text_of(s).find("first") != std::string::npos);
  CHECK(scaled_model.run(c, &x.tensor, 1, &y.tensor, 1, nullptr).code == CAMEO_DEVICE_LOST);
  CHECK(cameo_finish(c).code == CAMEO_DEVICE_LOST);
  cameo_context *second = nullptr;
  CHECK(scaled_model.create(&options, &second).code == CAMEO_DEVICE_LOST);
  scaled_model.destroy(c);
  cameo_emu_clear_failures();
}

TEST_CASE("memory grows by powers of two and then stays", "[context]") {
  owner o;
  for (const size_t n : {10u, 100000u, 50000u, 99999u}) {
    vector_in x(CAMEO_SPACE_HOST, ramp(n)), y(CAMEO_SPACE_HOST, std::vector<float>(n));
    well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
    const int64_t grown = o.counters().device_allocs;
    well(cameo_finish(o.c));
    CHECK(y.values() == expected(ramp(n)));
    if (n == 50000 || n == 99999)
      CHECK(grown == 0);
    if (n == 100000)
      CHECK(grown == 3); // arena, input, output
  }
}

TEST_CASE("weights are uploaded once for all contexts that share them", "[context]") {
  cameo_options options = defaults();
  cameo_emu_reset_counters();
  well(cameo_weights_load(&scaled_model, &options, &options.shared));
  CHECK(emulator().h2d_bytes == 64);
  {
    owner a(scaled_model, options), b(scaled_model, options);
    vector_in x(CAMEO_SPACE_DEVICE, ramp(4)), y(CAMEO_SPACE_DEVICE, std::vector<float>(4));
    for (const owner *o : {&a, &b}) {
      well(scaled_model.run(o->c, &x.tensor, 1, &y.tensor, 1, nullptr));
      well(cameo_finish(o->c));
    }
    CHECK(y.values() == expected(ramp(4)));
    CHECK(emulator().h2d_bytes == 64 + 16 + 16); // and the tests' own vectors
  }
  cameo_weights_release(options.shared);
}

TEST_CASE("lent buffers cost no copy", "[context]") {
  owner o;
  int64_t dims[1] = {20};
  cameo_tensor x{}, y{};
  x.dims = y.dims = dims;
  x.rank = y.rank = 1;
  x.dtype = y.dtype = CAMEO_FLOAT;
  well(cameo_buffer(o.c, 0, &x));
  well(cameo_buffer(o.c, 1, &y));
  CHECK(x.space == CAMEO_SPACE_DEVICE);
  const std::vector<float> values = ramp(20);
  must(cudaMemcpy(x.data, values.data(), 80, cudaMemcpyHostToDevice));
  well(scaled_model.run(o.c, &x, 1, &y, 1, nullptr));
  CHECK(o.counters().h2d + o.counters().d2h_outputs + o.counters().repacks == 0);
  std::vector<float> got(20);
  well(cameo_fetch(o.c, 0, got.data(), 80));
  CHECK(got == expected(values));
}

TEST_CASE("two thousand contexts leave nothing behind", "[context]") {
  const cameo_emu_counters before = emulator();
  for (int i = 0; i < 2000; ++i)
    owner o;
  const cameo_emu_counters after = emulator();
  CHECK(after.live_device_bytes == before.live_device_bytes);
  CHECK(after.live_pinned_allocs == before.live_pinned_allocs);
  CHECK(after.live_streams == before.live_streams);
  CHECK(after.live_events == before.live_events);
}

TEST_CASE("an exec without a model", "[context]") {
  cuda::standalone s;
  REQUIRE(s);
  void *memory = nullptr;
  must(cudaMalloc(&memory, 80));
  auto *x = static_cast<float *>(memory);
  const std::vector<float> bad(10, -1.0f);
  must(cudaMemcpy(x, bad.data(), 40, cudaMemcpyHostToDevice));
  gen::scaled::scale(s.compute(), x, x, x + 10, 10);
  CHECK(s.raised().code == CAMEO_OUT_OF_RANGE);
  s.reset();
  well(s.raised());
  must(cudaFree(memory));
}
