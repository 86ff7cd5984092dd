// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each primitive of device.h against what it is documented to do. The same file is built for the
// emulator and, where there is an nvcc, for GPUs: what holds here on both makes the emulator a
// witness for kernels. No CUDA API but through session.h.
#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <limits>

#include "cameo/floats.h"
#include "session.h"

using namespace cameo::cuda;

namespace {

struct add {
  template <class T> CAMEO_DEVICE T operator()(T a, T b) const { return a + b; }
};

struct wide { // wider than a word, narrower than two registers
  float a;
  int32_t b;
  int16_t c;
};

// ---- who am I ----

CAMEO_KERNEL void who(uint32_t *out) {
  const uint32_t block =
      (block_index().z * grid_extent().y + block_index().y) * grid_extent().x + block_index().x;
  uint32_t *mine = out + (block * block_threads() + thread()) * 6;
  mine[0] = thread_index().x + 100 * thread_index().y + 10000 * thread_index().z;
  mine[1] = thread();
  mine[2] = lane();
  mine[3] = warp();
  mine[4] = block;
  mine[5] = block_extent().x + 100 * block_extent().y + 10000 * block_extent().z;
}

// ---- warp-wide ----

CAMEO_KERNEL void shuffles(const int32_t *in, int32_t *out, double *doubles, int32_t *wides) {
  const int32_t v = in[thread()];
  int32_t *mine = out + thread() * 8;
  mine[0] = shuffle(v, 5);
  mine[1] = shuffle(v, 3, 8);
  mine[2] = shuffle_xor(v, 7);
  mine[3] = shuffle_up(v, 3);
  mine[4] = shuffle_down(v, 3);
  mine[5] = shuffle_down(v, 2, 4);
  mine[6] = static_cast<int32_t>(warp_ballot(v % 3 == 0));
  mine[7] = warp_reduce(v, add{});
  doubles[thread()] = shuffle(v * 0.5, 31);
  const wide w = shuffle_xor(wide{static_cast<float>(v), v, static_cast<int16_t>(v)}, 1);
  wides[thread()] = static_cast<int32_t>(w.a) + w.b + w.c;
}

CAMEO_KERNEL void half_warp(int32_t *out) {
  if (lane() < 16)
    out[thread()] = shuffle_xor(static_cast<int32_t>(lane()), 1, 32, 0x0000ffffu);
  else
    out[thread()] = shuffle_xor(static_cast<int32_t>(lane()), 2, 32, 0xffff0000u);
  warp_barrier();
}

// ---- block-wide ----

CAMEO_KERNEL void block_wide(const float *in, float *sums, int32_t *counts, int32_t *turned) {
  float *scratch = shared<float>();
  int32_t *copy = shared<int32_t>(128);
  sums[thread()] = block_reduce(in[thread()], 0.0f, add{}, scratch);
  counts[thread()] = barrier_count(in[thread()] > 10.0f);
  copy[thread()] = static_cast<int32_t>(thread());
  barrier();
  turned[thread()] = copy[block_threads() - 1 - thread()];
}

CAMEO_KERNEL void producer_consumer(int32_t *out) {
  int32_t *box = shared<int32_t>();
  for (int round = 0; round < 4; ++round) {
    if (warp() == 0) { // fills
      if (round > 0)
        named_barrier_wait(2, 64);
      box[lane()] = round * 100 + static_cast<int32_t>(lane());
      named_barrier_arrive(1, 64);
    } else { // empties
      named_barrier_wait(1, 64);
      out[round * 32 + static_cast<int>(lane())] = box[31 - lane()];
      if (round < 3)
        named_barrier_arrive(2, 64);
    }
  }
}

// ---- atomics ----

CAMEO_KERNEL void atomics(int32_t *i, uint32_t *u, int64_t *l, uint64_t *w, float *f, double *d) {
  const int t = static_cast<int>(grid_thread());
  atomic_add(i, 1);
  atomic_add(u, 0x80000001u);
  atomic_add(l, int64_t{-3});
  atomic_add(w, uint64_t{1} << 40);
  atomic_add(f, 1.0f);
  atomic_add(d, 0.5);
  atomic_max(i + 1, t);
  atomic_min(i + 2, -t);
  atomic_max(u + 1, static_cast<uint32_t>(t));
  atomic_min(u + 2, 1000u - static_cast<uint32_t>(t));
  atomic_max(l + 1, int64_t{t} << 32);
  atomic_min(l + 2, -(int64_t{t} << 32));
  atomic_max(w + 1, static_cast<uint64_t>(t));
  atomic_or(u + 3, 1u << (t % 32));
  atomic_or(w + 2, uint64_t{1} << (t % 64));
  if (t == 0) {
    i[3] = atomic_exchange(i + 4, 77);
    f[1] = atomic_exchange(f + 2, 2.5f);
    i[5] = atomic_compare_exchange(i + 6, 5, 6); // holds 5: becomes 6
    i[7] = atomic_compare_exchange(i + 8, 5, 6); // holds 4: stays
    d[1] = atomic_compare_exchange(d + 2, 4.0, 8.0);
  }
}

// ---- wide and asynchronous copies ----

CAMEO_KERNEL void packs(const float *in, float *out) {
  store_pack(out + 4 * thread(), load_pack<4>(in + 4 * (31 - thread())));
}

CAMEO_KERNEL void staged(const float *in, float *out) {
  float *tile = shared<float>();
  copy_async<16>(tile + 4 * thread(), in + 4 * thread());
  copy_async_commit();
  copy_async<4>(tile + 128 + thread(), in + 128 + thread(), thread() % 2 == 0);
  copy_async_commit();
  copy_async_wait<1>();
  barrier();
  out[thread()] = tile[127 - thread()];
  copy_async_wait<0>();
  barrier();
  out[32 + thread()] = tile[128 + 31 - thread()];
}

CAMEO_KERNEL void pipelined(const float *in, float *out, int64_t stages) {
  // Two slots; a barrier each for "full" and "empty".
  float *tile = shared<float>();
  uint64_t *full = shared<uint64_t>(2 * 64 * 4), *empty = full + 2;
  if (thread() == 0) {
    for (int slot = 0; slot < 2; ++slot) {
      mbarrier_init(full + slot, 1);
      mbarrier_init(empty + slot, 32);
    }
    mbarrier_fence_init();
  }
  barrier();
  if (warp() == 0) {
    for (int64_t k = 0; k < stages && lane() == 0; ++k) {
      const int slot = static_cast<int>(k % 2);
      const unsigned turn = static_cast<unsigned>(k / 2);
      if (turn > 0)
        mbarrier_wait(empty + slot, (turn - 1) % 2);
      mbarrier_arrive_expect(full + slot, 256);
      copy_bulk(tile + slot * 64, in + k * 64, 256, full + slot);
    }
  } else {
    float sum = 0;
    for (int64_t k = 0; k < stages; ++k) {
      const int slot = static_cast<int>(k % 2);
      mbarrier_wait(full + slot, static_cast<unsigned>(k / 2) % 2);
      sum += tile[slot * 64 + static_cast<int>(lane())] +
             tile[slot * 64 + 32 + static_cast<int>(lane())];
      mbarrier_arrive(empty + slot);
    }
    out[lane()] = sum;
  }
}

// ---- matrix fragments ----

CAMEO_KERNEL void fragments(const uint16_t *in, uint32_t *out) {
  uint16_t *tile = shared<uint16_t>();
  for (int i = static_cast<int>(thread()); i < 256; i += 32)
    tile[i] = in[i];
  barrier();
  uint32_t r[4], q[2];
  const uint16_t *row = tile + 8 * thread();
  load_matrix_x4<false>(r, row);
  for (int i = 0; i < 4; ++i)
    out[thread() * 12 + static_cast<unsigned>(i)] = r[i];
  load_matrix_x4<true>(r, row);
  for (int i = 0; i < 4; ++i)
    out[thread() * 12 + 4 + static_cast<unsigned>(i)] = r[i];
  load_matrix_x2<false>(q, row);
  out[thread() * 12 + 8] = q[0];
  out[thread() * 12 + 9] = q[1];
  load_matrix_x2<true>(q, row);
  out[thread() * 12 + 10] = q[0];
  out[thread() * 12 + 11] = q[1];
}

/// C[16][8] = A[16][K] B[K][8] from row-major 32-bit words of A and of B transposed.
template <int KIND> CAMEO_KERNEL void multiply(const uint32_t *a, const uint32_t *bt, float *c) {
  constexpr int words = 8; // of a row of A: 16 halves or 8 tf32
  const unsigned group = lane() / 4, member = lane() % 4;
  const uint32_t fa[4] = {a[group * words + member], a[(group + 8) * words + member],
                          a[group * words + member + 4], a[(group + 8) * words + member + 4]};
  const uint32_t fb[2] = {bt[group * words + member], bt[group * words + member + 4]};
  float d[4] = {1, 1, 1, 1};
  if constexpr (KIND == 0)
    mma_f16(d, fa, fb);
  else if constexpr (KIND == 1)
    mma_bf16(d, fa, fb);
  else
    mma_tf32(d, fa, fb);
  for (unsigned i = 0; i < 4; ++i)
    c[(group + i / 2 * 8) * 8 + member * 2 + i % 2] = d[i];
}

CAMEO_KERNEL void tf32_bits(const float *in, uint32_t *out) {
  out[thread()] = round_to_tf32(in[thread()]);
}
CAMEO_KERNEL void pairs_of_16_bits(const float *in, uint32_t *out) {
  const float low = in[thread() * 2], high = in[thread() * 2 + 1];
  out[thread() * 2] = round_to_f16x2(low, high);
  out[thread() * 2 + 1] = round_to_bf16x2(low, high);
}

CAMEO_KERNEL void parts_of_registers(const uint32_t *in, uint32_t *out) {
  const uint32_t a = in[thread() * 3], b = in[thread() * 3 + 1], c = in[thread() * 3 + 2];
  uint32_t *const own = out + thread() * 5;
  own[0] = and_or(a, 0x00f0000f, 0x64006400);
  own[1] = permute_bytes(a, b, 0x7052);
  own[2] = permute_bytes(a, b, 0x4140);
  own[3] = multiply_f16x2(a, b);
  own[4] = multiply_add_f16x2(a, b, c);
}

// ---- conversions ----

template <class T>
CAMEO_KERNEL void convert(const T *codes, float *values, const float *floats, T *rounded,
                          int64_t n) {
  for (int64_t i = grid_thread(); i < n; i += grid_threads()) {
    values[i] = cameo::to_float(codes[i]);
    rounded[i] = cameo::from_float<T>(floats[i]);
  }
}

// ---- between blocks ----

CAMEO_KERNEL void all_blocks(uint32_t *arrivals, int32_t *partial, int32_t *out) {
  partial[block_index().x] = static_cast<int32_t>(block_index().x) + 1;
  grid_barrier(arrivals);
  int32_t sum = 0;
  for (unsigned i = 0; i < grid_extent().x; ++i)
    sum += partial[i];
  grid_barrier(arrivals);
  if (thread() == 0)
    out[block_index().x] = sum;
}

/// Blocks take tickets; each waits for the sum of those before it.
CAMEO_KERNEL void look_back(uint32_t *ticket, uint64_t *sums, uint64_t *out) {
  if (thread() == 0) {
    const uint32_t mine = atomic_add(ticket, 1u);
    uint64_t before = 0;
    if (mine > 0) {
      spin_until([=] { return load_acquire(sums + mine - 1) != 0; });
      before = load_acquire(sums + mine - 1);
    }
    store_release(sums + mine, before + mine + 1);
    out[mine] = before;
  }
}

struct raising_body {
  error_flag flag;
  CAMEO_DEVICE void operator()(int64_t i) const {
    if (i % 7 == 3)
      raise(flag, 2, -i, 10);
  }
};
template <class F> CAMEO_KERNEL void each(F body, int64_t n) {
  for (int64_t i = grid_thread(); i < n; i += grid_threads())
    body(i);
}

std::vector<int32_t> ascending(size_t n) {
  std::vector<int32_t> v(n);
  for (size_t i = 0; i < n; ++i)
    v[i] = static_cast<int32_t>(i * i % 91);
  return v;
}

} // namespace

