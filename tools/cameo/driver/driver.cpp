// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that `cameo verify` and `cameo run` link with a generated model: reads cases from
// standard input, runs them in order on one context, writes what came out to standard output.
// README.md beside this file has the form of both. Knows nothing of any model but its table.
#include "cameo/abi.h"
#include "witness.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#if CAMEO_DRIVER_DEVICE_MEMORY
#include <cuda_runtime_api.h>
#endif

/// The linker makes it an alias of NAME_describe; a program of many models defines it.
extern "C" const cameo_model *cameo_driver_model(void);

namespace {

constexpr unsigned char guard = 0xa5;
constexpr size_t guard_bytes = 64;

[[noreturn]] void die(const char *what) {
  std::fprintf(stderr, "driver: %s\n", what);
  std::exit(3);
}

bool is_host(int space) { return space == CAMEO_SPACE_HOST || space == CAMEO_SPACE_NULL; }

// ---- Memory of every space ---------------------------------------------------------------------

#if CAMEO_DRIVER_DEVICE_MEMORY
void check(cudaError_t error) {
  if (error != cudaSuccess)
    die(cudaGetErrorString(error));
}
#endif

void *allocate(size_t bytes, int space) {
  void *memory = nullptr;
#if CAMEO_DRIVER_DEVICE_MEMORY
  if (space == CAMEO_SPACE_DEVICE)
    check(cudaMalloc(&memory, bytes));
  else if (space == CAMEO_SPACE_PINNED)
    check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault));
  else if (space == CAMEO_SPACE_MANAGED)
    check(cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal));
#endif
  if (!memory && is_host(space))
    memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!memory)
    die("no memory of the wanted space");
  return memory;
}

void release(void *memory, int space) {
#if CAMEO_DRIVER_DEVICE_MEMORY
  if (space == CAMEO_SPACE_DEVICE || space == CAMEO_SPACE_MANAGED)
    check(cudaFree(memory));
  else if (space == CAMEO_SPACE_PINNED)
    check(cudaFreeHost(memory));
#endif
  if (is_host(space))
    std::free(memory);
}

void copy(void *to, const void *from, size_t bytes, int space) {
#if CAMEO_DRIVER_DEVICE_MEMORY
  if (!is_host(space)) {
    check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    return;
  }
#else
  (void)space;
#endif
  if (bytes)
    std::memcpy(to, from, bytes);
}

/// Memory of a space, with a pattern behind it that nobody may change.
class block {
public:
  block() = default;
  block(const block &) = delete;
  block &operator=(const block &) = delete;
  block(block &&other) noexcept
      : memory_(other.memory_), bytes_(other.bytes_), space_(other.space_) {
    other.memory_ = nullptr;
  }
  ~block() {
    if (memory_)
      release(memory_, space_);
  }

  void *reserve(size_t bytes, int space) {
    if (memory_)
      release(memory_, space_);
    memory_ = static_cast<unsigned char *>(allocate(bytes + guard_bytes, space));
    bytes_ = bytes;
    space_ = space;
    const std::vector<unsigned char> pattern(guard_bytes, guard);
    copy(memory_ + bytes, pattern.data(), guard_bytes, space);
    return memory_;
  }
  bool is_intact() const {
    unsigned char pattern[guard_bytes];
    if (!memory_)
      return true;
    copy(pattern, memory_ + bytes_, guard_bytes, space_);
    for (const unsigned char byte : pattern)
      if (byte != guard)
        return false;
    return true;
  }
  int space() const { return space_; }

private:
  unsigned char *memory_ = nullptr;
  size_t bytes_ = 0;
  int space_ = CAMEO_SPACE_HOST;
};

// ---- What is read ------------------------------------------------------------------------------

long long read_number() {
  long long number = 0;
  if (std::scanf("%lld", &number) != 1)
    die("a number is missing in the request");
  return number;
}

struct bound_input {
  cameo_tensor tensor{};
  std::vector<int64_t> dims;
  block memory;
};

