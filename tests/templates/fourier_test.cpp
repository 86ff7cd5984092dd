// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fourier against sums of long doubles: lengths of all radices and beyond, parts of a row and of
// the results, rows that fill vectors and that do not, lengths known and not.
#include "machine.h"

#include <complex>

#include CAMEO_TEMPLATE(fourier.h)

namespace cameo::test {
namespace {

using number = std::complex<double>;
constexpr long double two_pi = 6.283185307179586476925286766559005768L;

/// The kinds of numbers that are transformed.
enum class kind { complex, real_input, real_output };

template <kind NUMBERS> struct fourier_params {
  static constexpr int batch_rank = 2;
  static constexpr bool real_output = NUMBERS == kind::real_output;
  bool inverse;
  int64_t batch[2], points, terms, bins, parts;
};

template <class T> std::vector<T> roots_of(int64_t points) {
  std::vector<T> roots;
  for (int64_t k = 0; k < points; ++k)
    roots.push_back(static_cast<T>(
        std::cos(two_pi * static_cast<long double>(k) / static_cast<long double>(points))));
  for (int64_t k = 0; k < points; ++k)
    roots.push_back(static_cast<T>(
        std::sin(two_pi * static_cast<long double>(k) / static_cast<long double>(points))));
  return roots;
}

/// The sums of one row.
std::vector<number> sums(const std::vector<number> &x, int64_t points, int64_t bins, bool inverse) {
  std::vector<number> result;
  for (int64_t k = 0; k < bins; ++k) {
    std::complex<long double> sum = 0;
    for (size_t n = 0; n < x.size(); ++n) {
      const auto turn = static_cast<long double>(k * static_cast<int64_t>(n) % points) /
                        static_cast<long double>(points);
      sum +=
          std::complex<long double>(x[n]) * std::polar(1.0L, (inverse ? two_pi : -two_pi) * turn);
    }
    result.emplace_back(sum);
  }
  return result;
}

/// The input of one row: the terms that are loaded, complex or real.
template <kind NUMBERS, class T>
std::vector<number> numbers_of(const std::vector<T> &x, int64_t row, int64_t points,
                               int64_t terms) {
  constexpr bool is_real = NUMBERS == kind::real_input;
  std::vector<number> all;
  for (int64_t n = 0; n < terms; ++n) {
    const auto at = static_cast<size_t>((row * terms + n) * (is_real ? 1 : 2));
    all.emplace_back(x[at], is_real ? T{0} : x[at + 1]);
  }
  if (NUMBERS == kind::real_output && points > 0) {
    all.resize(static_cast<size_t>(points / 2 + 1));
    all[0].imag(0);
    if (points % 2 == 0)
      all.back().imag(0);
    for (int64_t n = points / 2 + 1; n < points; ++n)
      all.push_back(std::conj(all[static_cast<size_t>(points - n)]));
  }
  return all;
}

template <kind NUMBERS, class T>
void check(int64_t rows, int64_t points, int64_t terms, int64_t bins, bool inverse) {
  constexpr int64_t in = NUMBERS == kind::real_input ? 1 : 2;
  constexpr int64_t out = NUMBERS == kind::real_output ? 1 : 2;
  random_values random(static_cast<uint64_t>(points + 1));
  const std::vector<T> x = random.vector<T>(2 * rows * terms * in);
  double worst = 0, square = 0;
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> input(mach, x), roots(mach, roots_of<T>(points)), output(mach, 2 * rows * bins * out);
    const fourier_params<NUMBERS> p{inverse, {2, rows}, points, terms, bins, in};
    mach.run([&](exec &e) {
      fourier(e, p, static_cast<const T *>(roots.data()),
              dense_load<T, 4>{input.data(), index<4>{{2, rows, terms, in}}},
              dense_store<T, 4>{output.data(), index<4>{{2, rows, bins, out}}});
    });
    const std::vector<T> got = output.values();
    for (int64_t row = 0; row < 2 * rows; ++row) {
      const std::vector<number> want =
          sums(numbers_of<NUMBERS>(x, row, points, terms), points, bins, inverse);
      for (int64_t k = 0; k < bins; ++k) {
        const auto at = static_cast<size_t>((row * bins + k) * out);
        const number value(got[at], out > 1 ? got[at + 1] : 0);
        const number wanted = want[static_cast<size_t>(k)];
        worst = std::max(worst, std::abs(value - (out > 1 ? wanted : number(wanted.real()))));
        square += std::norm(wanted);
      }
    }
  }
  // By the root of the mean square of the results.
  const double scale =
      std::sqrt(square / static_cast<double>(std::max<int64_t>(1, 2 * rows * bins))) + 1e-30;
  INFO("points " << points << ", rows " << rows << ", terms " << terms << ", bins " << bins);
  CHECK(worst <= (sizeof(T) == 4 ? 4e-6 : 1e-14) * scale);
}

template <class T> void check_all(int64_t rows, int64_t points) {
  const int64_t half = points / 2 + 1, part = points * 2 / 3;
  for (bool inverse : {false, true}) {
    check<kind::complex, T>(rows, points, points, points, inverse);
    check<kind::real_input, T>(rows, points, points, points, inverse);
    check<kind::complex, T>(rows, points, part, half < points ? half : points, inverse);
    check<kind::real_input, T>(rows, points, part, half < points ? half : points, inverse);
  }
  check<kind::real_output, T>(rows, points, half, points, true);
  check<kind::real_output, T>(rows, points, half / 2, points, true);
}

} // namespace

TEST_CASE("transforms of every length", "[fourier]") {
  for (int64_t points = 1; points <= 40; ++points)
    check_all<float>(1 + points % 3, points);
  for (int64_t points : {37, 49, 60, 74, 100, 121, 128, 210, 256, 400, 403, 512, 521})
    check_all<float>(2, points);
  for (int64_t points : {1, 2, 3, 9, 30, 47, 64, 94, 100, 144})
    check_all<double>(2, points);
}

TEST_CASE("transforms of rows that fill vectors", "[fourier]") {
  for (int64_t rows : {1, 3, 7, 8, 21})
    for (int64_t points : {8, 15, 34, 37, 100})
      check_all<float>(rows, points);
  check_all<double>(9, 60);
}

TEST_CASE("transforms of nothing", "[fourier]") {
  check<kind::real_input, float>(2, 0, 0, 1, false);
  check<kind::complex, float>(0, 8, 8, 8, false);
  check<kind::complex, float>(2, 8, 0, 8, true);
  check<kind::real_output, float>(2, 0, 1, 0, true);
}

} // namespace cameo::test
