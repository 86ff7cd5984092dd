// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pack_channels, clear_halo and unpack_channels, each against the definition of the layout; pools
// over what they make against pools over the dense tensor. CPU only.
#include "machine.h"

#include <cameo/cpu/pool.h>
#include <cameo/cpu/pool_blocked.h>
#include <cameo/cpu/repack.h>

namespace cameo::test {
namespace {

struct image {
  int64_t batch, channels, rows, cols;
  int64_t halo[2];

  int64_t blocks() const { return (channels + 15) / 16; }
  index<4> dense() const { return {{batch, channels, rows, cols}}; }
  index<5> blocked() const {
    return {{batch, blocks(), rows + 2 * halo[0], cols + 2 * halo[1], 16}};
  }
};
struct halo_params {
  int64_t planes, rows, cols, lanes;
  int64_t halo[2];
};

/// x in blocks, zeros around it and behind its channels.
template <class T> std::vector<T> packed(const image &p, const std::vector<T> &x) {
  std::vector<T> y(static_cast<size_t>(volume(p.blocked())), T{});
  for (int64_t i = 0; i < volume(p.dense()); ++i) {
    const index<4> at = unflatten(i, p.dense());
    const index<5> to = {{at[0], at[1] / 16, at[2] + p.halo[0], at[3] + p.halo[1], at[1] % 16}};
    y[static_cast<size_t>(flatten(to, p.blocked()))] = x[static_cast<size_t>(i)];
  }
  return y;
}

template <class T> void check_round_trip(const image &p) {
  const std::vector<T> x = random_values(5).vector<T>(volume(p.dense()));
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> in(mach, x), blocked(mach, volume(p.blocked())), out(mach, volume(p.dense()));
    mach.run([&](exec &e) {
      pack_channels(e, p, static_cast<const T *>(in.data()), blocked.data());
      clear_halo(e, halo_params{p.batch * p.blocks(), p.rows, p.cols, 16, {p.halo[0], p.halo[1]}},
                 blocked.data());
      unpack_channels(e, p, static_cast<const T *>(blocked.data()), out.data());
    });
    CHECK(blocked.values() == packed(p, x));
    CHECK(out.values() == x);
  }
}

TEST_CASE("pack_channels and unpack_channels") {
  check_round_trip<float>({2, 32, 5, 7, {0, 0}});
  check_round_trip<float>({2, 19, 3, 130, {1, 2}});
  check_round_trip<float>({1, 3, 1, 1, {3, 0}});
  check_round_trip<int8_t>({1, 20, 4, 4, {0, 1}});
  // Squares and what is left of them: in a plane, in rows, in the last block.
  check_round_trip<uint8_t>({2, 37, 9, 19, {0, 0}});
  check_round_trip<uint8_t>({1, 32, 3, 33, {1, 2}});
  check_round_trip<float>({1, 29, 8, 17, {0, 0}});
  check_round_trip<int16_t>({1, 32, 5, 21, {0, 1}});
  check_round_trip<double>({1, 16, 2, 70, {0, 0}});
  check_round_trip<float>({0, 16, 4, 4, {1, 1}});
  // Rows that are shorter than a square, several in one: with and without a rest of pixels, lanes.
  check_round_trip<float>({2, 37, 7, 7, {1, 1}});
  check_round_trip<float>({1, 32, 5, 13, {2, 0}});
  check_round_trip<int16_t>({2, 20, 3, 6, {0, 1}});
  check_round_trip<float>({3, 16, 16, 1, {1, 1}});
}

struct short_image {
  static constexpr int64_t lanes = 4;
  int64_t batch, channels, rows, cols;
  int64_t halo[2];
};
struct filled_halo_params {
  static constexpr int64_t fill = 200;
  int64_t planes, rows, cols, lanes;
  int64_t halo[2];
};

/// An image of few channels in blocks of four, with a halo of a zero point.
void check_short_blocks(int64_t channels) {
  const short_image p = {2, channels, 2, 70, {1, 2}};
  const filled_halo_params around = {2, 2, 70, 4, {1, 2}};
  const index<4> dense = {{2, channels, 2, 70}};
  const auto x = random_values(5).vector<uint8_t>(volume(dense));
  const index<4> blocked = {{2, 4, 74, 4}};
  std::vector<uint8_t> want(static_cast<size_t>(volume(blocked)), 200);
  for (int64_t i = 0; i < volume(blocked); ++i) {
    const index<4> at = unflatten(i, blocked);
    const int64_t row = at[1] - 1, col = at[2] - 2;
    if (row >= 0 && row < 2 && col >= 0 && col < 70)
      want[static_cast<size_t>(i)] =
          at[3] < channels
              ? x[static_cast<size_t>(flatten(index<4>{{at[0], at[3], row, col}}, dense))]
              : 0;
  }
  machine mach(1);
  array<uint8_t> in(mach, x), out(mach, volume(blocked)), back(mach, volume(dense));
  mach.run([&](exec &e) {
    pack_channels(e, p, static_cast<const uint8_t *>(in.data()), out.data());
    clear_halo(e, around, out.data());
    unpack_channels(e, p, static_cast<const uint8_t *>(out.data()), back.data());
  });
  CHECK(out.values() == want);
  CHECK(back.values() == x);
}

TEST_CASE("pack_channels into short blocks") {
  for (int64_t channels : {1, 2, 3, 4})
    check_short_blocks(channels);
}

TEST_CASE("clear_halo of dense planes") {
  machine mach(1);
  array<float> y(mach, 2 * 4 * 5);
  mach.run([&](exec &e) { clear_halo(e, halo_params{2, 2, 1, 1, {1, 2}}, y.data()); });
  const std::vector<float> got = y.values();
  for (size_t i = 0; i < got.size(); ++i) {
    const size_t row = i / 5 % 4, column = i % 5;
    const bool inside = row >= 1 && row < 3 && column == 2;
    CHECK((got[i] == 0) == !inside);
  }
}

struct pool_params {
  static constexpr int spatial_rank = 2;
  int64_t batch, channels;
  int64_t input[2], kernel[2], output[2], stride[2], dilation[2], pad[2], pad_end[2];
  bool count_include_pad;
  int64_t p;
};

/// The same, whose windows the compiler knows.
template <int64_t ROWS, int64_t COLUMNS> struct known_windows {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t kernel[2] = {ROWS, COLUMNS}, dilation[2] = {1, 1};
  int64_t batch, channels;
  int64_t input[2], output[2], stride[2], pad[2], pad_end[2];
  bool count_include_pad;
  int64_t p;
};

/// The same, of which the compiler knows the steps too: STEP down, 1 along a row.
template <int64_t ROWS, int64_t COLUMNS, int64_t STEP, int64_t DILATION> struct known_steps {
  static constexpr int spatial_rank = 2;
  static constexpr int64_t kernel[2] = {ROWS, COLUMNS}, dilation[2] = {DILATION, DILATION};
  static constexpr int64_t stride[2] = {STEP, 1};
  static constexpr int64_t down = (ROWS - 1) * DILATION, across = (COLUMNS - 1) * DILATION;
  int64_t batch, channels;
  int64_t input[2], output[2], pad[2], pad_end[2];
  bool count_include_pad;
  int64_t p;
  /// As many outputs as pixels, but for the steps.
  static known_steps of(int64_t channels, int64_t high, int64_t wide) {
    return {2,
            channels,
            {high, wide},
            {(high - 1) / STEP + 1, wide},
            {down / 2, across / 2},
            {down - down / 2, across - across / 2},
            false,
            2};
  }
};

/// Values that make a difference to a maximum, here and there.
std::vector<float> special_values(int64_t count) {
  std::vector<float> x = random_values(11).vector<float>(count);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float special[] = {std::numeric_limits<float>::quiet_NaN(), -infinity, 0.0f, -0.0f,
                           infinity};
  size_t number = 0;
  for (size_t i = 0; i < x.size(); i += 5 + i % 13)
    x[i] = special[number++ % 5];
  return x;
}

template <pool_kind KIND, class P> void check_pool(const P &p, bool is_special = false) {
  const image in = {p.batch, p.channels, p.input[0], p.input[1], {1, 2}};
  const image out = {p.batch, p.channels, p.output[0], p.output[1], {0, 0}};
  const std::vector<float> x = is_special ? special_values(volume(in.dense()))
                                          : random_values(11).vector<float>(volume(in.dense()));
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> dense(mach, x), blocked(mach, packed(in, x));
    array<float> want(mach, volume(out.dense())), got(mach, volume(out.blocked()));
    mach.run([&](exec &e) {
      pool<KIND>(e, p, dense_load<float, 4>{dense.data(), in.dense()},
                 dense_store<float, 4>{want.data(), out.dense()});
      const float *data = blocked.data();
      const index<5> extents = in.blocked();
      pool_blocked<KIND>(
          e, p,
          [=](const index<5> &i) {
            return data[flatten(index<5>{{i[0], i[1], i[2] + 1, i[3] + 2, i[4]}}, extents)];
          },
          dense_store<float, 5>{got.data(), out.blocked()});
    });
    const std::vector<float> lanes = got.values(), all = packed(out, want.values());
    // The padding lanes may hold anything.
    for (int64_t i = 0; i < volume(out.blocked()); ++i) {
      const index<5> at = unflatten(i, out.blocked());
      if (at[1] * 16 + at[4] < p.channels)
        CHECK(same(lanes[static_cast<size_t>(i)], all[static_cast<size_t>(i)]));
    }
  }
}

