// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See grid.h. A thread runs until it has to wait; then a thread that has not started yet goes
// first, so that by default the threads of a block reach a barrier in their order, and a missing
// barrier shows as a read of what was never written. A thread that ends hands its stack to the next
// one without a switch.
#include "grid.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "settings.h"

namespace cameo::emu {

thread_view *self = nullptr;
dim3 grid_size;
dim3 block_size;
const declared_access *declared = nullptr;

namespace {

// One kernel at a time, so its state is the file's; never destroyed: see stream.cpp.
const std::function<void()> *body = nullptr;
const char *kernel_name = nullptr;
fiber host;
char block_begins, block_ends; // what the race detector orders threads by, against the host
auto &threads = *new std::vector<cuda_thread>; // of the live blocks
auto &blocks = *new std::vector<cuda_block>;
auto &unstarted = *new std::vector<cuda_thread *>; // taken from next_unstarted on
size_t next_unstarted = 0;
auto &ready = *new std::vector<cuda_thread *>; // a ring with room for every thread
size_t ready_head = 0;
size_t ready_count = 0;
size_t unfinished = 0;
size_t idle_spins = 0; // since anything but spinning happened
cameo_emu_order order = CAMEO_EMU_FORWARD;
random_source random_threads;

auto &shared_ends =
    *new std::vector<unsigned char *>; // one region per live block, before its guard page

cuda_thread *take_unstarted() {
  return next_unstarted < unstarted.size() ? unstarted[next_unstarted++] : nullptr;
}

cuda_thread *&ready_at(size_t position) { return ready[(ready_head + position) % ready.size()]; }

cuda_thread *take_ready() {
  if (ready_count == 0)
    return nullptr;
  if (order == CAMEO_EMU_RANDOM)
    std::swap(ready_at(0), ready_at(random_threads.below(ready_count)));
  cuda_thread *next = ready_at(0);
  ready_head = (ready_head + 1) % ready.size();
  --ready_count;
  return next;
}

void thread_main();

/// Whoever runs next, ready to be switched to; null when nobody can.
cuda_thread *next_thread() {
  cuda_thread *next = nullptr;
  const bool new_first = order != CAMEO_EMU_RANDOM || random_threads.below(2) == 0;
  if (!new_first)
    next = take_ready();
  if (next == nullptr) {
    next = take_unstarted();
    if (next != nullptr) {
      fiber_start(next->context, thread_main);
      note_progress();
    } else {
      next = take_ready();
    }
  }
  return next;
}

/// Everyone who waits, by place.
[[noreturn]] void report_deadlock() {
  struct place {
    wait_kind kind;
    site at;
    size_t count;
  };
  std::vector<place> places;
  for (const cuda_thread &t : threads) {
    if (t.waits == wait_kind::none)
      continue;
    auto same = [&](const place &p) {
      return p.kind == t.waits && p.at.file == t.waits_at.file && p.at.line == t.waits_at.line;
    };
    auto known = std::find_if(places.begin(), places.end(), same);
    if (known == places.end())
      known = places.insert(places.end(), {t.waits, t.waits_at, 0});
    ++known->count;
  }
  std::string text;
  for (const place &p : places) {
    const char *what = p.kind == wait_kind::barrier      ? "a barrier"
                       : p.kind == wait_kind::collective ? "a warp-wide operation"
                                                         : "a spin loop";
    text += (text.empty() ? "" : ", ") + std::to_string(p.count) + " in " + what + " at " +
            p.at.file + ":" + std::to_string(p.at.line);
  }
  self = nullptr;
  fail("deadlock: %zu threads never end: %s", unfinished, text.c_str());
}

void run_next(cuda_thread &from) {
  cuda_thread *next = next_thread();
  if (next == nullptr)
    report_deadlock();
  if (next == &from)
    return;
  self = next;
  fiber_switch(from.context, next->context);
}

void thread_main() {
  fiber_entered();
  for (;;) {
    race_acquire(&block_begins);
    (*body)();
    race_release(&block_ends);
    cuda_thread &me = current();
    --unfinished;
    note_progress();
    thread_exits(me);

    const bool continue_here =
        !race_detection() && (order != CAMEO_EMU_RANDOM || random_threads.below(2) == 0);
    cuda_thread *next = continue_here ? take_unstarted() : nullptr;
    if (next != nullptr) {
      self = next;
      fiber_inherit(me.context, next->context);
      continue;
    }
    next = next_thread();
    if (next == nullptr && unfinished != 0)
      report_deadlock();
    fiber_check_stack(me.context);
    if (!race_detection())
      fiber_release_stack(me.context);
    self = next;
    fiber_leave(me.context, next != nullptr ? next->context : host);
  }
}

constexpr unsigned char shared_slack = 0xa5;

size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

unsigned char *shared_end(size_t slot) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t bytes = round_up(max_shared_bytes + 128, page);
  while (shared_ends.size() <= slot) {
    void *region = mmap(nullptr, bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region == MAP_FAILED ||
        mprotect(static_cast<char *>(region) + page, bytes, PROT_READ | PROT_WRITE) != 0)
      fail("no memory for the shared memory of a block");
    shared_ends.push_back(static_cast<unsigned char *>(region) + page + bytes);
  }
  return shared_ends[slot];
}

void prepare_block(cuda_block &block, cuda_thread *first, uint3 index, size_t slot,
                   size_t shared_bytes) {
  const unsigned count = block_size.x * block_size.y * block_size.z;
  const size_t rounded = round_up(shared_bytes, 128);
  block.index = index;
  block.shared = shared_end(slot) - rounded;
  block.shared_bytes = shared_bytes;
  memset(block.shared, settings().poison, shared_bytes);
  memset(block.shared + shared_bytes, shared_slack, rounded - shared_bytes);
  block.live = count;
  block.threads = first;
  // Reserved, so that no thread of the block allocates what another will use: to the race detector
  // that is a race.
  block.mbarriers.clear();
  block.mbarriers.reserve(32);
  block.bulk.clear();
  block.bulk.reserve(64);
  block.bulk_landed = 0;
  for (barrier_state &b : block.barriers) {
    b.expected = b.arrived = 0;
    b.counted = 0;
    b.waiting.reserve(count);
  }
  block.warps.assign((count + 31) / 32, cuda_warp());
  for (unsigned w = 0; w < block.warps.size(); ++w) {
    const unsigned lanes = std::min(32u, count - w * 32);
    block.warps[w].first = w * 32;
    block.warps[w].present = lanes == 32 ? ~0u : (1u << lanes) - 1;
  }
  for (unsigned i = 0; i < count; ++i) {
    cuda_thread &t = first[i];
    t.index = {i % block_size.x, i / block_size.x % block_size.y,
               i / (block_size.x * block_size.y)};
    t.linear = i;
    t.lane = i % 32;
    t.block = t.home = &block;
    t.warp = &block.warps[i / 32];
    t.waits = wait_kind::none;
    t.copies.clear();
    t.copies_landed = 0;
    t.copy_group = 0;
  }
}

void finish_block(const cuda_block &block) {
  const size_t rounded = round_up(block.shared_bytes, 128);
  for (size_t i = block.shared_bytes; i < rounded; ++i)
    if (block.shared[i] != shared_slack)
      fail("a thread of block %u,%u,%u wrote %zu bytes past the end of its %zu bytes of shared "
           "memory",
           block.index.x, block.index.y, block.index.z, i - block.shared_bytes + 1,
           block.shared_bytes);
}

void run_live_blocks() {
  unfinished = unstarted.size();
  next_unstarted = 0;
  ready_head = ready_count = 0;
  idle_spins = 0;
  cuda_thread *first = take_unstarted();
  fiber_start(first->context, thread_main);
  race_release(&block_begins);
  self = first;
  fiber_switch(host, first->context);
  race_acquire(&block_ends);
  // To the race detector a stack that changes hands inside a block would look like a race.
  if (race_detection())
    for (cuda_thread *t : unstarted)
      fiber_release_stack(t->context);
}

} // namespace

