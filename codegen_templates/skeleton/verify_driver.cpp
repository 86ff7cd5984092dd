// What `cameo verify` and `cameo run` build beside a generated library: reads a script of data sets,
// runs them in order on one context per model, and prints one line of JSON for each run. A line of
// the script is a word and its arguments, separated by one blank; `-` stands for nothing, a path is
// the rest of its line.
//
//   threads N                                          before the first run
//   stream user                                        inputs are written late, on another stream
//   case TEXT                                          begins a data set
//   model N                                            of the program's models; 0 if not said
//   input K SPACE DTYPE DIMS OFFSET STRIDES PATH       DIMS 2x3, OFFSET in bytes, STRIDES 3:1
//   connect K L                                        input K is output L of the run before
//   output K SPACE PATH                                where it is bound, where its elements go
//   repeat N
//   run
//
// Inputs are in their spaces before a run is timed and counted, outputs are fetched after it.
{{includes}}
#include "cameo/model.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#define DRIVER_CUDA {{cuda}}
#if DRIVER_CUDA
#include <cuda_runtime_api.h>
#endif

namespace {

const cameo_model *const models[] = { {{models}} };
constexpr size_t model_count = sizeof(models) / sizeof(models[0]);

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "driver: %s\n", message.c_str());
  std::exit(3);
}

// ---- Memory --------------------------------------------------------------------------------------

constexpr size_t guard_bytes = 64;
constexpr unsigned char guard_byte = 0xa5;

#if DRIVER_CUDA
void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    fail(std::string(what) + ": " + cudaGetErrorString(error));
}
#endif

/// Memory of one space with a guard behind it.
class memory {
public:
  memory(size_t bytes, int32_t space) : bytes_(bytes), space_(space) {
    const size_t all = bytes + guard_bytes;
#if DRIVER_CUDA
    if (space == CAMEO_SPACE_PINNED)
      check(cudaHostAlloc(&base_, all, cudaHostAllocDefault), "pinned memory");
    else if (space == CAMEO_SPACE_DEVICE)
      check(cudaMalloc(&base_, all), "device memory");
    else if (space == CAMEO_SPACE_MANAGED)
      check(cudaMallocManaged(&base_, all, cudaMemAttachGlobal), "managed memory");
    else
#endif
      base_ = std::aligned_alloc(64, (all + 63) / 64 * 64);
    if (!base_)
      fail("out of memory");
    const std::vector<unsigned char> poison(all, guard_byte);
    write(0, poison.data(), all);
  }
  ~memory() {
#if DRIVER_CUDA
    if (space_ == CAMEO_SPACE_PINNED)
      cudaFreeHost(base_);
    else if (space_ == CAMEO_SPACE_DEVICE || space_ == CAMEO_SPACE_MANAGED)
      cudaFree(base_);
    else
#endif
      std::free(base_);
  }
  memory(const memory &) = delete;
  memory &operator=(const memory &) = delete;

  unsigned char *data() const { return static_cast<unsigned char *>(base_); }
  size_t bytes() const { return bytes_; }
  int32_t space() const { return space_; }

  void write(size_t offset, const void *from, size_t bytes) {
#if DRIVER_CUDA
    if (space_ == CAMEO_SPACE_DEVICE) {
      check(cudaMemcpy(data() + offset, from, bytes, cudaMemcpyHostToDevice), "upload");
      return;
    }
#endif
    std::memcpy(data() + offset, from, bytes);
  }
  std::vector<unsigned char> read(size_t offset, size_t bytes) const {
    std::vector<unsigned char> copy(bytes);
#if DRIVER_CUDA
    if (space_ == CAMEO_SPACE_DEVICE) {
      check(cudaMemcpy(copy.data(), data() + offset, bytes, cudaMemcpyDeviceToHost), "download");
      return copy;
    }
#endif
    std::memcpy(copy.data(), data() + offset, bytes);
    return copy;
  }
  bool is_guard_whole() const {
    const std::vector<unsigned char> guard = read(bytes_, guard_bytes);
    return std::all_of(guard.begin(), guard.end(),
                       [](unsigned char byte) { return byte == guard_byte; });
  }

private:
  void *base_ = nullptr;
  size_t bytes_;
  int32_t space_;
};

// ---- The script ----------------------------------------------------------------------------------