TEST_CASE("pool_blocked") {
  const pool_params overlapping = {2,      19,     {9, 12}, {3, 3}, {5, 6}, {2, 2},
                                   {1, 1}, {1, 1}, {1, 1},  false,  2};
  const pool_params dilated = {1,      32,     {8, 9}, {2, 3}, {6, 4}, {1, 2},
                               {2, 1}, {0, 1}, {0, 2}, true,   3};
  check_pool<pool_kind::max>(overlapping);
  check_pool<pool_kind::max>(dilated);
  check_pool<pool_kind::average>(overlapping);
  check_pool<pool_kind::average>(dilated);
  check_pool<pool_kind::lp>(dilated);
  check_pool<pool_kind::max>(overlapping, /*is_special=*/true);
  check_pool<pool_kind::max>(dilated, /*is_special=*/true);
}

TEST_CASE("pool_blocked of windows that are known") {
  const known_windows<3, 3> square = {2, 19, {9, 12}, {5, 6}, {2, 2}, {1, 1}, {1, 1}, false, 2};
  const known_windows<2, 5> even = {1, 33, {8, 11}, {7, 7}, {1, 1}, {0, 0}, {0, 0}, true, 3};
  for (const bool is_special : {false, true}) {
    check_pool<pool_kind::max>(square, is_special);
    check_pool<pool_kind::max>(even, is_special);
  }
  check_pool<pool_kind::average>(square);
  check_pool<pool_kind::lp>(even);
}

template <class P> void check_steps(const P &p) {
  INFO(P::kernel[0] << " x " << P::kernel[1] << " over " << p.input[0] << " x " << p.input[1]);
  check_pool<pool_kind::max>(p);
  check_pool<pool_kind::max>(p, /*is_special=*/true);
  check_pool<pool_kind::average>(p);
}
TEST_CASE("pool_blocked of windows at each pixel") {
  check_steps(known_steps<5, 5, 1, 1>::of(19, 13, 13));
  check_steps(known_steps<13, 13, 1, 1>::of(33, 13, 13));
  check_steps(known_steps<9, 9, 1, 1>::of(16, 45, 21)); // more rows and columns than a tile has
  check_steps(known_steps<9, 5, 2, 1>::of(16, 20, 7));
  check_steps(known_steps<5, 6, 1, 3>::of(16, 11, 9));
  check_steps(known_steps<31, 5, 1, 1>::of(16, 3, 9));
  check_steps(known_steps<33, 5, 1, 1>::of(16, 4, 9)); // more rows than a tile holds
  check_steps(known_steps<5, 5, 1, 1>::of(16, 0, 9));
}

} // namespace
} // namespace cameo::test
