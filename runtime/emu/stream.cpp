// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See stream.h. An operation is ordered after: what its stream ran before, events its stream waited
// for, what the host had waited for when it queued it, and the legacy stream's rules.
#include "stream.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>

#include "memory.h"
#include "settings.h"

namespace cameo::emu {
namespace {

// Never destroyed: a program may call the runtime API from its own static destructors.
auto &pending = *new std::map<uint64_t, operation>; // by number: the order of issue
uint64_t next_operation = 1;
auto &host_clock = *new vector_clock;

auto &streams = *new std::set<CUstream_st *>;
auto &destroyed = *new std::vector<CUstream_st *>; // handles to be used again, the newest first
auto &events = *new std::set<CUevent_st *>;
auto &legacy_streams = *new std::map<int, CUstream_st *>; // by device
unsigned next_stream = 0;

/// The part of an operation that cameo_emu_record() keeps.
struct remembered {
  std::string name;
  unsigned stream;
  uint64_t sequence;
  vector_clock clock;
};
auto &record = *new std::vector<remembered>;
bool records = false;
auto &retired =
    *new std::vector<std::pair<unsigned, uint64_t>>; // stream numbers and how far they got

void join(vector_clock &to, const vector_clock &from) {
  if (to.size() < from.size())
    to.resize(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    to[i] = std::max(to[i], from[i]);
}

uint64_t at(const vector_clock &clock, unsigned stream) {
  return stream < clock.size() ? clock[stream] : 0;
}

bool ordered(const access_record &earlier, const vector_clock &clock) {
  return at(clock, earlier.stream) >= earlier.sequence;
}

[[noreturn]] void report_race(const access_record &earlier, const operation &op,
                              const range &used) {
  fail("missing event wait: '%s' (operation %llu, stream %u) %s and '%s' (operation %llu, stream "
       "%u) %s %s; "
       "nothing orders them",
       earlier.name.c_str(), static_cast<unsigned long long>(earlier.operation), earlier.stream,
       earlier.write ? "writes" : "reads", op.name.c_str(),
       static_cast<unsigned long long>(op.number), op.stream, used.write ? "writes" : "reads",
       describe(used.pointer).c_str());
}

void check_order(const operation &op) {
  for (const range &used : op.ranges) {
    allocation *a = find_allocation(used.pointer);
    if (a == nullptr || !a->live || used.bytes == 0)
      continue; // pageable host memory, which operations do not hold on to
    const uintptr_t begin = reinterpret_cast<uintptr_t>(used.pointer), end = begin + used.bytes;
    for (const access_record &r : a->records)
      if (r.begin < end && begin < r.end && (r.write || used.write) && r.operation != op.number &&
          !ordered(r, op.clock))
        report_race(r, op, used);
    // Whoever is ordered after this operation is ordered after what it covers.
    auto covered = [&](const access_record &r) {
      const bool inside = r.begin >= begin && r.end <= end && (used.write || !r.write);
      return ordered(r, host_clock) || (inside && ordered(r, op.clock));
    };
    a->records.erase(std::remove_if(a->records.begin(), a->records.end(), covered),
                     a->records.end());
    a->records.push_back({begin, end, used.write, op.stream, op.sequence, op.number, op.name});
  }
}

/// Opens device memory for device work only; stays open from one operation to the next.
void run(operation &op, std::optional<device_window> &open) {
  if (op.where != place::device)
    open.reset();
  else if (!open)
    open.emplace();
  if (lost_device == cudaSuccess && op.run)
    op.run();
  unlock_host(op.number);
}

/// The pending operations that `wanted` needs, itself included.
std::vector<uint64_t> closure(uint64_t wanted) {
  std::vector<uint64_t> found, open = {wanted};
  std::set<uint64_t> seen;
  while (!open.empty()) {
    const uint64_t number = open.back();
    open.pop_back();
    const auto op = pending.find(number);
    if (op == pending.end() || !seen.insert(number).second)
      continue;
    found.push_back(number);
    open.insert(open.end(), op->second.after.begin(), op->second.after.end());
  }
  return found;
}

/// Runs these operations, whose dependencies are among them or done.
void run_set(const std::vector<uint64_t> &numbers, size_t limit) {
  if (numbers.empty())
    return;
  std::map<uint64_t, size_t> missing; // how many dependencies each still has
  std::map<uint64_t, std::vector<uint64_t>> followers;
  std::vector<uint64_t> ready;
  for (const uint64_t number : numbers) {
    size_t count = 0;
    for (const uint64_t before : pending[number].after) {
      if (pending.count(before) == 0)
        continue;
      followers[before].push_back(number);
      ++count;
    }
    missing[number] = count;
    if (count == 0)
      ready.push_back(number);
  }
  std::optional<device_window> open;
  for (; !ready.empty() && limit != 0; --limit) {
    auto chosen = ready.begin();
    if (settings().schedule == CAMEO_EMU_FORWARD)
      chosen = std::min_element(ready.begin(), ready.end());
    else if (settings().schedule == CAMEO_EMU_REVERSE)
      chosen = std::max_element(ready.begin(), ready.end());
    else
      chosen += static_cast<ptrdiff_t>(settings().schedule_random.below(ready.size()));
    const uint64_t number = *chosen;
    ready.erase(chosen);
    // Moved out first: what it runs may queue more.
    operation op = std::move(pending[number]);
    pending.erase(number);
    run(op, open);
    for (const uint64_t follower : followers[number])
      if (--missing[follower] == 0)
        ready.push_back(follower);
  }
}

} // namespace

int &current_device() {
  static thread_local int device = 0;
  return device;
}

namespace {

/// Gives a stream the number of one that is gone, if it can be no other's any more.
void number_stream(CUstream_st &stream) {
  if (retired.empty()) {
    stream.number = next_stream++;
    return;
  }
  stream.number = retired.back().first;
  stream.sequence = retired.back().second;
  retired.pop_back();
}

/// Its number may serve again once nothing can be unordered with what it did.
void retire_number(const CUstream_st &stream) {
  if (at(host_clock, stream.number) >= stream.sequence)
    retired.push_back({stream.number, stream.sequence});
}

} // namespace

CUstream_st *make_stream(bool blocking) {
  CUstream_st *stream = nullptr;
  if (destroyed.empty()) {
    stream = new CUstream_st();
  } else { // at once: who compares handles takes it for the old stream
    stream = destroyed.back();
    destroyed.pop_back();
    *stream = {};
  }
  stream->device = current_device();
  stream->blocking = blocking;
  number_stream(*stream);
  streams.insert(stream);
  ++counters.live_streams;
  return stream;
}

void destroy_stream(CUstream_st *stream) {
  retire_number(*stream);
  streams.erase(stream);
  destroyed.push_back(stream);
  --counters.live_streams;
}

CUstream_st *make_lane(int device) {
  auto *lane = new CUstream_st();
  lane->device = device;
  number_stream(*lane);
  return lane;
}

void destroy_lane(CUstream_st *lane) {
  retire_number(*lane);
  delete lane;
}

CUstream_st *find_stream(cudaStream_t handle) {
  if (std::find(destroyed.begin(), destroyed.end(), handle) != destroyed.end())
    fail("a stream is used that has been destroyed");
  if (handle != nullptr && handle != cudaStreamLegacy)
    return streams.count(handle) != 0 ? handle : nullptr;
  CUstream_st *&legacy = legacy_streams[current_device()];
  if (legacy == nullptr) {
    legacy = make_stream(true);
    --counters.live_streams; // nobody made it
  }
  return legacy;
}

bool is_legacy(const CUstream_st &stream) {
  const auto legacy = legacy_streams.find(stream.device);
  return legacy != legacy_streams.end() && legacy->second == &stream;
}

CUevent_st *make_event(unsigned flags) {
  auto *event = new CUevent_st();
  event->flags = flags;
  event->device = current_device();
  events.insert(event);
  ++counters.live_events;
  return event;
}

void destroy_event(CUevent_st *event) {
  events.erase(event);
  --counters.live_events;
  delete event;
}

CUevent_st *find_event(cudaEvent_t handle) { return events.count(handle) != 0 ? handle : nullptr; }

uint64_t enqueue(CUstream_st &stream, operation op, const std::vector<point> &also) {
  if (op.issued)
    op.issued();
  op.number = next_operation++;
  op.stream = stream.number;
  op.sequence = ++stream.sequence;
  op.clock = host_clock;
  auto come_after = [&](uint64_t number, const vector_clock &clock) {
    join(op.clock, clock);
    if (pending.count(number) != 0)
      op.after.push_back(number);
  };
  come_after(stream.last, stream.clock);
  for (const point &p : also)
    come_after(p.operation, p.clock);
  const auto legacy = legacy_streams.find(stream.device);
  if (legacy != legacy_streams.end() && stream.blocking) {
    if (legacy->second != &stream) {
      come_after(legacy->second->last, legacy->second->clock);
    } else {
      for (const CUstream_st *other : streams)
        if (other->blocking && other->device == stream.device && other != &stream)
          come_after(other->last, other->clock);
    }
  }
  check_order(op);
  if (op.clock.size() <= op.stream)
    op.clock.resize(op.stream + 1);
  op.clock[op.stream] = op.sequence;
  stream.last = op.number;
  stream.clock = op.clock;
  if (records)
    record.push_back({op.name, op.stream, op.sequence, op.clock});
  const uint64_t number = op.number;
  for (const range &r : op.pinned)
    lock_host(number, op.name, r.pointer, r.bytes, r.write);
  pending.emplace(number, std::move(op));
  counters.pending = static_cast<int64_t>(pending.size());
  return number;
}

bool is_pending(uint64_t operation) { return pending.count(operation) != 0; }

void run_until(uint64_t operation, size_t limit) {
  run_set(closure(operation), limit);
  counters.pending = static_cast<int64_t>(pending.size());
}

void run_everything() {
  while (!pending.empty()) {
    std::vector<uint64_t> all;
    for (const auto &[number, op] : pending)
      all.push_back(number);
    run_set(all, SIZE_MAX);
  }
  counters.pending = 0;
}

void host_waited_for(const vector_clock &clock) { join(host_clock, clock); }

void host_waited_for_everything() {
  for (const CUstream_st *stream : streams)
    join(host_clock, stream->clock);
}

} // namespace cameo::emu

extern "C" {

void cameo_emu_record(int on) {
  using namespace cameo::emu;
  record.clear();
  records = on != 0;
}

int64_t cameo_emu_beside(const char *one, const char *other) {
  using namespace cameo::emu;
  const auto comes_before = [](const remembered &a, const remembered &b) {
    return at(b.clock, a.stream) >= a.sequence;
  };
  return std::count_if(record.begin(), record.end(), [&](const remembered &a) {
    return a.name.find(one) != std::string::npos &&
           std::any_of(record.begin(), record.end(), [&](const remembered &b) {
             return b.name.find(other) != std::string::npos && !comes_before(a, b) &&
                    !comes_before(b, a);
           });
  });
}

} // extern "C"