int32_t parse_space(const std::string &word) {
  const char *const names[] = {"host", "pinned", "device", "managed", "null"};
  for (int32_t space = 0; space < 5; ++space)
    if (word == names[space])
      return space;
  fail("there is no space " + word);
}

std::vector<int64_t> parse_list(const std::string &word, char separator) {
  std::vector<int64_t> values;
  if (word == "-")
    return values;
  const char *at = word.c_str();
  while (true) {
    char *end = nullptr;
    values.push_back(std::strtoll(at, &end, 10));
    if (end == at || (*end != '\0' && *end != separator))
      fail("bad list " + word);
    if (*end == '\0')
      return values;
    at = end + 1;
  }
}

/// Takes the next word of a line.
std::string take_word(std::string &line) {
  const size_t end = std::min(line.find(' '), line.size());
  std::string word = line.substr(0, end);
  line.erase(0, end + 1);
  return word;
}

size_t take_number(std::string &line) {
  return static_cast<size_t>(std::strtoull(take_word(line).c_str(), nullptr, 10));
}

std::vector<unsigned char> read_file(const std::string &path) {
  std::vector<unsigned char> bytes;
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    fail("cannot open " + path);
  unsigned char block[1 << 16];
  while (const size_t got = std::fread(block, 1, sizeof block, file))
    bytes.insert(bytes.end(), block, block + got);
  std::fclose(file);
  return bytes;
}

void write_file(const std::string &path, const std::vector<unsigned char> &bytes) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    fail("cannot write " + path);
  const bool is_whole = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (std::fclose(file) != 0 || !is_whole)
    fail("cannot write " + path);
}

// ---- Tensors -------------------------------------------------------------------------------------

struct input {
  cameo_tensor tensor{};
  std::vector<int64_t> dims, strides;
  std::shared_ptr<memory> place;
  /// What belongs there, and from which byte on.
  std::vector<unsigned char> contents;
  size_t offset = 0;
};

struct output {
  cameo_tensor tensor{};
  std::vector<int64_t> dims = std::vector<int64_t>(CAMEO_MAX_RANK);
  std::shared_ptr<memory> place;
  int32_t space = -1;
  std::string path;
};

/// Dense elements at the places that strides give them; what lies between is poison.
std::vector<unsigned char> spread(const std::vector<unsigned char> &dense, const input &in,
                                  size_t element) {
  size_t last = 0, count = 1;
  for (size_t d = 0; d < in.dims.size(); ++d) {
    count *= static_cast<size_t>(in.dims[d]);
    last += static_cast<size_t>((in.dims[d] - 1) * in.strides[d]);
  }
  if (count == 0)
    return {};
  std::vector<unsigned char> spaced((last + 1) * element, guard_byte);
  for (size_t flat = 0; flat < count; ++flat) {
    size_t rest = flat, at = 0;
    for (size_t d = in.dims.size(); d-- > 0;) {
      at += rest % static_cast<size_t>(in.dims[d]) * static_cast<size_t>(in.strides[d]);
      rest /= static_cast<size_t>(in.dims[d]);
    }
    if ((flat + 1) * element <= dense.size())
      std::memcpy(&spaced[at * element], &dense[flat * element], element);
  }
  return spaced;
}

input parse_input(std::string &line) {
  input in;
  in.tensor.space = parse_space(take_word(line));
  in.tensor.dtype = static_cast<int32_t>(take_number(line));
  in.dims = parse_list(take_word(line), 'x');
  in.offset = take_number(line);
  in.strides = parse_list(take_word(line), ':');
  in.tensor.rank = static_cast<int32_t>(in.dims.size());
  in.tensor.dims = in.dims.data();
  if (in.tensor.space == CAMEO_SPACE_NULL || line == "-")
    return in;
  in.contents = read_file(line);
  const auto element = static_cast<size_t>(cameo_dtype_bits(in.tensor.dtype)) / 8;
  if (!in.strides.empty())
    in.contents = spread(in.contents, in, element);
  in.place = std::make_shared<memory>(in.offset + in.contents.size(), in.tensor.space);
  in.tensor.data = in.place->data() + in.offset;
  in.tensor.bytes = in.contents.size();
  in.tensor.strides = in.strides.empty() ? nullptr : in.strides.data();
  return in;
}

