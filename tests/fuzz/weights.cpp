// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A weights blob as the runtime gets it, from the caller's memory and from a file. The first byte
// of an input says how far the model's table fits it; the rest is the blob. A blob that opens has
// the model's size and hash.

#include "fuzz.h"

#include "cameo/context_base.h"

#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <unistd.h>

using namespace cameo;

namespace {

struct aligned_free {
  void operator()(void *memory) const { std::free(memory); }
};

/// The table that fits a blob as far as `how` says.
cameo_model make_model(unsigned how, const unsigned char *blob, size_t size) {
  constexpr size_t header = sizeof(cameo_weights_header);
  cameo_model model{};
  cameo_weights_info &info = model.weights;
  info.bytes = 16;
  if (size < header)
    return model;
  if (how & 1)
    info.bytes = size - header;
  if (how & 2)
    info.hash = hash64(blob + header, size - header);
  if (how & 4)
    std::memcpy(&info.hash, blob + offsetof(cameo_weights_header, hash), sizeof info.hash);
  return model;
}

/// A header that agrees with the table.
void mend(unsigned char *blob, const cameo_weights_info &info) {
  std::memcpy(blob + offsetof(cameo_weights_header, bytes), &info.bytes, sizeof info.bytes);
  std::memcpy(blob + offsetof(cameo_weights_header, hash), &info.hash, sizeof info.hash);
}

void check(const cameo_model &model, cameo_options given, bool hashed) {
  cameo_options options;
  given.abi = CAMEO_ABI_VERSION;
  fuzz::require(ok(check_options(&given, options)), "options are good");
  cameo_weights weights;
  weights.allocator = options.allocator;
  const status s = open_weights(model, options, weights);
  if (ok(s) && model.weights.bytes != 0) {
    // Every byte that the table promises is there.
    const uint64_t hash = hash64(weights.data, model.weights.bytes);
    fuzz::require(!hashed || hash == model.weights.hash, "what is opened has the model's hash");
  }
  if (ok(s))
    close_weights(weights);
  fuzz::require(weights.owned == nullptr, "nothing is kept after a failure");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  const unsigned how = data[0];
  ++data;
  --size;
  // A block of exactly the blob's size, so that a byte too far is seen.
  void *memory = nullptr;
  if (posix_memalign(&memory, 64, size) != 0)
    return 0;
  std::unique_ptr<void, aligned_free> blob(memory);
  if (size != 0)
    std::memcpy(memory, data, size);
  const cameo_model model = make_model(how, static_cast<unsigned char *>(memory), size);
  if (how & 32 && size >= sizeof(cameo_weights_header))
    mend(static_cast<unsigned char *>(memory), model.weights);

  cameo_options options{};
  options.weights = memory;
  options.weights_bytes = size;
  options.verify_weights = how & 8 ? 1 : 0;
  check(model, options, options.verify_weights != 0);

  if (how & 16) {
    const int file = memfd_create("weights", 0);
    const bool written = write(file, memory, size) == static_cast<ssize_t>(size);
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    cameo_options from_file{};
    from_file.weights_path = path.c_str();
    if (written)
      check(model, from_file, true);
    close(file);
  }
  return 0;
}
