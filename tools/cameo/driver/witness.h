// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run does on the device, as others than the program under test count it: the emulator where
// the program runs on one, else the calls of the runtime API (calls.cpp). Targets without a device
// count nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

struct cameo_counters;

namespace witness {

/// Names as in docs/cli.md.
struct counts {
  int64_t h2d = 0, h2d_bytes = 0;
  int64_t d2h = 0, d2h_bytes = 0;
  int64_t d2h_outputs = 0; ///< into memory of add_output; not in d2h
  int64_t d2d = 0;
  int64_t blocking_syncs = 0;
  int64_t implicit_syncs = 0; ///< not in blocking_syncs
  int64_t launches = 0;
  int64_t device_allocs = 0;
};

struct field {
  const char *name;
  int64_t counts::*value;
};
constexpr field fields[] = {
    {"h2d", &counts::h2d},
    {"h2d_bytes", &counts::h2d_bytes},
    {"d2h", &counts::d2h},
    {"d2h_bytes", &counts::d2h_bytes},
    {"d2h_outputs", &counts::d2h_outputs},
    {"d2d", &counts::d2d},
    {"blocking_syncs", &counts::blocking_syncs},
    {"implicit_syncs", &counts::implicit_syncs},
    {"launches", &counts::launches},
    {"device_allocs", &counts::device_allocs},
};

/// Copies from the device into this host memory are fetches of an output.
void add_output(const void *memory, size_t bytes);
void clear_outputs();

/// Counts the program's actions while it lives, without those in a `pause`.
class phase {
public:
  phase();
  counts seen() const;

private:
  counts before_;
};

/// Actions of the driver itself inside a phase are not the program's.
class pause {
public:
  pause();
  ~pause();
  pause(const pause &) = delete;
  pause &operator=(const pause &) = delete;

private:
  counts before_;
};

/// The program's own counts: the only ones where nobody else counts.
counts account(const cameo_counters &told);
/// The first counter by which a program's account of its run is not what was seen; empty where all
/// agree.
std::string disagreement(const cameo_counters &told, const counts &seen);
/// Actions of a finish that only a run may do; empty where there are none.
std::string excess(const counts &finish);
/// The first counter that the calls of the runtime API and the emulator see differently; empty
/// where only one of them counts.
std::string doubt();

} // namespace witness