TEST_CASE("indices count x fastest", "[primitives]") {
  session s;
  device_array<uint32_t> out(s, 2 * 3 * 60 * 6);
  s.exec.launch(who, dim3(2, 3), dim3(10, 3, 2), 0, out.data);
  const std::vector<uint32_t> v = out.values();
  for (uint32_t block = 0; block < 6; ++block)
    for (uint32_t t = 0; t < 60; ++t) {
      const uint32_t *got = &v[(block * 60 + t) * 6];
      REQUIRE(got[0] == t % 10 + 100 * (t / 10 % 3) + 10000 * (t / 30));
      REQUIRE(got[1] == t);
      REQUIRE(got[2] == t % 32);
      REQUIRE(got[3] == t / 32);
      REQUIRE(got[4] == block);
      REQUIRE(got[5] == 10 + 300 + 20000);
    }
}

TEST_CASE("warp-wide values", "[primitives]") {
  session s;
  const std::vector<int32_t> in = ascending(64);
  device_array<int32_t> x(s, in), out(s, 64 * 8), wides(s, 64);
  device_array<double> doubles(s, 64);
  s.exec.launch(shuffles, dim3(1), dim3(64), 0, x.data, out.data, doubles.data, wides.data);
  const auto v = out.values();
  const auto d = doubles.values();
  const auto w = wides.values();
  for (size_t t = 0; t < 64; ++t) {
    const size_t base = t / 32 * 32, l = t % 32;
    const int32_t *got = &v[t * 8];
    CHECK(got[0] == in[base + 5]);
    CHECK(got[1] == in[base + l / 8 * 8 + 3]);
    CHECK(got[2] == in[base + (l ^ 7)]);
    CHECK(got[3] == in[l >= 3 ? t - 3 : t]);
    CHECK(got[4] == in[l + 3 < 32 ? t + 3 : t]);
    CHECK(got[5] == in[l % 4 + 2 < 4 ? t + 2 : t]);
    uint32_t ballot = 0;
    int32_t sum = 0;
    for (size_t i = 0; i < 32; ++i) {
      ballot |= in[base + i] % 3 == 0 ? 1u << i : 0;
      sum += in[base + i];
    }
    CHECK(static_cast<uint32_t>(got[6]) == ballot);
    CHECK(got[7] == sum);
    CHECK(d[t] == in[base + 31] * 0.5);
    CHECK(w[t] == 3 * in[base + (l ^ 1)]);
  }
}

