// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory as the emulated device and its host see it. Device memory is a range of addresses of its
// own that only device work can touch; each allocation has its own pages, ends at an unmapped one,
// and is never reused. Pinned memory is closed to the host while a queued copy is going to write
// it. A forbidden access is a fault whose report names what was touched and who may not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace cameo::emu {

enum class memory_kind { device, pinned, managed };

/// Who touched a range last, for the ordering check (stream.cpp).
struct access_record {
  uintptr_t begin, end;
  bool write;
  unsigned stream;
  uint64_t sequence;
  uint64_t operation;
  std::string name;
};

struct allocation {
  memory_kind kind;
  bool live;
  int device;
  unsigned number; ///< in order of allocation, for reports
  unsigned char *mapping;
  size_t mapped;
  unsigned char *user;
  size_t bytes;
  bool imported; ///< another API's: what lies around it is not ours
  std::vector<access_record> records;
};

/// Null when there is no room.
allocation *allocate(memory_kind kind, size_t bytes, int device);
/// `bytes` of the file `fd` from `offset` on, as device memory; null when there is no room, or the
/// file cannot be mapped.
allocation *map_imported(int fd, size_t offset, size_t bytes, int device);
/// From now on nobody may touch it.
void release(allocation &memory);

/// The allocation, live or not, whose pages hold `pointer`, or the one that ends right before it.
allocation *find_allocation(const void *pointer);
/// The live allocation that begins exactly here.
allocation *find_start(const void *pointer);
bool in_device_range(const void *pointer);
size_t live_device_bytes(int device);

/// "byte 12 of device allocation 3 (400 bytes)", "8 bytes past the end of freed ...", "host
/// memory".
std::string describe(const void *pointer);

/// Fails unless all of a range lies in live memory that a kernel or a copy may touch; `who` begins
/// the report.
allocation &check_device_visible(const std::string &who, const void *pointer, size_t bytes);

/// While one lives, device memory is open.
class device_window {
public:
  device_window();
  ~device_window();
  device_window(const device_window &) = delete;
  device_window &operator=(const device_window &) = delete;
};

/// Fails if the bytes around any allocation have changed; `who` ran last.
void check_guards(const std::string &who);

/// Closes pinned memory to the host until unlock_host: to all access when the device will write it,
/// else to writes. A pageable range is left alone.
void lock_host(uint64_t operation, const std::string &name, const void *pointer, size_t bytes,
               bool device_writes);
void unlock_host(uint64_t operation);

/// Opens pinned memory that may be closed for other operations, for the copy that runs now.
class host_window {
public:
  host_window(const void *pointer, size_t bytes);
  ~host_window();
  host_window(const host_window &) = delete;
  host_window &operator=(const host_window &) = delete;

private:
  uintptr_t begin_, end_;
};

} // namespace cameo::emu
