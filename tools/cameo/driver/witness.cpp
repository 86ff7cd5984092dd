// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See witness.h.
#include "witness.h"

#include "calls.h"
#include "cameo/abi.h"

#if CAMEO_DRIVER_DEVICE_MEMORY
#include <cuda_runtime_api.h>
#endif
#if defined(CAMEO_CUDA_EMULATED)
#include "emu.h"
#endif

namespace witness {
namespace {

counts paused;

counts combine(counts a, const counts &b, int64_t sign) {
  for (const field &f : fields)
    a.*f.value += sign * (b.*f.value);
  return a;
}

#if defined(CAMEO_CUDA_EMULATED)
counts total() {
  cameo_emu_counters c;
  cameo_emu_get_counters(&c);
  counts seen;
  seen.h2d = c.h2d;
  seen.h2d_bytes = c.h2d_bytes;
  seen.d2h = c.d2h;
  seen.d2h_bytes = c.d2h_bytes;
  seen.d2h_outputs = c.d2h_outputs;
  seen.d2d = c.d2d;
  seen.blocking_syncs = c.blocking_syncs;
  seen.implicit_syncs = c.implicit_syncs;
  seen.launches = c.launches;
  seen.device_allocs = c.device_allocs;
  return seen;
}
#elif CAMEO_DRIVER_DEVICE_MEMORY
counts total() { return calls::total(); }
#else
counts total() { return {}; }
#endif

std::string say(const char *who, const field &f, int64_t told, const char *other, int64_t seen) {
  return std::string("counter ") + f.name + ": " + who + " says " + std::to_string(told) + ", " +
         other + " saw " + std::to_string(seen);
}

#if defined(CAMEO_CUDA_EMULATED)
constexpr const char *name = "the emulator";
#else
constexpr const char *name = "the runtime API";
#endif

} // namespace

void add_output(const void *memory, size_t bytes) {
#if defined(CAMEO_CUDA_EMULATED)
  cameo_emu_add_output(memory, bytes);
#endif
  calls::add_output(memory, bytes);
}

void clear_outputs() {
#if defined(CAMEO_CUDA_EMULATED)
  cameo_emu_clear_outputs();
#endif
  calls::clear_outputs();
}

phase::phase() : before_(combine(total(), paused, -1)) {}

counts phase::seen() const { return combine(combine(total(), paused, -1), before_, -1); }

pause::pause() : before_(total()) {}

pause::~pause() { paused = combine(paused, combine(total(), before_, -1), 1); }

counts account(const cameo_counters &told) {
  counts said;
  said.h2d = told.h2d;
  said.h2d_bytes = told.h2d_bytes;
  said.d2h = told.d2h;
  said.d2h_bytes = told.d2h_bytes;
  said.d2h_outputs = told.d2h_outputs;
  said.d2d = told.d2d;
  said.blocking_syncs = told.blocking_syncs;
  said.launches = told.launches;
  said.device_allocs = told.device_allocs;
  return said;
}

std::string disagreement(const cameo_counters &told, const counts &seen) {
  counts said = account(told);
  said.implicit_syncs = seen.implicit_syncs; // nothing that a program counts
  for (const field &f : fields)
    if (said.*f.value != seen.*f.value)
      return say("the program", f, said.*f.value, name, seen.*f.value);
  return "";
}

std::string excess(const counts &finish) {
  // A finish fetches the slot of errors and waits; what else a run needs belongs into the run.
  counts allowed = finish;
  allowed.h2d = allowed.h2d_bytes = allowed.d2h_outputs = allowed.d2d = allowed.launches = 0;
  allowed.d2h = finish.d2h < 1 ? finish.d2h : 1;
  for (const field &f : fields)
    if (finish.*f.value != allowed.*f.value)
      return say("a finish's allowance", f, allowed.*f.value, name, finish.*f.value);
  return "";
}

std::string doubt() {
#if defined(CAMEO_CUDA_EMULATED)
  if (!calls::counted())
    return "";
  const counts emulator = total(), around = calls::total();
  for (const field &f : fields) // the emulator's launches are no calls of the runtime API
    if (f.value != &counts::launches && emulator.*f.value != around.*f.value)
      return say("the runtime API", f, around.*f.value, name, emulator.*f.value);
#endif
  return "";
}

} // namespace witness