TEST_CASE("divergent halves of a warp", "[primitives]") {
  session s;
  device_array<int32_t> out(s, 32);
  s.exec.launch(half_warp, dim3(1), dim3(32), 0, out.data);
  const auto v = out.values();
  for (int t = 0; t < 32; ++t)
    CHECK(v[static_cast<size_t>(t)] == (t < 16 ? t ^ 1 : t ^ 2));
}

TEST_CASE("block-wide reduction, count and exchange", "[primitives]") {
  for (const unsigned threads : {32u, 96u, 1024u}) {
    session s;
    std::vector<float> in(threads);
    float sum = 0;
    int32_t above = 0;
    for (unsigned i = 0; i < threads; ++i) {
      in[i] = static_cast<float>(i % 23);
      sum += in[i];
      above += in[i] > 10.0f;
    }
    device_array<float> x(s, in), sums(s, threads);
    device_array<int32_t> counts(s, threads), turned(s, threads);
    s.exec.launch(block_wide, dim3(1), dim3(threads), 128 + threads * 4, x.data, sums.data,
                  counts.data, turned.data);
    const auto a = sums.values();
    const auto b = counts.values(), c = turned.values();
    for (unsigned i = 0; i < threads; ++i) {
      REQUIRE(a[i] == sum); // exact: small integers
      REQUIRE(b[i] == above);
      REQUIRE(c[i] == static_cast<int32_t>(threads - 1 - i));
    }
  }
}

