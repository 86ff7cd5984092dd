// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run leaves behind when run() has returned, and who may be gone by then: the caller's
// frame, the caller's stream, the run's own outputs when the next call is refused.
#include <catch2/catch.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "cameo/model.h"

namespace cameo::gen::many {

// y_k[<=N] = x, which is wanted at multiples of 64 bytes, for more outputs than a context keeps
// staging slots; `counted`: their extents are k, found on the device.
using namespace cameo::cuda;

namespace {

constexpr int32_t outputs_number = 70;
constexpr cameo_dim bounded[] = {{CAMEO_DIM_BOUNDED, -1, 0, INT64_MAX, "count"}};
struct ports {
  cameo_port port[outputs_number];
};
constexpr ports ports_of() {
  ports p{};
  for (cameo_port &port : p.port) {
    port = scaled::port_of("y", 1);
    port.dims = bounded;
  }
  return p;
}
constexpr ports outputs = ports_of();
constexpr cameo_port aligned_port() {
  cameo_port p = scaled::port_of("x", 1);
  p.alignment = 64;
  return p;
}
constexpr cameo_port inputs[] = {aligned_port()};

CAMEO_KERNEL void count(int64_t *extents, int64_t n) {
  if (grid_thread() < outputs_number)
    extents[grid_thread()] = grid_thread() % n;
}

bool counted = false;
extern const cameo_model model;

status generated(context &c, const cameo_tensor *in, cameo_tensor *out) {
  int64_t N = 0;
  CAMEO_TRY(check_dims(model, in, 1, &N));
  buffer b[1] = {{outputs_number * 8, 0, 1, -1, 0, 0, 0}};
  CAMEO_TRY(c.plan(b));
  const float *x = c.input<float>(in[0]);
  float *y[outputs_number];
  for (int32_t k = 0; k < outputs_number; ++k)
    y[k] = c.output<float>(out[k], {N});
  int64_t *extents = c.at<int64_t>(b[0]);
  CAMEO_TRY(c.ready());
  c.step(0);
  for (float *each : y)
    c.compute.copy(each, x, N * 4);
  if (!counted)
    return c.done();
  {
    const access_scope scope(c.compute, "count", {write(extents, outputs_number * 8)});
    c.compute.launch(count, dim3(1), dim3(128), 0, extents, N);
  }
  counted_extent which[outputs_number];
  for (int32_t k = 0; k < outputs_number; ++k)
    which[k] = {k, 0};
  c.extents(extents, which);
  return c.done();
}

cameo_model model_of() {
  cameo_model m = scaled::model;
  m.name = "many";
  m.inputs = inputs;
  m.outputs = outputs.port;
  m.output_count = outputs_number;
  m.weights = {};
  scaled::set_calls<model, generated>(m);
  return m;
}
const cameo_model model = model_of();

} // namespace
} // namespace cameo::gen::many

using namespace cameo;
using namespace calls;

namespace {

const cameo_model &many_model = gen::many::model;

/// Writes over what calls before it have left on the stack.
[[gnu::noinline]] void bury() {
  volatile unsigned char dead[1 << 14];
  for (volatile unsigned char &byte : dead)
    byte = 0x55;
}

/// The tensors die with the call; the data does not.
[[gnu::noinline]] status run_and_return(session &s, const float *x, float *y, int64_t n) {
  tensor in[] = {{x, static_cast<size_t>(n), {n}}};
  tensor out[] = {{y, static_cast<size_t>(n), {n}}};
  return s.run(in, out);
}
[[gnu::noinline]] status run_strided(cameo_context *c, const float *x, float *y, int64_t n) {
  int64_t x_dims[] = {n}, y_dims[] = {n};
  const int64_t strides[] = {3};
  cameo_tensor in{}, out{};
  in.data = const_cast<float *>(x);
  in.bytes = static_cast<size_t>(n) * 4;
  in.dims = x_dims;
  in.rank = out.rank = 1;
  in.dtype = out.dtype = CAMEO_FLOAT;
  out.data = y;
  out.bytes = static_cast<size_t>(n) * 12;
  out.dims = y_dims;
  out.strides = strides;
  return scaled_model.run(c, &in, 1, &out, 1, nullptr);
}

status run_on(cameo_context *c, vector_in &x, vector_in &y, cudaStream_t stream = nullptr) {
  return scaled_model.run(c, &x.tensor, 1, &y.tensor, 1, stream);
}

} // namespace

