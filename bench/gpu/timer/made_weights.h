// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights that do not travel: random numbers of the size that the network's own have, each a
// function of the network's seed and its place, so that every machine makes the same ones.
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

/// A blob of weights as `folder` describes it, see weights.py: `weights.txt` has a line for each
/// piece, `kept.bin` the bytes of pieces that are no random numbers, in order.
class made_weights {
public:
  made_weights(const cameo_weights_info &info, const std::string &folder) {
    if (info.bytes == 0)
      return;
    constexpr size_t alignment = 64;
    bytes_ = sizeof(cameo_weights_header) + info.bytes;
    blob_.reset(static_cast<unsigned char *>(
        std::aligned_alloc(alignment, (bytes_ + alignment - 1) / alignment * alignment)));
    const cameo_weights_header header{
        {'C', 'A', 'M', 'E', 'O', 'W', 'T', '1'}, info.bytes, info.hash, {}};
    std::memcpy(blob_.get(), &header, sizeof header);
    make(blob_.get() + sizeof header, folder);
  }

  void set(cameo_options &options) const {
    options.weights = blob_.get();
    options.weights_bytes = bytes_;
  }

private:
  static void make(unsigned char *to, const std::string &folder) {
    const std::string kept = read_file(folder + "/kept.bin");
    std::istringstream pieces(read_file(folder + "/weights.txt"));
    size_t used = 0;
    std::string word;
    size_t offset = 0, count = 0;
    for (int64_t seed = 0; pieces >> word;) {
      if (word == "seed") {
        pieces >> seed;
      } else if (word == "kept") {
        pieces >> offset >> count;
        std::memcpy(to + offset, kept.data() + used, count);
        used += count;
      } else {
        float size = 0;
        pieces >> offset >> count >> size;
        if (word == "float")
          draw<float>(to + offset, count, size, seed, offset);
        else
          draw<cameo::half>(to + offset, count, size, seed, offset);
      }
    }
  }

  /// Numbers that are equally likely in [-size, size].
  template <class T>
  static void draw(unsigned char *to, size_t count, float size, int64_t seed, size_t place) {
    cameo::philox_block block{};
    for (size_t i = 0; i < count; ++i) {
      if (i % 4 == 0)
        block = cameo::random_block(seed, static_cast<int64_t>(place), static_cast<int64_t>(i / 4));
      const float number = static_cast<float>(static_cast<int32_t>(block.words[i % 4])) * 0x1p-31f;
      const T element = cameo::from_float<T>(size * number);
      std::memcpy(to + i * sizeof(T), &element, sizeof element);
    }
  }

  struct release {
    void operator()(unsigned char *memory) const { std::free(memory); }
  };
  std::unique_ptr<unsigned char, release> blob_;
  size_t bytes_ = 0;
};