TEST_CASE("named barriers hand a box back and forth", "[primitives]") {
  session s;
  device_array<int32_t> out(s, 128);
  s.exec.launch(producer_consumer, dim3(1), dim3(64), 128, out.data);
  const auto v = out.values();
  for (int i = 0; i < 128; ++i)
    REQUIRE(v[static_cast<size_t>(i)] == i / 32 * 100 + 31 - i % 32);
}

TEST_CASE("atomics of all widths", "[primitives]") {
  session s;
  device_array<int32_t> i(s, {0, -5, 5, 0, 11, 0, 5, 0, 4});
  device_array<uint32_t> u(s, {0, 0, 2000, 0});
  device_array<int64_t> l(s, {0, 0, 0});
  device_array<uint64_t> w(s, {0, 0, 0});
  device_array<float> f(s, {0, 0, 1.5f});
  device_array<double> d(s, {0, 0, 4.0});
  s.exec.launch(atomics, dim3(2), dim3(64), 0, i.data, u.data, l.data, w.data, f.data, d.data);
  CHECK(i.values() == std::vector<int32_t>{128, 127, -127, 11, 77, 5, 6, 4, 4});
  CHECK(u.values() == std::vector<uint32_t>{128, 127, 1000 - 127, ~0u}); // 128 * 0x80000001 wraps
  CHECK(l.values() == std::vector<int64_t>{-384, int64_t{127} << 32, -(int64_t{127} << 32)});
  CHECK(w.values() == std::vector<uint64_t>{uint64_t{128} << 40, 127, ~uint64_t{0}});
  CHECK(f.values() == std::vector<float>{128, 1.5f, 2.5f});
  CHECK(d.values() == std::vector<double>{64, 4, 8});
}