TEST_CASE("the tensors may be gone when run has returned", "[lifetime]") {
  const std::vector<float> x = ramp(500);
  std::vector<float> y(500), wide(1500, -1.0f);
  model m(scaled_model);
  session s;
  well(m.open(s));
  for (int i = 0; i < 2; ++i) {
    well(run_and_return(s, x.data(), y.data(), 500));
    bury();
    well(s.finish());
    CHECK(y == expected(x));
    y.assign(500, 0);
    bury();
    well(s.fetch(0, y.data(), 2000));
    CHECK(y == expected(x));
    well(run_strided(s.get(), x.data(), wide.data(), 500));
    bury();
    well(cameo_wait(s.get(), 0));
    CHECK(wide[3 * 499] == expected(x)[499]);
    CHECK(wide[3 * 499 - 1] == -1.0f);
  }
}

TEST_CASE("finish tells the extents, where asked to", "[lifetime]") {
  gen::many::counted = true;
  model m(many_model);
  session s;
  well(m.open(s));
  const std::vector<float> x = ramp(100);
  std::vector<std::array<float, 100>> y(gen::many::outputs_number);
  tensor in[] = {{x.data(), 100, {100}}};
  tensor out[gen::many::outputs_number];
  for (size_t k = 0; k < y.size(); ++k)
    out[k] = {y[k].data(), 100, {0}};
  well(s.run(in, out));
  CHECK(out[69].dim(0) == 100); // its capacity
  well(s.finish(out));
  for (int k = 0; k < gen::many::outputs_number; ++k)
    CHECK(out[k].dim(0) == k);
  gen::many::counted = false;
}

TEST_CASE("any number of outputs may be in pageable memory", "[lifetime]") {
  owner o(many_model);
  for (int repeat = 0; repeat < 2; ++repeat) {
    vector_in x(CAMEO_SPACE_HOST, ramp(20));
    std::vector<std::array<float, 20>> y(gen::many::outputs_number);
    std::vector<cameo_tensor> out(y.size(), x.tensor);
    std::vector<int64_t> dims(y.size());
    for (size_t k = 0; k < y.size(); ++k) {
      out[k].data = y[k].data();
      out[k].dims = &dims[k];
    }
    well(many_model.run(o.c, &x.tensor, 1, out.data(), gen::many::outputs_number, nullptr));
    well(cameo_finish(o.c));
    for (const auto &each : y)
      CHECK(each[19] == 19.0f);
  }
}

TEST_CASE("memory less aligned than its port asks is repacked where kernels read it",
          "[lifetime]") {
  owner o(many_model);
  std::vector<vector_in *> outputs;
  std::vector<cameo_tensor> out;
  for (int32_t k = 0; k < gen::many::outputs_number; ++k) {
    outputs.push_back(new vector_in(CAMEO_SPACE_DEVICE, std::vector<float>(20)));
    out.push_back(outputs.back()->tensor);
  }
  for (int32_t space = 0; space < 4; ++space)
    for (size_t offset : {0, 1}) {
      INFO("space " << space << ", offset " << offset);
      vector_in x(space, ramp(20 + offset));
      x.tensor.data = static_cast<float *>(x.tensor.data) + offset;
      x.tensor.bytes = 80;
      x.dims[0] = 20;
      well(many_model.run(o.c, &x.tensor, 1, out.data(), gen::many::outputs_number, nullptr));
      CHECK(o.counters().repacks == (offset > 0 && space >= CAMEO_SPACE_DEVICE));
      CHECK(o.counters().launch_uploads == (space < CAMEO_SPACE_DEVICE));
      well(cameo_finish(o.c));
      CHECK(outputs[69]->values()[19] == static_cast<float>(19 + offset));
    }
  for (vector_in *y : outputs)
    delete y;
}

TEST_CASE("a stream may be destroyed, and its handle used again, between two runs", "[lifetime]") {
  owner o;
  vector_in x(CAMEO_SPACE_DEVICE, ramp(200)), y(CAMEO_SPACE_DEVICE, std::vector<float>(200));
  auto first = std::make_unique<own_stream>();
  const cudaStream_t handle = first->handle;
  well(run_on(o.c, x, y, handle));
  first.reset();
  const own_stream second;
  REQUIRE(second.handle == handle);
  well(run_on(o.c, x, y, second.handle)); // both write y and the arena: the emulator looks
  well(cameo_finish(o.c));
  CHECK(y.values() == expected(ramp(200)));
}

