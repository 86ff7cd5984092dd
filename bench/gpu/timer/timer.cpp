// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times one network on the device: networks DATA SECONDS, CAMEO_BENCH_MODEL says which. DATA has
// what its inputs and weights are made of (weights.py). Each result is a line of JSON:
// microseconds of a run by events, launched by a stream and as a graph, of each step of it, and of
// the host's call. It exits with 1 where an output is not finite, or the graph's outputs are not
// those of the stream; with 77 without a device.
#include "checks.h"
#include "made_bytes.h"

#include "cameo/dense.h"
#include "cameo/model.h"
#include "driver/profile.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

extern "C" const cameo_model *cameo_driver_model(void);

namespace {

void check(const cameo_model &model, const cameo_status &status) {
  char text[512];
  if (status.code == CAMEO_OK)
    return;
  cameo_format(&status, &model, text, sizeof text);
  fail(text);
}

void print(const char *name, double value, const char *unit) {
  std::printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", name, value, unit);
  std::fflush(stdout);
}

// ---- Tensors ------------------------------------------------------------------------------------

/// Tensors of the device, for all ports of one side. A network of the table has fixed extents.
class device_tensors {
public:
  device_tensors(const cameo_port *ports, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
      cameo_tensor t{};
      t.dtype = ports[i].dtype;
      t.rank = ports[i].rank;
      t.space = CAMEO_SPACE_DEVICE;
      dims_.emplace_back(CAMEO_MAX_RANK, 1);
      for (int32_t d = 0; d < t.rank; ++d)
        dims_.back()[static_cast<size_t>(d)] = ports[i].dims[d].min;
      all_.push_back(t);
    }
    for (size_t i = 0; i < all_.size(); ++i)
      all_[i].dims = dims_[i].data();
  }
  ~device_tensors() {
    for (const cameo_tensor &t : all_)
      cudaFree(t.data);
  }
  device_tensors(const device_tensors &) = delete;
  device_tensors &operator=(const device_tensors &) = delete;

  void allocate() {
    for (cameo_tensor &t : all_) {
      t.bytes = static_cast<size_t>(cameo::dense_bytes(t.dtype, t.dims, t.rank));
      CHECK(cudaMalloc(&t.data, t.bytes > 0 ? t.bytes : 1));
    }
  }
  void fill(const std::string &folder) {
    for (size_t i = 0; i < all_.size(); ++i) {
      std::vector<unsigned char> content(all_[i].bytes);
      made_bytes::make(content.data(), content.size(), folder + "/input_" + std::to_string(i));
      CHECK(cudaMemcpy(all_[i].data, content.data(), content.size(), cudaMemcpyHostToDevice));
    }
  }
  void clear(cudaStream_t stream) {
    for (const cameo_tensor &t : all_)
      CHECK(cudaMemsetAsync(t.data, 0xff, t.bytes, stream));
  }
  std::vector<std::string> read() const {
    std::vector<std::string> contents;
    for (const cameo_tensor &t : all_) {
      contents.emplace_back(t.bytes, '\0');
      CHECK(cudaMemcpy(&contents.back()[0], t.data, t.bytes, cudaMemcpyDeviceToHost));
    }
    return contents;
  }

  cameo_tensor *data() { return all_.data(); }
  int32_t count() const { return static_cast<int32_t>(all_.size()); }

private:
  std::vector<cameo_tensor> all_;
  std::vector<std::vector<int64_t>> dims_;
};

template <class T> bool are_finite(const std::string &content) {
  const auto *from = reinterpret_cast<const T *>(content.data());
  return std::all_of(from, from + content.size() / sizeof(T),
                     [](T x) { return std::isfinite(cameo::to_float(x)); });
}
bool is_finite(const std::string &content, int32_t dtype) {
  if (dtype == CAMEO_FLOAT)
    return are_finite<float>(content);
  return dtype != CAMEO_FLOAT16 || are_finite<cameo::half>(content);
}

