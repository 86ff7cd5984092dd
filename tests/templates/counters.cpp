// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what accesses of gemm_tiles, gemm_codes_tiles, conv_tiles, attention_tiles, of rows and of
// elements cost, on the emulator: no bank of shared memory is asked twice in a pass, no sector
// moves that is not used, or few where tiles or rows end beside chunks, nothing is read from memory
// that the result does not follow from, and from the L2 cache what the tiles need. Kernels with a
// planted fault are found.
#include "convolutions.h"
#include "products.h"
#include "rows.h"

#include "cameo/cuda/attention_tiles.h"
#include "cameo/cuda/conv_tiles.h"
#include "cameo/cuda/gemm_codes_tiles.h"
#include "cameo/cuda/normalize.h"
#include "cameo/cuda/reduce.h"
#include "cameo/cuda/softmax.h"
#include "counters.h"
#include "wide_functors.h"

namespace cameo::test {
namespace {

/// The most that accesses cost by their ideal: each place in shared memory, all of global memory;
/// and the bytes that move.
struct costs {
  double shared = 0, global = 0;
  emu::traffic moved = {};
};

/// The bytes that a launch has to move: what the result follows from and the result, each once, and
/// what its tiles take from the L2 cache.
struct needs {
  int64_t reads = 0, writes = 0, tiles = 0;
};

double ratio(uint64_t bytes, int64_t needed) {
  return static_cast<double>(bytes) / static_cast<double>(needed);
}
bool reads_what_it_needs(const costs &found, const needs &of) {
  return ratio(found.moved.read_once, of.reads) <= 1.02;
}
bool moves_what_tiles_need(const costs &found, const needs &of, double most = 1.05) {
  return ratio(found.moved.from_l2, of.tiles) <= most;
}
void check_traffic(const costs &found, const needs &of, double most_moved = 1.05) {
  INFO("read " << found.moved.read_once << " of " << of.reads << ", from the L2 cache "
               << found.moved.from_l2 << " of " << of.tiles);
  CHECK(found.moved.read_once >= static_cast<uint64_t>(of.reads));
  CHECK(reads_what_it_needs(found, of));
  CHECK(moves_what_tiles_need(found, of, most_moved));
  CHECK(found.moved.written_once == static_cast<uint64_t>(of.writes));
  CHECK(found.moved.to_l2 == static_cast<uint64_t>(of.writes));
}

/// Tiles of so many of `all`, the last of which may have fewer.
int64_t count_tiles(int64_t all, int64_t of) { return (all + of - 1) / of; }

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
  most.moved = emu::counted_traffic();
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

/// Tiles and rows may end beside chunks.
constexpr double most_of_tails = 1.25;

/// Each tile takes its rows and columns of both operands.
template <class TILE, class E, class P> needs needs_of_tile() {
  constexpr auto bytes = static_cast<int64_t>(sizeof(E));
  const int64_t lines =
      count_tiles(P::n, TILE::columns) * P::m + count_tiles(P::m, TILE::rows) * P::n;
  return {(P::m + P::n) * P::k * bytes, P::m * P::n * bytes, lines * P::k * bytes};
}

template <class TILE, class E, bool TA, bool TB> void check_tile() {
  INFO("tile " << TILE::rows << " x " << TILE::columns << " of " << sizeof(E) << " bytes, trans "
               << TA << TB);
  constexpr int64_t depth = 128 / sizeof(E);
  using one_tile = constant_product<TA, TB, TILE::rows, TILE::columns, depth>;
  const costs whole = count_tile<TILE, E, one_tile>();
  CHECK(whole.shared == 1);
  CHECK(whole.global == 1);
  check_traffic(whole, needs_of_tile<TILE, E, one_tile>());
  using four_tiles = constant_product<TA, TB, TILE::rows + 16, TILE::columns + 48, depth + 16>;
  const costs tails = count_tile<TILE, E, four_tiles>();
  CHECK(tails.shared == 1);
  CHECK(tails.global <= most_of_tails);
  // Tiles have the last line of an operand again in the place of what is behind it.
  check_traffic(tails, needs_of_tile<TILE, E, four_tiles>(), most_of_tails);
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
  check_tiles<target::halved_tile, half>();
  check_tiles<target::wide_tile, half>();
}
TEST_CASE("accesses of tiles of float") {
  check_tiles<target::few_rows_tile, float>();
  check_tiles<target::small_tile, float>();
  check_tiles<target::middle_tile, float>();
  check_tiles<target::sliced_rows_tile, float>();
  check_tiles<target::sliced_tile, float>();
  check_tiles<target::halved_tile, float>();
  check_tiles<target::wide_tile, float>();
  check_tiles<target::quartered_tile, float>();
}

template <class E, class P> struct pixel_stores {
  E *y;
  CAMEO_DEVICE void operator()(const index<4> &i, float sum) const {
    y[flatten(i, P::as_case().y_dims())] = cast<E>(sum);
  }
};
/// Windows begin anywhere in a sector, and those at an image's ends read less than they could.
constexpr double most_of_windows = 2;

/// Each tile takes the rows of pixels that its windows reach, in all channels, and its weights.
template <class TILE, class P> int64_t count_tile_elements() {
  constexpr int64_t width = P::output[1], pixels = P::output[0] * width;
  int64_t elements = 0;
  for (int64_t first = 0; first < pixels; first += TILE::columns) {
    const int64_t last = std::min<int64_t>(first + TILE::columns, pixels) - 1;
    const int64_t top = std::max<int64_t>(first / width - 1, 0),
                  bottom = std::min<int64_t>(last / width + 1, P::input[0] - 1);
    elements +=
        count_tiles(P::out_channels, TILE::rows) * (bottom - top + 1) * width * P::in_channels;
    elements += P::out_channels * P::in_channels * 9;
  }
  return P::batch * elements;
}
template <class TILE, class E, class P> needs needs_of_image_tile() {
  constexpr auto bytes = static_cast<int64_t>(sizeof(E));
  const conv_case<2> c = P::as_case();
  return {(volume(c.x_dims()) + volume(c.conv_w_dims())) * bytes, volume(c.y_dims()) * bytes,
          count_tile_elements<TILE, P>() * bytes};
}

template <class TILE, class E, class P> costs count_image_tile() {
  random_values random(4);
  const conv_case<2> c = P::as_case();
  machine mach;
  array<E> x(mach, random.vector<E>(volume(c.x_dims()))),
      w(mach, random.vector<E>(volume(c.conv_w_dims()))), y(mach, volume(c.y_dims()));
  auto run = [&](target::exec &e) {
    const target::conv_tiles_call<P, E, pixel_stores<E, P>> call{{{P{}}, x, w, {y}}};
    target::launch_image_tile<TILE, 16>(e, call, call.shape());
  };
  return count(mach, run, true);
}

template <class TILE, class E> void check_image_tile() {
  INFO("tile " << TILE::rows << " x " << TILE::columns << " of " << sizeof(E) << " bytes");
  using P = constant_conv<1, 16, 64, 32>;
  const costs found = count_image_tile<TILE, E, P>();
  CHECK(found.shared == 1);
  CHECK(found.global <= most_of_windows);
  check_traffic(found, needs_of_image_tile<TILE, E, P>());
}
template <class E> void check_image_tiles() {
  check_image_tile<target::few_channels_tile, E>();
  check_image_tile<target::image_tile, E>();
  check_image_tile<target::large_image_tile, E>();
  check_image_tile<target::sliced_tile, E>();
  check_image_tile<target::halved_tile, E>();
  check_image_tile<target::wide_tile, E>();
}
TEST_CASE("accesses of convolutions of half") { check_image_tiles<half>(); }
TEST_CASE("accesses of convolutions of float") { check_image_tiles<float>(); }

// ---- Products by codes ----

template <int BITS, int64_t M, int64_t N, int64_t K> struct constant_codes {
  static constexpr int bits = BITS;
  static constexpr int64_t m = M, n = N, k = K, group = 32, zero_point = 0;
};
/// Two tiles of columns; of 16 bytes of codes and of scales each row is whole sectors.
template <class TILE, class E, int BITS> void check_codes() {
  INFO("tile " << TILE::rows << " x " << TILE::columns << " of " << sizeof(E) << " bytes, codes of "
               << BITS);
  using P = constant_codes<BITS, TILE::rows, 2 * TILE::columns, 512>;
  const coded_columns<E> b(P::n, P::k, P::group, BITS, -1);
  machine mach;
  array<E> a(mach, random_values(8).vector<E>(P::m * P::k)), scales(mach, b.scales),
      y(mach, P::m * P::n);
  array<uint32_t> codes(mach, b.codes), zeros(mach, b.zero_points);
  const costs found = count(mach, [&](target::exec &e) {
    using store = wide_store<E, P::n>;
    const target::codes_call<P, E, store> call{P{}, a, {P{}, codes, scales, zeros}, {y}};
    target::launch_codes_tile<TILE, 16>(e, call);
  });
  CHECK(found.shared == 1);
  CHECK(found.global == 1);
  constexpr auto bytes = static_cast<int64_t>(sizeof(E));
  const int64_t rows = P::m * P::k * bytes,
                matrix = static_cast<int64_t>(b.codes.size() + b.zero_points.size()) * 4 +
                         static_cast<int64_t>(b.scales.size()) * bytes;
  check_traffic(found, {rows + matrix, P::m * P::n * bytes, 2 * rows + matrix});
}
template <class E> void check_codes_tiles() {
  check_codes<target::coded_rows_tile, E, 4>();
  check_codes<target::narrow_rows_tile, E, 2>();
  check_codes<target::narrow_rows_tile, E, 4>();
  check_codes<target::narrow_rows_tile, E, 8>();
  check_codes<target::few_rows_tile, E, 4>();
  check_codes<target::small_tile, E, 8>();
  check_codes<target::middle_tile, E, 2>();
}
TEST_CASE("accesses of products by codes and half") { check_codes_tiles<half>(); }
TEST_CASE("accesses of products by codes and float") { check_codes_tiles<float>(); }

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

template <class TILE, class E, class P, class SCORE = scaled_score> costs count_attention() {
  random_values random(6);
  machine mach;
  array<E> q(mach, random.vector<E>(heads * P::queries * P::size)),
      k(mach, random.vector<E>(heads * P::keys * P::size)),
      v(mach, random.vector<E>(heads * P::keys * P::size)), y(mach, heads * P::queries * P::size);
  using store = attention_store<E, P>;
  return count(mach, [&](target::exec &e) {
    target::launch_attention<TILE>(
        e, target::attention_call<P, E, SCORE, store>{P{}, q, k, v, {}, {{y}}});
  });
}
/// Each tile of queries takes all keys and values of its head.
template <class TILE, class P> needs needs_of_attention() {
  constexpr auto bytes = static_cast<int64_t>(sizeof(typename TILE::element));
  constexpr int64_t queries = P::queries * P::size, keys = P::keys * 2 * P::size;
  return {heads * (queries + keys) * bytes, heads * queries * bytes,
          heads * (queries + count_tiles(P::queries, TILE::rows) * keys) * bytes};
}
template <class TILE, class E, class P> costs check_attention_tile() {
  const costs found = count_attention<TILE, E, P>();
  CHECK(found.shared == 1);
  check_traffic(found, needs_of_attention<TILE, P>());
  return found;
}
template <class E, int64_t SIZE, bool TRANS_K> void check_attention() {
  INFO("heads of " << SIZE << " of " << sizeof(E) << " bytes, trans_k " << TRANS_K);
  using whole = constant_attention<SIZE, TRANS_K, 64, 128>;
  using few = constant_attention<SIZE, TRANS_K, 16, 256>;
  CHECK(check_attention_tile<target::many_queries_tile<E, whole>, E, whole>().global == 1);
  CHECK(check_attention_tile<target::few_queries_tile<E, few>, E, few>().global == 1);
  // Tails of queries and keys; columns of keys are whole sectors, or are not.
  using tails = constant_attention<SIZE, TRANS_K, 72, 144>;
  CHECK(check_attention_tile<target::many_queries_tile<E, tails>, E, tails>().global <=
        most_of_tails);
  using odd_tails = constant_attention<SIZE, TRANS_K, 72, 136>;
  const costs found = count_attention<target::many_queries_tile<E, odd_tails>, E, odd_tails>();
  CHECK(found.shared == 1);
  CHECK(found.global <= most_of_tails);
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
  check_rows<half, 104>(most_of_tails);
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
  CHECK(count_elements<half>(4099).global <= most_of_tails);
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

/// Keys from `seen` on have no weight, but are read.
template <int64_t SEEN> struct padded_score {
  CAMEO_DEVICE float operator()(const index<3> &i, float v) const {
    return i[2] < SEEN ? v * 0.125f : -INFINITY;
  }
};
TEST_CASE("attention that reads keys behind the last one is found") {
  using P = constant_attention<64, true, 64, 136>;
  using padded = constant_attention<64, true, 64, 192>;
  using tile = target::many_queries_tile<half, P>;
  const needs of = needs_of_attention<tile, P>();
  CHECK(reads_what_it_needs(count_attention<tile, half, P>(), of));
  CHECK_FALSE(
      reads_what_it_needs(count_attention<tile, half, padded, padded_score<P::keys>>(), of));
}
TEST_CASE("attention that reads keys for fewer queries than a tile has is found") {
  using P = constant_attention<64, true, 64, 128>;
  using tile = target::many_queries_tile<half, P>;
  const needs of = needs_of_attention<tile, P>();
  CHECK(moves_what_tiles_need(count_attention<tile, half, P>(), of));
  const costs found = count_attention<target::few_queries_tile<half, P>, half, P>();
  CHECK(reads_what_it_needs(found, of));
  CHECK_FALSE(moves_what_tiles_need(found, of));
}

TEST_CASE("a product that reads columns of its neighbour is found") {
  using P = constant_product<false, false, 64, 64, 64>;
  using wider = constant_product<false, false, 64, 96, 64>;
  const needs of = needs_of_tile<target::small_tile, half, P>();
  CHECK(reads_what_it_needs(count_tile<target::small_tile, half, P>(), of));
  CHECK_FALSE(reads_what_it_needs(count_tile<target::small_tile, half, wider>(), of));
}
TEST_CASE("a product in smaller tiles than it should have is found") {
  using P = constant_product<false, false, 128, 128, 64>;
  const needs of = needs_of_tile<target::large_tile, half, P>();
  CHECK(moves_what_tiles_need(count_tile<target::large_tile, half, P>(), of));
  CHECK_FALSE(moves_what_tiles_need(count_tile<target::small_tile, half, P>(), of));
}

TEST_CASE("a convolution that reads channels of its neighbour is found") {
  using P = constant_conv<1, 16, 64, 32>;
  using wider = constant_conv<1, 24, 64, 32>;
  using tile = target::large_image_tile;
  const needs of = needs_of_image_tile<tile, half, P>();
  CHECK(reads_what_it_needs(count_image_tile<tile, half, P>(), of));
  CHECK_FALSE(reads_what_it_needs(count_image_tile<tile, half, wider>(), of));
}
TEST_CASE("a convolution in smaller tiles than it should have is found") {
  using P = constant_conv<1, 16, 64, 32>;
  const needs of = needs_of_image_tile<target::large_image_tile, half, P>();
  CHECK(moves_what_tiles_need(count_image_tile<target::large_image_tile, half, P>(), of));
  CHECK_FALSE(moves_what_tiles_need(count_image_tile<target::image_tile, half, P>(), of));
}

} // namespace
} // namespace cameo::test
