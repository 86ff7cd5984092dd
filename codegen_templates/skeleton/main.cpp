// Runs the model once:
// {{name}} [--in K=FILE.npy]... [--out FOLDER] [--weights FILE] [--threads N] [--repeat N]
//
// K is the number or the name of an input. Inputs that are not given are made up, the same in every
// run; symbols that no given input binds are their least value, or 1. Prints the outputs' shapes, a
// few elements and the fastest time; --out writes output_K.npy, --weights reads them from a file.
#include "{{name}}.h"

#include "cameo/model.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace {

struct array {
  std::vector<unsigned char> data;
  std::vector<int64_t> dims;
  int32_t dtype = CAMEO_UNDEFINED;
};

struct dtype_name {
  int32_t dtype;
  const char *npy;
};

/// Types that numpy lacks are stored as integers of their width.
const dtype_name dtype_names[] = {
    {CAMEO_FLOAT, "<f4"},         {CAMEO_DOUBLE, "<f8"},        {CAMEO_FLOAT16, "<f2"},
    {CAMEO_BFLOAT16, "<u2"},      {CAMEO_BOOL, "|b1"},          {CAMEO_INT8, "|i1"},
    {CAMEO_UINT8, "|u1"},         {CAMEO_INT16, "<i2"},         {CAMEO_UINT16, "<u2"},
    {CAMEO_INT32, "<i4"},         {CAMEO_UINT32, "<u4"},        {CAMEO_INT64, "<i8"},
    {CAMEO_UINT64, "<u8"},        {CAMEO_FLOAT8E4M3FN, "|u1"},  {CAMEO_FLOAT8E4M3FNUZ, "|u1"},
    {CAMEO_FLOAT8E5M2, "|u1"},    {CAMEO_FLOAT8E5M2FNUZ, "|u1"}, {CAMEO_FLOAT8E8M0, "|u1"},
};

const char *npy_name(int32_t dtype) {
  for (const dtype_name &row : dtype_names)
    if (row.dtype == dtype)
      return row.npy;
  return nullptr;
}

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

size_t element_bytes(int32_t dtype) { return static_cast<size_t>(cameo_dtype_bits(dtype)) / 8; }

size_t count(const std::vector<int64_t> &dims) {
  size_t n = 1;
  for (const int64_t extent : dims)
    n *= static_cast<size_t>(extent);
  return n;
}

/// Reads a .npy file that must hold elements of `dtype`, row-major.
array read_npy(const std::string &path, int32_t dtype) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    fail("cannot open " + path);
  std::vector<unsigned char> bytes;
  unsigned char block[1 << 16];
  while (const size_t got = std::fread(block, 1, sizeof block, file))
    bytes.insert(bytes.end(), block, block + got);
  std::fclose(file);
  if (bytes.size() < 12 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0)
    fail(path + " is no .npy file");
  const bool is_first = bytes[6] == 1;
  const size_t start = is_first ? 10 : 12;
  size_t length = bytes[8] + (static_cast<size_t>(bytes[9]) << 8);
  if (!is_first)
    length += (static_cast<size_t>(bytes[10]) << 16) + (static_cast<size_t>(bytes[11]) << 24);
  if (length > bytes.size() - start)
    fail(path + " is cut short");
  const std::string header(bytes.begin() + static_cast<std::ptrdiff_t>(start),
                           bytes.begin() + static_cast<std::ptrdiff_t>(start + length));
  const char *type = npy_name(dtype);
  if (!type || header.find(std::string("'") + type + "'") == std::string::npos)
    fail(path + " does not hold " + cameo_dtype_name(dtype));
  if (header.find("'fortran_order': False") == std::string::npos)
    fail(path + " is not row-major");
  array a;
  a.dtype = dtype;
  const size_t shape = header.find("'shape': (");
  if (shape == std::string::npos)
    fail(path + " has no shape");
  const char *at = header.c_str() + shape + std::strlen("'shape': (");
  while (*at >= '0' && *at <= '9') {
    char *end = nullptr;
    a.dims.push_back(std::strtoll(at, &end, 10));
    at = end;
    while (*at == ',' || *at == ' ')
      ++at;
  }
  a.data.assign(bytes.begin() + static_cast<std::ptrdiff_t>(start + length), bytes.end());
  if (a.data.size() != count(a.dims) * element_bytes(dtype))
    fail(path + " does not have the bytes of its shape");
  return a;
}

