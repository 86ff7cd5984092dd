// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// emu.h: settings and their environment variables, planned failures, counters, and the way a report
// leaves the program.
#include "settings.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "grid.h"

namespace cameo::emu {

std::recursive_mutex engine_lock;
cameo_emu_counters counters = {};
cudaError_t lost_device = cudaSuccess;

namespace {

api_function *functions = nullptr;

struct planned_failure {
  std::string name;
  int64_t call;
  cudaError_t error;
  bool forever;
};
/// For functions that have not been called yet.
std::vector<planned_failure> &early_failures() {
  static std::vector<planned_failure> failures;
  return failures;
}

struct memory_piece {
  const unsigned char *first;
  size_t bytes;
};
std::vector<memory_piece> &output_memory() {
  static std::vector<memory_piece> pieces;
  return pieces;
}

[[noreturn]] void bad_variable(const char *name, const char *value) {
  fprintf(stderr, "cameo-emu: %s=%s is not understood (emu.h says what it may be)\n", name, value);
  abort();
}

uint64_t number(const char *name, const char *text, int base = 0) {
  char *end = nullptr;
  const uint64_t value = strtoull(text, &end, base);
  if (end == text || *end != '\0')
    bad_variable(name, text);
  return value;
}

void read_order(const char *name, cameo_emu_order &order, uint64_t &seed) {
  const char *value = getenv(name);
  if (value == nullptr)
    return;
  const std::string text = value;
  const size_t colon = text.find(':');
  const std::string word = text.substr(0, colon);
  if (word == "forward")
    order = CAMEO_EMU_FORWARD;
  else if (word == "reverse")
    order = CAMEO_EMU_REVERSE;
  else if (word == "random")
    order = CAMEO_EMU_RANDOM;
  else
    bad_variable(name, value);
  if (colon != std::string::npos)
    seed = number(name, text.c_str() + colon + 1);
}

void set_variant(settings_state &s, uint64_t variant) {
  s.thread_order = variant % 2 == 0 ? CAMEO_EMU_FORWARD : CAMEO_EMU_REVERSE;
  s.poison = variant / 2 % 2 == 0 ? 0xff : 0x3c;
}

void read_failures(const char *value) {
  std::string rest = value;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string one = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    char name[64] = {}, forever[16] = {};
    long call = 0;
    int error = 0;
    const int fields = sscanf(one.c_str(), "%63[^:]:%ld:%d:%15s", name, &call, &error, forever);
    if (fields < 3 || (fields == 4 && strcmp(forever, "forever") != 0))
      bad_variable("CAMEO_EMU_FAIL", value);
    cameo_emu_fail(name, call, error, fields == 4);
  }
}

settings_state from_environment() {
  settings_state s;
  if (const char *value = getenv("CAMEO_EMU_VARIANT"))
    set_variant(s, number("CAMEO_EMU_VARIANT", value));
  read_order("CAMEO_EMU_THREADS", s.thread_order, s.thread_seed);
  uint64_t schedule_seed = 1;
  read_order("CAMEO_EMU_SCHEDULE", s.schedule, schedule_seed);
  s.schedule_random.seed(schedule_seed);
  if (const char *value = getenv("CAMEO_EMU_POISON"))
    s.poison = static_cast<unsigned char>(number("CAMEO_EMU_POISON", value));
  if (const char *value = getenv("CAMEO_EMU_DEVICES"))
    s.devices = static_cast<int>(number("CAMEO_EMU_DEVICES", value));
  if (const char *value = getenv("CAMEO_EMU_MEMORY"))
    s.device_bytes = number("CAMEO_EMU_MEMORY", value);
  if (const char *value = getenv("CAMEO_EMU_ARCH"))
    s.compute_capability = static_cast<int>(number("CAMEO_EMU_ARCH", value));
  if (const char *value = getenv("CAMEO_EMU_CONDITIONAL_NODES"))
    s.conditional_nodes = number("CAMEO_EMU_CONDITIONAL_NODES", value) != 0;
  if (const char *value = getenv("CAMEO_EMU_FAIL"))
    read_failures(value);
  return s;
}

} // namespace

settings_state &settings() {
  static settings_state state = from_environment();
  return state;
}

api_function::api_function(const char *function_name) : name(function_name), next(functions) {
  settings(); // plans the failures of the environment
  functions = this;
  auto &early = early_failures();
  for (size_t i = 0; i < early.size();) {
    if (early[i].name != name) {
      ++i;
      continue;
    }
    fail_at = early[i].call;
    failure = early[i].error;
    fail_forever = early[i].forever;
    early.erase(early.begin() + static_cast<ptrdiff_t>(i));
  }
}

cudaError_t api_function::count() {
  ++calls;
  const bool now = fail_at != 0 && (calls == fail_at || (fail_forever && calls > fail_at));
  return now ? failure : cudaSuccess;
}

