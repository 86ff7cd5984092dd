// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the model of CAMEO_NULL_MODEL on the null device: main LOG. The log has all from loading the
// weights on; the line {"run": 1} begins the third run, which has nothing left to prepare, and
// {"done": MICROSECONDS} ends it, with the median of what a run costs the host. Weights and inputs
// are zeros, since nothing is computed; open dims are the least that they can be, but not 0.
#include "null_device.h"

#include "cameo/dense.h"
#include "cameo/model.h"
#include "cameo/profile.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

extern "C" const cameo_model *CAMEO_NULL_MODEL(void);

extern "C" {
void cameo_profile_begin(const char *kernel, int64_t) {
  if (std::FILE *file = null_device::log_file())
    std::fprintf(file, "{\"kernel\": \"%s\"}\n", kernel);
}
void cameo_profile_operations(int64_t count) {
  if (std::FILE *file = null_device::log_file())
    std::fprintf(file, "{\"operations\": %lld}\n", static_cast<long long>(count));
}
void cameo_profile_end(void) {}
void cameo_profile_stream(void *) {}
void cameo_profile_access(const void *memory, int64_t bytes, int32_t writes) {
  if (std::FILE *file = null_device::log_file())
    std::fprintf(file, "{\"access\": %zu, \"bytes\": %lld, \"writes\": %d}\n",
                 reinterpret_cast<size_t>(memory), static_cast<long long>(bytes),
                 static_cast<int>(writes));
}
void cameo_profile_depth(int64_t count) {
  if (std::FILE *file = null_device::log_file())
    std::fprintf(file, "{\"depth\": %lld}\n", static_cast<long long>(count));
}
}

namespace {

void check(const cameo_model &model, const cameo_status &status) {
  if (status.code == CAMEO_OK)
    return;
  char text[512];
  cameo_format(&status, &model, text, sizeof text);
  std::fprintf(stderr, "%s\n", text);
  std::exit(1);
}

/// As long as the program lives.
unsigned char *make_zeros(size_t bytes) {
  constexpr size_t alignment = 256;
  bytes = (bytes / alignment + 1) * alignment;
  auto *memory = static_cast<unsigned char *>(std::aligned_alloc(alignment, bytes));
  std::memset(memory, 0, bytes);
  return memory;
}

struct tensors {
  std::vector<cameo_tensor> all;
  std::vector<std::vector<int64_t>> dims;

  tensors(const cameo_port *ports, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
      cameo_tensor t{};
      t.dtype = ports[i].dtype;
      t.rank = ports[i].rank;
      t.space = ports[i].space;
      dims.emplace_back(CAMEO_MAX_RANK, 1);
      for (int32_t d = 0; d < t.rank; ++d)
        if (ports[i].dims[d].kind == CAMEO_DIM_VALUE || ports[i].dims[d].min > 0)
          dims.back()[static_cast<size_t>(d)] = ports[i].dims[d].min;
      all.push_back(t);
    }
    for (size_t i = 0; i < all.size(); ++i)
      all[i].dims = dims[i].data();
  }

  void allocate() {
    for (cameo_tensor &t : all) {
      t.bytes = cameo::dense_bytes(t.dtype, t.dims, t.rank);
      t.data = make_zeros(static_cast<size_t>(t.bytes));
    }
  }
  int32_t count() const { return static_cast<int32_t>(all.size()); }
};

/// A blob that the model takes for its weights.
void set_weights(cameo_options &options, const cameo_weights_info &info) {
  if (info.bytes == 0)
    return;
  const cameo_weights_header header{
      {'C', 'A', 'M', 'E', 'O', 'W', 'T', '1'}, info.bytes, info.hash, {}};
  options.weights_bytes = sizeof header + info.bytes;
  options.weights = std::memcpy(make_zeros(options.weights_bytes), &header, sizeof header);
}

} // namespace

int main(int argc, char **argv) {
  std::FILE *file = argc == 2 ? std::fopen(argv[1], "w") : nullptr;
  if (file == nullptr) {
    std::fprintf(stderr, "usage: main LOG\n");
    return 2;
  }
  null_device::log_to(file);
  const cameo_model &model = *CAMEO_NULL_MODEL();
  cameo_options options{};
  options.abi = CAMEO_ABI_VERSION;
  set_weights(options, model.weights);
  cameo_context *context = nullptr;
  check(model, model.create(&options, &context));

  tensors in(model.inputs, model.input_count), out(model.outputs, model.output_count);
  in.allocate();
  check(model, model.infer_shapes(in.all.data(), in.count(), out.all.data(), out.count()));
  out.allocate();
  const auto run = [&] {
    check(model,
          model.run(context, in.all.data(), in.count(), out.all.data(), out.count(), nullptr));
  };
  for (int preparation = 0; preparation < 2; ++preparation) {
    run();
    check(model, cameo_finish(context));
  }
  std::fprintf(file, "{\"run\": 1}\n");
  run();
  null_device::log_to(nullptr);

  using clock = std::chrono::steady_clock;
  std::vector<double> microseconds;
  for (int repeat = 0; repeat < 301; ++repeat) {
    const clock::time_point begin = clock::now();
    run();
    microseconds.push_back(std::chrono::duration<double, std::micro>(clock::now() - begin).count());
  }
  std::nth_element(microseconds.begin(), microseconds.begin() + 150, microseconds.end());
  std::fprintf(file, "{\"done\": %.2f}\n", microseconds[150]);
  std::fclose(file);
  model.destroy(context);
  return 0;
}
