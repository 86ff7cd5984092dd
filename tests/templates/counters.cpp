// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what accesses of gemm_tiles, conv_tiles, attention_tiles, of rows and of elements cost, on
// the emulator: no bank of shared memory is asked twice in a pass, and no sector moves that is not
// used, or few where tiles or rows end beside chunks. Kernels with a planted fault are found.
#include "convolutions.h"
#include "products.h"
#include "rows.h"

#include "cameo/cuda/attention_tiles.h"
#include "cameo/cuda/conv_tiles.h"
#include "cameo/cuda/normalize.h"
#include "cameo/cuda/reduce.h"
#include "cameo/cuda/softmax.h"
#include "counters.h"
#include "wide_functors.h"

namespace cameo::test {
namespace {

/// The most that accesses cost by their ideal: each place in shared memory, all of global memory.
struct costs {
  double shared = 0, global = 0;
};

std::string describe(const emu::access_count &at) {
  return std::string(at.write ? "writes " : "reads ") + std::to_string(at.bytes) +
         (at.shared ? " bytes of shared memory, " : " bytes of global memory, ") +
         (at.file != nullptr ? std::string(at.file) + ":" + std::to_string(at.line)
                             : "no primitive") +
         ", " + std::to_string(at.requests) + " requests: " + std::to_string(at.cost) + " for " +
         std::to_string(at.ideal);
}

/// An entry of a table, which the host's compiler writes by words and ptxas at once: bench.tiles
/// holds it to that.
bool is_entry(const emu::access_count &at) {
  return at.shared && at.write && at.bytes == 4 && at.file == nullptr;
}

template <class RUN> costs count(machine &mach, RUN run, bool has_table = false) {
  emu::count_accesses();
  mach.run(run);
  costs most;
  uint64_t sectors = 0, ideal = 0;
  for (const emu::access_count &at : emu::counted_accesses()) {
    if (has_table && is_entry(at))
      continue;
    const double cost = static_cast<double>(at.cost) / static_cast<double>(at.ideal);
    if (cost > 1)
      UNSCOPED_INFO(describe(at));
    if (at.shared) {
      most.shared = std::max(most.shared, cost);
    } else {
      sectors += at.cost;
      ideal += at.ideal;
    }
  }
  most.global = static_cast<double>(sectors) / static_cast<double>(ideal);
  return most;
}

template <class TILE, class E, class P> costs count_tile() {
  random_values random(3);
  machine mach;
  array<E> a(mach, random.vector<E>(P::m * P::k)), b(mach, random.vector<E>(P::n * P::k)),
      y(mach, P::m * P::n);
  return count(mach, [&](target::exec &e) {
    target::gemm_call<P, E, E, wide_store<E, P::n>> call{P{}, a, b, {y}};
    target::launch_tile<TILE, 16, 16>(e, call, call.shape());
  });
}

template <class TILE, class E, bool TA, bool TB> void check_tile() {
  INFO("tile " << TILE::rows << " x " << TILE::columns << " of " << sizeof(E) << " bytes, trans "
               << TA << TB);
  constexpr int64_t depth = 128 / sizeof(E);
  const costs whole =
      count_tile<TILE, E, constant_product<TA, TB, TILE::rows, TILE::columns, depth>>();
  CHECK(whole.shared == 1);
  CHECK(whole.global == 1);
  const costs tails =
      count_tile<TILE, E,
                 constant_product<TA, TB, TILE::rows + 16, TILE::columns + 48, depth + 16>>();
  CHECK(tails.shared == 1);
  CHECK(tails.global <= 1.25);
}
template <class TILE, class E> void check_tiles() {
  check_tile<TILE, E, false, false>();
  check_tile<TILE, E, false, true>();
  check_tile<TILE, E, true, false>();
  check_tile<TILE, E, true, true>();
}
TEST_CASE("accesses of tiles of half") {
  check_tiles<target::few_rows_tile, half>();
  check_tiles<target::small_tile, half>();
  check_tiles<target::middle_tile, half>();
  check_tiles<target::large_tile, half>();
  check_tiles<target::largest_tile, half>();
  check_tiles<target::sliced_rows_tile, half>();
  check_tiles<target::sliced_tile, half>();
}
TEST_CASE("accesses of tiles of float") {
  check_tiles<target::few_rows_tile, float>();
  check_tiles<target::small_tile, float>();
  check_tiles<target::middle_tile, float>();
  check_tiles<target::sliced_rows_tile, float>();
  check_tiles<target::sliced_tile, float>();
}

template <class E, class P> struct pixel_stores {
  E *y;
  CAMEO_DEVICE void operator()(const index<4> &i, float sum) const {
    y[flatten(i, P::as_case().y_dims())] = cast<E>(sum);
  }
};
/// Windows begin anywhere in a sector, and those at an image's ends read less than they could.
constexpr double most_of_windows = 2;

template <class TILE, class E> void check_image_tile() {
  INFO("tile " << TILE::rows << " x " << TILE::columns << " of " << sizeof(E) << " bytes");
  using P = constant_conv<1, 16, 64, 32>;
  random_values random(4);
  const conv_case<2> c = P::as_case();
  machine mach;
  array<E> x(mach, random.vector<E>(volume(c.x_dims()))),
      w(mach, random.vector<E>(volume(c.conv_w_dims()))), y(mach, volume(c.y_dims()));
  auto run = [&](target::exec &e) {
    const target::conv_tiles_call<P, E, pixel_stores<E, P>> call{{{P{}}, x, w, {y}}};
    target::launch_image_tile<TILE, 16>(e, call, call.shape());
  };
  const costs found = count(mach, run, true);
  CHECK(found.shared == 1);
  CHECK(found.global <= most_of_windows);
}
template <class E> void check_image_tiles() {
  check_image_tile<target::few_channels_tile, E>();
  check_image_tile<target::image_tile, E>();
  check_image_tile<target::large_image_tile, E>();
  check_image_tile<target::sliced_tile, E>();
}
TEST_CASE("accesses of convolutions of half") { check_image_tiles<half>(); }
TEST_CASE("accesses of convolutions of float") { check_image_tiles<float>(); }

// ---- Attention ----

constexpr int64_t heads = 2;

/// Heads in front of rows; keys as rows or as columns.
template <int64_t SIZE, bool TRANS_K, int64_t QUERIES, int64_t KEYS> struct constant_attention {
  static constexpr int batch_rank = 1;
  static constexpr bool trans_k = TRANS_K;
  static constexpr int64_t queries = QUERIES, keys = KEYS, depth = SIZE, size = SIZE;
  static constexpr int64_t batch[1] = {heads};
  static constexpr int64_t q_batch_stride[1] = {QUERIES * SIZE};
  static constexpr int64_t k_batch_stride[1] = {KEYS * SIZE}, v_batch_stride[1] = {KEYS * SIZE};
  static constexpr int64_t q_stride = SIZE, k_stride = TRANS_K ? SIZE : KEYS, v_stride = SIZE;
};
struct scaled_score {
  CAMEO_DEVICE float operator()(const index<3> &, float v) const { return v * 0.125f; }
};
template <class E, class P> struct attention_store {
  wide_store<E, P::size> rows;
  static constexpr int widest = wide_store<E, P::size>::widest;
  CAMEO_DEVICE static index<2> row_of(const index<3> &i) {
    return {{i[0] * P::queries + i[1], i[2]}};
  }
  CAMEO_DEVICE bool is_aligned() const { return rows.is_aligned(); }
  CAMEO_DEVICE void operator()(const index<3> &i, float v) const { rows(row_of(i), v); }
  template <int N>
  CAMEO_DEVICE_ONLY void wide(const index<3> &i, const neighbours<float, N> &v) const {
    rows.template wide<N>(row_of(i), v);
  }
};

template <class TILE, class E, class P> costs count_attention() {
  random_values random(6);
  machine mach;
  array<E> q(mach, random.vector<E>(heads * P::queries * P::size)),
      k(mach, random.vector<E>(heads * P::keys * P::size)),
      v(mach, random.vector<E>(heads * P::keys * P::size)), y(mach, heads * P::queries * P::size);
  using store = attention_store<E, P>;
  return count(mach, [&](target::exec &e) {
    target::launch_attention<TILE>(
        e, target::attention_call<P, E, scaled_score, store>{P{}, q, k, v, {}, {{y}}});
  });
}
template <class E, int64_t SIZE, bool TRANS_K> void check_attention() {
  INFO("heads of " << SIZE << " of " << sizeof(E) << " bytes, trans_k " << TRANS_K);
  using whole = constant_attention<SIZE, TRANS_K, 64, 128>;
  using tails = constant_attention<SIZE, TRANS_K, 72, 136>;
  using few = constant_attention<SIZE, TRANS_K, 16, 256>;
  for (const costs &found : {count_attention<target::many_queries_tile<E, whole>, E, whole>(),
                             count_attention<target::few_queries_tile<E, few>, E, few>()}) {
    CHECK(found.shared == 1);
    CHECK(found.global == 1);
  }
  const costs found = count_attention<target::many_queries_tile<E, tails>, E, tails>();
  CHECK(found.shared == 1);
  CHECK(found.global <= 1.25);
}
TEST_CASE("accesses of attention by halves") {
  check_attention<half, 64, true>();
  check_attention<half, 64, false>();
  check_attention<half, 128, true>();
}
TEST_CASE("accesses of attention by floats") {
  check_attention<float, 64, true>();
  check_attention<float, 64, false>();
  check_attention<float, 32, true>();
}

// ---- Rows and elements ----

template <int64_t ROWS, int64_t LENGTH> struct constant_rows {
  static constexpr int outer_rank = 1, reduced_rank = 1;
  static constexpr int64_t outer[1] = {ROWS}, reduced[1] = {LENGTH};
  static constexpr bool centered = true;
  static constexpr float epsilon = 1e-3f;
};
template <class E, int64_t LENGTH, int64_t ROWS = 24, class CALL>
costs count_rows(const CALL &call, int64_t skip = 0) {
  machine mach;
  array<E> x(mach, random_values(5).vector<E>(ROWS * LENGTH + skip)), y(mach, ROWS * LENGTH + skip);
  return count(mach, [&](target::exec &e) {
    call(e, constant_rows<ROWS, LENGTH>{}, wide_load<E, LENGTH>{x.data() + skip},
         wide_store<E, LENGTH>{y.data() + skip});
  });
}
constexpr auto call_softmax = [](target::exec &e, auto p, auto load, auto store) {
  target::softmax_held<false>(e, p, load, store);
};
template <class E, int64_t LENGTH> void check_rows(double most) {
  INFO("rows of " << LENGTH << " of " << sizeof(E) << " bytes");
  const auto normalize = [](target::exec &e, auto p, auto load, auto store) {
    target::normalize_held(e, p, load, store, discard{}, discard{});
  };
  for (const costs &counted :
       {count_rows<E, LENGTH>(call_softmax), count_rows<E, LENGTH>(normalize)}) {
    CHECK(counted.global <= most);
    CHECK(counted.shared <= 1);
  }
}
TEST_CASE("accesses of held rows") {
  check_rows<half, 64>(1);
  check_rows<half, 128>(1);
  check_rows<half, 768>(1);
  check_rows<half, 2048>(1);
  check_rows<half, 104>(1.25);
  check_rows<float, 32>(1);
  check_rows<float, 1000>(1);
  check_rows<float, 8192>(1);
  check_rows<double, 48>(1);
}
TEST_CASE("rows whose pointers are not aligned move by elements, which is found") {
  CHECK(count_rows<half, 768>(call_softmax, 1).global > 4);
}

template <class E> struct add_wide {
  const E *x, *z;
  E *y;
  static constexpr int widest = 16 / static_cast<int>(sizeof(E));
  CAMEO_DEVICE bool is_aligned() const { return cuda::are_aligned(x, z, y); }
  CAMEO_DEVICE void operator()(const index<1> &i) const { y[i[0]] = add(x[i[0]], z[i[0]]); }
  template <int N> CAMEO_DEVICE_ONLY void wide(const index<1> &i) const {
    const auto xs = cuda::load_wide<N>(x + i[0]), zs = cuda::load_wide<N>(z + i[0]);
    neighbours<E, N> ys;
    for (int j = 0; j < N; ++j)
      ys.item[j] = add(xs.item[j], zs.item[j]);
    cuda::store_wide<N>(y + i[0], ys);
  }
};
template <class E> costs count_elements(int64_t n) {
  machine mach;
  array<E> x(mach, random_values(7).vector<E>(n)), y(mach, n);
  return count(mach, [&](target::exec &e) {
    target::for_each(e, index<1>{{n}}, add_wide<E>{x.data(), x.data(), y.data()});
  });
}
TEST_CASE("accesses of elements by chunks") {
  CHECK(count_elements<half>(4096).global == 1);
  CHECK(count_elements<float>(4096).global == 1);
  CHECK(count_elements<double>(4096).global == 1);
  CHECK(count_elements<half>(4099).global <= 1.25);
}

// ---- Planted faults ----

/// Lines whose chunks lie where they are in memory, at no pitch that keeps banks apart.
struct unturned : target::shared_lines<half, 64, true> {
  CAMEO_DEVICE static constexpr int offset(int row, int chunk) { return row * 128 + chunk * 16; }
};
struct square {
  const half *data;
  int64_t lines = 64;
  int64_t line(int64_t, int64_t l) const { return l * 64; }
  int64_t step(int64_t k) const { return k; }
};
template <class SHARED> CAMEO_KERNEL void read_fragments(const half *x, uint32_t *y) {
  using namespace target;
  copy_feed<SHARED, 128, 16, true>(static_cast<int>(thread()), square{x}, 0, 0)
      .begin(shared<unsigned char>(), 0, 64);
  copy_async_commit();
  copy_async_wait<0>();
  barrier();
  uint32_t r[4];
  fragment_reader<SHARED, true>(0).load(r, shared<unsigned char>(), 0, 0);
  y[thread()] = r[0] + r[1] + r[2] + r[3];
}
template <class SHARED> costs count_fragments() {
  machine mach;
  array<half> x(mach, random_values(1).vector<half>(64 * 64));
  array<uint32_t> y(mach, 128);
  return count(mach, [&](target::exec &e) {
    e.launch(&read_fragments<SHARED>, dim3(1), dim3(128), 64 * 128,
             static_cast<const half *>(x.data()), y.data());
  });
}
TEST_CASE("rows that share banks are found") {
  CHECK(count_fragments<target::shared_lines<half, 64, true>>().shared == 1);
  CHECK(count_fragments<unturned>().shared == 8);
}

CAMEO_KERNEL void store_neighbours(uint16_t *y) {
  volatile uint16_t *const mine = y + target::thread() * 8; // each by itself
  for (unsigned i = 0; i < 8; ++i)
    mine[i] = 0;
}
CAMEO_KERNEL void store_wide(uint16_t *y) {
  target::store_pack<8>(y + target::thread() * 8, target::pack<uint16_t, 8>{});
}
TEST_CASE("eight stores of neighbours in the place of one are found") {
  machine mach;
  array<uint16_t> y(mach, 256);
  auto run = [&](void (*kernel)(uint16_t *)) {
    return count(mach, [&](target::exec &e) { e.launch(kernel, dim3(1), dim3(32), 0, y.data()); });
  };
  CHECK(run(&store_wide).global == 1);
  CHECK(run(&store_neighbours).global == 8);
}

} // namespace
} // namespace cameo::test