api_call::api_call(api_function &function) : lock_(engine_lock), refused_(function.count()) {
  if (lost_device != cudaSuccess)
    refused_ = lost_device;
  else if (refused_ == cudaSuccess && settings().devices <= 0)
    refused_ = settings().devices == 0 ? cudaErrorNoDevice : cudaErrorInsufficientDriver;
}

cudaError_t &last_error() {
  static thread_local cudaError_t error = cudaSuccess;
  return error;
}

cudaError_t api_call::result(cudaError_t error) const {
  if (error != cudaSuccess && error != cudaErrorNotReady)
    last_error() = error;
  return error;
}

bool is_output(const void *memory, size_t bytes) {
  const auto *first = static_cast<const unsigned char *>(memory);
  for (const memory_piece &p : output_memory())
    if (first >= p.first && first + bytes <= p.first + p.bytes)
      return true;
  return false;
}

void report_and_abort(const char *line) {
  fprintf(stderr, "%s\n", line);
  fflush(stderr);
  abort();
}

void fail(const char *format, ...) {
  char line[1024];
  int used = snprintf(line, sizeof(line), "cameo-emu: ");
  va_list arguments;
  va_start(arguments, format);
  used += vsnprintf(line + used, sizeof(line) - static_cast<size_t>(used), format, arguments);
  va_end(arguments);
  if (used < static_cast<int>(sizeof(line)) && running_kernel() != nullptr)
    used += snprintf(line + used, sizeof(line) - static_cast<size_t>(used), " [kernel %s",
                     running_kernel());
  if (used < static_cast<int>(sizeof(line)) && running_kernel() != nullptr && self != nullptr) {
    const uint3 b = self->block->index, t = self->index;
    used += snprintf(line + used, sizeof(line) - static_cast<size_t>(used),
                     ", block %u,%u,%u thread %u,%u,%u", b.x, b.y, b.z, t.x, t.y, t.z);
  }
  if (used < static_cast<int>(sizeof(line)) && running_kernel() != nullptr)
    snprintf(line + used, sizeof(line) - static_cast<size_t>(used), "]");
  report_and_abort(line);
}

} // namespace cameo::emu

using namespace cameo::emu;

extern "C" {

void cameo_emu_thread_order(cameo_emu_order order, uint64_t seed) {
  settings().thread_order = order;
  settings().thread_seed = seed;
}

void cameo_emu_schedule(cameo_emu_order order, uint64_t seed) {
  settings().schedule = order;
  settings().schedule_random.seed(seed);
}

void cameo_emu_poison(uint8_t byte) { settings().poison = byte; }

void cameo_emu_variant(int number) { set_variant(settings(), static_cast<uint64_t>(number)); }

void cameo_emu_fail(const char *name, int64_t call, int error, int forever) {
  for (api_function *f = functions; f != nullptr; f = f->next) {
    if (strcmp(f->name, name) != 0)
      continue;
    f->fail_at = f->calls + call;
    f->failure = static_cast<cudaError_t>(error);
    f->fail_forever = forever != 0;
    return;
  }
  early_failures().push_back({name, call, static_cast<cudaError_t>(error), forever != 0});
}

int64_t cameo_emu_calls(const char *name) {
  for (const api_function *f = functions; f != nullptr; f = f->next)
    if (strcmp(f->name, name) == 0)
      return f->calls;
  return -1;
}

void cameo_emu_clear_failures(void) {
  for (api_function *f = functions; f != nullptr; f = f->next)
    f->fail_at = 0;
  early_failures().clear();
  lost_device = cudaSuccess;
  last_error() = cudaSuccess;
}

void cameo_emu_devices(int count, size_t bytes_each, int compute_capability) {
  settings().devices = count;
  settings().device_bytes = bytes_each;
  settings().compute_capability = compute_capability;
}

void cameo_emu_conditional_nodes(int has) { settings().conditional_nodes = has != 0; }

void cameo_emu_get_counters(cameo_emu_counters *result) {
  *result = counters;
  result->blocking_syncs = counters.stream_syncs + counters.event_syncs + counters.device_syncs +
                           counters.blocking_copies;
}

void cameo_emu_reset_counters(void) {
  cameo_emu_counters zero = {};
  zero.live_device_bytes = counters.live_device_bytes;
  zero.live_device_allocs = counters.live_device_allocs;
  zero.live_pinned_allocs = counters.live_pinned_allocs;
  zero.live_streams = counters.live_streams;
  zero.live_events = counters.live_events;
  zero.pending = counters.pending;
  counters = zero;
}

void cameo_emu_add_output(const void *memory, size_t bytes) {
  output_memory().push_back({static_cast<const unsigned char *>(memory), bytes});
}

void cameo_emu_clear_outputs(void) { output_memory().clear(); }

} // extern "C"