TEST_CASE("nothing waits for a stream that the caller has destroyed", "[lifetime]") {
  for (const char *function : {"cudaLaunchKernel", "cudaEventRecord", "cudaMemcpyAsync"}) {
    for (int64_t call = 1; call < 4; ++call) {
      INFO(function << ", call " << call);
      cameo_context *c = nullptr;
      cameo_options options = defaults();
      well(scaled_model.create(&options, &c));
      vector_in x(CAMEO_SPACE_HOST, ramp(40)), y(CAMEO_SPACE_HOST, std::vector<float>(40));
      {
        const own_stream stream;
        cameo_emu_fail(function, call, cudaErrorNotSupported, 0);
        CHECK((run_on(c, x, y, stream.handle).code == CAMEO_UNSUPPORTED || call > 1));
        cameo_emu_clear_failures();
      }
      cameo_finish(c);
      vector_in larger(CAMEO_SPACE_DEVICE, ramp(100000));
      cameo_tensor lent = larger.tensor;
      well(cameo_buffer(c, 0, &lent));
      well(run_on(c, x, y));
      well(cameo_finish(c));
      CHECK(y.values() == expected(ramp(40)));
      {
        const own_stream stream;
        well(run_on(c, x, y, stream.handle));
      }
      scaled_model.destroy(c);
    }
  }
}

TEST_CASE("a call that is refused leaves the run before as it is", "[lifetime]") {
  enum refusal { counts, dims, memory, api };
  for (const refusal why : {counts, dims, memory, api}) {
    for (int32_t space : {CAMEO_SPACE_HOST, CAMEO_SPACE_PINNED, CAMEO_SPACE_DEVICE}) {
      INFO("refusal " << why << ", space " << space);
      owner o;
      vector_in x(CAMEO_SPACE_HOST, ramp(60)), x2(CAMEO_SPACE_HOST, std::vector<float>(60, 9)),
          y(space, std::vector<float>(60)), y2(space, std::vector<float>(60));
      well(run_on(o.c, x, y));
      cameo_tensor bad = y2.tensor;
      int32_t count = 1;
      if (why == counts)
        count = 0;
      else if (why == dims)
        x2.tensor.rank = 3;
      else if (why == memory)
        bad.bytes = 8;
      else
        cameo_emu_fail("cudaStreamIsCapturing", 1, cudaErrorStreamCaptureImplicit, 0);
      const status refused = scaled_model.run(o.c, &x2.tensor, 1, &bad, count, nullptr);
      CHECK(refused.code == (why == api ? CAMEO_UNSUPPORTED : CAMEO_INVALID_ARGUMENT));
      cameo_emu_clear_failures();
      x2.tensor.rank = 1;
      if (why != counts) { // at once, while the first may be under way
        well(run_on(o.c, x2, y2));
        well(cameo_finish(o.c));
        CHECK(y2.values() == expected(std::vector<float>(60, 9)));
      } else {
        CHECK(cameo_finish(o.c).code == CAMEO_INVALID_ARGUMENT); // of the last call
        CHECK(cameo_finish(o.c).code == CAMEO_INVALID_ARGUMENT);
      }
      CHECK(y.values() == expected(ramp(60)));
    }
  }
}

TEST_CASE("an error of a run comes out, whatever is called after it", "[lifetime]") {
  for (int32_t space : {CAMEO_SPACE_HOST, CAMEO_SPACE_PINNED, CAMEO_SPACE_DEVICE}) {
    INFO("space " << space);
    owner o;
    std::vector<float> bad = ramp(30);
    bad[7] = -5;
    vector_in wrong(CAMEO_SPACE_DEVICE, bad), good(CAMEO_SPACE_DEVICE, ramp(30)),
        y(space, std::vector<float>(30)), y2(space, std::vector<float>(30));
    well(run_on(o.c, wrong, y));
    well(run_on(o.c, good, y2));
    well(run_on(o.c, good, y2));
    CHECK(cameo_finish(o.c).code == CAMEO_OUT_OF_RANGE);
    CHECK(cameo_finish(o.c).code == CAMEO_OUT_OF_RANGE);
    CHECK(y2.values() == expected(ramp(30)));
    well(run_on(o.c, good, y));
    well(cameo_finish(o.c)); // told once
    well(run_on(o.c, wrong, y));
    CHECK(scaled_model.run(o.c, nullptr, 1, nullptr, 1, nullptr).code == CAMEO_INVALID_ARGUMENT);
    CHECK(cameo_finish(o.c).code == CAMEO_OUT_OF_RANGE);
  }
}

