// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights: where they may come from, what is wrong with them, and who shares them.
#include "mlp_context.h"

#include "cameo/cpu/context.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace cameo;
using namespace mlp_test;

namespace {

/// A blob at an aligned address, to be damaged.
struct aligned_blob {
  explicit aligned_blob(std::vector<unsigned char> b)
      : bytes(b.size()),
        memory(static_cast<unsigned char *>(aligned_alloc(64, 64 * (b.size() / 64 + 1)))) {
    memcpy(memory, b.data(), bytes);
  }
  ~aligned_blob() { free(memory); }
  aligned_blob(const aligned_blob &) = delete;
  aligned_blob &operator=(const aligned_blob &) = delete;
  size_t bytes;
  unsigned char *memory;
};

status create_with(const void *blob, size_t bytes, int32_t verify) {
  cameo_options o = defaults();
  o.weights = blob;
  o.weights_bytes = bytes;
  o.verify_weights = verify;
  const opened m(o);
  return m.created;
}

struct temporary_file {
  explicit temporary_file(const std::vector<unsigned char> &content) {
    const int fd = mkstemp(path);
    FILE *f = fdopen(fd, "wb");
    fwrite(content.data(), 1, content.size(), f);
    fclose(f);
  }
  ~temporary_file() { remove(path); }
  char path[32] = "cameo_weights_XXXXXX";
};

status create_from(const char *path, counting_allocator *w = nullptr) {
  cameo_options o = w ? w->options() : defaults();
  o.weights_path = path;
  opened m(o);
  if (ok(m.created)) {
    call k(2);
    CHECK(ok(k.run(m.c)));
    CHECK(k.right());
  }
  return m.created;
}

} // namespace

TEST_CASE("the hash is XXH64", "[weights]") {
  CHECK(hash64("", 0) == 0xef46db3751d8e999u);
  CHECK(hash64("abc", 3) == 0x44bc2cf5ad770999u);
  const std::vector<float> w = mlp_test::weights();
  const struct {
    size_t bytes;
    uint64_t hash;
  } known[] = {{1, 0x16b6310ebd34bd7cu},  {4, 0xf1a027137d4dabb2u},   {7, 0x90f19ed6b0820c9bu},
               {8, 0xbb11b9a1208067a2u},  {31, 0xbc0f2c51f35c57ccu},  {32, 0x837fbe384a3043bfu},
               {33, 0x669b7839dec3f480u}, {100, 0xab4367ee6cd46934u}, {9640, 0xf08930d19e96bcc5u}};
  for (const auto &k : known)
    CHECK(hash64(w.data(), k.bytes) == k.hash);
}

TEST_CASE("weights from the caller's memory", "[weights]") {
  aligned_blob b(mlp_test::blob());
  CHECK(ok(create_with(b.memory, b.bytes, 1)));
  CHECK(create_with(b.memory, b.bytes - 1, 0).code == CAMEO_LOAD_ERROR);
  CHECK(create_with(b.memory, 10, 0).code == CAMEO_LOAD_ERROR);
  CHECK(create_with(b.memory + 4, b.bytes - 4, 0).code == CAMEO_LOAD_ERROR);
  for (const size_t at : {size_t{0}, size_t{7}, size_t{8}, size_t{16}}) { // magic, bytes, hash
    b.memory[at] ^= 1;
    CHECK(create_with(b.memory, b.bytes, 0).code == CAMEO_LOAD_ERROR);
    b.memory[at] ^= 1;
  }
  b.memory[5000] ^= 0x10;
  CHECK(create_with(b.memory, b.bytes, 1).code == CAMEO_LOAD_ERROR);
  CHECK(ok(create_with(b.memory, b.bytes, 0))); // not asked to look
}

TEST_CASE("weights from a file", "[weights]") {
  const std::vector<unsigned char> good = mlp_test::blob();
  CHECK(ok(create_from(temporary_file(good).path)));
  counting_allocator w;
  const auto refused = [&](const std::vector<unsigned char> &content) {
    errno = 1234;
    CHECK(create_from(temporary_file(content).path, &w).code == CAMEO_LOAD_ERROR);
    CHECK(w.live == 0);
  };
  for (const size_t length : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, good.size() - 1}) {
    std::vector<unsigned char> cut = good;
    cut.resize(length);
    refused(cut);
  }
  std::vector<unsigned char> bad = good;
  bad.push_back(0);
  refused(bad);
  for (const size_t at : {size_t{3}, size_t{64}, good.size() - 1}) {
    bad = good;
    bad[at] ^= 0x80;
    refused(bad);
  }
  errno = 1234;
  CHECK(create_from("/nonexistent/weights.bin").code == CAMEO_LOAD_ERROR);
  CHECK(create_from("/tmp").code == CAMEO_LOAD_ERROR);
  CHECK(errno == 1234);
}

TEST_CASE("weights are shared and counted", "[weights]") {
  temporary_file file(mlp_test::blob());
  counting_allocator w;
  cameo_options o = w.options();
  o.weights_path = file.path;
  cameo_weights *weights = nullptr;
  REQUIRE(ok(cameo_weights_load(mlp_describe(), &o, &weights)));
  const int64_t loaded = w.live;
  CHECK(loaded >= 9640);
  o.shared = weights;
  {
    opened a(o), b(o);
    REQUIRE(ok(a.created));
    REQUIRE(ok(b.created));
    cameo_weights_release(weights); // the contexts keep them
    call k(2);
    CHECK(ok(k.run(a.c)));
    CHECK(ok(k.run(b.c)));
    CHECK(k.right());
  }
  CHECK(w.live == 0);
  CHECK(cameo_weights_load(nullptr, nullptr, &weights).code == invalid);
  cameo_weights_release(nullptr);
}

TEST_CASE("contexts of several threads share weights", "[weights]") {
  temporary_file file(mlp_test::blob());
  cameo_options o = defaults();
  o.weights_path = file.path;
  cameo_weights *weights = nullptr;
  REQUIRE(ok(cameo_weights_load(mlp_describe(), &o, &weights)));
  o.shared = weights;
  std::atomic<int> right{0};
  std::vector<std::thread> users;
  for (int u = 0; u < 3; ++u)
    users.emplace_back([&] {
      for (int i = 0; i < 30; ++i) {
        opened m(o);
        call k(2);
        right += ok(k.run(m.c)) && k.right();
      }
    });
  for (std::thread &u : users)
    u.join();
  cameo_weights_release(weights);
  CHECK(right == 90);
}

TEST_CASE("a model that has no weights at hand says so", "[weights]") {
  cameo_model m = *mlp_describe();
  m.weights.embedded = nullptr;
  cameo_context *c = nullptr;
  const cameo_options o = defaults();
  CHECK(cpu::create(m, &o, &c).code == CAMEO_LOAD_ERROR);
  m.weights = {};
  REQUIRE(ok(cpu::create(m, &o, &c)));
  cpu::destroy(c);
}