void write_npy(const std::string &path, const cameo_tensor &t) {
  const char *type = npy_name(t.dtype);
  std::string header = std::string("{'descr': '") + (type ? type : "|u1") +
                       "', 'fortran_order': False, 'shape': (";
  size_t bytes = element_bytes(t.dtype);
  for (int32_t d = 0; d < t.rank; ++d) {
    header += std::to_string(t.dims[d]) + ",";
    bytes *= static_cast<size_t>(t.dims[d]);
  }
  header += "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    fail("cannot write " + path);
  std::fwrite("\x93NUMPY\x01\x00", 1, 8, file);
  const unsigned char length[] = {static_cast<unsigned char>(header.size() & 255),
                                  static_cast<unsigned char>(header.size() >> 8)};
  std::fwrite(length, 1, 2, file);
  std::fwrite(header.data(), 1, header.size(), file);
  const bool is_whole = bytes == 0 || std::fwrite(t.data, 1, bytes, file) == bytes;
  if (std::fclose(file) != 0 || !is_whole)
    fail("cannot write " + path);
}

/// Small numbers, so that nothing overflows: floats in [-1, 1), integers 0 and 1.
void make_up(array &a) {
  uint32_t state = 12345;
  const size_t n = count(a.dims);
  a.data.resize(n * element_bytes(a.dtype));
  for (size_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    const float value = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
    const bool bit = state >> 31;
    if (a.dtype == CAMEO_FLOAT) {
      std::memcpy(&a.data[i * 4], &value, 4);
    } else if (a.dtype == CAMEO_DOUBLE) {
      const double wide = static_cast<double>(value);
      std::memcpy(&a.data[i * 8], &wide, 8);
    } else if (a.dtype == CAMEO_FLOAT16) {
      const uint16_t bits = bit ? 0x3c00 : 0xb800;
      std::memcpy(&a.data[i * 2], &bits, 2);
    } else if (a.dtype == CAMEO_BFLOAT16) {
      const uint16_t bits = bit ? 0x3f80 : 0xbf00;
      std::memcpy(&a.data[i * 2], &bits, 2);
    } else {
      a.data[i * element_bytes(a.dtype)] = bit;
    }
  }
}

/// The number of the input that the user means.
int32_t find_input(const std::string &key) {
  for (int32_t i = 0; i < {{name}}_model.input_count; ++i)
    if (key == std::to_string(i) || key == {{name}}_model.inputs[i].name)
      return i;
  fail("there is no input " + key);
}

void print_elements(const cameo_tensor &t) {
  size_t n = 1;
  for (int32_t d = 0; d < t.rank; ++d)
    n *= static_cast<size_t>(t.dims[d]);
  for (size_t i = 0; i < n && i < 4; ++i) {
    const auto *at = static_cast<const unsigned char *>(t.data) + i * element_bytes(t.dtype);
    if (t.dtype == CAMEO_FLOAT) {
      float value = 0;
      std::memcpy(&value, at, 4);
      std::printf(" %g", static_cast<double>(value));
    } else if (t.dtype == CAMEO_INT64) {
      int64_t value = 0;
      std::memcpy(&value, at, 8);
      std::printf(" %lld", static_cast<long long>(value));
    } else {
      std::printf(" 0x");
      for (size_t byte = element_bytes(t.dtype); byte-- > 0;)
        std::printf("%02x", static_cast<unsigned>(at[byte]));
    }
  }
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
      given[static_cast<size_t>(index)] =
          read_npy(value.substr(equals + 1), model.inputs[index].dtype);
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
    inputs[i].data = given[i].data.data();
    inputs[i].bytes = given[i].data.size();
    inputs[i].dims = given[i].dims.data();
    inputs[i].rank = static_cast<int32_t>(given[i].dims.size());
    inputs[i].dtype = given[i].dtype;
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
    if (!folder.empty())
      write_npy(folder + "/output_" + std::to_string(k) + ".npy", t);
  }
  std::printf("%.3f ms\n", best);
  return 0;
}
