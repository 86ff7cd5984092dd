// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cameo/npy.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <unistd.h>

using namespace cameo;

namespace {

struct temporary {
  temporary() { close(mkstemp(path)); }
  ~temporary() { remove(path); }
  temporary(const temporary &) = delete;
  temporary &operator=(const temporary &) = delete;
  char path[32] = "cameo_npy_XXXXXX";

  void set(const std::string &content) {
    FILE *f = fopen(path, "wb");
    fwrite(content.data(), 1, content.size(), f);
    fclose(f);
  }
  std::string get() const {
    std::string s;
    FILE *f = fopen(path, "rb");
    for (int c = fgetc(f); c != EOF; c = fgetc(f))
      s += static_cast<char>(c);
    fclose(f);
    return s;
  }
};

/// A version 1 file as numpy writes it.
std::string file_of(const std::string &dict, const std::string &data) {
  std::string text = dict;
  while ((10 + text.size() + 1) % 64 != 0)
    text += ' ';
  text += '\n';
  std::string s("\x93NUMPY\x01\x00", 8);
  s += static_cast<char>(text.size() & 255);
  s += static_cast<char>(text.size() >> 8);
  return s + text + data;
}
std::string dict(const std::string &descr, const std::string &shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

bool refused(const std::string &content, int32_t dtype = CAMEO_FLOAT) {
  temporary f;
  f.set(content);
  npy::array a;
  return npy::read(f.path, dtype, a) != nullptr;
}

} // namespace

TEST_CASE("what numpy wrote is read", "[npy]") {
  temporary f;
  npy::array a;
  const float values[] = {1, 2, 3, 4, 5, 6};
  f.set(file_of(dict("<f4", "(2, 3)"), std::string(reinterpret_cast<const char *>(values), 24)));
  REQUIRE(npy::read(f.path, CAMEO_FLOAT, a) == nullptr);
  CHECK(a.dims == std::vector<int64_t>{2, 3});
  REQUIRE(a.data.size() == 24);
  CHECK(memcmp(a.data.data(), values, 24) == 0);
  const cameo_tensor t = a.tensor();
  CHECK(t.rank == 2);
  CHECK(t.bytes == 24);

  f.set(file_of(dict("<f4", "(2, 3)", true),
                std::string(reinterpret_cast<const char *>(values), 24)));
  REQUIRE(npy::read(f.path, CAMEO_FLOAT, a) == nullptr);
  const float turned[] = {1, 3, 5, 2, 4, 6};
  CHECK(memcmp(a.data.data(), turned, 24) == 0);

  f.set(file_of(dict("<f4", "()"), std::string(reinterpret_cast<const char *>(values), 4)));
  REQUIRE(npy::read(f.path, CAMEO_FLOAT, a) == nullptr);
  CHECK(a.dims.empty());
  f.set(file_of(dict("<f4", "(5, 0)"), ""));
  REQUIRE(npy::read(f.path, CAMEO_FLOAT, a) == nullptr);
  CHECK(a.dims == std::vector<int64_t>{5, 0});
}

TEST_CASE("every dtype comes back", "[npy]") {
  for (int32_t dtype = CAMEO_FLOAT; dtype <= CAMEO_FLOAT6E3M2; ++dtype)
    for (const std::vector<int64_t> &dims :
         {std::vector<int64_t>{}, {7}, {3, 5}, {2, 0, 4}, {1, 2, 3, 4}}) {
      if (dtype == CAMEO_STRING)
        continue;
      npy::array a, b;
      a.dtype = dtype;
      a.dims = dims;
      const int32_t rank = static_cast<int32_t>(dims.size());
      const int64_t bytes = dense_bytes(dtype, dims.data(), rank);
      for (int64_t i = 0; i < bytes; ++i)
        a.data.push_back(static_cast<unsigned char>(37 * i + 11));
      const int64_t bits = element_count(a.tensor()) * cameo_dtype_bits(dtype);
      if (bits % 8 != 0) // the padding of packed elements is 0
        a.data.back() = static_cast<unsigned char>(a.data.back() & ((1 << (bits % 8)) - 1));
      temporary f;
      INFO(cameo_dtype_name(dtype) << " rank " << rank);
      REQUIRE(npy::write(f.path, a.tensor()) == nullptr);
      REQUIRE(npy::read(f.path, dtype, b) == nullptr);
      CHECK(b.dims == a.dims);
      CHECK(b.data == a.data);
      REQUIRE(npy::write_raw(f.path, a.tensor()) == nullptr);
      b.data.clear();
      REQUIRE(npy::read_raw(f.path, b) == nullptr);
      CHECK(b.data == a.data);
    }
}

TEST_CASE("the header is numpy's, byte for byte", "[npy]") {
  int64_t dims[] = {3};
  int32_t values[] = {1, 2, 3};
  cameo_tensor t{};
  t.data = values;
  t.bytes = sizeof values;
  t.dims = dims;
  t.rank = 1;
  t.dtype = CAMEO_INT32;
  temporary f;
  REQUIRE(npy::write(f.path, t) == nullptr);
  const std::string data(reinterpret_cast<const char *>(values), sizeof values);
  CHECK(f.get() == file_of(dict("<i4", "(3,)"), data));
}

TEST_CASE("narrow elements lie one a byte in the file", "[npy]") {
  temporary f;
  npy::array a;
  f.set(file_of(dict("|i1", "(3,)"), std::string("\x07\xf8\x01", 3)));
  REQUIRE(npy::read(f.path, CAMEO_INT4, a) == nullptr);
  CHECK(a.data == std::vector<unsigned char>{0x87, 0x01});
}

TEST_CASE("what NumPy lacks is read from bytes and integers of its size", "[npy]") {
  for (const char *descr : {"<V2", "|V2", "<u2", "<i2"})
    CHECK_FALSE(refused(file_of(dict(descr, "(2,)"), "abcd"), CAMEO_BFLOAT16));
  for (const char *descr : {">u2", "<f2", "<V4", "<u4", "<V22", "V2", "<f1"})
    CHECK(refused(file_of(dict(descr, "(2,)"), "abcd"), CAMEO_BFLOAT16));
  for (const char *descr : {"<V1", "|V1", "|u1", "|i1", "<f1"})
    for (const int32_t dtype : {CAMEO_FLOAT8E5M2, CAMEO_INT4, CAMEO_UINT2, CAMEO_FLOAT4E2M1})
      CHECK_FALSE(refused(file_of(dict(descr, "(2,)"), "ab"), dtype));
  CHECK(refused(file_of(dict("<V4", "(1,)"), "abcd"), CAMEO_FLOAT));

  temporary f;
  npy::array a;
  a.dtype = CAMEO_BFLOAT16;
  a.dims = {2};
  a.data = {'a', 'b', 'c', 'd'};
  REQUIRE(npy::write(f.path, a.tensor()) == nullptr);
  CHECK(f.get() == file_of(dict("<V2", "(2,)"), "abcd"));
}

TEST_CASE("strings", "[npy]") {
  temporary f;
  npy::array a, b;
  const uint32_t points[] = {'a', 0, 0, 0xe9, 0x4e2d, 0x1f600};
  f.set(file_of(dict("<U3", "(2,)"), std::string(reinterpret_cast<const char *>(points), 24)));
  REQUIRE(npy::read(f.path, CAMEO_STRING, a) == nullptr);
  REQUIRE(a.strings.size() == 2);
  CHECK(a.strings[0] == "a");
  CHECK(a.strings[1] == "\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80");
  REQUIRE(npy::write(f.path, a.tensor()) == nullptr);
  CHECK(f.get() ==
        file_of(dict("<U3", "(2,)"), std::string(reinterpret_cast<const char *>(points), 24)));
  REQUIRE(npy::read(f.path, CAMEO_STRING, b) == nullptr);
  CHECK(b.strings == a.strings);
  CHECK(refused(file_of(dict("<U0", "(1000000000000,)"), ""), CAMEO_STRING));
  CHECK(refused(file_of(dict("<U99999999999999999999", "(1,)"), ""), CAMEO_STRING));
  CHECK(refused(file_of(dict("<Ux", "(1,)"), ""), CAMEO_STRING));
}

TEST_CASE("bad files are refused", "[npy]") {
  npy::array a;
  CHECK(npy::read("/nonexistent", CAMEO_FLOAT, a) != nullptr);
  CHECK(npy::read("/tmp", CAMEO_FLOAT, a) != nullptr);
  const std::string good = file_of(dict("<f4", "(2,)"), std::string(8, 'x'));
  CHECK_FALSE(refused(good));
  for (size_t n = 0; n < good.size(); ++n)
    CHECK(refused(good.substr(0, n)));
  CHECK(refused(good + "x"));
  CHECK(refused(good, CAMEO_INT32));
  CHECK(refused(good, 1000));
  CHECK(refused(file_of(dict(">f4", "(2,)"), std::string(8, 'x'))));
  CHECK(refused(file_of(dict("<f4", "(-2,)"), std::string(8, 'x'))));
  CHECK(refused(file_of(dict("<f4", "(2"), std::string(8, 'x'))));
  CHECK(refused(file_of(dict("<f4", "(4294967296, 4294967296)"), "")));
  CHECK(refused(file_of(dict("<f4", "(99999999999999999999,)"), "")));
  CHECK(refused(file_of(dict("<f4", "(1000000000000,)"), std::string(100, 'x'))));
  CHECK(refused(file_of("{'descr': '<f4'}", "")));
  std::string ranks = "(";
  for (int i = 0; i < 65; ++i)
    ranks += "1,";
  CHECK(refused(file_of(dict("<f4", ranks + ")"), std::string(4, 'x'))));
  std::string version = good;
  version[6] = 9;
  CHECK(refused(version));
  std::string bytes = good;
  for (size_t i = 0; i < 80; ++i)
    for (const char c : {'\0', '\xff', '\'', '(', '9'}) {
      bytes = good;
      bytes[i] = c;
      (void)refused(bytes); // any answer, but an answer
    }
}
