// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies that move neighbours at once: each element once, whatever the extents and the alignment of
// pointers, and the bits of those that move one.
#include "machine.h"

#include "cameo/cuda/for_each.h"
#include "wide_functors.h"

namespace cameo::test {
namespace {

/// y = x + z, each of rows of `pitch` elements, z the same for all rows; counts visits.
template <class T> struct add_rows {
  const T *x, *z;
  T *y;
  int64_t pitch;
  static constexpr int widest = cuda::access_bytes / static_cast<int>(sizeof(T));
  CAMEO_DEVICE bool is_aligned() const { return cuda::are_aligned(x, z, y); }
  CAMEO_DEVICE void operator()(const index<2> &i) const {
    y[i[0] * pitch + i[1]] = add(y[i[0] * pitch + i[1]], add(x[i[0] * pitch + i[1]], z[i[1]]));
  }
  template <int N> CAMEO_DEVICE_ONLY void wide(const index<2> &i) const {
    const int64_t at = i[0] * pitch + i[1];
    const auto xs = cuda::load_wide<N>(x + at), zs = cuda::load_wide<N>(z + i[1]);
    auto ys = cuda::load_wide<N>(static_cast<const T *>(y + at));
    for (int j = 0; j < N; ++j)
      ys.item[j] = add(ys.item[j], add(xs.item[j], zs.item[j]));
    cuda::store_wide<N>(y + at, ys);
  }
};

template <class T, class RUN>
void check_sums(int64_t rows, int64_t length, int64_t skip, const RUN &run) {
  INFO(rows << " rows of " << length << ", " << skip << " elements behind what is aligned");
  const int64_t pitch = (length + 15) / 16 * 16;
  random_values random(static_cast<uint64_t>(rows * length));
  const std::vector<T> x = random.vector<T>(rows * pitch + skip),
                       z = random.vector<T>(pitch + skip);
  machine mach;
  array<T> from(mach, x), more(mach, z), to(mach, std::vector<T>(x.size()));
  mach.run([&](target::exec &e) {
    run(e, add_rows<T>{from.data() + skip, more.data() + skip, to.data() + skip, pitch});
  });
  const std::vector<T> got = to.values();
  int64_t wrong = 0;
  for (int64_t i = 0; i < rows * pitch; ++i) {
    const auto at = static_cast<size_t>(i + skip);
    const T want = i % pitch < length
                       ? add(cast<T>(0), add(x[at], z[static_cast<size_t>(i % pitch + skip)]))
                       : T{};
    wrong += !same(got[at], want);
  }
  CHECK(wrong == 0);
}

template <class T> void check_spaces() {
  for (int64_t skip : {0, 1})
    for (int64_t rows : {0, 1, 5, 300})
      for (int64_t length : {1, 7, 8, 16, 19, 64}) {
        check_sums<T>(rows, length, skip, [&](target::exec &e, auto body) {
          target::for_each(e, index<2>{{rows, length}}, body);
        });
        check_sums<T>(rows, length, skip, [&](target::exec &e, auto body) {
          target::for_each(e, counted_index<2>{rows, length}, body);
        });
      }
  check_sums<T>(5, 24, 0, [&](target::exec &e, auto body) {
    target::for_each(e, static_index<5, 24>{}, body);
  });
  check_sums<T>(3, 21, 1, [&](target::exec &e, auto body) {
    target::for_each(e, static_index<3, 21>{}, body);
  });
}
TEST_CASE("chunks of half") { check_spaces<half>(); }
TEST_CASE("chunks of float") { check_spaces<float>(); }
TEST_CASE("chunks of double") { check_spaces<double>(); }
TEST_CASE("chunks of bytes") { check_spaces<uint8_t>(); }

/// Neighbours of every number of bytes.
template <class T, int N> struct copy_chunks {
  const T *x;
  T *y;
  CAMEO_DEVICE void operator()(const index<1> &i) const {
    cuda::store_wide<N>(y + i[0] * N, cuda::load_wide<N>(x + i[0] * N));
  }
};
template <class T, int N> void check_copies() {
  const std::vector<T> x = random_values(N).vector<T>(40 * N);
  machine mach;
  array<T> from(mach, x), to(mach, 40 * N);
  mach.run([&](target::exec &e) {
    target::for_each(e, index<1>{{40}}, copy_chunks<T, N>{from, to});
  });
  CHECK(to.values() == x);
}
TEST_CASE("neighbours of 1 to 16 bytes") {
  check_copies<uint8_t, 1>();
  check_copies<uint8_t, 2>();
  check_copies<uint16_t, 2>();
  check_copies<uint16_t, 4>();
  check_copies<float, 2>();
  check_copies<double, 2>();
  check_copies<uint8_t, 16>();
}

} // namespace
} // namespace cameo::test
