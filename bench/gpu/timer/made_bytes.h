// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights and inputs that do not travel: random numbers of the size that the network's own have,
// each a function of a seed and its place, so that every machine makes the same ones.
#pragma once

#include "cameo/abi.h"
#include "cameo/floats.h"
#include "cameo/philox.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

inline std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s cannot be read\n", path.c_str());
    std::exit(1);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Bytes as weights.py describes them: `path`.txt has a line for each piece, `path`.bin the bytes
/// of pieces that are no random numbers, in order. The pieces cover all of `bytes`.
class made_bytes {
public:
  static void make(unsigned char *to, size_t bytes, const std::string &path) {
    made_bytes all(to, bytes, path);
    std::istringstream pieces(read_file(path + ".txt"));
    std::string word;
    while (pieces >> word)
      all.add(word, pieces);
    if (all.end_ != bytes)
      all.fail();
  }

private:
  made_bytes(unsigned char *to, size_t bytes, const std::string &path)
      : to_(to), bytes_(bytes), path_(path), kept_(read_file(path + ".bin")) {}

  void add(const std::string &word, std::istringstream &pieces) {
    if (word == "seed") {
      pieces >> seed_;
      return;
    }
    size_t offset = 0, count = 0;
    float size = 0;
    pieces >> offset >> count;
    if (word == "kept") {
      std::memcpy(take(offset, count), kept_.data() + used_, count);
      used_ += count;
      return;
    }
    pieces >> size;
    if (word == "float")
      draw<float>(offset, count, [&](uint32_t bits) { return size * number_of(bits); });
    else if (word == "half")
      draw<cameo::half>(offset, count, [&](uint32_t bits) {
        return cameo::from_float<cameo::half>(size * number_of(bits));
      });
    else if (word == "word")
      draw<uint32_t>(offset, count, [](uint32_t bits) { return bits; });
    else
      fail();
  }

  /// Equally likely in [-1, 1].
  static float number_of(uint32_t bits) {
    return static_cast<float>(static_cast<int32_t>(bits)) * 0x1p-31f;
  }
  template <class T, class F> void draw(size_t offset, size_t count, const F &f) {
    unsigned char *const to = take(offset, count * sizeof(T));
    cameo::philox_block block{};
    for (size_t i = 0; i < count; ++i) {
      if (i % 4 == 0)
        block =
            cameo::random_block(seed_, static_cast<int64_t>(offset), static_cast<int64_t>(i / 4));
      const T element = f(block.words[i % 4]);
      std::memcpy(to + i * sizeof(T), &element, sizeof element);
    }
  }
  /// Where a piece goes, which is behind the one before.
  unsigned char *take(size_t offset, size_t count) {
    if (offset != end_ || count > bytes_ - end_)
      fail();
    end_ += count;
    return to_ + offset;
  }
  [[noreturn]] void fail() const {
    std::fprintf(stderr, "%s describes other bytes than the %zu that there are\n", path_.c_str(),
                 bytes_);
    std::exit(1);
  }

  unsigned char *to_;
  size_t bytes_;
  const std::string path_, kept_;
  int64_t seed_ = 0;
  size_t used_ = 0, end_ = 0;
};

/// A blob of weights with its header.
class made_weights {
public:
  made_weights(const cameo_weights_info &info, const std::string &path) {
    if (info.bytes == 0)
      return;
    constexpr size_t alignment = 64;
    bytes_ = sizeof(cameo_weights_header) + info.bytes;
    blob_.reset(static_cast<unsigned char *>(
        std::aligned_alloc(alignment, (bytes_ + alignment - 1) / alignment * alignment)));
    const cameo_weights_header header{
        {'C', 'A', 'M', 'E', 'O', 'W', 'T', '1'}, info.bytes, info.hash, {}};
    std::memcpy(blob_.get(), &header, sizeof header);
    made_bytes::make(blob_.get() + sizeof header, info.bytes, path);
  }

  void set(cameo_options &options) const {
    options.weights = blob_.get();
    options.weights_bytes = bytes_;
  }

private:
  struct release {
    void operator()(unsigned char *memory) const { std::free(memory); }
  };
  std::unique_ptr<unsigned char, release> blob_;
  size_t bytes_ = 0;
};
