// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that `cameo verify`, `cameo run` and `cameo bench` link with a generated model, or
// with two in a row: reads cases from standard input, runs them in order on one context of each
// model, writes what came out to standard output. README.md beside this file has the form of both.
// Knows nothing of any model but its table.
#include "profile.h"
#include "roofline.h"
#include "stage.h"
#include "streams.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#if CAMEO_DRIVER_DEVICE_MEMORY
#include "cameo/cuda/device_api.h"
#endif

/// The linker makes it an alias of NAME_describe; a program of many models defines it.
extern "C" const cameo_model *cameo_driver_model(void);
/// The same of the model that the first one's outputs go to; there need not be one.
extern "C" const cameo_model *cameo_driver_next(void) __attribute__((weak));

namespace driver {
namespace {

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

/// Writes the counters of the last run and its finish, and those that only the program can tell.
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
  write_counter("launch_uploads", told.launch_uploads);
  write_counter("kernel_copies", told.kernel_copies);
  write_counter("kernel_copy_bytes", told.kernel_copy_bytes);
  write_counter("loop_iterations", told.loop_iterations);
  write_counter("shape_program_runs", told.shape_program_runs);
  write_counter("host_allocs", told.host_allocs);
}

void write_output(const bound_output &out, const bytes &data) {
  std::printf("output %d %d", out.tensor.dtype, out.tensor.rank);
  for (int32_t d = 0; d < out.tensor.rank; ++d)
    std::printf(" %lld", static_cast<long long>(out.dims[d]));
  std::printf(" %zu\n", data.size());
  std::fwrite(data.data(), 1, data.size(), stdout);
  std::putchar('\n');
}

cameo_counters sum(cameo_counters a, const cameo_counters &b) {
  static_assert(sizeof a % sizeof(int64_t) == 0, "counters and nothing else");
  int64_t x[sizeof a / sizeof(int64_t)], y[sizeof a / sizeof(int64_t)];
  std::memcpy(x, &a, sizeof a);
  std::memcpy(y, &b, sizeof b);
  for (size_t k = 0; k < sizeof a / sizeof(int64_t); ++k)
    x[k] += y[k];
  std::memcpy(&a, x, sizeof a);
  return a;
}

witness::counts sum(witness::counts a, const witness::counts &b) {
  for (const witness::field &f : witness::fields)
    a.*f.value += b.*f.value;
  return a;
}

// ---- A case ------------------------------------------------------------------------------------

/// Which output of the first model an input of the next one is.
struct connection {
  size_t input, output;
};

/// Which extent of an output of the first model an input of the next one is.
struct count {
  size_t input, output;
  int32_t axis;
};

/// Which output lies in the memory of which input.
struct update {
  size_t output, input;
};

struct request {
  long long repeat = 1;
  long long milliseconds = 0; ///< to be spent on timing it; 0: it is not timed
  std::vector<bound_input> inputs;
  std::vector<place> outputs; ///< of all models, one behind the other
  std::vector<connection> connections;
  std::vector<count> counts;
  std::vector<update> updates;
  std::vector<connection> carried; ///< inputs that are what the case before left in an output
};

class session {
public:
  explicit session(const cameo_model &model, const cameo_model *next) {
    options_.abi = CAMEO_ABI_VERSION;
    options_.threads = 1;
    stages_.push_back(std::make_unique<stage>(model, options_));
    if (next)
      stages_.push_back(std::make_unique<stage>(*next, options_));
  }

  void set_threads(int threads) { options_.threads = threads; }
  /// Writes the machine's limits with as many threads.
  void write_roofline() const;
  void use_streams() { streams_ = std::make_unique<user_streams>(); }
  /// REPEAT, then what is bound, then `run`.
  void run_case();

private:
  request read_request() const;
  void read_place(request &wanted) const;
  std::string carry(request &wanted) const;
  cameo_status open();
  void bind(request &wanted);
  cameo_status connect(const request &wanted);
  void share_memory(request &wanted);
  bool is_late(const bound_input &input, size_t number) const;
  bool is_updated(const bound_input &input) const;
  cameo_status run_once(request &wanted, std::string &found);
  cameo_status run_for(long long milliseconds, bool with_profile, std::vector<int64_t> &times);
  cameo_status time_runs(long long milliseconds, std::vector<int64_t> &times);
  cameo_status run_stages(const request &wanted, std::string &found);
  cameo_status run_stage(size_t number);
  void read_early();
  std::string doubt() const;