TEST_CASE("wide loads and stores", "[primitives]") {
  session s;
  std::vector<float> in(128);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  device_array<float> x(s, in), out(s, 128);
  s.exec.launch(packs, dim3(1), dim3(32), 0, x.data, out.data);
  const auto v = out.values();
  for (size_t i = 0; i < 128; ++i)
    REQUIRE(v[i] == static_cast<float>((31 - i / 4) * 4 + i % 4));
}

TEST_CASE("asynchronous copies by group, with holes", "[primitives]") {
  session s;
  std::vector<float> in(160);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i);
  device_array<float> x(s, in), out(s, 64);
  s.exec.launch(staged, dim3(1), dim3(32), 160 * 4, x.data, out.data);
  const auto v = out.values();
  for (size_t i = 0; i < 32; ++i) {
    CHECK(v[i] == static_cast<float>(127 - i));
    CHECK(v[32 + i] == ((31 - i) % 2 == 0 ? static_cast<float>(128 + 31 - i) : 0.0f));
  }
}

TEST_CASE("bulk copies through two slots", "[primitives][sm90]") {
  session s;
  constexpr size_t stages = 7;
  std::vector<float> in(stages * 64);
  std::vector<float> sums(32);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(i % 97);
    sums[i % 32] += in[i];
  }
  device_array<float> x(s, in), out(s, 32);
  s.exec.launch(pipelined, dim3(1), dim3(64), 2 * 64 * 4 + 32, x.data, out.data, int64_t{stages});
  CHECK(out.values() == sums);
}

TEST_CASE("matrix loads distribute rows, and columns when transposed", "[primitives]") {
  session s;
  std::vector<uint16_t> in(256);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<uint16_t>(i * 257);
  device_array<uint16_t> x(s, in);
  device_array<uint32_t> out(s, 32 * 12);
  s.exec.launch(fragments, dim3(1), dim3(32), 512, x.data, out.data);
  const auto v = out.values();
  const auto word = [&](size_t matrix, size_t row, size_t column) {
    return static_cast<uint32_t>(in[matrix * 64 + row * 8 + column]);
  };
  for (size_t t = 0; t < 32; ++t)
    for (size_t m = 0; m < 4; ++m) {
      const uint32_t plain = word(m, t / 4, t % 4 * 2) | word(m, t / 4, t % 4 * 2 + 1) << 16;
      const uint32_t turned = word(m, t % 4 * 2, t / 4) | word(m, t % 4 * 2 + 1, t / 4) << 16;
      REQUIRE(v[t * 12 + m] == plain);
      REQUIRE(v[t * 12 + 4 + m] == turned);
      if (m < 2) {
        REQUIRE(v[t * 12 + 8 + m] == plain);
        REQUIRE(v[t * 12 + 10 + m] == turned);
      }
    }
}