// ---- Runs ----------------------------------------------------------------------------------------

struct runner {
  std::unique_ptr<cameo::model> model;
  cameo::session session;
  bool is_open = false;
};

struct data_set {
  std::string name = "-";
  size_t model = 0;
  std::vector<std::pair<size_t, input>> inputs;
  std::vector<std::pair<size_t, size_t>> connections;
  std::vector<std::pair<size_t, std::pair<int32_t, std::string>>> outputs;
  int repeat = 1;
};

class driver {
public:
  driver() : runners_(model_count) {}

  void line(std::string text);

private:
  void run();
  cameo_status execute(runner &r, std::vector<input> &inputs, std::vector<output> &outputs);
  cameo_status open(runner &r, const cameo_model &table);
  void allocate(const cameo_model &table, runner &r, std::vector<input> &inputs,
                std::vector<output> &outputs);
  void print(const cameo_model &table, const cameo_status &status, runner &r,
             const std::vector<output> &outputs);

  std::vector<runner> runners_;
  data_set set_;
  std::vector<output> last_;
  std::vector<double> times_;
  bool is_repeatable_ = true, are_guards_whole_ = true;
  int threads_ = 0;
#if DRIVER_CUDA
  void start_writes(std::vector<input> &inputs);
  cudaStream_t user_ = nullptr, writer_ = nullptr;
  cudaEvent_t written_ = nullptr;
#endif
};

cameo_status driver::open(runner &r, const cameo_model &table) {
  if (r.is_open)
    return cameo::success();
  r.model = std::make_unique<cameo::model>(table);
  r.model->options().threads = threads_;
  const cameo_status status = r.model->open(r.session);
  r.is_open = cameo::ok(status);
  return status;
}

void driver::allocate(const cameo_model &table, runner &r, std::vector<input> &inputs,
                      std::vector<output> &outputs) {
  std::vector<cameo_tensor> in, out;
  for (input &i : inputs)
    in.push_back(i.tensor);
  for (size_t k = 0; k < outputs.size(); ++k) {
    outputs[k].tensor.dims = outputs[k].dims.data();
    outputs[k].tensor.dtype = table.outputs[k].dtype;
    outputs[k].tensor.kind = table.outputs[k].kind;
    outputs[k].tensor.space = outputs[k].space >= 0 ? outputs[k].space : table.outputs[k].space;
    out.push_back(outputs[k].tensor);
  }
  // A call that is wrong gets no memory: it must be refused for what is wrong with it.
  if (!cameo::ok(r.model->infer_shapes(in.data(), out.data())))
    return;
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (out[k].bytes == 0)
      continue;
    outputs[k].place = std::make_shared<memory>(out[k].bytes, outputs[k].tensor.space);
    outputs[k].tensor.data = outputs[k].place->data();
    outputs[k].tensor.bytes = out[k].bytes;
  }
}

#if DRIVER_CUDA
/// Copies device inputs on a stream of their own, which the run must wait for.
void driver::start_writes(std::vector<input> &inputs) {
  if (!writer_)
    check(cudaStreamCreateWithFlags(&writer_, cudaStreamNonBlocking), "stream");
  if (!written_)
    check(cudaEventCreateWithFlags(&written_, cudaEventDisableTiming), "event");
  for (input &in : inputs)
    if (in.place && in.place->space() == CAMEO_SPACE_DEVICE)
      check(cudaMemcpyAsync(in.tensor.data, in.contents.data(), in.contents.size(),
                            cudaMemcpyHostToDevice, writer_),
            "write");
  check(cudaEventRecord(written_, writer_), "event");
  for (input &in : inputs)
    if (in.place && in.place->space() == CAMEO_SPACE_DEVICE)
      in.tensor.ready = written_;
}
#endif

