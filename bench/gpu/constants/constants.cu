// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a model of time needs to know of a GPU, one line of JSON each: constants GROUP, where GROUP
// is `device`, `ceilings` (some seconds) or `constants` (about a minute). Without a device it says
// so and exits 77.
#include "checks.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

namespace {

void print(const char *name, double value, const char *unit, double at = 0) {
  std::printf("{\"name\": \"%s\", \"at\": %.0f, \"value\": %.6g, \"unit\": \"%s\"}\n", name, at,
              value, unit);
  std::fflush(stdout);
}

/// Milliseconds on the device from one event to the next: the median of several.
double time_ms(cudaStream_t stream, int repeats, const std::function<void()> &work) {
  work(); // warm
  std::vector<double> all;
  for (int i = 0; i < repeats; ++i)
    all.push_back(time_once(stream, work));
  std::nth_element(all.begin(), all.begin() + repeats / 2, all.end());
  return all[static_cast<size_t>(repeats / 2)];
}

// ---- Kernels ----------------------------------------------------------------------------------

__global__ void empty_kernel() {}

/// As empty, but lets its successor start at once and waits for its predecessor.
__global__ void dependent_kernel() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Bits that look random: zeros take less power than what is ever read.
__global__ void fill_kernel(uint4 *to, size_t count) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count;
       i += size_t{gridDim.x} * blockDim.x) {
    const auto x = static_cast<uint32_t>(i) * 2654435761u;
    to[i] = {x, x ^ (x >> 15), x * 2246822519u, ~x};
  }
}

__global__ void copy_kernel(const uint4 *from, uint4 *to, size_t count) {
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count;
       i += size_t{gridDim.x} * blockDim.x)
    to[i] = from[i];
}

__global__ void read_kernel(const uint4 *from, uint32_t *sink, size_t count) {
  uint32_t sum = 0;
  for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count;
       i += size_t{gridDim.x} * blockDim.x) {
    const uint4 v = from[i];
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x12345678u) // never, but the compiler does not know
    *sink = sum;
}

/// Each load gives the address of the next.
__global__ void chase_kernel(const uint32_t *next, uint32_t *sink, int steps) {
  uint32_t at = 0;
  for (int i = 0; i < steps; ++i)
    at = __ldcg(next + at);
  *sink = at;
}

__global__ void clock_kernel(long long *cycles, int steps, float *sink) {
  const long long begin = clock64();
  float x = static_cast<float>(threadIdx.x);
  for (int i = 0; i < steps; ++i)
    x = x * 1.0001f + 0.5f;
  *sink = x;
  *cycles = clock64() - begin;
}

// ---- Measurements -----------------------------------------------------------------------------

struct buffers {
  void *a = nullptr, *b = nullptr;
  size_t bytes;
  explicit buffers(size_t bytes) : bytes(bytes) {
    CHECK(cudaMalloc(&a, bytes));
    CHECK(cudaMalloc(&b, bytes));
    fill_kernel<<<1024, 256>>>(static_cast<uint4 *>(a), bytes / sizeof(uint4));
    fill_kernel<<<1024, 256>>>(static_cast<uint4 *>(b), bytes / sizeof(uint4));
    CHECK(cudaDeviceSynchronize());
  }
  ~buffers() {
    cudaFree(a);
    cudaFree(b);
  }
  buffers(const buffers &) = delete;
  buffers &operator=(const buffers &) = delete;
};