TEST_CASE("a run whose end could not be waited for is over", "[lifetime]") {
  owner o;
  vector_in x(CAMEO_SPACE_HOST, ramp(30)), y(CAMEO_SPACE_HOST, std::vector<float>(30));
  well(run_on(o.c, x, y));
  cameo_emu_fail("cudaEventSynchronize", 1, cudaErrorNotSupported, 0);
  CHECK(cameo_finish(o.c).code == CAMEO_UNSUPPORTED);
  CHECK(cameo_finish(o.c).code == CAMEO_UNSUPPORTED);
  cameo_emu_clear_failures();
  y.host.assign(30, -1.0f); // the caller's again
  vector_in y2(CAMEO_SPACE_HOST, std::vector<float>(30));
  well(run_on(o.c, x, y2));
  well(cameo_finish(o.c));
  CHECK(y2.values() == expected(ramp(30)));
  CHECK(y.values() == std::vector<float>(30, -1.0f));
}

TEST_CASE("an output's event comes when its data is there", "[lifetime]") {
  owner o;
  cudaEvent_t event;
  must(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  for (int64_t stride : {1, 2})
    for (int32_t space = 0; space < 4; ++space) {
      INFO("space " << space << ", stride " << stride);
      const own_stream stream;
      vector_in x(CAMEO_SPACE_DEVICE, ramp(90)), y(space, std::vector<float>(90), stride);
      y.tensor.done = event;
      well(run_on(o.c, x, y, stream.handle));
      must(cudaEventSynchronize(event));
      CHECK(y.values() == expected(ramp(90)));
    }
  well(cameo_finish(o.c));
  must(cudaEventDestroy(event));
}

TEST_CASE("no stream is the default stream", "[lifetime]") {
  owner o;
  vector_in x(CAMEO_SPACE_DEVICE, std::vector<float>(64)),
      y(CAMEO_SPACE_DEVICE, std::vector<float>(64)), z(CAMEO_SPACE_PINNED, std::vector<float>(64)),
      late(CAMEO_SPACE_PINNED, ramp(64));
  for (int i = 0; i < 3; ++i) { // no other sync than the stream's own
    must(cudaMemcpyAsync(x.memory, late.memory, 256, cudaMemcpyHostToDevice, nullptr));
    well(run_on(o.c, x, y));
    must(cudaMemcpyAsync(z.memory, y.memory, 256, cudaMemcpyDeviceToHost, nullptr));
    must(cudaStreamSynchronize(nullptr));
    CHECK(static_cast<float *>(z.memory)[63] == 126.5f);
    must(cudaMemsetAsync(y.memory, 0, 256, nullptr));
  }
  // Streams that the default stream is ordered with are ordered with the run.
  cudaStream_t blocking = nullptr;
  must(cudaStreamCreateWithFlags(&blocking, cudaStreamDefault));
  must(cudaMemcpyAsync(x.memory, late.memory, 256, cudaMemcpyHostToDevice, blocking));
  well(run_on(o.c, x, z));
  must(cudaMemsetAsync(x.memory, 0, 256, blocking));
  must(cudaStreamSynchronize(blocking));
  must(cudaStreamDestroy(blocking));
  well(cameo_finish(o.c));
  CHECK(static_cast<float *>(z.memory)[5] == 10.5f);
}

TEST_CASE("without a driver or a device every way in says so", "[lifetime]") {
  const auto refused = [](const std::string &text) {
    cameo_options options = defaults();
    cameo_context *c = nullptr;
    cameo_weights *weights = nullptr;
    model m(scaled_model);
    session s;
    for (const status &status :
         {scaled_model.create(&options, &c), cameo_weights_load(&scaled_model, &options, &weights),
          m.load(), m.open(s)}) {
      CHECK(status.code == CAMEO_UNSUPPORTED);
      CHECK(text_of(status).find(text) != std::string::npos);
    }
    CHECK(c == nullptr);
    CHECK(weights == nullptr);
  };
  cameo_emu_devices(0, size_t{16} << 30, 90);
  refused("there is no CUDA device");
  cameo_emu_devices(-1, size_t{16} << 30, 90);
  refused("there is no CUDA driver");
  cameo_emu_devices(1, size_t{16} << 30, 90);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("in a child of fork() every call says that CUDA is the parent's", "[lifetime]") {
  owner o;
  vector_in x(CAMEO_SPACE_HOST, ramp(5)), y(CAMEO_SPACE_HOST, std::vector<float>(5));
  well(scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
  const pid_t child = fork();
  if (child == 0) {
    (void)alarm(10);
    float fetched[5];
    cameo_tensor lent = y.tensor;
    bool right = true;
    for (const status &s :
         {scaled_model.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr), cameo_finish(o.c),
          cameo_poll(o.c), cameo_wait(o.c, 0), cameo_ready(o.c, 0),
          cameo_fetch(o.c, 0, fetched, sizeof fetched), cameo_buffer(o.c, 0, &lent)})
      right = right && s.code == CAMEO_UNSUPPORTED &&
              text_of(s).find("before a fork()") != std::string::npos;
    scaled_model.destroy(o.c); // returns
    _exit(right ? 0 : 1);
  }
  int how = -1;
  REQUIRE(waitpid(child, &how, 0) == child);
  CHECK(how == 0);
  well(cameo_finish(o.c));
  CHECK(y.values() == expected(ramp(5)));
}

TEST_CASE("a device that fails an allocation is lost, not short of memory", "[lifetime]") {
  for (const char *function : {"cudaMalloc", "cudaMallocHost"}) {
    INFO(function);
    int lost = 0;
    for (int64_t call = 1; lost == call - 1; ++call) {
      INFO("call " << call);
      vector_in x(CAMEO_SPACE_HOST, ramp(32)), y(CAMEO_SPACE_HOST, std::vector<float>(32));
      cameo_options options = defaults();
      cameo_context *c = nullptr;
      cameo_emu_fail(function, call, cudaErrorIllegalAddress, 0);
      status s = scaled_model.create(&options, &c);
      if (s.code == CAMEO_OK)
        s = run_on(c, x, y);
      if (s.code == CAMEO_OK)
        s = cameo_finish(c);
      CHECK((s.code == CAMEO_OK || s.code == CAMEO_DEVICE_LOST));
      lost += s.code == CAMEO_DEVICE_LOST;
      scaled_model.destroy(c);
      cameo_emu_clear_failures();
    }
    CHECK(lost > 3);
  }
}

TEST_CASE("nothing runs on a device that could not be made current", "[lifetime]") {
  cameo_emu_devices(2, size_t{16} << 30, 90);
  cameo_options options = defaults();
  options.device = 1; // the current one is 0
  for (const char *function : {"cudaGetDevice", "cudaSetDevice"}) {
    INFO(function);
    int failures = 0;
    for (int64_t call = 1; call < 40; ++call) {
      INFO("call " << call);
      vector_in x(CAMEO_SPACE_HOST, ramp(8)), y(CAMEO_SPACE_HOST, std::vector<float>(8));
      cameo_context *c = nullptr;
      cameo_emu_fail(function, call, cudaErrorNotSupported, 0);
      status s = scaled_model.create(&options, &c);
      const bool created = s.code == CAMEO_OK;
      if (created)
        s = run_on(c, x, y);
      failures += s.code != CAMEO_OK;
      CHECK((s.code == CAMEO_OK || s.code == CAMEO_UNSUPPORTED));
      cameo_emu_clear_failures();
      if (created) {
        well(run_on(c, x, y));
        well(cameo_finish(c));
        CHECK(y.values() == expected(ramp(8)));
      }
      scaled_model.destroy(c);
      must(cudaSetDevice(0));
      if (s.code == CAMEO_OK && call > 10)
        break;
    }
    CHECK(failures > 1);
  }
  cameo_emu_devices(1, size_t{16} << 30, 90);
}