  cameo_options options_{};
  std::vector<std::unique_ptr<stage>> stages_;
  std::unique_ptr<user_streams> streams_;
  stage *failed_ = nullptr; ///< whose status a run ended with
  std::vector<bytes> left_; ///< outputs of the case before, unless it failed
};

/// `in NUMBER` or `out NUMBER`, then PAD COUNT STRIDE...
void session::read_place(request &wanted) const {
  char kind[8];
  if (std::scanf("%7s", kind) != 1)
    die("the request is cut");
  const auto number = static_cast<size_t>(read_number());
  const bool is_input = !std::strcmp(kind, "in");
  if (number >= (is_input ? wanted.inputs.size() : wanted.outputs.size()))
    die("the request names a tensor that is not there");
  place &where = is_input ? wanted.inputs[number].where : wanted.outputs[number];
  where.pad = read_number();
  where.strides.resize(static_cast<size_t>(read_number()));
  for (int64_t &stride : where.strides)
    stride = read_number();
}

request session::read_request() const {
  request wanted;
  wanted.repeat = read_number();
  wanted.inputs.resize(static_cast<size_t>(stages_.front()->model.input_count));
  for (const auto &each : stages_)
    wanted.outputs.resize(wanted.outputs.size() + static_cast<size_t>(each->model.output_count));
  size_t next = 0;
  for (char word[16]; std::scanf("%15s", word) == 1 && std::strcmp(word, "run") != 0;) {
    const bool is_input = !std::strcmp(word, "input"), is_absent = !std::strcmp(word, "absent");
    if ((is_input || is_absent) && next >= wanted.inputs.size())
      die("the request has too many inputs");
    if (is_input) {
      wanted.inputs[next++].read();
    } else if (is_absent) {
      wanted.inputs[next++].make_absent();
    } else if (!std::strcmp(word, "space")) {
      const auto output = static_cast<size_t>(read_number());
      if (output >= wanted.outputs.size())
        die("the request names an output that is not there");
      wanted.outputs[output].space = static_cast<int>(read_number());
    } else if (!std::strcmp(word, "time")) {
      wanted.milliseconds = read_number();
    } else if (!std::strcmp(word, "strides")) {
      read_place(wanted);
    } else if (!std::strcmp(word, "connect")) {
      const auto input = static_cast<size_t>(read_number());
      wanted.connections.push_back({input, static_cast<size_t>(read_number())});
    } else if (!std::strcmp(word, "count")) {
      const auto input = static_cast<size_t>(read_number());
      const auto output = static_cast<size_t>(read_number());
      wanted.counts.push_back({input, output, static_cast<int32_t>(read_number())});
    } else if (!std::strcmp(word, "update")) {
      const auto output = static_cast<size_t>(read_number());
      wanted.updates.push_back({output, static_cast<size_t>(read_number())});
    } else if (!std::strcmp(word, "carry")) {
      const auto input = static_cast<size_t>(read_number());
      wanted.carried.push_back({input, static_cast<size_t>(read_number())});
    } else {
      die("the request has a word that is unknown");
    }
  }
  while (next < wanted.inputs.size())
    wanted.inputs[next++].make_absent();
  return wanted;
}

/// Inputs that the case before has computed; says why one cannot be.
std::string session::carry(request &wanted) const {
  for (const connection &c : wanted.carried) {
    if (c.input >= wanted.inputs.size())
      die("the request carries what is not there");
    if (c.output >= left_.size())
      continue; // of the first case, or behind one that failed
    if (left_[c.output].size() != wanted.inputs[c.input].image.size())
      return "an input is not as long as what the run before left for it";
    wanted.inputs[c.input].image = left_[c.output];
  }
  return "";
}

/// Makes the contexts before tensors have memory: there may be no device to have it.
cameo_status session::open() {
  cameo_status status{};
  for (const auto &each : stages_) {
    failed_ = each.get();
    status = each->open();
    if (status.code != CAMEO_OK)
      break;
  }
  return status;
}

void session::bind(request &wanted) {
  size_t first = 0;
  for (const auto &each : stages_) {
    const auto count = static_cast<size_t>(each->model.output_count);
    each->outputs = std::vector<bound_output>(count);
    for (size_t k = 0; k < count; ++k)
      each->outputs[k].where = wanted.outputs[first + k];
    first += count;
  }
  for (size_t i = 0; i < wanted.inputs.size(); ++i)
    wanted.inputs[i].bind(stages_.front()->model.inputs[i]);
}

/// The next model's inputs are outputs of the first as they are; all others are left out.
cameo_status session::connect(const request &wanted) {
  stage &from = *stages_[0], &to = *stages_[1];
  cameo_tensor absent{};
  absent.kind = CAMEO_TENSOR;
  absent.space = CAMEO_SPACE_NULL;
  to.in.assign(static_cast<size_t>(to.model.input_count), absent);
  for (const connection &c : wanted.connections) {
    if (c.input >= to.in.size() || c.output >= from.out.size())
      die("the request connects what is not there");
    cameo_tensor &input = to.in[c.input];
    input = from.out[c.output];
    input.ready = input.done;
    input.done = nullptr;
    input.bind = nullptr;
  }
  for (const count &c : wanted.counts) {
    if (c.input >= to.in.size() || c.output >= from.out.size())
      die("the request counts what is not there");
    const cameo_status status =
        cameo_extent(from.context(), static_cast<int32_t>(c.output), c.axis, &to.in[c.input]);
    if (status.code != CAMEO_OK)
      return status;
    to.in[c.input].ready = from.out[c.output].done;
  }
  return {};
}

/// Whether an input may be written while its run waits for it; what the host reads at entry is
/// there before.
bool session::is_late(const bound_input &input, size_t number) const {
  const cameo_port &port = stages_.front()->model.inputs[number];
  return streams_ && input.tensor.bytes > 0 && !is_pageable(input.tensor.space) &&
         !(port.flags & CAMEO_PORT_HOST_VALUE);
}

/// Whether an output lies in its memory.
bool session::is_updated(const bound_input &input) const {
  for (const cameo_tensor &output : stages_.front()->out)
    if (output.data != nullptr && output.data == input.tensor.data)
      return true;
  return false;
}

cameo_status session::run_stage(size_t number) {
  stage &s = *stages_[number];
  failed_ = &s;
  for (size_t k = 0; k < s.out.size(); ++k)
    if (streams_ && !is_pageable(s.out[k].space) &&
        !(s.out[k].space == CAMEO_SPACE_PINNED && s.out[k].strides)) // the host fills it then
      streams_->give_done(s.out[k]);
  return s.run(streams_ ? streams_->stream(static_cast<int>(number)) : nullptr);
}

cameo_status session::run_stages(const request &wanted, std::string &found) {
  for (size_t number = 0; number < stages_.size(); ++number) {
    stage &s = *stages_[number];
    cameo_status status{};
    if (number > 0)
      status = connect(wanted);
    if (std::string problem = s.stride_outputs(); !problem.empty())
      found = problem;
    if (status.code == CAMEO_OK)
      status = run_stage(number);
    if (status.code == CAMEO_OK && number + 1 < stages_.size() &&
        s.is_awaited(!wanted.counts.empty())) {
      status = s.finish();
      s.waits_behind = s.seen_finish.blocking_syncs;
    }
    if (status.code != CAMEO_OK)
      return status;
  }
  return {};
}

/// Where events say when outputs are there, they are read before anybody has finished the run.
void session::read_early() {
  for (const auto &each : stages_)
    for (size_t k = 0; k < each->out.size(); ++k)
      if (each->out[k].done && each->out[k].bytes > 0 && each->out[k].data)
        each->outputs[k].early = streams_->read(each->out[k]);
}

/// Outputs of the first model that update an input lie where it does, which was written over.
void session::share_memory(request &wanted) {
  stage &s = *stages_.front();
  for (const update &each : wanted.updates) {
    if (each.output >= s.outputs.size() || each.input >= wanted.inputs.size())
      die("the request updates what is not there");
    bound_input &input = wanted.inputs[each.input];
    input.restore();
    s.outputs[each.output].lie_in(input);
  }
}

cameo_status session::run_once(request &wanted, std::string &found) {
  for (const auto &each : stages_)
    for (size_t k = 0; k < each->outputs.size(); ++k)
      each->outputs[k].prepare(each->model.outputs[k]);
  share_memory(wanted);
  for (const auto &each : stages_) {
    each->in.clear();
    each->out.clear();
    for (const bound_output &output : each->outputs)
      each->out.push_back(output.tensor);
  }
  for (size_t i = 0; i < wanted.inputs.size(); ++i) {
    bound_input &input = wanted.inputs[i];
    input.tensor.ready = input.tensor.done = nullptr;
    if (is_late(input, i)) {
      streams_->give_done(input.tensor);
      streams_->write_late(input.tensor, input.image);
    }
    stages_.front()->in.push_back(input.tensor);
  }
  cameo_status status = run_stages(wanted, found);
  if (streams_ && status.code == CAMEO_OK) {
    for (const bound_input &input : wanted.inputs)
      if (input.tensor.done && !is_updated(input))
        streams_->spoil(input.tensor);
    read_early();
  }
  for (const auto &each : stages_) {
    if (status.code != CAMEO_OK)
      break;
    failed_ = each.get();
    status = each->finish();
  }
  if (streams_)
    streams_->finish();
  return status;
}

std::string session::doubt() const {
  std::string problem;
  for (const auto &each : stages_) {
    problem = each->doubt();
    if (!problem.empty() || each.get() == failed_)
      break;
  }
#if CAMEO_DRIVER_DEVICE_MEMORY
  return problem.empty() ? witness::doubt() : problem;
#else
  return problem;
#endif
}

/// Runs the first model again as it ran last, into the same memory, until the time is up; each run
/// with the wait for it. A run is timed whole: what it costs to make tensors is the caller's.
cameo_status session::run_for(long long milliseconds, bool with_profile,
                              std::vector<int64_t> &times) {
  using clock = std::chrono::steady_clock;
  stage &s = *stages_.front();
  const auto end = clock::now() + std::chrono::milliseconds(milliseconds);
  for (auto now = clock::now(); now < end || times.size() < 3;) {
    if (with_profile)
      profile::begin_run(nullptr);
    const auto start = clock::now();
    cameo_status status = s.run(nullptr);
    if (status.code == CAMEO_OK)
      status = cameo_finish(s.context());
    now = clock::now();
    if (status.code != CAMEO_OK)
      return status;
    times.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(now - start).count());
    if (with_profile)
      profile::end_run(times.back());
  }
  return {};
}