/// DTYPE SPACE OFFSET RANK DIM... BYTES newline, then the bytes.
void read_input(const cameo_port &port, bound_input &in) {
  in.tensor.dtype = static_cast<int32_t>(read_number());
  const int wanted = static_cast<int>(read_number());
  const auto offset = static_cast<size_t>(read_number());
  in.tensor.rank = static_cast<int32_t>(read_number());
  for (int32_t d = 0; d < in.tensor.rank; ++d)
    in.dims.push_back(read_number());
  const auto bytes = static_cast<size_t>(read_number());
  std::getchar();
  std::vector<unsigned char> data(bytes);
  if (bytes && std::fread(data.data(), 1, bytes, stdin) != bytes)
    die("the request is cut");

  in.tensor.kind = CAMEO_TENSOR;
  in.tensor.space = wanted < 0 ? port.space : wanted;
  in.tensor.dims = in.dims.data();
  if (in.tensor.space == CAMEO_SPACE_NULL)
    return;
  auto *memory = static_cast<unsigned char *>(in.memory.reserve(bytes + offset, in.tensor.space));
  copy(memory + offset, data.data(), bytes, in.tensor.space);
  in.tensor.data = memory + offset;
  in.tensor.bytes = bytes;
}

void make_absent(bound_input &in) {
  in.tensor.kind = CAMEO_TENSOR;
  in.tensor.space = CAMEO_SPACE_NULL;
}

// ---- Outputs -----------------------------------------------------------------------------------

size_t bytes_of(const cameo_tensor &tensor) {
  size_t bits = static_cast<size_t>(cameo_dtype_bits(tensor.dtype));
  for (int32_t d = 0; d < tensor.rank; ++d)
    bits *= static_cast<size_t>(tensor.dims[d]);
  return (bits + 7) / 8;
}

struct bound_output {
  cameo_tensor tensor{};
  int64_t dims[CAMEO_MAX_RANK] = {};
  block memory;

  static void *bind(void *self, const cameo_tensor *tensor, size_t bytes) {
    const witness::pause ours;
    void *data = static_cast<bound_output *>(self)->memory.reserve(bytes, tensor->space);
    if (is_host(tensor->space) || tensor->space == CAMEO_SPACE_PINNED)
      witness::add_output(data, bytes);
    return data;
  }
  void prepare(const cameo_port &port, int space) {
    tensor = {};
    tensor.kind = port.kind;
    tensor.dtype = port.dtype;
    tensor.rank = port.rank;
    tensor.space = space < 0 ? port.space : space;
    tensor.dims = dims;
    tensor.bind = bind;
    tensor.user = this;
  }
  std::vector<unsigned char> fetch() const {
    std::vector<unsigned char> data(bytes_of(tensor));
    if (!data.empty())
      copy(data.data(), tensor.data, data.size(), tensor.space);
    return data;
  }
};

// ---- What is written ---------------------------------------------------------------------------

void write_text(const char *key, const char *text) {
  const size_t length = text ? std::strlen(text) : 0;
  std::printf("%s %zu\n", key, length);
  std::fwrite(text, 1, length, stdout);
  std::putchar('\n');
}

void write_status(const cameo_model &model, const cameo_status &status) {
  write_text("status", cameo_code_name(status.code));
  char text[1024];
  cameo_format(&status, &model, text, sizeof text);
  write_text("message", status.code == CAMEO_OK ? "" : text);
  const bool has_node = status.node >= 0 && status.node < model.node_count;
  write_text("node", has_node ? model.nodes[status.node] : "");
  const char *tensor = "";
  if (status.tensor >= 0 && status.tensor < model.input_count)
    tensor = model.inputs[status.tensor].name;
  else if (status.tensor >= model.input_count &&
           status.tensor < model.input_count + model.output_count)
    tensor = model.outputs[status.tensor - model.input_count].name;
  write_text("tensor", tensor);
}

void write_counter(const char *name, int64_t value) {
  std::printf("%s %lld\n", name, static_cast<long long>(value));
}

