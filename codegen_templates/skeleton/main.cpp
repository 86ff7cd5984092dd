// Runs the model once:
// {{name}} [--in K=FILE.npy]... [--out FOLDER] [--weights FILE] [--threads N] [--repeat N]
//
// K is the number or the name of an input. Inputs that are not given are made up, the same in every
// run; symbols that no given input binds are their least value, or 1. Prints the outputs' shapes, a
// few elements and the fastest time; --out writes output_K.npy, --weights reads them from a file.
#include "{{name}}.h"

#include "cameo/model.h"
#include "cameo/npy.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace {

using cameo::npy::array;

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "{{name}}: %s\n", message.c_str());
  std::exit(1);
}

void check(const cameo_status &status, const char *weights = nullptr) {
  if (status.code == CAMEO_OK)
    return;
  char text[512];
  cameo_format(&status, &{{name}}_model, text, sizeof text);
  const bool is_file = status.code == CAMEO_LOAD_ERROR && weights;
  fail(text + (is_file ? std::string(" (") + weights + ")" : std::string()));
}

/// A whole number of at least `least`, or the end.
int read_count(const std::string &flag, const std::string &value, int least) {
  char *end = nullptr;
  const long count = std::strtol(value.c_str(), &end, 10);
  if (value.empty() || *end != '\0' || count < least || count > 1000000000)
    fail(flag + " takes a number of at least " + std::to_string(least) + ", not " + value);
  return static_cast<int>(count);
}

/// Small numbers, so that nothing overflows: floats in [-1, 1), integers 0 and 1.
void make_up(array &a) {
  const cameo_tensor t = a.tensor();
  const int64_t n = cameo::element_count(t);
  a.data.resize(static_cast<size_t>(cameo::dense_bytes(a.dtype, t.dims, t.rank)));
  cameo::with_element(a.dtype, [&](auto zero) {
    using T = decltype(zero);
    uint32_t state = 12345;
    std::vector<unsigned char> elements(static_cast<size_t>(n) * sizeof(T));
    for (size_t at = 0; at < elements.size(); at += sizeof(T)) {
      state = state * 1664525u + 1013904223u;
      const float value = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
      const T x = cameo::cast<T>(cameo::is_float_v<T> ? value : static_cast<float>(state >> 31));
      std::memcpy(&elements[at], &x, sizeof x);
    }
    if (cameo::is_packed_v<T>)
      cameo::npy::pack(a.dtype, a.data.data(), elements.data(), n);
    else
      a.data.swap(elements);
  });
}

/// The number of the input that the user means.
int32_t find_input(const std::string &key) {
  for (int32_t i = 0; i < {{name}}_model.input_count; ++i)
    if (key == std::to_string(i) || key == {{name}}_model.inputs[i].name)
      return i;
  fail("there is no input " + key);
}

/// The first few.
void print_elements(const cameo_tensor &t) {
  const int64_t n = cameo::element_count(t);
  cameo::with_element(t.dtype, [&](auto x) {
    using T = decltype(x);
    for (int64_t i = 0; i < n && i < 4; ++i) {
      if constexpr (cameo::is_packed_v<T>)
        x = cameo::load_packed<T>(static_cast<const uint8_t *>(t.data), i);
      else
        std::memcpy(&x, static_cast<const T *>(t.data) + i, sizeof x);
      if constexpr (cameo::is_float_v<T>)
        std::printf(" %g", cameo::cast<double>(x));
      else if constexpr (std::is_unsigned_v<T>)
        std::printf(" %llu", static_cast<unsigned long long>(x));
      else
        std::printf(" %lld", cameo::cast<long long>(x));
    }
  });
  std::printf(n > 4 ? " ...\n" : "\n");
}

} // namespace

