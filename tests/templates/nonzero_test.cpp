// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nonzero against a plain loop: none, all, and some elements, from no element to more than all
// blocks and threads look at together, and spaces of several axes and of none.
#include "machine.h"

#include CAMEO_TEMPLATE(nonzero.h)

namespace cameo::test {
namespace {

template <int R> struct shape_params {
  static constexpr int shape_rank = R;
  int64_t shape[R];
};
template <> struct shape_params<0> { static constexpr int shape_rank = 0; };

template <int R>
void check_nonzero(const shape_params<R> &p, const index<R> &shape,
                   const std::vector<uint8_t> &flags) {
  INFO(flags.size() << " elements");
  std::vector<int64_t> want;
  for (size_t t = 0; t < flags.size(); ++t)
    if (flags[t] != 0)
      want.push_back(static_cast<int64_t>(t));
  const auto count = static_cast<int64_t>(want.size());
  // Behind the last one nothing is written.
  want.resize(flags.size(), array<int64_t>::unset());
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<uint8_t> input(mach, flags);
    array<int64_t> positions(mach, static_cast<int64_t>(flags.size())), found(mach, 1);
    mach.run([&](exec &e) {
      nonzero(e, p, positions.data(), found.data(), dense_load<uint8_t, R>{input, shape});
    });
    CHECK(found[0] == count);
    CHECK(positions.values() == want);
  }
}

void check(int64_t n, int64_t of_a_hundred) {
  random_values random(static_cast<uint64_t>(n + of_a_hundred));
  std::vector<uint8_t> flags(static_cast<size_t>(n));
  for (uint8_t &flag : flags)
    flag = random.below(100) < of_a_hundred ? 1 : 0;
  check_nonzero<1>({{n}}, {{n}}, flags);
}

TEST_CASE("nonzero") {
  for (int64_t n : {0, 1, 31, 256, 257, 5000, 140000})
    for (int64_t density : {0, 3, 50, 100})
      check(n, density);
}

TEST_CASE("nonzero of several axes and of none") {
  check_nonzero<3>({{2, 3, 2}}, {{2, 3, 2}}, {0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1});
  check_nonzero<3>({{2, 0, 2}}, {{2, 0, 2}}, {});
  check_nonzero<0>({}, {}, {1});
  check_nonzero<0>({}, {}, {0});
}

} // namespace
} // namespace cameo::test