/// What was seen of the last run and its finish, and what only the program can tell.
void write_counters(const cameo_counters &told, const witness::counts &run,
                    const witness::counts &finish) {
  std::printf("counters\n");
  for (const witness::field &f : witness::fields)
    write_counter(f.name, run.*f.value);
  write_counter("finish_d2h", finish.d2h);
  write_counter("finish_d2h_bytes", finish.d2h_bytes);
  write_counter("finish_syncs", finish.blocking_syncs);
  write_counter("finish_implicit_syncs", finish.implicit_syncs);
  write_counter("repacks", told.repacks);
  write_counter("repack_bytes", told.repack_bytes);
  write_counter("host_copies", told.host_copies);
  write_counter("host_copy_bytes", told.host_copy_bytes);
  write_counter("loop_iterations", told.loop_iterations);
  write_counter("shape_program_runs", told.shape_program_runs);
  write_counter("host_allocs", told.host_allocs);
}

void write_output(const bound_output &out, const std::vector<unsigned char> &data) {
  std::printf("output %d %d", out.tensor.dtype, out.tensor.rank);
  for (int32_t d = 0; d < out.tensor.rank; ++d)
    std::printf(" %lld", static_cast<long long>(out.dims[d]));
  std::printf(" %zu\n", data.size());
  std::fwrite(data.data(), 1, data.size(), stdout);
  std::putchar('\n');
}

// ---- A case ------------------------------------------------------------------------------------

class session {
public:
  explicit session(const cameo_model &model) : model_(model) {
    options_.abi = CAMEO_ABI_VERSION;
    options_.threads = 1;
  }
  ~session() {
    if (context_)
      model_.destroy(context_);
  }
  session(const session &) = delete;
  session &operator=(const session &) = delete;

  void set_threads(int threads) { options_.threads = threads; }

  /// REPEAT, then what is bound, then `run`.
  void run_case();

private:
  cameo_status run_once(std::vector<cameo_tensor> &in, std::vector<cameo_tensor> &out);
  cameo_counters told() const;
  void expect_staged(const std::vector<cameo_tensor> &out);
  std::string doubt() const;

  const cameo_model &model_;
  cameo_options options_{};
  cameo_context *context_ = nullptr;
  witness::counts run_, finish_; // of the last run
};

cameo_counters session::told() const {
  cameo_counters counters{};
  if (context_)
    cameo_counters_of(context_, &counters);
  return counters;
}

/// A device's value that is wanted in pageable memory comes through memory of the runtime's, which
/// nobody else knows: one fetch of its size is the output's.
void session::expect_staged(const std::vector<cameo_tensor> &out) {
  for (size_t k = 0; k < out.size(); ++k) {
    if (out[k].space != CAMEO_SPACE_HOST || model_.outputs[k].space == CAMEO_SPACE_HOST)
      continue;
    const auto bytes = static_cast<int64_t>(bytes_of(out[k]));
    if (bytes == 0)
      continue;
    --run_.d2h;
    run_.d2h_bytes -= bytes;
    ++run_.d2h_outputs;
  }
}

/// What is wrong with the counters of the last run; empty where nothing is.
std::string session::doubt() const {
#if CAMEO_DRIVER_DEVICE_MEMORY
  std::string problem = witness::disagreement(told(), run_);
  if (problem.empty())
    problem = witness::excess(finish_);
  return problem.empty() ? witness::doubt() : problem;
#else
  return "";
#endif
}

cameo_status session::run_once(std::vector<cameo_tensor> &in, std::vector<cameo_tensor> &out) {
  if (!context_) {
    const cameo_status created = model_.create(&options_, &context_);
    if (created.code != CAMEO_OK)
      return created;
  }
  finish_ = {};
  const witness::phase run;
  cameo_status status = model_.run(context_, in.data(), static_cast<int32_t>(in.size()), out.data(),
                                   static_cast<int32_t>(out.size()), nullptr);
  run_ = run.seen();
  if (status.code != CAMEO_OK)
    return status;
  expect_staged(out);
  const witness::phase finish;
  status = cameo_finish(context_);
  finish_ = finish.seen();
  for (size_t k = 0; status.code == CAMEO_OK && k < out.size(); ++k)
    status = cameo_output(context_, static_cast<int32_t>(k), &out[k]);
  return status;
}