int main(int argc, char **argv) {
  const cameo_model &model = {{name}}_model;
  const auto input_count = static_cast<size_t>(model.input_count);
  const auto output_count = static_cast<size_t>(model.output_count);
  std::vector<array> given(input_count);
  std::string folder, weights;
  cameo::model runner(model);
  int repeat = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (i + 1 == argc)
      fail("usage: {{name}} [--in K=FILE.npy]... [--out FOLDER] [--weights FILE] [--threads N] "
           "[--repeat N]");
    const std::string value = argv[++i];
    const size_t equals = value.find('=');
    if (flag == "--in" && equals != std::string::npos) {
      const int32_t index = find_input(value.substr(0, equals));
      const std::string path = value.substr(equals + 1);
      if (const char *problem = cameo::npy::read(path.c_str(), model.inputs[index].dtype,
                                                 given[static_cast<size_t>(index)]))
        fail(path + ": " + problem);
    } else if (flag == "--out") {
      folder = value;
    } else if (flag == "--weights") {
      weights = value;
      runner.options().weights_path = weights.c_str();
    } else if (flag == "--threads") {
      runner.options().threads = read_count(flag, value, 0);
    } else if (flag == "--repeat") {
      repeat = read_count(flag, value, 1);
    } else {
      fail("there is no flag " + flag);
    }
  }

  std::vector<int64_t> symbols(static_cast<size_t>(model.symbol_count), -1);
  for (size_t i = 0; i < input_count; ++i)
    for (size_t d = 0; d < given[i].dims.size(); ++d)
      if (static_cast<int32_t>(d) < model.inputs[i].rank && model.inputs[i].dims[d].symbol >= 0)
        symbols[static_cast<size_t>(model.inputs[i].dims[d].symbol)] = given[i].dims[d];
  std::vector<cameo_tensor> inputs(input_count), outputs(output_count);
  for (size_t i = 0; i < input_count; ++i) {
    const cameo_port &port = model.inputs[i];
    if (given[i].dtype == CAMEO_UNDEFINED) {
      for (int32_t d = 0; d < port.rank; ++d) {
        const cameo_dim &dim = port.dims[d];
        const int64_t bound = dim.symbol < 0 ? -1 : symbols[static_cast<size_t>(dim.symbol)];
        given[i].dims.push_back(bound >= 0 ? bound : dim.min > 0 ? dim.min : 1);
      }
      given[i].dtype = port.dtype;
      make_up(given[i]);
    }
    inputs[i] = given[i].tensor();
  }

  std::vector<std::vector<int64_t>> dims(output_count, std::vector<int64_t>(CAMEO_MAX_RANK));
  std::vector<std::vector<unsigned char>> memory(output_count);
  for (size_t k = 0; k < output_count; ++k) {
    outputs[k].dims = dims[k].data();
    outputs[k].dtype = model.outputs[k].dtype;
  }
  check(runner.infer_shapes(inputs.data(), outputs.data()));
  for (size_t k = 0; k < output_count; ++k) {
    memory[k].resize(outputs[k].bytes);
    outputs[k].data = outputs[k].bytes ? memory[k].data() : nullptr;
  }
  cameo::session session;
  check(runner.open(session), runner.options().weights_path);
  std::error_code problem;
  if (!folder.empty() && !std::filesystem::create_directories(folder, problem) && problem)
    fail("cannot make the folder " + folder + ": " + problem.message());
  double best = 0;
  for (int run = 0; run < repeat; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    check(session.run(inputs.data(), model.input_count, outputs.data(), model.output_count));
    check(session.finish());
    const double ms = std::chrono::duration<double, std::milli>(
                          std::chrono::steady_clock::now() - begin)
                          .count();
    best = run == 0 || ms < best ? ms : best;
  }
  for (size_t k = 0; k < output_count; ++k) {
    cameo_tensor &t = outputs[k];
    check(cameo_output(session.get(), static_cast<int32_t>(k), &t));
    std::printf("%s %s [", model.outputs[k].name, cameo_dtype_name(t.dtype));
    for (int32_t d = 0; d < t.rank; ++d)
      std::printf(d ? ", %lld" : "%lld", static_cast<long long>(t.dims[d]));
    std::printf("]");
    print_elements(t);
    const std::string path = folder + "/output_" + std::to_string(k) + ".npy";
    if (const char *problem = folder.empty() ? nullptr : cameo::npy::write(path.c_str(), t))
      fail(path + ": " + problem);
  }
  std::printf(best < 1000 ? "%.4g ms\n" : "%.0f ms\n", best);
  return 0;
}
