// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned memory is closed, page by page, while a queued copy owns it, so that reading a result
// before its sync is a fault that names the copy. Protection is by page and copies are by byte: a
// fault at a byte that no copy owns opens that page until its copies are done, and only the poison
// in it speaks. This file also has the fault handler, which sorts out who touched what.
#include "host_lock.h"

#include <csignal>
#include <cstring>
#include <map>

#include <sys/mman.h>
#include <unistd.h>

#include "cameo/cuda/emulator.h"
#include "grid.h"
#include "memory.h"
#include "settings.h"

namespace cameo::emu {
namespace {

struct locked_range {
  uint64_t operation;
  std::string name;
  uintptr_t begin, end;
  bool device_writes;
};
auto &locked = *new std::vector<locked_range>; // never destroyed: see stream.cpp

struct page_state {
  int device_writes = 0, device_reads = 0;
  bool given_up = false;
};
auto &pages = *new std::map<uintptr_t, page_state>;

struct sigaction previous_handler;

uintptr_t page_bytes() {
  static const uintptr_t bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

uintptr_t page_of(uintptr_t address) { return address / page_bytes() * page_bytes(); }

void protect(uintptr_t page, int protection) {
  mprotect(reinterpret_cast<void *>(page), page_bytes(), protection);
}

void refresh(uintptr_t page) {
  const auto state = pages.find(page);
  if (state == pages.end() || state->second.given_up)
    protect(page, PROT_READ | PROT_WRITE);
  else
    protect(page, state->second.device_writes != 0 ? PROT_NONE : PROT_READ);
}

template <class F> void for_pages(uintptr_t begin, uintptr_t end, F f) {
  for (uintptr_t page = page_of(begin); page < end; page += page_bytes())
    f(page);
}

/// Reports the access if an operation owns the byte; else opens the page and lets it happen.
void host_fault(uintptr_t address) {
  page_state &state = pages[page_of(address)];
  for (const locked_range &range : locked) {
    if (address < range.begin || address >= range.end)
      continue;
    // A page that is closed to writes only has been written; of one closed altogether, a read may
    // be meant.
    if (range.device_writes)
      fail("the host touches %s before it has waited for '%s' (operation %llu), which writes it",
           describe(reinterpret_cast<void *>(address)).c_str(), range.name.c_str(),
           static_cast<unsigned long long>(range.operation));
    if (state.device_writes == 0)
      fail("the host writes %s before it has waited for '%s' (operation %llu), which reads it",
           describe(reinterpret_cast<void *>(address)).c_str(), range.name.c_str(),
           static_cast<unsigned long long>(range.operation));
  }
  state.given_up = true;
  protect(page_of(address), PROT_READ | PROT_WRITE);
}

void on_fault(int signal, siginfo_t *info, void *) {
  const void *pointer = info->si_addr;
  const allocation *a = find_allocation(pointer);
  if (in_device_range(pointer)) {
    if (running_kernel() != nullptr)
      fail("a kernel touches %s", describe(pointer).c_str());
    fail("the host touches %s", describe(pointer).c_str());
  }
  if (a != nullptr && a->live && pointer < a->mapping + a->mapped && running_kernel() == nullptr) {
    host_fault(reinterpret_cast<uintptr_t>(pointer));
    return;
  }
  if (a != nullptr)
    fail("%s touches %s", running_kernel() != nullptr ? "a kernel" : "the host",
         describe(pointer).c_str());
  if (self != nullptr) {
    const auto *byte = static_cast<const unsigned char *>(pointer);
    const block_view &block = *self->block;
    if (byte >= block.shared + block.shared_bytes &&
        byte < block.shared + block.shared_bytes + (1 << 16))
      fail("a kernel touches byte %zu of its %zu bytes of shared memory",
           static_cast<size_t>(byte - block.shared), block.shared_bytes);
    fail("a kernel touches %p, which is nobody's", pointer);
  }
  sigaction(signal, &previous_handler, nullptr); // the access is tried again
}

} // namespace

void install_fault_handler() {
  static const bool installed = [] {
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    return sigaction(SIGSEGV, &action, &previous_handler) == 0;
  }();
  if (!installed)
    fail("no handler for SIGSEGV");
}

void lock_host(uint64_t operation, const std::string &name, const void *pointer, size_t bytes,
               bool device_writes) {
  const allocation *a = find_allocation(pointer);
  if (a == nullptr || !a->live || a->kind == memory_kind::device || bytes == 0)
    return;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(pointer), end = begin + bytes;
  bool owned = false;
  for (const locked_range &range : locked)
    owned = owned || (range.begin < end && begin < range.end);
  if (device_writes && !owned) {
    const host_window open(pointer, bytes);
    memset(const_cast<void *>(pointer), settings().poison, bytes);
  }
  locked.push_back({operation, name, begin, end, device_writes});
  for_pages(begin, end, [=](uintptr_t page) {
    page_state &state = pages[page];
    ++(device_writes ? state.device_writes : state.device_reads);
    refresh(page);
  });
}

void unlock_host(uint64_t operation) {
  for (size_t i = 0; i < locked.size();) {
    if (locked[i].operation != operation) {
      ++i;
      continue;
    }
    const locked_range range = locked[i];
    locked.erase(locked.begin() + static_cast<ptrdiff_t>(i));
    for_pages(range.begin, range.end, [&](uintptr_t page) {
      page_state &state = pages[page];
      --(range.device_writes ? state.device_writes : state.device_reads);
      if (state.device_writes == 0 && state.device_reads == 0)
        pages.erase(page);
      refresh(page);
    });
  }
}

host_window::host_window(const void *pointer, size_t bytes) : begin_(0), end_(0) {
  const allocation *a = find_allocation(pointer);
  if (a == nullptr || !a->live || a->kind == memory_kind::device)
    return;
  begin_ = reinterpret_cast<uintptr_t>(pointer);
  end_ = begin_ + bytes;
  for_pages(begin_, end_, [](uintptr_t page) { protect(page, PROT_READ | PROT_WRITE); });
}

host_window::~host_window() {
  for_pages(begin_, end_, [](uintptr_t page) { refresh(page); });
}

} // namespace cameo::emu