int multiprocessors() {
  int count = 0;
  CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

void device() {
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  print("compute_capability", p.major * 10 + p.minor, "");
  print("multiprocessors", p.multiProcessorCount, "");
  print("l2", p.l2CacheSize, "bytes");
  print("memory", static_cast<double>(p.totalGlobalMem), "bytes");
  print("shared_per_block_optin", static_cast<double>(p.sharedMemPerBlockOptin), "bytes");
}

void clock_rate(cudaStream_t stream) {
  long long *cycles, counted = 0;
  float *sink;
  CHECK(cudaMalloc(&cycles, sizeof *cycles));
  CHECK(cudaMalloc(&sink, sizeof *sink));
  const int steps = 10'000'000;
  const double ms =
      time_ms(stream, 3, [&] { clock_kernel<<<1, 32, 0, stream>>>(cycles, steps, sink); });
  CHECK(cudaMemcpy(&counted, cycles, sizeof counted, cudaMemcpyDeviceToHost));
  print("clock", static_cast<double>(counted) / ms * 1e-6, "GHz");
  CHECK(cudaFree(cycles));
  CHECK(cudaFree(sink));
}

void bandwidth(cudaStream_t stream, size_t from, size_t to) {
  buffers memory(to);
  const int blocks = multiprocessors() * 8;
  for (size_t bytes = from; bytes <= to; bytes *= 4) {
    const size_t count = bytes / sizeof(uint4);
    const double copied = time_ms(stream, 20, [&] {
      copy_kernel<<<blocks, 512, 0, stream>>>(static_cast<uint4 *>(memory.a),
                                              static_cast<uint4 *>(memory.b), count);
    });
    print("copy", 2e-6 * static_cast<double>(bytes) / copied, "GB/s", static_cast<double>(bytes));
    const double read = time_ms(stream, 20, [&] {
      read_kernel<<<blocks, 512, 0, stream>>>(static_cast<uint4 *>(memory.a),
                                              static_cast<uint32_t *>(memory.b), count);
    });
    print("read", 1e-6 * static_cast<double>(bytes) / read, "GB/s", static_cast<double>(bytes));
  }
}

/// How much a part of the machine draws.
void bandwidth_by_blocks(cudaStream_t stream) {
  buffers memory(size_t{1} << 30);
  for (int blocks = 1; blocks <= multiprocessors(); blocks *= 2) {
    const size_t bytes = std::min<size_t>(memory.bytes, static_cast<size_t>(blocks) << 25);
    const double ms = time_ms(stream, 10, [&] {
      read_kernel<<<blocks, 1024, 0, stream>>>(
          static_cast<uint4 *>(memory.a), static_cast<uint32_t *>(memory.b), bytes / sizeof(uint4));
    });
    print("read_by_blocks", 1e-6 * static_cast<double>(bytes) / ms, "GB/s", blocks);
  }
}

void transfers(cudaStream_t stream) {
  for (size_t bytes = 4; bytes <= size_t{64} << 20; bytes *= 16) {
    void *pinned, *device;
    CHECK(cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault));
    CHECK(cudaMalloc(&device, bytes));
    std::memset(pinned, 0x5b, bytes);
    const double up = time_ms(stream, 20, [&] {
      CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice, stream));
    });
    const double down = time_ms(stream, 20, [&] {
      CHECK(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost, stream));
    });
    print("h2d", 1e3 * up, "us", static_cast<double>(bytes));
    print("d2h", 1e3 * down, "us", static_cast<double>(bytes));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(device));
  }
}

void latency(cudaStream_t stream) {
  for (size_t bytes = size_t{1} << 16; bytes <= size_t{1} << 30; bytes *= 16) {
    // A cycle through lines of 128 bytes, far apart.
    const size_t lines = bytes / 128, stride = lines / 2 + 7;
    std::vector<uint32_t> next(bytes / 4);
    for (size_t line = 0, at = 0; line < lines; ++line, at = (at + stride) % lines)
      next[at * 32] = static_cast<uint32_t>((at + stride) % lines * 32);
    uint32_t *device, *sink;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMalloc(&sink, 4));
    CHECK(cudaMemcpy(device, next.data(), bytes, cudaMemcpyHostToDevice));
    const int steps = 20000;
    const double ms =
        time_ms(stream, 3, [&] { chase_kernel<<<1, 1, 0, stream>>>(device, sink, steps); });
    print("latency", 1e6 * ms / steps, "ns", static_cast<double>(bytes));
    CHECK(cudaFree(device));
    CHECK(cudaFree(sink));
  }
}

void launch_chain(cudaStream_t stream, int length, bool is_dependent) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(128);
  config.stream = stream;
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &early;
  config.numAttrs = is_dependent ? 1 : 0;
  for (int i = 0; i < length; ++i)
    CHECK(is_dependent ? cudaLaunchKernelEx(&config, dependent_kernel)
                       : cudaLaunchKernelEx(&config, empty_kernel));
}

/// Chains of 200 kernels that do nothing, by stream and by graph, with and without dependent
/// launch.
void launches(cudaStream_t stream) {
  constexpr int length = 200;
  int major = 0;
  CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  for (const bool is_dependent : {false, true}) {
    if (is_dependent && major < 9)
      continue;
    const double stream_ms =
        time_ms(stream, 50, [&] { launch_chain(stream, length, is_dependent); });
    print(is_dependent ? "launch_stream_pdl" : "launch_stream", 1e3 * stream_ms / length, "us");
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    launch_chain(stream, length, is_dependent);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    const double graph_ms = time_ms(stream, 50, [&] { CHECK(cudaGraphLaunch(exec, stream)); });
    print(is_dependent ? "launch_graph_pdl" : "launch_graph", 1e3 * graph_ms / length, "us");
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
  }
  const double one = time_ms(stream, 200, [&] { empty_kernel<<<1, 128, 0, stream>>>(); });
  print("launch_alone", 1e3 * one, "us");
}

int run(const char *group) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  if (std::strcmp(group, "device") == 0) {
    device();
  } else if (std::strcmp(group, "ceilings") == 0) {
    device();
    clock_rate(stream);
    bandwidth(stream, size_t{1} << 30, size_t{1} << 30);
    launches(stream);
  } else if (std::strcmp(group, "constants") == 0) {
    launches(stream);
    bandwidth(stream, size_t{1} << 16, size_t{1} << 32);
    bandwidth_by_blocks(stream);
    latency(stream);
    transfers(stream);
  } else {
    std::fprintf(stderr, "there is no group %s\n", group);
    return 2;
  }
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "no device: %s\n", cudaGetErrorString(error));
    return 77;
  }
  return run(argc > 1 ? argv[1] : "");
}