const char *running_kernel() { return kernel_name; }

void suspend(wait_kind kind, site at) {
  cuda_thread &me = current();
  me.waits = kind;
  me.waits_at = at;
  run_next(me);
  me.waits = wait_kind::none;
}

void make_ready(cuda_thread *thread) { ready_at(ready_count++) = thread; }

void note_progress() { idle_spins = 0; }

bool only_spinners() {
  return next_unstarted == unstarted.size() && idle_spins > 2 * ready_count + 2;
}

void yield(site at) {
  ++idle_spins;
  constexpr size_t hopeless = 1000;
  if (idle_spins > hopeless * (ready_count + 1) && next_unstarted == unstarted.size()) {
    current().waits = wait_kind::spin;
    current().waits_at = at;
    report_deadlock();
  }
  make_ready(&current());
  suspend(wait_kind::spin, at);
}

void run_grid(const char *name, dim3 grid, dim3 block, size_t shared_bytes, bool cooperative,
              const std::function<void()> &thread_body) {
  body = &thread_body;
  kernel_name = name;
  grid_size = grid;
  block_size = block;
  order = settings().thread_order;
  random_threads.seed(settings().thread_seed);
  host = fiber();

  const size_t per_block = size_t{block.x} * block.y * block.z;
  const size_t block_count = size_t{grid.x} * grid.y * grid.z;
  const size_t live = cooperative ? block_count : 1;
  if (threads.size() < live * per_block)
    threads.resize(live * per_block);
  if (blocks.size() < live)
    blocks.resize(live);
  unstarted.resize(live * per_block);
  ready.resize(live * per_block);
  std::vector<size_t> block_order;
  if (order == CAMEO_EMU_RANDOM) {
    block_order.resize(block_count);
    for (size_t i = 0; i < block_count; ++i)
      block_order[i] = i;
    random_threads.shuffle(block_order);
  }

  for (size_t start = 0; start < block_count; start += live) {
    for (size_t slot = 0; slot < live; ++slot) {
      size_t number = start + slot;
      if (order == CAMEO_EMU_RANDOM)
        number = block_order[number];
      else if (order == CAMEO_EMU_REVERSE)
        number = block_count - 1 - number;
      const uint3 index = {static_cast<unsigned>(number % grid.x),
                           static_cast<unsigned>(number / grid.x % grid.y),
                           static_cast<unsigned>(number / (size_t{grid.x} * grid.y))};
      prepare_block(blocks[slot], &threads[slot * per_block], index, slot, shared_bytes);
    }
    for (size_t i = 0; i < unstarted.size(); ++i)
      unstarted[i] = &threads[order == CAMEO_EMU_REVERSE ? unstarted.size() - 1 - i : i];
    if (order == CAMEO_EMU_RANDOM)
      random_threads.shuffle(unstarted);
    run_live_blocks();
    for (size_t slot = 0; slot < live; ++slot)
      finish_block(blocks[slot]);
  }
  self = nullptr;
  kernel_name = nullptr;
}

} // namespace cameo::emu