cameo_status driver::execute(runner &r, std::vector<input> &inputs, std::vector<output> &outputs) {
  std::vector<cameo_tensor> in, out;
  for (input &i : inputs) {
    if (i.place && !i.contents.empty())
      i.place->write(i.offset, i.contents.data(), i.contents.size());
  }
  void *stream = nullptr;
#if DRIVER_CUDA
  if (user_)
    start_writes(inputs);
  stream = user_;
#endif
  for (input &i : inputs)
    in.push_back(i.tensor);
  for (output &o : outputs)
    out.push_back(o.tensor);
  const auto begin = std::chrono::steady_clock::now();
  cameo_status status = r.session.run(in.data(), static_cast<int32_t>(in.size()), out.data(),
                                      static_cast<int32_t>(out.size()), stream);
  if (cameo::ok(status))
    status = r.session.finish();
  times_.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() -
                                                             begin)
                       .count());
  for (size_t k = 0; k < out.size(); ++k)
    outputs[k].tensor = out[k];
  return status;
}

/// The elements of an output, in host memory.
std::vector<unsigned char> fetch(runner &r, size_t index, const output &o) {
  size_t bits = static_cast<size_t>(cameo_dtype_bits(o.tensor.dtype));
  for (int32_t d = 0; d < o.tensor.rank; ++d)
    bits *= static_cast<size_t>(o.tensor.dims[d]);
  const size_t bytes = (bits + 7) / 8;
  if (o.place)
    return o.place->read(0, std::min(bytes, o.place->bytes()));
  std::vector<unsigned char> copy(bytes);
  if (bytes != 0 && !cameo::ok(r.session.fetch(static_cast<int32_t>(index), copy.data(), bytes)))
    fail("cannot fetch an output");
  return copy;
}

void driver::run() {
  if (set_.model >= model_count)
    fail("there is no such model");
  const cameo_model &table = *models[set_.model];
  runner &r = runners_[set_.model];
  std::vector<input> inputs(static_cast<size_t>(table.input_count));
  std::vector<output> outputs(static_cast<size_t>(table.output_count));
  for (auto &[index, in] : set_.inputs) {
    // One too many is a call that is wrong.
    if (index >= inputs.size())
      inputs.resize(index + 1);
    inputs[index] = std::move(in);
    inputs[index].tensor.dims = inputs[index].dims.data();
  }
  for (auto &[index, from] : set_.connections) {
    if (index >= inputs.size() || from >= last_.size())
      fail("a connection to nothing");
    inputs[index].tensor = last_[from].tensor;
    inputs[index].tensor.done = nullptr;
  }
  for (auto &[index, where] : set_.outputs) {
    if (index >= outputs.size())
      outputs.resize(index + 1);
    outputs[index].space = where.first;
    outputs[index].path = where.second;
  }

  times_.clear();
  is_repeatable_ = are_guards_whole_ = true;
  cameo_status status = open(r, table);
  if (cameo::ok(status)) {
    outputs.resize(std::min(outputs.size(), static_cast<size_t>(table.output_count)));
    if (inputs.size() == static_cast<size_t>(table.input_count))
      allocate(table, r, inputs, outputs);
    std::vector<std::vector<unsigned char>> first;
    for (int i = 0; i < set_.repeat && cameo::ok(status); ++i) {
      status = execute(r, inputs, outputs);
      if (!cameo::ok(status) || set_.repeat == 1)
        break;
      for (size_t k = 0; k < outputs.size(); ++k) {
        std::vector<unsigned char> elements = fetch(r, k, outputs[k]);
        if (i == 0)
          first.push_back(std::move(elements));
        else
          is_repeatable_ &= elements == first[k];
      }
    }
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (outputs[k].place)
        are_guards_whole_ &= outputs[k].place->is_guard_whole();
      if (cameo::ok(status) && !outputs[k].path.empty())
        write_file(outputs[k].path, fetch(r, k, outputs[k]));
    }
  }
  print(table, status, r, outputs);
  for (output &o : outputs)
    o.tensor.dims = o.dims.data();
  last_ = std::move(outputs);
}

std::string quote(const char *text) {
  std::string quoted = "\"";
  for (; text && *text; ++text) {
    const auto byte = static_cast<unsigned char>(*text);
    if (byte == '"' || byte == '\\') {
      quoted += '\\';
      quoted += *text;
    } else if (byte < 0x20 || byte > 0x7e) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(byte));
      quoted += escaped;
    } else {
      quoted += *text;
    }
  }
  return quoted + "\"";
}

