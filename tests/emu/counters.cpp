// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels compiled with -fsanitize=thread call a function at each access (sanitizer_hooks.h), and
// primitives tell theirs. CUDA threads run one after the other, so that the requests of a warp are
// put together by how often each lane has come to a place.
#include "counters.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "grid.h"
#include "memory.h"

namespace cameo::emu {
namespace {

constexpr unsigned lanes = 32, banks = 32, word_bytes = 4, sector_bytes = 32;

struct place {
  const char *file;
  uintptr_t address_or_line;
  bool shared, write;
  unsigned bytes;

  bool operator<(const place &other) const {
    return std::tie(file, address_or_line, shared, write, bytes) <
           std::tie(other.file, other.address_or_line, other.shared, other.write, other.bytes);
  }
};

struct request {
  uintptr_t addresses[lanes];
  uint32_t mask = 0;
};

/// A warp at a place: the requests of which lanes have told their part.
struct warp_place {
  std::vector<request> open;
  unsigned times[lanes] = {}; // that each lane has come
};

struct cost {
  uint64_t requests = 0, taken = 0, ideal = 0;
};

/// Bytes by their lines, of which each has a bit.
class byte_set {
public:
  void add(uintptr_t byte) { lines_[byte / line] |= uint64_t{1} << byte % line; }
  void clear() { lines_.clear(); }
  uint64_t count() const {
    uint64_t bytes = 0;
    for (const auto &[number, bits] : lines_)
      bytes += static_cast<uint64_t>(__builtin_popcountll(bits));
    return bytes;
  }

private:
  static constexpr unsigned line = 64;
  std::unordered_map<uintptr_t, uint64_t> lines_;
};

std::map<place, cost> totals;
byte_set bytes_read, bytes_written;
uint64_t sectors_read, sectors_written;
std::set<uintptr_t> cached;                                // sectors that the block has read
std::map<std::pair<place, unsigned>, warp_place> of_block; // by warp
const void *block_at;
uint3 block_index_at;

/// As many lanes at a time as their accesses are 128 bytes together; a bank gives one word a pass.
void add_passes(const request &of, const place &at, cost &to) {
  const unsigned bytes = at.bytes;
  const unsigned together = bytes >= 16 ? 8 : bytes == 8 ? 16 : lanes;
  for (unsigned first = 0; first < lanes; first += together) {
    std::set<uintptr_t> words[banks], all;
    for (unsigned lane = first; lane < first + together; ++lane)
      for (unsigned byte = 0; (of.mask >> lane & 1) != 0 && byte < bytes; ++byte) {
        const uintptr_t word = (of.addresses[lane] + byte) / word_bytes;
        words[word % banks].insert(word);
        all.insert(word);
      }
    size_t most = 0;
    for (const std::set<uintptr_t> &bank : words)
      most = std::max(most, bank.size());
    to.taken += most;
    to.ideal += (all.size() + banks - 1) / banks;
  }
}

/// Whether it is an asynchronous copy of 16 bytes, the only accesses of global memory by primitives
/// that no multiprocessor caches.
bool is_uncached(const place &at) { return at.file != nullptr && at.bytes == 16; }

void add_traffic(const place &at, const std::set<uintptr_t> &sectors,
                 const std::set<uintptr_t> &all) {
  for (const uintptr_t byte : all)
    (at.write ? bytes_written : bytes_read).add(byte);
  if (at.write)
    sectors_written += sectors.size();
  else if (is_uncached(at))
    sectors_read += sectors.size();
  else
    for (const uintptr_t sector : sectors)
      sectors_read += cached.insert(sector).second ? 1 : 0;
}

void add_sectors(const request &of, const place &at, cost &to) {
  const unsigned bytes = at.bytes;
  std::set<uintptr_t> sectors, all;
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned byte = 0; (of.mask >> lane & 1) != 0 && byte < bytes; ++byte) {
      sectors.insert((of.addresses[lane] + byte) / sector_bytes);
      all.insert(of.addresses[lane] + byte);
    }
  to.taken += sectors.size();
  to.ideal += (all.size() + sector_bytes - 1) / sector_bytes;
  add_traffic(at, sectors, all);
}

void close_block() {
  for (const auto &[key, warp] : of_block)
    for (const request &each : warp.open) {
      cost &to = totals[key.first];
      ++to.requests;
      (key.first.shared ? add_passes : add_sectors)(each, key.first, to);
    }
  of_block.clear();
  cached.clear();
}

void note(const void *pointer, size_t bytes, bool write, const char *file,
          uintptr_t address_or_line) {
  if (self == nullptr || evaluating || bytes == 0)
    return;
  const cuda_thread &me = current();
  const block_view &block = *me.block;
  if (block_at != &block || memcmp(&block_index_at, &block.index, sizeof(uint3)) != 0) {
    close_block();
    block_at = &block;
    block_index_at = block.index;
  }
  const auto *byte = static_cast<const unsigned char *>(pointer);
  const bool shared = byte >= block.shared && byte < block.shared + block.shared_bytes;
  if (!shared && !in_device_range(pointer))
    return;
  const place at = {file, address_or_line, shared, write, static_cast<unsigned>(bytes)};
  warp_place &here = of_block[{at, me.linear / lanes}];
  const unsigned time = here.times[me.lane]++;
  if (time == here.open.size())
    here.open.emplace_back();
  here.open[time].addresses[me.lane] = reinterpret_cast<uintptr_t>(pointer);
  here.open[time].mask |= 1u << me.lane;
}

} // namespace

void count_accesses() {
  close_block();
  totals.clear();
  bytes_read.clear();
  bytes_written.clear();
  sectors_read = sectors_written = 0;
  note_access = [](const void *pointer, size_t bytes, bool write, site at) {
    note(pointer, bytes, write, at.file, static_cast<uintptr_t>(at.line));
  };
}

std::vector<access_count> counted_accesses() {
  close_block();
  std::vector<access_count> all;
  for (const auto &[at, sum] : totals)
    all.push_back({at.file, at.file != nullptr ? static_cast<int>(at.address_or_line) : 0,
                   at.address_or_line, at.shared, at.write, at.bytes, sum.requests, sum.taken,
                   sum.ideal});
  return all;
}

traffic counted_traffic() {
  close_block();
  return {bytes_read.count(), bytes_written.count(), sectors_read * sector_bytes,
          sectors_written * sector_bytes};
}

} // namespace cameo::emu

#define CAMEO_EMU_ON_ACCESS(pointer, bytes, write)                                                 \
  cameo::emu::note(pointer, bytes, write, nullptr,                                                 \
                   reinterpret_cast<uintptr_t>(__builtin_return_address(0)))
#include "sanitizer_hooks.h"