/// Runs that a profile slows have half of the time, others the rest.
cameo_status session::time_runs(long long milliseconds, std::vector<int64_t> &times) {
  for (cameo_tensor &tensor : stages_.front()->out)
    tensor.bind = nullptr;
  if (!profile::slows)
    return run_for(milliseconds, true, times);
  const cameo_status status = run_for(milliseconds / 2, false, times);
  std::vector<int64_t> slowed;
  return status.code == CAMEO_OK ? run_for(milliseconds / 2, true, slowed) : status;
}

void write_times(const std::vector<int64_t> &times) {
  std::printf("times %zu\n", times.size());
  for (int64_t nanoseconds : times)
    std::printf("%lld\n", static_cast<long long>(nanoseconds));
  const std::vector<profile::row> rows = profile::rows();
  std::printf("profile %zu\n", rows.size());
  for (const profile::row &r : rows) {
    std::printf("%lld %lld %lld %lld", static_cast<long long>(r.calls),
                static_cast<long long>(r.nanoseconds), static_cast<long long>(r.bytes),
                static_cast<long long>(r.operations));
    write_text("", r.kernel);
  }
  const profile::calls &calls = profile::fastest_run();
  std::printf("calls %zu %lld %lld\n", calls.all.size(), static_cast<long long>(calls.left_out),
              static_cast<long long>(calls.nanoseconds));
  for (const profile::call &c : calls.all)
    std::printf("%zu %lld %lld %lld %lld\n", c.row, static_cast<long long>(c.start),
                static_cast<long long>(c.nanoseconds), static_cast<long long>(c.bytes),
                static_cast<long long>(c.operations));
}