TEST_CASE("matrix products place every element", "[primitives]") {
  // Small integers: exact in every format, so a wrong place cannot hide behind rounding.
  const auto value = [](size_t i) { return static_cast<float>(static_cast<int>(i * 7 % 15) - 7); };
  const auto f16_bits = [](float v) {
    const int magnitude = static_cast<int>(std::fabs(v));
    int exponent = 0;
    while (magnitude >> (exponent + 1) != 0)
      ++exponent;
    const uint32_t mantissa = static_cast<uint32_t>(magnitude << (10 - exponent)) & 0x3ff;
    const uint32_t bits =
        magnitude == 0 ? 0 : static_cast<uint32_t>(exponent + 15) << 10 | mantissa;
    return bits | (v < 0 ? 0x8000u : 0);
  };
  const auto f32_bits = [](float v) {
    uint32_t bits;
    memcpy(&bits, &v, 4);
    return bits;
  };
  for (int kind = 0; kind < 3; ++kind) {
    const size_t depth = kind == 2 ? 8 : 16, per_word = depth / 8;
    const auto bits = [&](float v) {
      return kind == 0 ? f16_bits(v) : kind == 1 ? f32_bits(v) >> 16 : f32_bits(v);
    };
    std::vector<uint32_t> a(16 * 8), bt(8 * 8);
    for (size_t w = 0; w < a.size(); ++w)
      for (size_t k = 0; k < per_word; ++k)
        a[w] |= bits(value(w * per_word + k)) << (16 * k);
    for (size_t w = 0; w < bt.size(); ++w)
      for (size_t k = 0; k < per_word; ++k)
        bt[w] |= bits(value(1000 + w * per_word + k)) << (16 * k);
    session s;
    device_array<uint32_t> x(s, a), y(s, bt);
    device_array<float> c(s, 128);
    const auto kernel = kind == 0 ? multiply<0> : kind == 1 ? multiply<1> : multiply<2>;
    s.exec.launch(kernel, dim3(1), dim3(32), 0, x.data, y.data, c.data);
    const auto v = c.values();
    for (size_t i = 0; i < 16; ++i)
      for (size_t j = 0; j < 8; ++j) {
        float sum = 1;
        for (size_t k = 0; k < depth; ++k)
          sum += value(i * depth + k) * value(1000 + j * depth + k);
        REQUIRE(v[i * 8 + j] == sum);
      }
  }
}

TEST_CASE("tf32 rounds to nearest, ties away", "[primitives]") {
  session s;
  std::vector<float> in = {1.0f, 1.0f + 0x1p-11f, 1.0f + 0x1p-12f, -1.0f - 0x1p-11f,
                           0.0f, INFINITY};
  in.resize(32);
  device_array<float> x(s, in);
  device_array<uint32_t> out(s, 32);
  s.exec.launch(tf32_bits, dim3(1), dim3(32), 0, x.data, out.data);
  const auto v = out.values();
  CHECK(v[0] == 0x3f800000u);
  CHECK(v[1] == 0x3f802000u);
  CHECK(v[2] == 0x3f800000u);
  CHECK(v[3] == 0xbf802000u);
  CHECK(v[4] == 0u);
  CHECK(v[5] == 0x7f800000u);
}

TEST_CASE("two floats become 16-bit floats as the host makes them", "[primitives]") {
  session s;
  const float infinity = std::numeric_limits<float>::infinity();
  // Halves of a last place, to even; small numbers of fp16, and what is too large for it.
  std::vector<float> in = {1,           -2,          1.00048828125f, 1.00146484375f,
                           1.00390625f, 1.01171875f, 6.1e-5f,        5.9e-8f,
                           65519,       65520,       3.4e38f,        -infinity};
  in.resize(64);
  device_array<float> x(s, in);
  device_array<uint32_t> out(s, 64);
  s.exec.launch(pairs_of_16_bits, dim3(1), dim3(32), 0, x.data, out.data);
  const auto v = out.values();
  auto pair = [](auto low, auto high) {
    return uint32_t{low.bits} | static_cast<uint32_t>(high.bits) << 16;
  };
  for (size_t i = 0; i < 32; ++i) {
    const float low = in[i * 2], high = in[i * 2 + 1];
    CHECK(v[i * 2] ==
          pair(cameo::from_float<cameo::half>(low), cameo::from_float<cameo::half>(high)));
    CHECK(v[i * 2 + 1] ==
          pair(cameo::from_float<cameo::bfloat16>(low), cameo::from_float<cameo::bfloat16>(high)));
  }
}