void driver::print(const cameo_model &table, const cameo_status &status, runner &r,
                   const std::vector<output> &outputs) {
  char message[1024] = "";
  if (!cameo::ok(status))
    cameo_format(&status, &table, message, sizeof message);
  const char *node = status.node >= 0 && status.node < table.node_count ? table.nodes[status.node] : "";
  const char *tensor = "";
  if (status.tensor >= 0 && status.tensor < table.input_count)
    tensor = table.inputs[status.tensor].name;
  else if (status.tensor >= table.input_count &&
           status.tensor < table.input_count + table.output_count)
    tensor = table.outputs[status.tensor - table.input_count].name;
  std::printf("{\"case\": %s, \"model\": %d, \"status\": {\"code\": %s, \"message\": %s, \"node\": %s, "
              "\"tensor\": %s}, \"outputs\": [",
              quote(set_.name.c_str()).c_str(), static_cast<int>(set_.model),
              quote(cameo_code_name(status.code)).c_str(), quote(message).c_str(), quote(node).c_str(),
              quote(tensor).c_str());
  for (size_t k = 0; cameo::ok(status) && k < outputs.size(); ++k) {
    std::printf("%s{\"name\": %s, \"dtype\": %d, \"dims\": [", k ? ", " : "",
                quote(table.outputs[k].name).c_str(), static_cast<int>(outputs[k].tensor.dtype));
    for (int32_t d = 0; d < outputs[k].tensor.rank; ++d)
      std::printf(d ? ", %lld" : "%lld", static_cast<long long>(outputs[k].tensor.dims[d]));
    std::printf("]}");
  }
  cameo_counters counters{};
  if (r.is_open)
    (void)r.session.counters(counters);
  const struct {
    const char *name;
    int64_t value;
  } counts[] = {
      {"h2d", counters.h2d},
      {"h2d_bytes", counters.h2d_bytes},
      {"d2h", counters.d2h},
      {"d2h_bytes", counters.d2h_bytes},
      {"d2h_outputs", counters.d2h_outputs},
      {"d2d", counters.d2d},
      {"repacks", counters.repacks},
      {"repack_bytes", counters.repack_bytes},
      {"host_copies", counters.host_copies},
      {"host_copy_bytes", counters.host_copy_bytes},
      {"blocking_syncs", counters.blocking_syncs},
      {"launches", counters.launches},
      {"loop_iterations", counters.loop_iterations},
      {"shape_program_runs", counters.shape_program_runs},
      {"host_allocs", counters.host_allocs},
      {"device_allocs", counters.device_allocs}};
  std::printf("], \"counters\": {");
  for (const auto &count : counts)
    std::printf("%s\"%s\": %lld", &count == counts ? "" : ", ", count.name,
                static_cast<long long>(count.value));
  std::printf("}, \"repeatable\": %s, \"in_bounds\": %s, \"ms\": [", is_repeatable_ ? "true" : "false",
              are_guards_whole_ ? "true" : "false");
  for (size_t i = 0; i < times_.size(); ++i)
    std::printf(i ? ", %.6f" : "%.6f", times_[i]);
  std::printf("]}\n");
  std::fflush(stdout);
}

void driver::line(std::string text) {
  const std::string word = take_word(text);
  if (word == "threads") {
    threads_ = std::atoi(text.c_str());
  } else if (word == "stream") {
#if DRIVER_CUDA
    check(cudaStreamCreateWithFlags(&user_, cudaStreamNonBlocking), "stream");
#endif
  } else if (word == "case") {
    set_ = {};
    set_.name = text;
  } else if (word == "model") {
    set_.model = take_number(text);
  } else if (word == "input") {
    const size_t index = take_number(text);
    set_.inputs.emplace_back(index, parse_input(text));
  } else if (word == "connect") {
    const size_t index = take_number(text);
    set_.connections.emplace_back(index, take_number(text));
  } else if (word == "output") {
    const size_t index = take_number(text);
    const std::string space = take_word(text);
    set_.outputs.push_back(
        {index, {space == "-" ? -1 : parse_space(space), text == "-" ? std::string() : text}});
  } else if (word == "repeat") {
    set_.repeat = std::atoi(text.c_str());
  } else if (word == "run") {
    run();
  } else if (!word.empty()) {
    fail("there is no word " + word);
  }
}

} // namespace

int main() {
  driver d;
  std::string text;
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c != '\n') {
      text += static_cast<char>(c);
      continue;
    }
    d.line(text);
    text.clear();
  }
  return 0;
}
