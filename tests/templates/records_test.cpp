// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every template called as its record says (tools/cameo-tblgen writes the cases): that it compiles
// with such members, operands and functors, what its stores and activations are given, how often it
// loads an element, and on a device how many kernels it launches.
#include "cameo/common/params.h"
#include "cameo/counted.h"
#include "machine.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

#if !defined(CAMEO_TEST_CUDA)
#define CAMEO_TEST_CPU
#endif

namespace cameo::test {
namespace {

//===----------------------------------------------------------------------===//
// Words of the records' expressions
//===----------------------------------------------------------------------===//

template <class T> struct tag { using type = T; };
template <auto VALUE> struct constant {};

template <class T> tag<accumulator_t<T>> accumulator(tag<T>) { return {}; }
template <class A, class B> tag<product_t<A, B>> product(tag<A>, tag<B>) { return {}; }
template <class C> tag<typename C::type> combined(tag<C>) { return {}; }
[[maybe_unused]] tag<int64_t> position() { return {}; }
[[maybe_unused]] tag<float> float_type() { return {}; }

template <auto KIND, class T> auto pooled(constant<KIND>, tag<T>) {
  using kind = decltype(KIND);
  return std::conditional_t<KIND == kind::max, tag<T>, tag<accumulator_t<T>>>();
}
template <auto MODE, class T> auto sampled(constant<MODE>, tag<T>) {
  using mode = decltype(MODE);
  return std::conditional_t<MODE == mode::nearest, tag<T>, tag<accumulator_t<T>>>();
}

[[maybe_unused]] int64_t given(bool operand) { return operand ? 1 : 0; }
template <int S>
int64_t covers(const index<S> &kernel, const index<S> &stride, const index<S> &dilation) {
  int64_t all = 1;
  for (int d = 0; d < S; ++d)
    all *= dilation[d] == 1 ? (kernel[d] + stride[d] - 1) / stride[d] : kernel[d];
  return all;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Loads zeros and counts how often each is asked for: every coordinate is below 4, but the last
/// one, which may be a lane of a block, below 16.
template <class T, int R> struct counted_load {
  static constexpr size_t places = size_t{1} << (2 * R + 2);

  int32_t *counts;
  CAMEO_DEVICE T operator()(const index<R> &i) const {
    int64_t at = 0;
    if constexpr (R > 0)
      for (int d = 0; d < R; ++d)
        at = at * (d + 1 < R ? 4 : 16) + i[d];
    else
      (void)i;
    ++counts[at];
    return T{};
  }
};
template <int R, class TAG> struct checked_store {
  template <class V> CAMEO_DEVICE void operator()(const index<R> &, V) const {
    static_assert(std::is_same_v<V, typename TAG::type>, "the record names another type");
  }
};
template <int R, class TAG> struct checked_apply {
  template <class V> CAMEO_DEVICE V operator()(const index<R> &, V value) const {
    static_assert(std::is_same_v<V, typename TAG::type>, "the record names another type");
    return value;
  }
};

class call {
public:
  /// More than any template needs where all extents are 2.
  static constexpr size_t bytes = size_t{1} << 17;

  ~call() {
    for (void *memory : memories_)
      machine_.release(memory);
  }

  /// Zeros.
  template <class T> T *memory() {
    memories_.push_back(machine_.allocate(bytes));
    machine_.upload(memories_.back(), zeros_.data(), bytes);
    return static_cast<T *>(memories_.back());
  }
  template <class T, int R> counted_load<T, R> load(const char *name) {
    auto &counts = counts_[name];
    constexpr size_t places = counted_load<T, R>::places;
    counts = std::make_unique<array<int32_t>>(machine_, std::vector<int32_t>(places));
    return {counts->data()};
  }
  /// The times that the element was loaded by a functor that was loaded most often.
  int64_t most_loads(const char *name) const {
    const std::vector<int32_t> counts = counts_.at(name)->values();
    return *std::max_element(counts.begin(), counts.end());
  }

#if defined(CAMEO_TEST_CUDA)
  /// Leaves the extents of p on the device, of which the host has one more as the most.
  template <class P> void count(P &p) {
    p.each_count([&](counted_extent &extent) {
      exact_.push_back(extent.value);
      auto *source = memory<int64_t>();
      machine_.upload(source, &exact_.back(), sizeof(int64_t));
      extent = counted(source, exact_.back() + 1);
    });
  }
#endif

  template <class F> void run(int64_t launches, F f) {
    machine_.run(f);
#if defined(CAMEO_TEST_CUDA)
    CHECK(machine_.launches() == launches);
#else
    (void)launches;
#endif
    CHECK(machine_.code() == 0);
  }

private:
  machine machine_;
  std::vector<char> zeros_ = std::vector<char>(bytes);
  std::vector<void *> memories_;
  std::deque<int64_t> exact_; // uploads may be under way: it stays where it is
  std::map<std::string, std::unique_ptr<array<int32_t>>> counts_; // by the load's name
};

} // namespace
} // namespace cameo::test

#include "records_instances.inc"