TEST_CASE("parts of a register: bits, bytes and halves", "[primitives]") {
  // Halves whose products a float has all bits of: also below the normal ones, too large ones, and
  // zeros of both signs. The last third, which is added, has none so small that a float's sum of it
  // and of a product in the middle between two halves is rounded.
  constexpr float halves[] = {0x1p-24f, 0x1.8p-14f, -0x1p-10f, 5e4f,   0.0f,    -0.0f,
                              1.5f,     -3.25f,     0x1p-8f,   640.0f, 1027.0f, 0.0625f};
  auto draw = [&](size_t i, size_t first) {
    return uint32_t{cameo::from_float<cameo::half>(halves[first + i % (12 - first)]).bits};
  };
  std::vector<uint32_t> in;
  for (size_t i = 0; i < 32 * 3; ++i) {
    const size_t first = i % 3 == 2 ? 4 : 0;
    in.push_back(draw(i * 7 + i / 12, first) | draw(i * 5 + 1, first) << 16);
  }
  session s;
  device_array<uint32_t> x(s, in), out(s, 32 * 5);
  s.exec.launch(parts_of_registers, dim3(1), dim3(32), 0, x.data, out.data);
  const auto v = out.values();
  auto each_half = [](auto f) {
    auto of = [&](unsigned shift) {
      return uint32_t{cameo::from_float<cameo::half>(f(shift)).bits} << shift;
    };
    return of(0) | of(16);
  };
  auto get = [](uint32_t pair, unsigned shift) {
    cameo::half value;
    value.bits = static_cast<uint16_t>(pair >> shift);
    return cameo::to_float(value);
  };
  for (size_t i = 0; i < 32; ++i) {
    const uint32_t a = in[i * 3], b = in[i * 3 + 1], c = in[i * 3 + 2], *const own = &v[i * 5];
    CHECK(own[0] == ((a & 0x00f0000fu) | 0x64006400u));
    CHECK(own[1] == ((a >> 16 & 0xff) | (b >> 8 & 0xff) << 8 | (a & 0xff) << 16 | b >> 24 << 24));
    CHECK(own[2] == ((a & 0xff) | (b & 0xff) << 8 | (a >> 8 & 0xff) << 16 | (b & 0xff) << 24));
    CHECK(own[3] == each_half([&](unsigned at) { return get(a, at) * get(b, at); }));
    CHECK(own[4] == each_half([&](unsigned at) { return get(a, at) * get(b, at) + get(c, at); }));
  }
}

TEST_CASE("grid barrier in a cooperative launch", "[primitives]") {
  session s;
  device_array<uint32_t> arrivals(s, std::vector<uint32_t>(1));
  device_array<int32_t> partial(s, 16), out(s, 16);
  REQUIRE(s.exec.cooperative_blocks(all_blocks, 64, 0) >= 16);
  s.exec.launch_cooperative(all_blocks, dim3(16), dim3(64), 0, arrivals.data, partial.data,
                            out.data);
  CHECK(out.values() == std::vector<int32_t>(16, 136));
}