void session::write_roofline() const {
  const int threads = options_.threads > 0 ? options_.threads : roofline::cores();
  std::printf("roofline %.0f\n", roofline::measure_operations(threads));
  const std::vector<roofline::level> levels = roofline::measure_memory(threads);
  std::printf("levels %zu\n", levels.size());
  for (const roofline::level &l : levels)
    std::printf("%s %lld %.0f\n", l.name, static_cast<long long>(l.bytes), l.bytes_per_second);
}

/// The version of the instructions that the device runs, and its multiprocessors; zeros where there
/// is none.
void write_device() {
  int major = 0, minor = 0, multiprocessors = 0;
#if CAMEO_DRIVER_DEVICE_MEMORY
  using cameo::cuda::api;
  if (api::architecture(&major, &minor, 0) != api::success ||
      api::multiprocessors(&multiprocessors, 0) != api::success)
    major = minor = multiprocessors = 0;
  api::take_error();
#endif
  std::printf("device %d %d %d\n", major, minor, multiprocessors);
}

void session::run_case() {
  request wanted = read_request();
  std::string found = carry(wanted);
  std::vector<bytes> results;
  cameo_status status = open();
  if (status.code == CAMEO_OK)
    bind(wanted);
  const long long repeat = status.code != CAMEO_OK ? 0 : wanted.repeat < 1 ? 1 : wanted.repeat;
  const auto start = std::chrono::steady_clock::now();
  for (long long n = 0; n < repeat; ++n) {
    witness::clear_outputs();
    status = run_once(wanted, found);
    if (found.empty())
      found = doubt();
    std::vector<bytes> now;
    for (const auto &each : stages_)
      for (size_t k = 0; k < each->outputs.size(); ++k) {
        bound_output &output = each->outputs[k];
        if (!output.memory.is_intact())
          found = "an output was written past its end";
        if (status.code != CAMEO_OK)
          continue;
        output.tensor = each->out[k];
        now.push_back(output.fetch(found));
      }
    if (status.code != CAMEO_OK)
      break;
    if (n > 0 && now != results)
      found = "repeating the run gives other bits";
    results = std::move(now);
  }
  const auto took = std::chrono::steady_clock::now() - start;
  std::vector<int64_t> times;
  if (wanted.milliseconds > 0 && status.code == CAMEO_OK)
    status = time_runs(wanted.milliseconds, times);
  for (const bound_input &input : wanted.inputs)
    if (!input.memory.is_intact())
      found = "an input was written past its end";

  std::printf(
      "case %lld\n",
      static_cast<long long>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count()));
  write_status(failed_->model, status);
  write_text("fault", found.c_str());
  cameo_counters told{};
  witness::counts seen, finish;
  for (const auto &each : stages_) {
    told = sum(told, each->told());
    seen = sum(seen, each->seen);
    seen.blocking_syncs += each->waits_behind;
    finish = sum(finish, each->seen_finish);
    if (each.get() == failed_) // those behind it have not run
      break;
  }