void session::run_case() {
  const long long repeat = read_number();
  std::vector<bound_input> inputs(static_cast<size_t>(model_.input_count));
  std::vector<int> output_spaces(static_cast<size_t>(model_.output_count), -1);
  size_t next = 0;
  for (char word[16]; std::scanf("%15s", word) == 1 && std::strcmp(word, "run") != 0;) {
    const bool is_input = !std::strcmp(word, "input"), is_absent = !std::strcmp(word, "absent");
    if ((is_input || is_absent) && next >= inputs.size())
      die("the request has too many inputs");
    if (is_input) {
      read_input(model_.inputs[next], inputs[next]);
      ++next;
    } else if (is_absent) {
      make_absent(inputs[next++]);
    } else if (!std::strcmp(word, "space")) {
      const auto output = static_cast<size_t>(read_number());
      if (output >= output_spaces.size())
        die("the request names an output that is not there");
      output_spaces[output] = static_cast<int>(read_number());
    } else {
      die("the request has a word that is unknown");
    }
  }
  while (next < inputs.size())
    make_absent(inputs[next++]);

  std::vector<cameo_tensor> in, out;
  for (const bound_input &input : inputs)
    in.push_back(input.tensor);
  std::vector<bound_output> outputs(output_spaces.size());
  std::vector<std::vector<unsigned char>> results;
  cameo_status status{};
  std::string found;
  for (long long n = 0; n < (repeat < 1 ? 1 : repeat); ++n) {
    out.clear();
    witness::clear_outputs();
    for (size_t k = 0; k < outputs.size(); ++k) {
      outputs[k].prepare(model_.outputs[k], output_spaces[k]);
      out.push_back(outputs[k].tensor);
    }
    status = run_once(in, out);
    if (found.empty())
      found = doubt();
    for (const bound_output &output : outputs)
      if (!output.memory.is_intact())
        found = "an output was written past its end";
    if (status.code != CAMEO_OK)
      break;
    std::vector<std::vector<unsigned char>> now;
    for (size_t k = 0; k < outputs.size(); ++k) {
      outputs[k].tensor = out[k];
      now.push_back(outputs[k].fetch());
    }
    if (n > 0 && now != results)
      found = "repeating the run gives other bits";
    results = std::move(now);
  }
  for (const bound_input &input : inputs)
    if (!input.memory.is_intact())
      found = "an input was written past its end";

  std::printf("case\n");
  write_status(model_, status);
  write_text("fault", found.c_str());
#if CAMEO_DRIVER_DEVICE_MEMORY
  write_counters(told(), run_, finish_);
#else
  write_counters(told(), witness::account(told()), {});
#endif
  std::printf("outputs %zu\n", results.size());
  for (size_t k = 0; k < results.size(); ++k)
    write_output(outputs[k], results[k]);
  // What was done stays known when a later case ends the program.
  std::fflush(stdout);
}

void describe(const cameo_model &model) {
  for (int32_t k = 0; k < model.input_count; ++k)
    write_text("input_name", model.inputs[k].name);
  for (int32_t k = 0; k < model.output_count; ++k)
    write_text("output_name", model.outputs[k].name);
  std::printf("ready\n");
  std::fflush(stdout);
}

} // namespace

int main() {
  const cameo_model &model = *cameo_driver_model();
  describe(model);
  session run(model);
  char word[16];
  while (std::scanf("%15s", word) == 1) {
    if (!std::strcmp(word, "threads"))
      run.set_threads(static_cast<int>(read_number()));
    else if (!std::strcmp(word, "case"))
      run.run_case();
    else
      die("the request has a word that is unknown");
  }
  return std::fflush(stdout) == 0 ? 0 : 3;
}