TEMPLATE_TEST_CASE("small floats are converted as on the host", "[primitives]", cameo::half,
                   cameo::bfloat16, cameo::float8_e4m3fn, cameo::float8_e5m2) {
  // Every code; floats with every upper half, below, at and above what half of a last place is.
  constexpr uint32_t lower_halves[] = {0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001};
  std::vector<TestType> codes;
  std::vector<float> floats;
  for (uint32_t upper = 0; upper < 1 << 16; ++upper)
    for (const uint32_t lower : lower_halves) {
      codes.push_back(TestType{static_cast<decltype(TestType::bits)>(upper)});
      floats.push_back(cameo::bit_cast<float>(upper << 16 | lower));
    }
  session s;
  device_array<TestType> in(s, codes), rounded(s, floats.size());
  device_array<float> floats_in(s, floats), values(s, codes.size());
  s.exec.launch(convert<TestType>, dim3(64), dim3(256), 0, in.data, values.data, floats_in.data,
                rounded.data, static_cast<int64_t>(codes.size()));
  const auto v = values.values();
  const auto r = rounded.values();
  int different = 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    const float value = cameo::to_float(codes[i]);
    const bool is_same = cameo::bit_cast<uint32_t>(v[i]) == cameo::bit_cast<uint32_t>(value) ||
                         (std::isnan(v[i]) && std::isnan(value));
    different += !is_same || r[i].bits != cameo::from_float<TestType>(floats[i]).bits;
  }
  CHECK(different == 0);
}

TEST_CASE("blocks that look back by ticket", "[primitives]") {
  session s;
  device_array<uint32_t> ticket(s, std::vector<uint32_t>(1));
  device_array<uint64_t> sums(s, std::vector<uint64_t>(50)), out(s, 50);
  s.exec.launch(look_back, dim3(50), dim3(32), 0, ticket.data, sums.data, out.data);
  const auto v = out.values();
  for (uint64_t i = 0; i < 50; ++i)
    REQUIRE(v[i] == i * (i + 1) / 2);
}

TEST_CASE("the error slot keeps the earliest kernel and its smallest value", "[primitives]") {
  session s;
  s.state.node = 5;
  {
    access_scope scope(s.exec, "first", {});
    s.exec.launch(each<raising_body>, dim3(3), dim3(64), 0, raising_body{s.exec.flag()},
                  int64_t{150});
  }
  s.state.node = 6;
  {
    access_scope scope(s.exec, "second", {});
    s.exec.launch(each<raising_body>, dim3(3), dim3(64), 0, raising_body{s.exec.flag()},
                  int64_t{1000});
  }
  REQUIRE(s.finish() == cudaSuccess);
  error_slot slot;
  must(cudaMemcpy(&slot, s.state.slot, sizeof(slot), cudaMemcpyDeviceToHost));
  CHECK(slot.lock == 0);
  CHECK(slot.code == 2);
  CHECK(slot.kernel == 1);
  CHECK(slot.node == 5);
  CHECK(slot.got == -143); // 143 is the largest i below 150 with i % 7 == 3
  CHECK(slot.limit == 10);
}

TEST_CASE("an empty grid launches nothing, and a failed launch sticks", "[primitives]") {
  session s;
  s.exec.launch(each<raising_body>, dim3(0), dim3(64), 0, raising_body{s.exec.flag()}, int64_t{0});
  CHECK(s.state.launches == 0);
  CHECK(s.state.error == cudaSuccess);
  {
    access_scope scope(s.exec, "too wide", {});
    s.exec.launch(each<raising_body>, dim3(1), dim3(2048), 0, raising_body{s.exec.flag()},
                  int64_t{0});
  }
  CHECK(s.state.error == cudaErrorInvalidConfiguration);
  CHECK(s.state.failed == std::string("too wide"));
  cudaGetLastError();
}

TEST_CASE("scratch memory is given back at the end of its scope", "[primitives]") {
  session s;
  void *first = nullptr, *second = nullptr;
  {
    access_scope scope(s.exec, "a", {});
    first = s.exec.scratch(1000);
    second = s.exec.scratch(5 << 20); // larger than the first chunk
    CHECK(first != nullptr);
    CHECK(second != nullptr);
    CHECK(reinterpret_cast<uintptr_t>(second) % 256 == 0);
  }
  {
    access_scope scope(s.exec, "b", {});
    CHECK(s.exec.scratch(10) == first);
  }
  CHECK(s.scratch.allocations() == 2);
  s.scratch.consolidate();
  {
    access_scope scope(s.exec, "c", {});
    s.exec.scratch(1000);
    s.exec.scratch(5 << 20);
  }
  CHECK(s.scratch.allocations() == 3); // one chunk holds both now
}