#if CAMEO_DRIVER_DEVICE_MEMORY
  write_counters(told, seen, finish);
#else
  write_counters(told, witness::account(told), {});
#endif
  std::printf("outputs %zu\n", results.size());
  size_t next = 0;
  for (const auto &each : stages_)
    for (const bound_output &output : each->outputs)
      if (next < results.size())
        write_output(output, results[next++]);
  if (wanted.milliseconds > 0)
    write_times(times);
  left_ = std::move(results);
  // Results so far stay known when a later case ends the program.
  std::fflush(stdout);
}

void describe(const cameo_model &model, const cameo_model *next) {
  for (int32_t k = 0; k < model.input_count; ++k)
    write_text("input_name", model.inputs[k].name);
  for (const cameo_model *each : {&model, next})
    for (int32_t k = 0; each && k < each->output_count; ++k)
      write_text("output_name", each->outputs[k].name);
  std::printf("ready\n");
  std::fflush(stdout);
}

int serve() {
  const cameo_model &model = *cameo_driver_model();
  const cameo_model *next = cameo_driver_next ? cameo_driver_next() : nullptr;
  describe(model, next);
  session run(model, next);
  char word[16];
  while (std::scanf("%15s", word) == 1) {
    if (!std::strcmp(word, "threads"))
      run.set_threads(static_cast<int>(read_number()));
    else if (!std::strcmp(word, "roofline"))
      run.write_roofline();
    else if (!std::strcmp(word, "device"))
      write_device();
    else if (!std::strcmp(word, "streams"))
      run.use_streams();
    else if (!std::strcmp(word, "case"))
      run.run_case();
    else
      die("the request has a word that is unknown");
  }
  return std::fflush(stdout) == 0 ? 0 : 3;
}

} // namespace
} // namespace driver

int main() { return driver::serve(); }
