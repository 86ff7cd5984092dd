// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocations of the emulator and the checks on pointers; host_lock.cpp has the protection of
// pinned memory and the fault handler. A device allocation stands at the end of its pages, so that
// the first byte behind it (behind its padding to 256, which is checked) faults at once; large ones
// use huge pages, because opening and closing many small ones for each sync would cost
// milliseconds.
#include "memory.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include <sys/mman.h>
#include <unistd.h>

#include "cameo/cuda/emulator.h"
#include "host_lock.h"
#include "settings.h"

namespace cameo::emu {
namespace {

constexpr size_t alignment = 256; // of cudaMalloc
constexpr size_t huge_page = size_t{2} << 20;
constexpr size_t guard_bytes = 256;
constexpr unsigned char guard_byte = 0xa5;

unsigned char *range_begin = nullptr; // of all device memory there will ever be
size_t range_bytes = 0;
size_t range_used = 0;

// By address of their first page. Freed ones stay, to be named. None of this is ever destroyed: see
// stream.cpp.
auto &allocations = *new std::map<uintptr_t, allocation>;
auto &live_on_device = *new std::set<allocation *>;
auto &live_bytes = *new std::map<int, size_t>; // by device
unsigned next_number = 1;
int windows_open = 0;

size_t page_bytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

uintptr_t address(const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

bool reserve_range() {
  if (range_begin != nullptr)
    return true;
  install_fault_handler();
  // Addresses cost nothing, but a limit on them may be set.
  for (size_t bytes = size_t{1} << 40; bytes >= size_t{1} << 32; bytes >>= 1) {
    void *memory =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      continue;
    range_begin = static_cast<unsigned char *>(memory);
    range_bytes = bytes;
    return true;
  }
  return false;
}

/// Pages for a device allocation, open; null when the range is used up.
unsigned char *take_device_pages(size_t mapped, bool huge) {
  if (!reserve_range())
    return nullptr;
  const size_t unit = huge ? huge_page : page_bytes();
  const uintptr_t base = address(range_begin);
  const size_t start = round_up(base + range_used + page_bytes(), unit) - base;
  if (start + mapped + page_bytes() > range_bytes)
    return nullptr;
  unsigned char *pages = range_begin + start;
  if (mprotect(pages, mapped, PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  if (huge)
    madvise(pages, mapped, MADV_HUGEPAGE);
  range_used = start + mapped;
  return pages;
}

unsigned char *take_host_pages(size_t mapped) {
  install_fault_handler();
  void *pages =
      mmap(nullptr, mapped + 2 * page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return nullptr;
  unsigned char *begin = static_cast<unsigned char *>(pages) + page_bytes();
  return mprotect(begin, mapped, PROT_READ | PROT_WRITE) == 0 ? begin : nullptr;
}

size_t front_guard(const allocation &a) {
  return a.imported ? 0 : std::min(guard_bytes, static_cast<size_t>(a.user - a.mapping));
}

size_t back_guard(const allocation &a) {
  return a.imported ? 0 : round_up(a.bytes, alignment) - a.bytes;
}

void protect_device(int protection) {
  for (const allocation *a : live_on_device)
    mprotect(a->mapping, a->mapped, protection);
}

const char *kind_name(memory_kind kind) {
  return kind == memory_kind::device   ? "device"
         : kind == memory_kind::pinned ? "pinned"
                                       : "managed";
}

bool has_room(size_t bytes, int device) {
  return bytes <= settings().device_bytes &&
         live_device_bytes(device) <= settings().device_bytes - bytes;
}

/// An entry for memory at `user` in those pages.
allocation &add(memory_kind kind, unsigned char *pages, size_t mapped, unsigned char *user,
                size_t bytes, int device) {
  allocation &a = allocations[address(pages)];
  a.kind = kind;
  a.live = true;
  a.imported = false;
  a.device = device;
  a.number = next_number++;
  a.mapping = pages;
  a.mapped = mapped;
  a.user = user;
  a.bytes = bytes;
  return a;
}

void count_on_device(allocation &a) {
  ++counters.live_device_allocs;
  counters.live_device_bytes += static_cast<int64_t>(a.bytes);
  live_bytes[a.device] += a.bytes;
  live_on_device.insert(&a);
}

} // namespace

allocation *allocate(memory_kind kind, size_t bytes, int device) {
  const bool on_device = kind == memory_kind::device;
  if (on_device && !has_room(bytes, device))
    return nullptr;
  const bool huge = on_device && bytes >= huge_page / 2;
  const size_t padded = round_up(bytes, on_device ? alignment : 16);
  const size_t mapped = round_up(padded, huge ? huge_page : page_bytes());
  unsigned char *pages = on_device ? take_device_pages(mapped, huge) : take_host_pages(mapped);
  if (pages == nullptr)
    return nullptr;

  // Pinned memory keeps the page alignment that the real one has.
  unsigned char *user = on_device ? pages + (mapped - padded) : pages;
  allocation &a = add(kind, pages, mapped, user, bytes, device);
  memset(a.user, settings().poison, bytes);
  memset(a.user - front_guard(a), guard_byte, front_guard(a));
  memset(a.user + bytes, guard_byte, padded - bytes);
  if (on_device && windows_open == 0)
    mprotect(pages, mapped, PROT_NONE);
  if (on_device) {
    ++counters.device_allocs;
    count_on_device(a);
  } else {
    ++counters.pinned_allocs;
    ++counters.live_pinned_allocs;
  }
  return &a;
}

allocation *map_imported(int fd, size_t offset, size_t bytes, int device) {
  const size_t first = offset / page_bytes() * page_bytes(), inside = offset - first;
  const size_t mapped = round_up(inside + bytes, page_bytes());
  unsigned char *pages = has_room(bytes, device) ? take_device_pages(mapped, false) : nullptr;
  if (pages == nullptr || mmap(pages, mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                               static_cast<off_t>(first)) == MAP_FAILED)
    return nullptr;
  allocation &a = add(memory_kind::device, pages, mapped, pages + inside, bytes, device);
  a.imported = true;
  if (windows_open == 0)
    mprotect(pages, mapped, PROT_NONE);
  count_on_device(a);
  return &a;
}

void release(allocation &a) {
  a.live = false;
  a.records.clear();
  // A fresh mapping in its place gives the pages back and joins its neighbours: there is a limit on
  // mappings.
  if (mmap(a.mapping, a.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
           -1, 0) == MAP_FAILED)
    fail("cannot give back %s", describe(a.user).c_str());
  if (a.kind == memory_kind::device) {
    ++counters.device_frees;
    --counters.live_device_allocs;
    counters.live_device_bytes -= static_cast<int64_t>(a.bytes);
    live_bytes[a.device] -= a.bytes;
    live_on_device.erase(&a);
  } else {
    ++counters.pinned_frees;
    --counters.live_pinned_allocs;
  }
}

allocation *find_allocation(const void *pointer) {
  auto next = allocations.upper_bound(address(pointer));
  if (next == allocations.begin())
    return nullptr;
  allocation &a = std::prev(next)->second;
  // Its guard page is part of it: that is where an overrun ends up.
  return address(pointer) < address(a.mapping) + a.mapped + page_bytes() ? &a : nullptr;
}

allocation *find_start(const void *pointer) {
  allocation *a = find_allocation(pointer);
  return a != nullptr && a->live && a->user == pointer ? a : nullptr;
}

bool in_device_range(const void *pointer) {
  return range_begin != nullptr && address(pointer) - address(range_begin) < range_bytes;
}

size_t live_device_bytes(int device) { return live_bytes[device]; }

std::string describe(const void *pointer) {
  const allocation *a = find_allocation(pointer);
  // Between two allocations: of the nearer one.
  const auto next = allocations.upper_bound(address(pointer));
  if (next != allocations.end() && next->first - address(pointer) <= page_bytes() &&
      (a == nullptr ||
       (pointer >= a->user + a->bytes && address(next->second.user) - address(pointer) <
                                             address(pointer) - address(a->user) - a->bytes)))
    a = &next->second;
  if (a == nullptr)
    return in_device_range(pointer) ? "unallocated device memory" : "host memory";
  std::string where;
  if (pointer < a->user)
    where = std::to_string(address(a->user) - address(pointer)) + " bytes before the start of";
  else if (pointer >= a->user + a->bytes)
    where =
        std::to_string(address(pointer) - address(a->user) - a->bytes) + " bytes past the end of";
  else
    where = "byte " + std::to_string(address(pointer) - address(a->user)) + " of";
  return where + (a->live ? " " : " freed ") + kind_name(a->kind) + " allocation " +
         std::to_string(a->number) + " (" + std::to_string(a->bytes) + " bytes)";
}

allocation &check_device_visible(const std::string &who, const void *pointer, size_t bytes) {
  allocation *a = find_allocation(pointer);
  if (a == nullptr || !a->live || pointer < a->user || pointer >= a->user + a->bytes)
    fail("%s %p, which is %s", who.c_str(), pointer, describe(pointer).c_str());
  const size_t left = a->bytes - static_cast<size_t>(address(pointer) - address(a->user));
  if (bytes > left)
    fail("%s %zu bytes at %p, which is %s: %zu too many", who.c_str(), bytes, pointer,
         describe(pointer).c_str(), bytes - left);
  return *a;
}

device_window::device_window() {
  if (windows_open++ == 0)
    protect_device(PROT_READ | PROT_WRITE);
}

device_window::~device_window() {
  if (--windows_open == 0)
    protect_device(PROT_NONE);
}

void check_guards(const std::string &who) {
  const device_window open;
  for (const allocation *a : live_on_device) {
    const unsigned char *front = a->user - front_guard(*a), *back = a->user + a->bytes;
    for (size_t i = 0; i < front_guard(*a); ++i)
      if (front[i] != guard_byte)
        fail("%s wrote %s", who.c_str(), describe(front + i).c_str());
    for (size_t i = 0; i < back_guard(*a); ++i)
      if (back[i] != guard_byte)
        fail("%s wrote %s", who.c_str(), describe(back + i).c_str());
  }
}

} // namespace cameo::emu
