// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// det against expansion along the first row; matrices that are empty, singular or have NaN, and
// whose first pivot is 0.
#include "machine.h"

#include CAMEO_TEMPLATE(det.h)

namespace cameo::test {
namespace {

struct det_params {
  static constexpr int batch_rank = 2;
  int64_t batch[2], size;
};

double expand(const std::vector<double> &m, int64_t n) {
  if (n == 0)
    return 1;
  double sum = 0;
  for (int64_t skipped = 0; skipped < n; ++skipped) {
    std::vector<double> rest;
    for (int64_t i = n; i < n * n; ++i)
      if (i % n != skipped)
        rest.push_back(m[static_cast<size_t>(i)]);
    sum += (skipped % 2 == 0 ? 1 : -1) * m[static_cast<size_t>(skipped)] * expand(rest, n - 1);
  }
  return sum;
}

template <class T>
std::vector<accumulator_t<T>> determinants(int threads, const std::vector<T> &x, int64_t rows,
                                           int64_t columns, int64_t size) {
  machine mach(threads);
  array<T> in(mach, x);
  array<accumulator_t<T>> out(mach, rows * columns);
  mach.run([&](exec &e) {
    det(e, det_params{{rows, columns}, size}, static_cast<const T *>(in.data()),
        dense_store<accumulator_t<T>, 2>{out.data(), index<2>{{rows, columns}}});
  });
  return out.values();
}

template <class T> void check(int64_t rows, int64_t columns, int64_t size) {
  random_values random(5);
  const std::vector<T> x = random.vector<T>(rows * columns * size * size);
  std::vector<double> want;
  for (int64_t at = 0; at < rows * columns; ++at) {
    std::vector<double> matrix;
    for (int64_t i = 0; i < size * size; ++i)
      matrix.push_back(as_double(x)[static_cast<size_t>(at * size * size + i)]);
    want.push_back(expand(matrix, size));
  }
  for (int threads : team_sizes())
    CHECK(worst_error(determinants(threads, x, rows, columns, size), want) < 10 * tolerance<T>());
}

} // namespace

TEST_CASE("det of matrices of every size and type", "[det]") {
  for (int64_t size : {0, 1, 2, 3, 6}) {
    check<float>(2, 3, size);
    check<double>(3, 1, size);
    check<half>(1, 2, size);
  }
  check<float>(0, 3, 2);
  check<float>(40, 70, 4);
}

TEST_CASE("det looks for a pivot", "[det]") {
  const std::vector<float> x = {0, 2, 3, 4, 1, 2, 2, 4, NAN, 1, 1, 1, 0, 0, NAN, 0};
  const std::vector<float> got = determinants(1, x, 1, 4, 2);
  CHECK(got[0] == -6);
  CHECK(got[1] == 0);
  CHECK(std::isnan(got[2]));
  CHECK(std::isnan(got[3]));
}

} // namespace cameo::test