// ---- Times --------------------------------------------------------------------------------------

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Microseconds on the device from one event to the next, the median of runs for so many seconds.
double time_us(cudaStream_t stream, double seconds, const std::function<void()> &work) {
  using clock = std::chrono::steady_clock;
  std::vector<double> all;
  const auto end = clock::now() + std::chrono::duration<double>(seconds);
  do
    all.push_back(1e3 * time_once(stream, work));
  while (clock::now() < end);
  return median(std::move(all));
}

/// Microseconds that the call takes the host, with nothing in front of it.
double host_us(cudaStream_t stream, const std::function<void()> &work) {
  using clock = std::chrono::steady_clock;
  std::vector<double> all;
  for (int repeat = 0; repeat < 21; ++repeat) {
    CHECK(cudaStreamSynchronize(stream));
    const clock::time_point begin = clock::now();
    work();
    all.push_back(std::chrono::duration<double, std::micro>(clock::now() - begin).count());
  }
  CHECK(cudaStreamSynchronize(stream));
  return median(std::move(all));
}

class graph {
public:
  graph(cudaStream_t stream, const std::function<void()> &work) {
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    work();
    CHECK(cudaStreamEndCapture(stream, &graph_));
    CHECK(cudaGraphInstantiate(&exec_, graph_, 0));
  }
  ~graph() {
    cudaGraphExecDestroy(exec_);
    cudaGraphDestroy(graph_);
  }
  graph(const graph &) = delete;
  graph &operator=(const graph &) = delete;

  void launch(cudaStream_t stream) { CHECK(cudaGraphLaunch(exec_, stream)); }

private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

void time_network(const cameo_model &model, const std::string &folder, double seconds) {
  const made_weights weights(model.weights, folder + "/weights");
  cameo_options options{};
  options.abi = CAMEO_ABI_VERSION;
  weights.set(options);
  cameo::session session;
  check(model, session.open(model, options));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  device_tensors in(model.inputs, model.input_count), out(model.outputs, model.output_count);
  in.allocate();
  in.fill(folder);
  check(model, model.infer_shapes(in.data(), in.count(), out.data(), out.count()));
  out.allocate();

  const auto run = [&] {
    check(model, session.run(in.data(), in.count(), out.data(), out.count(), stream));
  };
  run();
  check(model, session.finish());
  cameo_counters counters{};
  check(model, session.counters(counters));
  print("launches", static_cast<double>(counters.launches), "");
  const std::vector<std::string> outputs = out.read();
  for (size_t k = 0; k < outputs.size(); ++k)
    if (!is_finite(outputs[k], model.outputs[k].dtype))
      fail("output " + std::to_string(k) + " is not finite");
  print("stream", time_us(stream, seconds / 2, run), "us");
  print("host", host_us(stream, run), "us");
  check(model, session.finish());

  graph replay(stream, run);
  out.clear(stream);
  replay.launch(stream);
  CHECK(cudaStreamSynchronize(stream));
  if (out.read() != outputs)
    fail("the graph gives other outputs than the stream");
  print("graph", time_us(stream, seconds / 2, [&] { replay.launch(stream); }), "us");
  CHECK(cudaStreamSynchronize(stream));
  for (int repeat = 0; repeat < 5; ++repeat) {
    profile::begin_run(stream);
    run();
    check(model, session.finish());
    profile::end_run(0);
  }
  for (const profile::row &row : profile::rows())
    print((std::string("step ") + row.kernel).c_str(), 1e-3 * static_cast<double>(row.nanoseconds),
          "us");
  CHECK(cudaStreamDestroy(stream));
}

} // namespace

int main(int argc, char **argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "no device\n");
    return 77;
  }
  if (argc != 3) {
    std::fprintf(stderr, "usage: networks DATA SECONDS\n");
    return 2;
  }
  time_network(*cameo_driver_model(), argv[1], std::atof(argv[2]));
  return 0;
}
